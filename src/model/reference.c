/* reference.c: the normalised Gaussian q that a path starts from.
 *
 * With sites, q is the prior conditioned on them, with log Z_q = -1/2 log|I + L' T L| + 1/2 nu' Sigma nu.
 * This form neither inverts a matrix nor subtracts one (gaussian/gaussian.h).
 */
#include <math.h>
#include <string.h>

#include "model/model.h"

void tw_reference_free(tw_reference *q)
{
    if (!q) return;
    tw_context *ctx = q->ctx;
    tw_release(ctx, q->tau);
    tw_release(ctx, q->nu);
    tw_gaussian_free(q->own);
    tw_release(ctx, q);
}

static tw_status allocate_reference(const tw_model *model, tw_reference_kind kind, tw_reference **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_reference), "a reference distribution", &memory));
    tw_reference *q = memory;
    *q = (tw_reference){.ctx = model->ctx, .model = model, .kind = kind, .gaussian = model->prior};
    *out = q;
    return TW_OK;
}

/* On success set *out to q; on failure free it. */
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

/* Sites of a likelihood that is not log-concave may have negative precisions. */
static tw_status check_sites(const tw_model *model, const double *tau, const double *nu)
{
    double least = model->observed.likelihood->peak ? -INFINITY : 0.0;
    for (size_t i = 0; i < model->n; i++)
        if (!(tau[i] >= least) || !isfinite(tau[i]) || !isfinite(nu[i]))
            return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                           "site %zu of the reference has precision %g and shift %g: the precision must be "
                           "finite%s",
                           i + 1, tau[i], nu[i], least < 0.0 ? "" : " and >= 0");
    return TW_OK;
}

static tw_status fill_sites(tw_reference *q, const double *tau, const double *nu)
{
    const tw_gaussian *prior = q->model->prior;
    tw_context *ctx = q->ctx;
    size_t n = prior->n;
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the precisions of the reference", &q->tau));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the shifts of the reference", &q->nu));
    TW_TRY(tw_gaussian_like(prior, false, &q->own));
    q->gaussian = q->own;
    memcpy(q->tau, tau, n * sizeof *tau);
    memcpy(q->nu, nu, n * sizeof *nu);
    if (tw_gaussian_condition(prior, 1.0, tau, nu, q->own, &q->log_z)) return TW_OK;
    return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                   "the covariance of the reference could not be factored: its precisions are too large for "
                   "double precision, or too negative for a proper distribution");
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
    for (size_t i = 0; i < n; i++)
        if (!isfinite(mean[i]))
            return tw_fail(q->ctx, TW_BAD_ARGUMENT, "the mean of the reference is %g in row %zu", mean[i],
                           i + 1);
    tw_status status = tw_gaussian_dense_given(q->ctx, n, mean, covariance, ld, &q->own);
    if (status != TW_OK) return tw_fail_within(q->ctx, status, "the covariance of the reference: ");
    q->gaussian = q->own;
    return tw_gaussian_check_mix(q->model->prior, q->own);
}

tw_status tw_reference_gaussian(const tw_model *model, const double *mean, const double *covariance,
                                size_t ld, tw_reference **out)
{
    tw_reference *q = NULL;
    *out = NULL;
    if (!model->prior->full_rank)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT,
                       "a reference N(mu, Sigma) needs a kernel matrix of full rank; this one has rank %zu "
                       "of %zu: start from the prior or from EP, or add a jitter",
                       model->prior->r, model->n);
    TW_TRY(allocate_reference(model, TW_REFERENCE_GAUSSIAN, &q));
    return finish(fill_gaussian(q, mean, covariance, ld), q, out);
}

double tw_reference_log_z(const tw_reference *reference)
{
    return reference->log_z;
}
