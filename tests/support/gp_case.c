/* gp_case.c: build targets for tests; see gp_case.h. */
#include "support/gp_case.h"

#include <stdlib.h>
#include <string.h>

#include "support/observe.h"
#include "support/support.h"

static tw_reference *dense_reference(const test_problem *problem, const tw_model *model)
{
    size_t n = problem->n;
    tw_reference *q = NULL;
    double *sigma = malloc(n * n * sizeof *sigma), *mu = malloc(n * sizeof *mu);
    assert_true(sigma && mu);
    for (size_t i = 0; i < n * n; i++) sigma[i] = 0.7 * problem->k[i];
    for (size_t i = 0; i < n; i++) {
        sigma[i + i * n] += 0.2;
        mu[i] = 0.3 * problem->nu[i];
    }
    assert_int_equal(tw_reference_gaussian(model, mu, sigma, n, &q), TW_OK);
    free(mu);
    free(sigma);
    return q;
}

tw_reference *gp_reference(const test_problem *problem, const tw_model *model, gp_form form)
{
    tw_reference *q = NULL;
    if (form == GP_DENSE) return dense_reference(problem, model);
    if (form == GP_PRIOR)
        assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    else
        assert_int_equal(tw_reference_sites(model, problem->tau, problem->nu, &q), TW_OK);
    return q;
}

static gp_case finish(const gp_setting *s, test_problem *problem)
{
    gp_case c = {.ctx = new_context(), .problem = problem};
    tw_form form = s->form == GP_FOLDED ? TW_FORM_FOLDED : TW_FORM_OPEN;
    assert_int_equal(tw_model_new(c.ctx, problem->k, s->n,
                                  OBSERVED(tw_likelihood_find("probit"), s->n, problem->y, NULL), 0.0,
                                  &c.model),
                     TW_OK);
    c.reference = gp_reference(problem, c.model, s->form);
    assert_int_equal(tw_target_new(c.model, c.reference, form, &c.target), TW_OK);
    assert_int_equal(tw_target_set_temperature(c.target, s->beta), TW_OK);
    return c;
}

gp_case gp_case_new(const gp_setting *s)
{
    test_problem *problem = test_problem_new(s->n, s->seed, s->cond);
    for (size_t i = 0; i < s->n * s->n; i++) problem->k[i] *= s->scale;
    return finish(s, problem);
}

gp_case gp_case_from(const gp_setting *s, const double *k, const double *y)
{
    test_problem *problem = test_problem_new(s->n, s->seed, 10);
    memcpy(problem->k, k, s->n * s->n * sizeof *k);
    memcpy(problem->y, y, s->n * sizeof *y);
    return finish(s, problem);
}

void gp_case_free(gp_case *c)
{
    tw_target_free(c->target);
    tw_reference_free(c->reference);
    tw_model_free(c->model);
    test_problem_free(c->problem);
    assert_int_equal(tw_context_bytes_in_use(c->ctx), 0);
    tw_context_free(c->ctx);
}
