/* posed.c: see posed.h. */
#include "support/posed.h"

#include <math.h>

#include "support/support.h"

posed pose_in(tw_context *ctx, size_t n, const double *k, const tw_likelihood *likelihood, const double *y)
{
    posed p = {.ctx = ctx ? ctx : new_context()};
    assert_int_equal(tw_model_new(p.ctx, n, k, n, likelihood, y, NULL, 0.0, &p.model), TW_OK);
    assert_int_equal(tw_ep_fit(p.model, NULL, &p.ep), TW_OK);
    assert_true(p.ep->converged);
    assert_int_equal(tw_reference_prior(p.model, &p.prior), TW_OK);
    return p;
}

posed pose_oracle(const oracle_case *c)
{
    return pose_in(NULL, c->n, c->k, c->likelihood, c->y);
}

void posed_free(posed *p)
{
    tw_reference_free(p->prior);
    tw_approximation_free(p->ep);
    tw_model_free(p->model);
    assert_int_equal(tw_context_bytes_in_use(p->ctx), 0);
    tw_context_free(p->ctx);
}

void pose_line(size_t n, double *k, double *y)
{
    for (size_t j = 0; j < n; j++) {
        y[j] = j / 3 % 2 == 0 ? 1.0 : -1.0;
        for (size_t i = 0; i < n; i++) {
            double d = 0.5 * ((double)i - (double)j) / 1.5;
            k[i + j * n] = 4.0 * exp(-0.5 * d * d) + (i == j ? 0.1 : 0.0);
        }
    }
}

sample_moments moments_of(size_t n, const double *x)
{
    sample_moments m = {0.0, 0.0};
    for (size_t i = 0; i < n; i++) m.mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) m.sd += (x[i] - m.mean) * (x[i] - m.mean) / (double)(n - 1);
    m.sd = sqrt(m.sd);
    return m;
}
