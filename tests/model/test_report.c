/* The model against the report's pseudo-code: L, H and its gradient, log|G| and G^-1, both branches, to
 * 1e-10.
 *
 * From a target with base N(m, A) and site curvatures lambda, with S = diag(sqrt(lambda)) and B = I + S A S:
 *   G^-1 = A - A S B^-1 S A,   log|G| = log|B| - log|A|,   w = G^-1 p,
 *   H = -L + log|G|/2 + p'w/2,   dH/dx = -dL/dx + dlambda o diag(G^-1)/2 - dlambda o w o w/2.
 * The subtraction is accurate enough here, with cond(K) <= 1e4; the library avoids it.
 */
#include <math.h>

#include "linalg/cholesky.h"
#include "linalg/product.h"
#include "linalg/vector.h"
#include "model/model.h"
#include "reference/reference.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { MAX = 60 };

typedef struct geometry {
    double value, log_det_g, h;
    double g_inv[MAX * MAX], dh_dx[MAX];
} geometry;

/* A_ij. */
static double covariance(const tw_target *t, size_t i, size_t j)
{
    double a;
    tw_gaussian_block(t->base, i, 1, j, 1, &a);
    return a;
}

static void inverse_metric(const tw_target *t, const double *lambda, geometry *g)
{
    static double b[MAX * MAX], v[MAX * MAX];
    size_t n = t->model->n;
    tw_pivot failed;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            double a = covariance(t, i, j);
            b[i + j * n] = (i == j) + sqrt(lambda[i] * lambda[j]) * a;
            v[i + j * n] = sqrt(lambda[i]) * a;
        }
    assert_true(tw_cholesky_in_place(n, b, n, &failed));
    tw_cholesky_half_solve(n, b, n, false, n, v, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            g->g_inv[i + j * n] = covariance(t, i, j) - tw_dot(n, v + i * n, v + j * n);
    g->log_det_g = tw_cholesky_log_det(n, b, n) - t->base->log_det;
}

static void model_geometry(const tw_target *t, const double *x, const double *p, geometry *g)
{
    size_t n = t->model->n;
    double v[MAX], again[MAX], slope[MAX], lambda[MAX], dlambda[MAX], gradient[MAX], w[MAX];
    tw_target_whiten(t, 1, x, v);
    tw_target_evaluate(t, 1, v, &(tw_evaluation){again, &g->value, NULL, gradient, slope, lambda, dlambda});
    tw_gaussian_solve_transposed(t->base, 1, gradient); /* dL/dx = L^-T dL/dv */
    inverse_metric(t, lambda, g);
    tw_product_symmetric(n, 1, g->g_inv, n, p, n, w, n);
    g->h = -g->value + 0.5 * g->log_det_g + 0.5 * tw_dot(n, p, w);
    for (size_t i = 0; i < n; i++)
        g->dh_dx[i] = -gradient[i] + 0.5 * dlambda[i] * (g->g_inv[i + i * n] - w[i] * w[i]);
}

static void compare(size_t n, const geometry *g, const ref_point *point)
{
    assert_close(g->value, point->metric.value, 1e-10 * (1 + fabs(g->value)), "L");
    assert_close(g->log_det_g, point->metric.log_det_g, 1e-10 * (1 + fabs(g->log_det_g)), "log|G|");
    assert_close(g->h, point->h, 1e-10 * (1 + fabs(g->h)), "H");
    for (size_t i = 0; i < n; i++) {
        assert_close(g->dh_dx[i], point->dh_dx[i], 1e-10 * (1 + fabs(g->dh_dx[i])), "dH/dx");
        for (size_t j = 0; j <= i; j++)
            assert_close(g->g_inv[i + j * n], point->metric.g_inv[i + j * n], 1e-10, "G^-1");
    }
}

/* One branch of the report against one form of the target, at three temperatures. */
static void compare_branch(const test_problem *problem, bool from_ep, tw_form form)
{
    static geometry g;
    size_t n = problem->n;
    double x[MAX], p[MAX];
    const double betas[] = {0.0, 0.3, 1.0};
    test_random random = {n + 100};
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *q = NULL;
    tw_target *t = NULL;
    assert_int_equal(tw_model_new(ctx, problem->k, n,
                                  OBSERVED(tw_likelihood_find("probit"), n, problem->y, NULL), 0.0, &model),
                     TW_OK);
    if (from_ep)
        assert_int_equal(tw_reference_sites(model, problem->tau, problem->nu, &q), TW_OK);
    else
        assert_int_equal(tw_reference_prior(model, &q), TW_OK);
    assert_int_equal(tw_target_new(model, q, form, &t), TW_OK);
    ref_inputs *in =
        ref_inputs_new((int)n, problem->y, problem->k, from_ep ? problem->tau : NULL, problem->nu);
    ref_workspace *work = ref_workspace_new((int)n);
    assert_true(in && work);
    for (size_t b = 0; b < 3; b++) {
        in->beta = betas[b];
        test_normals(&random, n, x);
        test_normals(&random, n, p);
        assert_int_equal(tw_target_set_temperature(t, betas[b]), TW_OK);
        assert_int_equal(ref_point_set(in, x, p, work, &work->point), REF_FINE);
        model_geometry(t, x, p, &g);
        compare(n, &g, &work->point);
    }
    ref_workspace_free(work);
    ref_inputs_free(in);
    tw_target_free(t);
    tw_reference_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

static void the_model_agrees_with_the_report(void **state)
{
    (void)state;
    const size_t sizes[] = {1, 2, 5, 60};
    const double conditions[] = {10.0, 1e4};
    for (size_t s = 0; s < 4; s++)
        for (size_t c = 0; c < 2; c++) {
            test_problem *problem = test_problem_new(sizes[s], 31 + s, conditions[c]);
            compare_branch(problem, false, TW_FORM_OPEN);
            compare_branch(problem, true, TW_FORM_OPEN);
            compare_branch(problem, true, TW_FORM_FOLDED);
            test_problem_free(problem);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_model_agrees_with_the_report)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
