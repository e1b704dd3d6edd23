/* times.c: finds the distinct times of cases (times.h). */
#include "covariance/times.h"

#include <stdlib.h>

/* A time and its case. */
typedef struct moment {
    double t;
    uint32_t site;
} moment;

static int compare(const void *a, const void *b)
{
    const moment *p = a, *q = b;
    return p->t != q->t ? (p->t > q->t) - (p->t < q->t) : (p->site > q->site) - (p->site < q->site);
}

/* Number the distinct times of sorted moments. If every case has its own time, variable i is case i, so that
 * the design is the identity. */
static void number_times(const moment *m, tw_times *to)
{
    for (size_t k = 0; k < to->n; k++) {
        if (k == 0 || m[k].t > to->t[to->r - 1]) to->t[to->r++] = m[k].t;
        to->of[m[k].site] = (uint32_t)(to->r - 1);
    }
    bool own = to->r == to->n;
    for (size_t k = 0; k < to->r; k++) to->variable[k] = own ? m[k].site : (uint32_t)k;
    for (size_t i = 0; own && i < to->n; i++) to->of[i] = (uint32_t)i;
}

tw_status tw_times_find(tw_context *ctx, size_t n, const double *input, tw_times *out)
{
    static const char what[] = "the times of the cases";
    void *memory = NULL;
    *out = (tw_times){.ctx = ctx, .n = n};
    TW_TRY(tw_allocate_doubles(ctx, n, 1, what, &out->t));
    TW_TRY(tw_index_allocate(ctx, n, what, &out->variable));
    TW_TRY(tw_index_allocate(ctx, n, what, &out->of));
    TW_TRY(tw_allocate(ctx, n, sizeof(moment), what, &memory));
    moment *m = memory;
    for (size_t i = 0; i < n; i++) m[i] = (moment){input[i], (uint32_t)i};
    qsort(m, n, sizeof *m, compare);
    number_times(m, out);
    tw_release(ctx, memory);
    return TW_OK;
}

void tw_times_free(tw_times *times)
{
    tw_release(times->ctx, times->t);
    tw_release(times->ctx, times->variable);
    tw_release(times->ctx, times->of);
}

size_t tw_times_before(const tw_times *times, double t, bool *same)
{
    size_t low = 0, high = times->r;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (times->t[middle] < t)
            low = middle + 1;
        else
            high = middle;
    }
    *same = low < times->r && times->t[low] == t;
    return low;
}
