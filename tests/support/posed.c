/* posed.c: models with EP and the prior; see posed.h. */
#include "support/posed.h"

#include <math.h>
#include <stdlib.h>

#include "support/observe.h"
#include "support/support.h"

posed pose_in(tw_context *ctx, size_t n, const double *k, const tw_likelihood *likelihood, const double *y)
{
    return pose_observed(ctx, k, OBSERVED(likelihood, n, y, NULL));
}

posed pose_observed(tw_context *ctx, const double *k, const tw_observations *observed)
{
    posed p = {.ctx = ctx ? ctx : new_context()};
    assert_int_equal(tw_model_new(p.ctx, k, observed->n, observed, 0.0, &p.model), TW_OK);
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

/* The trapezoidal rule converges faster than any power of its step; t beyond 12 contributes less than 1e-32. */
static double log_z_of_same_labels(size_t n, double a, double b)
{
    const double step = 1e-3, slope = sqrt(0.5 * a / (1.0 + b));
    double sum = 0.0;
    for (int i = -12000; i <= 12000; i++) {
        double t = step * i;
        sum += step * exp(-0.5 * t * t - 0.91893853320467274178 + (double)n * log(0.5 * erfc(-slope * t)));
    }
    return log(sum);
}

posed pose_same_labels(size_t n, double a, double b, double *log_z)
{
    double *k = calloc(n * n, sizeof *k), *y = calloc(n, sizeof *y);
    assert_true(k && y);
    for (size_t j = 0; j < n; j++) {
        y[j] = 1.0;
        for (size_t i = 0; i < n; i++) k[i + j * n] = a + (i == j ? b : 0.0);
    }
    posed p = pose_in(NULL, n, k, tw_likelihood_find("probit"), y);
    *log_z = log_z_of_same_labels(n, a, b);
    free(k);
    free(y);
    return p;
}

sample_moments moments_of(size_t n, const double *x)
{
    sample_moments m = {0.0, 0.0};
    for (size_t i = 0; i < n; i++) m.mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) m.sd += (x[i] - m.mean) * (x[i] - m.mean) / (double)(n - 1);
    m.sd = sqrt(m.sd);
    return m;
}
