/* leaf_walk.c: random walks in time, which are intrinsic: they say nothing about their level (rw1), or about level and slope (rw2).
 *
 *   rw1   sum_k (u_k+1 - u_k)^2 / (sigma^2 h_k)                                                    null space {1}
 *   rw2   sum_k [(u_k+1 - u_k)/h_k - (u_k - u_k-1)/h_k-1]^2 / (sigma^2 (h_k + h_k-1)/2)            null space {1, t}
 *
 * over the times of the cases, in order, h_k their steps, each time once. What a walk says nothing about is held at zero: the sum
 * over the times, and for rw2 the slope by least squares. Several cases may have one time: x = C u.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/precision.h"

enum { SIGMA = 0 };

/* A time, and whose it is. */
typedef struct moment {
    double t;
    uint32_t site;
} moment;

typedef struct walk {
    size_t n, r, order; /* cases, times, differences */
    moment *moments;    /* n, sorted */
    uint32_t *of;       /* n: which time a case has, from 0 on */
    double *t;          /* r of n: the times */
    size_t count;       /* of entries so far, which may name a place more than once */
    uint32_t *row, *column;
    double *value;
} walk;

static int compare(const void *a, const void *b)
{
    double x = ((const moment *)a)->t, y = ((const moment *)b)->t;
    return (x > y) - (x < y);
}

static void find_times(walk *w)
{
    qsort(w->moments, w->n, sizeof *w->moments, compare);
    for (size_t k = 0; k < w->n; k++) {
        if (k == 0 || w->moments[k].t > w->t[w->r - 1]) w->t[w->r++] = w->moments[k].t;
        w->of[w->moments[k].site] = (uint32_t)(w->r - 1);
    }
}

/* One squared difference sum_a c_a u_(first + a), over `order` + 1 variables. Entries (first + a, first + b) are at fixed places, by
 * diagonals, so that they add up. */
static void add_square(walk *w, size_t first, const double *c)
{
    size_t band = w->order + 1;
    for (size_t a = 0; a < band; a++)
        for (size_t b = 0; b <= a; b++) w->value[(first + b) * band + a - b] += c[a] * c[b];
}

static void fill_differences(walk *w, double sigma2)
{
    for (size_t k = 0; w->order == 1 && k + 1 < w->r; k++) {
        double scale = 1.0 / sqrt(sigma2 * (w->t[k + 1] - w->t[k]));
        add_square(w, k, (const double[]){-scale, scale});
    }
    for (size_t k = 0; w->order == 2 && k + 2 < w->r; k++) {
        double before = w->t[k + 1] - w->t[k], after = w->t[k + 2] - w->t[k + 1];
        double scale = 1.0 / sqrt(0.5 * sigma2 * (before + after));
        add_square(w, k, (const double[]){scale / before, -scale / before - scale / after, scale / after});
    }
}

static tw_status make_matrix(walk *w, tw_precision *out)
{
    size_t band = w->order + 1;
    for (size_t j = 0; j < w->r; j++)
        for (size_t step = 0; step < band && j + step < w->r; step++) {
            w->row[w->count] = (uint32_t)(j + step);
            w->column[w->count] = (uint32_t)j;
            w->value[w->count++] = w->value[j * band + step]; /* count never overtakes it */
        }
    return tw_sparse_new(out->ctx, w->r, w->r, true, w->count, w->row, w->column, w->value, &out->q);
}

/* 1, and the times without their mean, both of length 1. */
static tw_status fill_constraints(const walk *w, tw_precision *out)
{
    tw_constraints *c = &out->constraints;
    double mean = 0.0, square = 0.0;
    TW_TRY(tw_allocate_doubles(out->ctx, w->r, w->order, "the constraints of a walk", &c->v));
    for (size_t k = 0; k < w->r; k++) mean += w->t[k] / (double)w->r;
    for (size_t k = 0; k < w->r; k++) square += (w->t[k] - mean) * (w->t[k] - mean);
    for (size_t k = 0; k < w->r; k++) {
        c->v[k] = 1.0 / sqrt((double)w->r);
        if (w->order == 2) c->v[k + w->r] = (w->t[k] - mean) / sqrt(square);
    }
    c->count = w->order;
    c->pin[1] = w->r - 1;
    return TW_OK;
}

static tw_status make_walk(walk *w, const tw_kernel *kernel, const tw_node *node, tw_precision *out)
{
    find_times(w);
    if (w->r < 2 * w->order)
        return tw_fail(kernel->ctx, TW_BAD_DATA, "%s needs cases at %zu times at least, and there are %zu",
                       tw_node_name(node), 2 * w->order, w->r);
    fill_differences(w, tw_node_sigma2(kernel, node, SIGMA));
    TW_TRY(make_matrix(w, out));
    TW_TRY(fill_constraints(w, out));
    return tw_precision_pick(out, w->n, w->r, w->of);
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    static const char what[] = "a random walk";
    tw_context *ctx = kernel->ctx;
    walk w = {.n = n, .order = node->leaf->power};
    void *moments = NULL;
    if (tw_node_width(node, d) != 1)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is a walk along one input, not %zu: name it",
                       tw_node_name(node), tw_node_width(node, d));
    const double *t = x + tw_node_column(kernel, node, 0) * ldx;
    tw_status status = tw_allocate(ctx, n, sizeof *w.moments, what, &moments);
    w.moments = moments;
    for (size_t i = 0; status == TW_OK && i < n; i++) w.moments[i] = (moment){t[i], (uint32_t)i};
    if (status == TW_OK) status = tw_index_allocate(ctx, n, what, &w.of);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, what, &w.t);
    if (status == TW_OK) status = tw_index_allocate(ctx, 3 * n, what, &w.row);
    if (status == TW_OK) status = tw_index_allocate(ctx, 3 * n, what, &w.column);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, 3 * n, 1, what, &w.value);
    if (status == TW_OK) status = make_walk(&w, kernel, node, out);
    void *const arrays[] = {moments, w.of, w.t, w.row, w.column, w.value};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tw_release(ctx, arrays[k]);
    return status;
}

#define WALK(label, differences)                                                                          \
    {                                                                                                     \
        .name = (label), .slot_count = 1,                                                                 \
        .slots = {{{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}}, \
        .want = TW_WANT_FEATURES, .features = 1, .precision = precision, .power = (differences)           \
    }

const tw_leaf tw_leaf_rw1 = WALK("rw1", 1);
const tw_leaf tw_leaf_rw2 = WALK("rw2", 2);
