/* compose_leaf.c: precisions of leaves in a composed kernel (compose_leaf.h). Leaves with independent
 * variables:
 *
 *   constant      one variable for all cases
 *   white         one for each case
 *   categorical   one for each category
 */
#include "covariance/compose_leaf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 3 };
#define NO_VARIABLE UINT32_MAX

/* r independent variables of this precision; case i sees variable of[i]. */
static tw_status independent(const tw_cases *c, size_t r, double precision, const uint32_t *of,
                             tw_precision *out)
{
    tw_entries e;
    tw_status status = tw_entries_new(c->kernel->ctx, r, &e);
    for (size_t j = 0; status == TW_OK && j < r; j++) tw_entries_add(&e, j, j, precision);
    TW_TRY(tw_entries_finish(&e, status, r, r, true, &out->q));
    out->has_log_det = true;
    out->log_det = (double)r * log(precision);
    return tw_precision_pick(out, c->n, r, of);
}

/* New case i sees variable of[i]; if that is NO_VARIABLE, it is independent, with this variance. */
static tw_status independent_new(const uint32_t *of, double variance, tw_precision *out)
{
    tw_entries e;
    tw_status status = tw_precision_begin_new(out, 1, &e);
    for (size_t i = 0; status == TW_OK && i < out->at->count; i++) {
        out->at_variance[i] = of[i] == NO_VARIABLE ? variance : 0.0;
        if (of[i] != NO_VARIABLE) tw_entries_add(&e, i, of[i], 1.0);
    }
    return tw_entries_finish(&e, status, out->at->count, out->q->rows, false, &out->at_design);
}

/* The inputs of a leaf for one case. */
typedef struct place {
    double key[MOST_COLUMNS];
    uint32_t site;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (size_t k = 0; k < MOST_COLUMNS; k++)
        if (p->key[k] != q->key[k]) return (p->key[k] > q->key[k]) - (p->key[k] < q->key[k]);
    return (p->site > q->site) - (p->site < q->site);
}

static bool same_place(const place *p, const place *q)
{
    for (size_t k = 0; k < MOST_COLUMNS; k++)
        if (p->key[k] != q->key[k]) return false;
    return true;
}

tw_status tw_compose_places(const tw_cases *c, const tw_node *node, uint32_t *of, uint32_t *first,
                            size_t *count)
{
    void *memory = NULL;
    size_t width = tw_node_width(node, c->d);
    if (width > MOST_COLUMNS)
        return tw_fail(c->kernel->ctx, TW_BAD_ARGUMENT,
                       "%s has %zu inputs: beside a sparse precision the limit is %d", tw_node_name(node),
                       width, MOST_COLUMNS);
    TW_TRY(tw_allocate(c->kernel->ctx, c->n, sizeof(place), "the places of a leaf", &memory));
    place *p = memory;
    for (size_t i = 0; i < c->n; i++) {
        p[i].site = (uint32_t)i;
        for (size_t k = 0; k < width; k++)
            p[i].key[k] = c->x[i + tw_node_column(c->kernel, node, k) * c->ldx];
    }
    qsort(p, c->n, sizeof *p, compare);
    *count = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || !same_place(&p[i - 1], &p[i])) first[(*count)++] = p[i].site;
        of[p[i].site] = (uint32_t)(*count - 1);
    }
    tw_release(c->kernel->ctx, memory);
    return TW_OK;
}

/* Compare the inputs of new case i with those of case j: -1, 0 or 1. */
static int compare_new(const tw_cases *c, const tw_node *node, const tw_inputs *at, size_t i, size_t j)
{
    for (size_t k = 0; k < tw_node_width(node, c->d); k++) {
        size_t column = tw_node_column(c->kernel, node, k);
        double a = at->x[i + column * at->ld], b = c->x[j + column * c->ldx];
        if (a != b) return (a > b) - (a < b);
    }
    return 0;
}

/* The place of new case i, by bisection; NO_VARIABLE if it is at none. */
static uint32_t place_of(const tw_cases *c, const tw_node *node, const tw_inputs *at, size_t i,
                         const uint32_t *first, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int side = compare_new(c, node, at, i, first[middle]);
        if (side == 0) return (uint32_t)middle;
        if (side > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NO_VARIABLE;
}

static tw_status categories_new(const tw_cases *c, const tw_node *node, const uint32_t *first, size_t count,
                                tw_precision *out)
{
    uint32_t *of = NULL;
    TW_TRY(tw_index_allocate(c->kernel->ctx, out->at->count, "categories", &of));
    for (size_t i = 0; i < out->at->count; i++) of[i] = place_of(c, node, out->at, i, first, count);
    tw_status status = independent_new(of, tw_node_sigma2(c->kernel, node, 0), out);
    tw_release(c->kernel->ctx, of);
    return status;
}

static tw_status categories(const tw_cases *c, const tw_node *node, tw_precision *out)
{
    uint32_t *of = NULL, *first = NULL;
    size_t count = 0;
    tw_status status = tw_index_allocate(c->kernel->ctx, c->n, "categories", &of);
    if (status == TW_OK) status = tw_index_allocate(c->kernel->ctx, c->n, "categories", &first);
    if (status == TW_OK) status = tw_compose_places(c, node, of, first, &count);
    if (status == TW_OK) status = independent(c, count, 1.0 / tw_node_sigma2(c->kernel, node, 0), of, out);
    if (status == TW_OK && out->at) status = categories_new(c, node, first, count, out);
    tw_release(c->kernel->ctx, of);
    tw_release(c->kernel->ctx, first);
    return status;
}

tw_status tw_compose_constant(const tw_cases *c, bool one, double variance, tw_precision *out)
{
    uint32_t *of = NULL;
    size_t most = out->at && out->at->count > c->n ? out->at->count : c->n;
    TW_TRY(tw_index_allocate(c->kernel->ctx, most, "a constant", &of));
    for (size_t i = 0; !one && i < c->n; i++) of[i] = (uint32_t)i;
    tw_status status = independent(c, one ? 1 : c->n, 1.0 / variance, of, out);
    for (size_t i = 0; i < most; i++) of[i] = one ? 0 : NO_VARIABLE; /* white noise of new cases is new */
    if (status == TW_OK && out->at) status = independent_new(of, variance, out);
    tw_release(c->kernel->ctx, of);
    return status;
}

tw_status tw_compose_leaf(const tw_cases *c, const tw_node *node, tw_precision *out)
{
    bool one = node->leaf == &tw_leaf_constant;
    if (one || node->leaf == &tw_leaf_white || node->leaf == &tw_leaf_categorical) {
        TW_TRY(node->leaf == &tw_leaf_categorical
                   ? categories(c, node, out)
                   : tw_compose_constant(c, one, tw_node_value(c->kernel, node, 0, 0), out));
        tw_precision_finish_slope(c->kernel, node, out);
        return TW_OK;
    }
    TW_TRY(tw_leaf_precision_of(c->kernel, node, c->n, c->d, c->x, c->ldx, out));
    if (out->q) return TW_OK;
    return tw_fail(c->kernel->ctx, TW_BAD_ARGUMENT,
                   "two times of %s are too close: its precision is not finite", tw_node_name(node));
}
