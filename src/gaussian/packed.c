/* packed.c: single-precision copies of a triangular factor; see packed.h. */
#include "gaussian/packed.h"

#include "gaussian/dense_inside.h"
#include "linalg/triangle.h"

struct tw_packed {
    tw_context *ctx;
    const tw_factor *factor; /* the factor of the Gaussian */
    bool single;
    tw_triangle *lower, *transposed; /* F and F' */
};

void tw_packed_free(tw_packed *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    tw_triangle_free(p->lower);
    tw_triangle_free(p->transposed);
    tw_release(ctx, p);
}

static tw_status pack(tw_packed *p)
{
    size_t n = p->factor->n;
    const double *l = p->factor->l;
    TW_TRY(tw_triangle_new(p->ctx, n, l, n, false, p->single, &p->lower));
    return tw_triangle_new(p->ctx, n, l, n, true, p->single, &p->transposed);
}

tw_status tw_packed_new(const tw_gaussian *g, bool single, tw_packed **out)
{
    void *memory = NULL;
    *out = NULL;
    if (!g->kind->lower || !g->full_rank) return TW_OK;
    TW_TRY(tw_allocate(g->ctx, 1, sizeof(tw_packed), "a packed factor", &memory));
    tw_packed *p = memory;
    *p = (tw_packed){.ctx = g->ctx, .factor = ((const tw_dense *)g)->factor, .single = single};
    tw_status status = pack(p);
    if (status != TW_OK) {
        tw_packed_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

bool tw_packed_is_single(const tw_packed *p)
{
    return p->single;
}

void tw_packed_spread(const tw_packed *p, size_t columns, const double *w, double *x)
{
    if (p->single)
        tw_triangle_multiply_in_place(p->factor->n, p->factor->l, p->factor->n, columns, w, x);
    else
        tw_triangle_multiply(p->lower, columns, w, x);
}

void tw_packed_pull_back(const tw_packed *p, size_t columns, const double *x, double *w)
{
    tw_triangle_multiply(p->transposed, columns, x, w);
}

void tw_packed_spread_single(const tw_packed *p, size_t columns, const float *w, float *x)
{
    tw_triangle_multiply_single(p->lower, columns, w, x);
}

void tw_packed_pull_back_single(const tw_packed *p, size_t columns, const float *x, float *w)
{
    tw_triangle_multiply_single(p->transposed, columns, x, w);
}
