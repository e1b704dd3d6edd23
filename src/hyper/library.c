/* library.c: store and look up EP sites; see library.h. */
#include "hyper/library.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"

tw_status tw_library_new(tw_context *ctx, size_t n, size_t d, size_t capacity, tw_library **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_library), "sites", &memory));
    tw_library *l = memory;
    *l = (tw_library){.ctx = ctx, .n = n, .d = d, .capacity = capacity};
    tw_status status = tw_allocate_doubles(ctx, d, capacity, "sites", &l->z);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, 2 * n, capacity, "sites", &l->sites);
    if (status == TW_OK)
        *out = l;
    else
        tw_library_free(l);
    return status;
}

void tw_library_free(tw_library *l)
{
    if (!l) return;
    tw_context *ctx = l->ctx;
    tw_release(ctx, l->z);
    tw_release(ctx, l->sites);
    tw_release(ctx, l);
}

void tw_library_add(tw_library *l, const tw_mixture *g, const double *theta, const double *sites)
{
    if (l->count == l->capacity) return;
    tw_mixture_warp(g, theta, l->z + l->count * l->d);
    memcpy(l->sites + l->count * 2 * l->n, sites, 2 * l->n * sizeof *sites);
    l->count++;
}

bool tw_library_find(const tw_library *l, const tw_mixture *g, const double *theta, tw_guess *out)
{
    double nearest = INFINITY, z[TW_PROPOSAL_MOST];
    tw_mixture_warp(g, theta, z);
    size_t best = 0;
    for (size_t k = 0; k < l->count; k++) {
        double squared = tw_proposal_distance2(g->component[0], z, l->z + k * l->d);
        double distance = TW_FAULTY(TW_FAULT_SITES, squared, 1.0 / (1.0 + squared));
        if (!(distance < nearest)) continue;
        nearest = distance;
        best = k;
    }
    const double *sites = l->sites + best * 2 * l->n;
    *out = (tw_guess){sites, sites + l->n};
    return isfinite(nearest);
}
