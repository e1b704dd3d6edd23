/* fitted.c: fit approximations and check fixed points; see fitted.h. */
#include "support/fitted.h"

#include <math.h>

#include "model/model.h"
#include "support/dense.h"
#include "support/observe.h"
#include "support/support.h"

static fitted model_of(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                       const double *w)
{
    fitted f = {.ctx = new_context(), .n = n, .k = k, .y = y, .w = w};
    assert_non_null(likelihood);
    assert_int_equal(tw_model_new(f.ctx, k, n, OBSERVED(likelihood, n, y, w), 0.0, &f.model), TW_OK);
    return f;
}

fitted fit_ep(size_t n, const double *k, const tw_likelihood *likelihood, const double *y, const double *w,
              const tw_ep_options *options)
{
    fitted f = model_of(n, k, likelihood, y, w);
    assert_int_equal(tw_ep_fit(f.model, options, &f.q), TW_OK);
    assert_int_equal(f.q->kind, TW_EP);
    return f;
}

fitted fit_laplace(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                   const double *w)
{
    fitted f = model_of(n, k, likelihood, y, w);
    assert_int_equal(tw_laplace_fit(f.model, NULL, &f.q), TW_OK);
    assert_int_equal(f.q->kind, TW_LAPLACE);
    return f;
}

void fitted_free(fitted *f)
{
    tw_approximation_free(f->q);
    tw_model_free(f->model);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
}

void assert_fixed_point(const fitted *f)
{
    const tw_model *m = f->model;
    const double *tau = f->q->tau, *nu = f->q->nu;
    dense_gaussian q = dense_posterior(f->n, f->k, tau, nu);
    double log_z = q.log_z, parts = fabs(q.log_z);
    assert_true(f->q->converged);
    assert_true(f->q->residual <= 1e-6);
    for (size_t i = 0; i < f->n; i++) {
        double v = q.sigma[i + i * f->n], mean = q.mean[i];
        double precision = 1.0 / v - tau[i], shift = mean / v - nu[i];
        tw_tilted t;
        assert_int_equal(tw_likelihood_tilted(&m->observed, i, shift / precision, 1.0 / precision, &t),
                         TW_OK);
        assert_close((t.mean - mean) / sqrt(v), 0.0, 1e-5, "tilted mean");
        assert_close(t.variance / v, 1.0, 1e-5, "tilted variance");
        assert_close((f->q->mean[i] - mean) / sqrt(v), 0.0, 1e-6, "mean of q");
        assert_close(f->q->variance[i] / v, 1.0, 1e-6, "variance of q");
        log_z += t.log_z - 0.5 * (mean * mean / v - shift * shift / precision + log(precision * v));
        parts += fabs(mean * mean / v);
    }
    assert_close(f->q->log_z, log_z, 1e-8 + 1e-13 * parts, "log Z at the fixed point");
    dense_free(&q);
}
