/* approximation.c: the result type of Laplace's method and EP: sites (tau, nu), the Gaussian q that they
 * define, and its marginals.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"

void tw_approximation_free(tw_approximation *a)
{
    if (!a) return;
    tw_context *ctx = a->ctx;
    tw_release(ctx, a->tau);
    tw_release(ctx, a->nu);
    tw_release(ctx, a->mean);
    tw_release(ctx, a->variance);
    tw_reference_free(a->reference);
    tw_release(ctx, a);
}

tw_status tw_approximation_allocate(const tw_model *model, tw_approximation_kind kind, tw_approximation **out)
{
    tw_context *ctx = model->ctx;
    size_t n = model->n;
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_approximation), "an approximation", &memory));
    tw_approximation *a = memory;
    *a = (tw_approximation){.ctx = ctx, .kind = kind, .n = n};
    tw_status status = tw_allocate_doubles(ctx, n, 1, "the sites", &a->tau);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, "the sites", &a->nu);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, "the marginals", &a->mean);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, "the marginals", &a->variance);
    if (status != TW_OK) {
        tw_approximation_free(a);
        return status;
    }
    *out = a;
    return TW_OK;
}

tw_status tw_approximation_rebuild(const tw_model *model, tw_approximation *a)
{
    size_t n = a->n;
    tw_reference_free(a->reference);
    a->reference = NULL;
    TW_TRY(tw_reference_sites(model, a->tau, a->nu, &a->reference));
    const tw_gaussian *q = a->reference->gaussian;
    memcpy(a->mean, q->mean, n * sizeof *a->mean);
    memcpy(a->variance, q->variance, n * sizeof *a->variance);
    return TW_OK;
}

/* With R = (K + T^-1)^-1, log |B| changes by tr(R dK) if K changes by dK. The entries of a dense K, and those of its
 * factor's product, have errors of random signs of about eps (K_ii K_jj)^1/2; a factor of low rank also omits numbers
 * up to `lost`. */
static double rounding_of_matrix(const tw_gaussian *prior, const tw_approximation *a)
{
    double trace = 0.0;
    for (size_t i = 0; i < a->n; i++) {
        double rest = fmax(1.0 - a->tau[i] * a->variance[i], 0.0);
        trace += fabs(a->tau[i]) * rest * (DBL_EPSILON * prior->variance[i] + prior->lost);
    }
    return trace;
}

double tw_approximation_rounding(const tw_model *model, const tw_approximation *a)
{
    const tw_gaussian *prior = model->prior, *q = a->reference->gaussian;
    if (q->kind->energy) return 0.5 * (prior->rounding + q->rounding);
    return prior->low_rank ? 0.0 : rounding_of_matrix(prior, a);
}

tw_status tw_approximation_from_sites(const tw_model *model, tw_approximation_kind kind, const double *tau,
                                      const double *nu, tw_approximation **out)
{
    tw_approximation *a = NULL;
    *out = NULL;
    TW_TRY(tw_approximation_allocate(model, kind, &a));
    memcpy(a->tau, tau, a->n * sizeof *tau);
    memcpy(a->nu, nu, a->n * sizeof *nu);
    tw_status status = tw_approximation_rebuild(model, a);
    if (status != TW_OK) {
        tw_approximation_free(a);
        return status;
    }
    *out = a;
    return TW_OK;
}
