/* curved.c: the Riemannian metric G = A^-1 + Lambda of a distributed Gaussian (see gaussian/curved.h).
 *
 * In the coordinates w the metric is M = I + F' Lambda F = R R', which ScaLAPACK factors; all sites are
 * active.
 *   xdot = G^-1 A^-1 g = F M^-1 u for u = F^-1 g,    y = G^-1 d = F M^-1 F' d,
 *   diag G^-1 = sums of squares of the rows of F R'^-1,
 *   k' (A + Lambda^-1)^-1 k = |u|^2 - |R^-1 u|^2 for u = F^-1 k.
 */
#include <math.h>
#include <string.h>

#include "distributed/inside.h"
#include "linalg/vector.h"

typedef struct distributed_curved {
    tw_curved c;
    tw_blocks *blocks;
    tw_block_matrix metric, folded; /* R; workspace, then F R'^-1 */
    double *lambda, *u;             /* n; n x TW_BLOCK_COLUMNS */
} distributed_curved;

static const tw_curved_kind curved_kind;

static void release(tw_curved *c)
{
    distributed_curved *d = (distributed_curved *)c;
    if (!d->blocks) return;
    tw_block_matrix_release(d->blocks, &d->metric);
    tw_block_matrix_release(d->blocks, &d->folded);
    tw_release(c->ctx, d->lambda);
    tw_release(c->ctx, d->u);
    tw_blocks_free(d->blocks);
}

static tw_status allocate(distributed_curved *d)
{
    tw_context *ctx = d->c.ctx;
    TW_TRY(tw_block_matrix_new(d->blocks, "the factor of the metric", &d->metric));
    TW_TRY(tw_block_matrix_new(d->blocks, "the inverse of the metric", &d->folded));
    tw_status status = tw_allocate_doubles(ctx, d->c.n, 1, "the curvatures", &d->lambda);
    if (status == TW_OK)
        status = tw_allocate_doubles(ctx, d->c.n, TW_BLOCK_COLUMNS, "whitened vectors", &d->u);
    return tw_blocks_agree(d->blocks, status);
}

tw_status tw_distributed_curve(const tw_gaussian *g, size_t sites, tw_curved **out)
{
    tw_blocks *b = ((const tw_distributed *)g)->blocks;
    tw_curved *made = NULL;
    (void)sites;
    *out = NULL;
    TW_TRY(tw_blocks_agree(b, tw_curved_allocate(g, &curved_kind, sizeof(distributed_curved), &made)));
    distributed_curved *d = (distributed_curved *)made;
    d->blocks = tw_blocks_use(b);
    tw_status status = allocate(d);
    if (status == TW_OK)
        *out = made;
    else
        tw_curved_free(made);
    return status;
}

static bool factor(tw_curved *c, const double *lambda, double threshold)
{
    distributed_curved *d = (distributed_curved *)c;
    (void)threshold;
    c->active = c->n;
    for (size_t i = 0; i < c->n; i++) {
        d->lambda[i] = lambda[i] > 0.0 ? lambda[i] : 0.0;
        c->root[i] = sqrt(d->lambda[i]);
    }
    return tw_distributed_metric((const tw_distributed *)c->base, d->lambda, &d->folded, &d->metric,
                                 &c->log_det);
}

/* u = M^-1 u = R'^-1 R^-1 u for one column. */
static void solve(const distributed_curved *d, double *u)
{
    tw_blocks_put(d->blocks, 1, u);
    tw_blocks_triangle(d->blocks, TW_BLOCK_SOLVE, false, &d->metric, 1);
    tw_blocks_triangle(d->blocks, TW_BLOCK_SOLVE, true, &d->metric, 1);
    tw_blocks_get(d->blocks, 1, u);
}

static void velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    distributed_curved *d = (distributed_curved *)c;
    double *x = d->u + c->n;
    tw_gaussian_solve(c->base, 1, g, d->u);
    solve(d, d->u);
    tw_gaussian_spread(c->base, 1, d->u, x);
    if (xdot) memcpy(xdot, x, c->n * sizeof *xdot);
    for (size_t i = 0; z && i < c->n; i++) z[i] = d->lambda[i] * x[i];
}

static void respond(tw_curved *c, const double *from, double *y, double *rest)
{
    distributed_curved *d = (distributed_curved *)c;
    double *x = d->u + c->n;
    tw_gaussian_pull_back(c->base, 1, from, d->u);
    solve(d, d->u);
    tw_gaussian_spread(c->base, 1, d->u, x);
    for (size_t i = 0; rest && i < c->n; i++) rest[i] = from[i] - d->lambda[i] * x[i];
    if (y) memcpy(y, x, c->n * sizeof *y);
}

static void diagonal(tw_curved *c, double *out)
{
    distributed_curved *d = (distributed_curved *)c;
    tw_distributed_fold((const tw_distributed *)c->base, &d->metric, &d->folded);
    tw_blocks_row_squares(d->blocks, &d->folded, out);
}

static void explain(const tw_curved *c, size_t columns, double *k, double *explained)
{
    const distributed_curved *d = (const distributed_curved *)c;
    size_t n = c->n;
    tw_gaussian_solve(c->base, columns, k, k);
    for (size_t done = 0, part; done < columns; done += part) {
        double *u = k + done * n;
        part = columns - done < TW_BLOCK_COLUMNS ? columns - done : TW_BLOCK_COLUMNS;
        tw_blocks_put(d->blocks, part, u);
        tw_blocks_triangle(d->blocks, TW_BLOCK_SOLVE, false, &d->metric, part);
        tw_blocks_get(d->blocks, part, d->u);
        for (size_t j = 0; j < part; j++)
            explained[done + j] = tw_dot(n, u + j * n, u + j * n) - tw_dot(n, d->u + j * n, d->u + j * n);
    }
}

static tw_curved_flops flops(const tw_curved *c, double active)
{
    double n = (double)c->n, cube = n * n * n;
    (void)active;
    return (tw_curved_flops){
        .factor = 4.0 * cube / 3.0, .solve = 4.0 * n * n, .diagonal = cube, .product = 2.0 * n * n};
}

static const tw_curved_kind curved_kind = {.release = release,
                                           .factor = factor,
                                           .velocity = velocity,
                                           .respond = respond,
                                           .diagonal = diagonal,
                                           .explain = explain,
                                           .flops = flops};
