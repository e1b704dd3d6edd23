/* spectral.c: the eigendecomposition of a Gaussian's covariance; see spectral.h. */
#include "gaussian/spectral.h"

#include <float.h>

#include "linalg/eigen.h"
#include "linalg/product.h"

void tw_spectral_free(tw_spectral *s)
{
    if (!s) return;
    tw_context *ctx = s->ctx;
    tw_release(ctx, s->values);
    tw_release(ctx, s->q);
    tw_release(ctx, s);
}

/* Set eigenvalues below the rounding error of the largest to 0: A has no variance in those directions. */
static void clear_rounding(tw_spectral *s)
{
    double least = (double)s->n * DBL_EPSILON * s->values[s->n - 1];
    for (size_t i = 0; i < s->n; i++)
        if (!(s->values[i] > least)) s->values[i] = 0.0;
}

static tw_status decompose(const tw_gaussian *g, tw_spectral *s)
{
    double *work = NULL;
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, 1, "the eigenvalues", &s->values));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, s->n, "the eigenvectors", &s->q));
    TW_TRY(tw_allocate_doubles(s->ctx, tw_eigen_work(s->n), 1, "the eigendecomposition", &work));
    g->kind->lower(g, s->q);
    bool done = tw_eigen_symmetric(s->n, s->q, s->n, s->values, work);
    tw_release(s->ctx, work);
    if (!done)
        return tw_fail(s->ctx, TW_NUMERICAL_FAILURE,
                       "the eigenvalues of a covariance matrix of %zu cases could not be computed", s->n);
    clear_rounding(s);
    return TW_OK;
}

tw_status tw_spectral_new(const tw_gaussian *g, tw_spectral **out)
{
    void *memory = NULL;
    *out = NULL;
    if (!g->kind->lower)
        return tw_fail(g->ctx, TW_BAD_ARGUMENT,
                       "%s does not support an eigendecomposition: use another method", g->kind->name);
    TW_TRY(tw_allocate(g->ctx, 1, sizeof(tw_spectral), "an eigendecomposition", &memory));
    tw_spectral *s = memory;
    *s = (tw_spectral){.ctx = g->ctx, .n = g->n};
    tw_status status = decompose(g, s);
    if (status != TW_OK) {
        tw_spectral_free(s);
        return status;
    }
    *out = s;
    return TW_OK;
}

void tw_spectral_spread(const tw_spectral *s, size_t columns, const double *z, double *x)
{
    tw_product(s->n, columns, s->n, s->q, s->n, z, s->n, x, s->n);
}

void tw_spectral_pull_back(const tw_spectral *s, size_t columns, const double *x, double *z)
{
    tw_product_inner(s->n, columns, s->n, s->q, s->n, x, s->n, z, s->n);
}
