/* reference.c: the normalised Gaussian q that a path starts from.
 *
 * For sites, log Z_q = c(tau, nu) = -1/2 log|I + L' T L| + 1/2 |L_Sigma' nu|^2 with L_Sigma the conditioned
 * factor, and mu = Sigma nu = L_Sigma (L_Sigma' nu): nothing is inverted or subtracted.
 */
#include <math.h>
#include <string.h>

#include "linalg/product.h"
#include "model/model.h"

void tw_reference_free(tw_reference *q)
{
    if (!q) return;
    tw_context *ctx = q->ctx;
    tw_release(ctx, q->tau);
    tw_release(ctx, q->nu);
    tw_release(ctx, q->mean);
    tw_factor_free(q->factor);
    tw_release(ctx, q);
}

static tw_status allocate_reference(const tw_model *model, tw_reference_kind kind, tw_reference **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_reference), "a reference distribution", &memory));
    tw_reference *q = memory;
    *q = (tw_reference){.ctx = model->ctx, .model = model, .kind = kind};
    *out = q;
    return TW_OK;
}

/* Free q on failure, hand it out on success. */
static tw_status finish(tw_status status, tw_reference *q, tw_reference **out)
{
    if (status != TW_OK) {
        tw_reference_free(q);
        q = NULL;
    }
    *out = q;
    return status;
}

tw_status tw_reference_prior(const tw_model *model, tw_reference **out)
{
    return allocate_reference(model, TW_REFERENCE_PRIOR, out);
}

static tw_status check_sites(const tw_model *model, const double *tau, const double *nu)
{
    for (size_t i = 0; i < model->n; i++)
        if (!(tau[i] >= 0.0) || !isfinite(tau[i]) || !isfinite(nu[i]))
            return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                           "site %zu of the reference has precision %g and shift %g: the precision must be "
                           "finite and >= 0",
                           i + 1, tau[i], nu[i]);
    return TW_OK;
}

static tw_status fill_sites(tw_reference *q, const double *tau, const double *nu)
{
    const tw_model *model = q->model;
    tw_context *ctx = q->ctx;
    size_t n = model->n, r = model->factor->rank;
    double *h = NULL, log_det_m;
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the precisions of the reference", &q->tau));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the shifts of the reference", &q->nu));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the mean of the reference", &q->mean));
    TW_TRY(tw_factor_copy(model->factor, &q->factor));
    TW_TRY(tw_allocate_doubles(ctx, r, 1, "the mean of the reference", &h));
    memcpy(q->tau, tau, n * sizeof *tau);
    memcpy(q->nu, nu, n * sizeof *nu);
    bool factored = tw_factor_condition(model->factor, tau, q->factor, &log_det_m);
    if (factored) {
        tw_factor_multiply_transposed(q->factor, 1, nu, n, h, r);
        q->log_z = 0.5 * (tw_dot(r, h, h) - log_det_m);
        tw_factor_multiply(q->factor, 1, h, r, q->mean, n);
    }
    tw_release(ctx, h);
    return factored ? TW_OK
                    : tw_fail(ctx, TW_NUMERICAL_FAILURE,
                              "the covariance of the reference could not be factored: its "
                              "precisions are too large for double precision");
}

tw_status tw_reference_sites(const tw_model *model, const double *tau, const double *nu, tw_reference **out)
{
    tw_reference *q = NULL;
    *out = NULL;
    TW_TRY(check_sites(model, tau, nu));
    TW_TRY(allocate_reference(model, TW_REFERENCE_SITES, &q));
    return finish(fill_sites(q, tau, nu), q, out);
}

static tw_status fill_gaussian(tw_reference *q, const double *mean, const double *covariance, size_t ld)
{
    size_t n = q->model->n;
    tw_factor_report report;
    TW_TRY(tw_allocate_doubles(q->ctx, n, 1, "the mean of the reference", &q->mean));
    memcpy(q->mean, mean, n * sizeof *mean);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(mean[i]))
            return tw_fail(q->ctx, TW_BAD_ARGUMENT, "the mean of the reference is %g in row %zu", mean[i],
                           i + 1);
    tw_status status = tw_factor_new(q->ctx, n, covariance, ld, 0.0, &q->factor, &report);
    if (status != TW_OK) return tw_fail_within(q->ctx, status, "the covariance of the reference: ");
    if (!q->factor->pivot) return TW_OK;
    return tw_fail(q->ctx, TW_NOT_POSITIVE_DEFINITE,
                   "the covariance of the reference is singular (rank %zu of %zu, pivot %zu): it must be "
                   "positive definite",
                   q->factor->rank, n, report.failed.pivot);
}

tw_status tw_reference_gaussian(const tw_model *model, const double *mean, const double *covariance,
                                size_t ld, tw_reference **out)
{
    tw_reference *q = NULL;
    *out = NULL;
    if (model->factor->pivot)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                       "a reference N(mu, Sigma) needs a kernel matrix of full rank; this one has rank %zu "
                       "of %zu: start from the prior or from EP, or add a jitter",
                       model->factor->rank, model->n);
    TW_TRY(allocate_reference(model, TW_REFERENCE_GAUSSIAN, &q));
    return finish(fill_gaussian(q, mean, covariance, ld), q, out);
}

double tw_reference_log_z(const tw_reference *reference)
{
    return reference->log_z;
}
