/* sweep.c: rank-one updates of a dense covariance; see sweep.h. */
#include "gaussian/sweep.h"

#include "linalg/delayed.h"

_Static_assert((int)TW_SWEEP_BLOCK == (int)TW_DELAYED_BLOCK,
               "a block of sites is a block of delayed updates");

struct tw_sweep {
    tw_context *ctx;
    size_t n;
    double *a; /* n x n, lower triangle */
    tw_delayed *delayed;
};

bool tw_sweep_possible(const tw_gaussian *g)
{
    return g->kind->lower;
}

void tw_sweep_free(tw_sweep *s)
{
    if (!s) return;
    tw_context *ctx = s->ctx;
    tw_delayed_free(s->delayed);
    tw_release(ctx, s->a);
    tw_release(ctx, s);
}

tw_status tw_sweep_new(const tw_gaussian *g, tw_sweep **out)
{
    void *memory = NULL;
    *out = NULL;
    if (!tw_sweep_possible(g))
        return tw_fail(g->ctx, TW_BAD_ARGUMENT, "%s does not support sequential sweeps: use parallel EP",
                       g->kind->name);
    TW_TRY(tw_allocate(g->ctx, 1, sizeof(tw_sweep), "EP's covariance", &memory));
    tw_sweep *s = memory;
    *s = (tw_sweep){.ctx = g->ctx, .n = g->n};
    tw_status status = tw_allocate_doubles(g->ctx, g->n, g->n, "EP's covariance", &s->a);
    if (status != TW_OK) {
        tw_sweep_free(s);
        return status;
    }
    g->kind->lower(g, s->a);
    *out = s;
    return TW_OK;
}

tw_status tw_sweep_begin(tw_sweep *s)
{
    return tw_delayed_new(s->ctx, s->n, s->a, &s->delayed);
}

void tw_sweep_open(tw_sweep *s, size_t first, size_t count)
{
    tw_delayed_open(s->delayed, first, count);
}

void tw_sweep_close(tw_sweep *s)
{
    tw_delayed_close(s->delayed);
}

double tw_sweep_variance(const tw_sweep *s, size_t site)
{
    return tw_delayed_diagonal(s->delayed, site);
}

void tw_sweep_column(tw_sweep *s, size_t site, double *column)
{
    tw_delayed_column(s->delayed, site, column);
}

void tw_sweep_change(tw_sweep *s, double c, const double *v)
{
    tw_delayed_update(s->delayed, c, v);
}

void tw_sweep_variances(tw_sweep *s, double *variance)
{
    tw_delayed_apply(s->delayed);
    for (size_t i = 0; i < s->n; i++) variance[i] = s->a[i + i * s->n];
}

void tw_sweep_multiply(tw_sweep *s, const double *x, double *y)
{
    tw_delayed_multiply(s->delayed, x, y);
}

void tw_sweep_multiply_squares(tw_sweep *s, const double *x, double *y)
{
    tw_delayed_multiply_squares(s->delayed, x, y);
}
