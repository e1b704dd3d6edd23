/* dense_curved.c: the curved metric of a dense Gaussian.
 *
 * B = I + S A S is formed and factored only for the active sites, those with lambda_n A_nn above the
 * threshold. The other sites would change log |B| by less than the sum of their lambda_n A_nn. With n = 767 a
 * few hundred sites are active, and the factorisation takes (active)^3/3 flops instead of n^3/3. On the
 * active sites, with t = S^-1 d,
 *   z = S B^-1 S g,    G^-1 d = S^-1 (I - B^-1) S^-1 d = S^-1 (t - B^-1 t),
 *   (G^-1)_nn = (1 - (B^-1)_nn) / lambda_n.
 * diag(B^-1) has the row sums of squares of the inverse factor W = L^-T, which takes as many flops again.
 * Afterwards products with W W' replace solves.
 */
#include <math.h>
#include <string.h>

#include "gaussian/curved.h"
#include "gaussian/dense_inside.h"
#include "linalg/vector.h"

typedef struct dense_curved {
    tw_curved c;
    size_t sites;     /* the largest number of active sites */
    size_t *index;    /* the active sites, in ascending order */
    double *s, *r;    /* their sqrt(lambda), and the reciprocals */
    double *t, *u;    /* `sites` each: work */
    double *work;     /* of the factorisation */
    double *diagonal; /* diag(B^-1), once inverted */
    size_t ld;        /* leading dimension of b */
    double *b;        /* active x active: the factor of B; once inverted, W on and above the diagonal */
    bool inverted;
} dense_curved;

static const tw_curved_kind curved_kind;

static void release(tw_curved *c)
{
    dense_curved *d = (dense_curved *)c;
    tw_release(c->ctx, d->index);
    tw_release(c->ctx, d->s);
    tw_release(c->ctx, d->r);
    tw_release(c->ctx, d->t);
    tw_release(c->ctx, d->u);
    tw_release(c->ctx, d->work);
    tw_release(c->ctx, d->diagonal);
    tw_release(c->ctx, d->b);
}

static tw_status allocate(dense_curved *d)
{
    tw_context *ctx = d->c.ctx;
    void *index = NULL;
    TW_TRY(tw_allocate(ctx, d->sites, sizeof *d->index, "the active sites", &index));
    d->index = index;
    TW_TRY(tw_allocate_doubles(ctx, d->sites, 1, "the active sites", &d->s));
    TW_TRY(tw_allocate_doubles(ctx, d->sites, 1, "the active sites", &d->r));
    TW_TRY(tw_allocate_doubles(ctx, d->sites, 1, "the active sites", &d->t));
    TW_TRY(tw_allocate_doubles(ctx, d->sites, 1, "the active sites", &d->u));
    TW_TRY(tw_allocate_doubles(ctx, d->sites, 1, "the active sites", &d->diagonal));
    TW_TRY(tw_allocate_doubles(ctx, tw_cholesky_work(d->sites), 1, "the factor of the metric", &d->work));
    return tw_allocate_doubles(ctx, d->sites, tw_cholesky_leading(d->sites), "the factor of the metric",
                               &d->b);
}

tw_status tw_dense_curve(const tw_gaussian *g, size_t sites, tw_curved **out)
{
    TW_TRY(tw_curved_allocate(g, &curved_kind, sizeof(dense_curved), out));
    dense_curved *d = (dense_curved *)*out;
    d->sites = sites;
    tw_status status = allocate(d);
    if (status == TW_OK) return TW_OK;
    tw_curved_free(*out);
    *out = NULL;
    return status;
}

static bool factor(tw_curved *c, const double *lambda, double threshold)
{
    dense_curved *d = (dense_curved *)c;
    const double *variance = c->base->variance;
    tw_pivot failed;
    c->active = 0;
    for (size_t i = 0; i < c->n; i++) {
        bool omitted = lambda[i] * variance[i] <= threshold;
        c->root[i] = omitted ? 0.0 : sqrt(lambda[i]);
        if (omitted) continue;
        d->index[c->active] = i;
        d->r[c->active] = 1.0 / c->root[i];
        d->s[c->active++] = c->root[i];
    }
    d->inverted = false;
    d->ld = tw_cholesky_leading(c->active);
    if (!tw_cholesky_active(c->active, d->index, d->s, ((const tw_dense *)c->base)->a, c->n, d->b, d->ld,
                            d->work, &failed))
        return false;
    c->log_det = tw_cholesky_log_det(c->active, d->b, d->ld);
    return true;
}

/* u = B^-1 t. */
static void solve(const dense_curved *d)
{
    size_t active = d->c.active;
    if (d->inverted) {
        tw_cholesky_inverse_multiply(active, d->b, d->ld, d->t, d->u);
        return;
    }
    memcpy(d->u, d->t, active * sizeof *d->u);
    tw_cholesky_solve(active, d->b, d->ld, 1, d->u, active);
}

static void velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    dense_curved *d = (dense_curved *)c;
    for (size_t k = 0; k < c->active; k++) d->t[k] = d->s[k] * g[d->index[k]];
    solve(d);
    if (xdot) memset(xdot, 0, c->n * sizeof *xdot);
    if (z) memset(z, 0, c->n * sizeof *z);
    for (size_t k = 0; xdot && k < c->active; k++) xdot[d->index[k]] = d->u[k] * d->r[k];
    for (size_t k = 0; z && k < c->active; k++) z[d->index[k]] = d->s[k] * d->u[k];
}

static void respond(tw_curved *c, const double *from, double *y, double *rest)
{
    dense_curved *d = (dense_curved *)c;
    for (size_t k = 0; k < c->active; k++) d->t[k] = from[d->index[k]] * d->r[k];
    solve(d);
    if (y) memset(y, 0, c->n * sizeof *y);
    if (rest) memset(rest, 0, c->n * sizeof *rest);
    for (size_t k = 0; y && k < c->active; k++) y[d->index[k]] = (d->t[k] - d->u[k]) * d->r[k];
    for (size_t k = 0; rest && k < c->active; k++) rest[d->index[k]] = d->s[k] * d->u[k];
}

static void diagonal(tw_curved *c, double *out)
{
    dense_curved *d = (dense_curved *)c;
    if (!d->inverted) tw_cholesky_invert(c->active, d->b, d->ld, d->work, d->diagonal);
    d->inverted = true;
    memcpy(out, c->base->variance, c->n * sizeof *out);
    for (size_t k = 0; k < c->active; k++) out[d->index[k]] = (1.0 - d->diagonal[k]) / (d->s[k] * d->s[k]);
}

static void explain(const tw_curved *c, size_t columns, double *k, double *explained)
{
    const dense_curved *d = (const dense_curved *)c;
    size_t n = c->n, active = c->active;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < active; i++)
            k[i + j * n] = d->s[i] * k[d->index[i] + j * n]; /* in place, as index[i] >= i */
    tw_cholesky_half_solve(active, d->b, d->ld, false, columns, k, n);
    for (size_t j = 0; j < columns; j++) explained[j] = tw_dot(active, k + j * n, k + j * n);
}

static tw_curved_flops flops(const tw_curved *c, double active)
{
    double cube = active * active * active / 3.0;
    return (tw_curved_flops){.factor = cube,
                             .solve = 2.0 * active * active,
                             .diagonal = cube,
                             .product = 2.0 * (double)c->n * active};
}

static const tw_curved_kind curved_kind = {.release = release,
                                           .factor = factor,
                                           .velocity = velocity,
                                           .respond = respond,
                                           .diagonal = diagonal,
                                           .explain = explain,
                                           .flops = flops};
