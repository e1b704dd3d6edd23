/* single.c: see single.h. */
#include "gaussian/single.h"

#include "gaussian/dense_inside.h"
#include "linalg/narrow.h"

struct tw_single {
    tw_context *ctx;
    size_t n;
    float *l; /* n x n, zeros above the diagonal */
};

void tw_single_free(tw_single *s)
{
    if (!s) return;
    tw_context *ctx = s->ctx;
    tw_release(ctx, s->l);
    tw_release(ctx, s);
}

tw_status tw_single_new(const tw_gaussian *g, tw_single **out)
{
    void *memory = NULL;
    *out = NULL;
    if (!g->kind->lower || !g->full_rank) return TW_OK;
    TW_TRY(tw_allocate(g->ctx, 1, sizeof(tw_single), "a factor in single precision", &memory));
    tw_single *s = memory;
    *s = (tw_single){.ctx = g->ctx, .n = g->n};
    tw_status status =
        tw_allocate(g->ctx, g->n * g->n, sizeof *s->l, "a factor in single precision", &memory);
    if (status != TW_OK) {
        tw_single_free(s);
        return status;
    }
    s->l = memory;
    tw_narrow_triangle(g->n, ((const tw_dense *)g)->factor->l, g->n, s->l);
    *out = s;
    return TW_OK;
}

void tw_single_spread(const tw_single *s, size_t columns, const float *b, float *c)
{
    tw_narrow_multiply(s->n, s->l, false, columns, b, c);
}

void tw_single_pull_back(const tw_single *s, size_t columns, const float *b, float *c)
{
    tw_narrow_multiply(s->n, s->l, true, columns, b, c);
}
