/* curved.c: allocate and free metrics; see curved.h. */
#include "gaussian/curved.h"

void tw_curved_free(tw_curved *c)
{
    if (!c) return;
    tw_context *ctx = c->ctx;
    c->kind->release(c);
    tw_release(ctx, c->root);
    tw_release(ctx, c);
}

tw_status tw_curved_new(const tw_gaussian *g, size_t sites, tw_curved **out)
{
    *out = NULL;
    return g->kind->curve(g, sites, out);
}

tw_status tw_curved_allocate(const tw_gaussian *g, const tw_curved_kind *kind, size_t size, tw_curved **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(g->ctx, 1, size, "a curved metric", &memory));
    tw_curved *c = memory;
    c->kind = kind;
    c->ctx = g->ctx;
    c->n = g->n;
    tw_status status = tw_allocate_doubles(g->ctx, g->n, 1, "a curved metric", &c->root);
    if (status == TW_OK)
        *out = c;
    else
        tw_curved_free(c);
    return status;
}
