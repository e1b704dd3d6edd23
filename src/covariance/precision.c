/* precision.c: see precision.h. The precision of an autoregressive process at n times, and which kernels have one.
 *
 * ar1 on one input t is the process with covariances sigma^2 exp(-|s - t|/ell). Between neighbours in time, a step of length h
 * apart, x' = rho x + e with rho = exp(-h/ell) and e of variance sigma^2 (1 - rho^2), so that each step adds
 *
 *   [ rho^2  -rho ]
 *   [ -rho     1  ]  / (sigma^2 (1 - rho^2))
 *
 * to the precision, and the first case 1/sigma^2. Times need be neither sorted nor equally spaced.
 */
#include "covariance/precision.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sparse/sparse.h"

enum { ELL = 0, SIGMA = 1 };

/* A time, and whose it is. */
typedef struct moment {
    double t;
    uint32_t site;
} moment;

static int compare(const void *a, const void *b)
{
    double x = ((const moment *)a)->t, y = ((const moment *)b)->t;
    return (x > y) - (x < y);
}

/* Entries of a matrix that is being made. */
typedef struct entries {
    size_t count;
    uint32_t *row, *column;
    double *value;
} entries;

static void add(entries *e, uint32_t i, uint32_t j, double value)
{
    e->row[e->count] = i;
    e->column[e->count] = j;
    e->value[e->count++] = value;
}

/* diagonal has n zeros. False where two cases are so close in time that the second brings nothing new. */
static bool fill_chain(const tw_kernel *kernel, const tw_node *node, size_t n, const moment *m,
                       double *diagonal, entries *e)
{
    double ell = tw_node_value(kernel, node, ELL, 0), sigma2 = tw_node_sigma2(kernel, node, SIGMA);
    diagonal[0] = 1.0 / sigma2;
    for (size_t k = 1; k < n; k++) {
        double h = (m[k].t - m[k - 1].t) / ell, rho = exp(-h), own = -expm1(-2.0 * h) * sigma2;
        if (!(own > 1e-12 * sigma2)) return false;
        diagonal[k - 1] += rho * rho / own;
        diagonal[k] += 1.0 / own;
        add(e, m[k].site, m[k - 1].site, -rho / own);
    }
    for (size_t k = 0; k < n; k++) add(e, m[k].site, m[k].site, diagonal[k]);
    return true;
}

static tw_status make_chain(const tw_kernel *kernel, const tw_node *node, size_t n, moment *m,
                            double *diagonal, entries *e, tw_sparse **q)
{
    qsort(m, n, sizeof *m, compare);
    if (!fill_chain(kernel, node, n, m, diagonal, e)) return TW_OK;
    return tw_sparse_new(kernel->ctx, n, n, true, e->count, e->row, e->column, e->value, q);
}

static tw_status chain_precision(const tw_kernel *kernel, const tw_node *node, size_t n, const double *t,
                                 tw_sparse **q)
{
    static const char what[] = "the precision of a process in time";
    tw_context *ctx = kernel->ctx;
    void *moments = NULL;
    double *diagonal = NULL;
    entries e = {0, NULL, NULL, NULL};
    tw_status status = tw_allocate(ctx, n, sizeof(moment), what, &moments);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, 1, what, &diagonal);
    if (status == TW_OK) status = tw_index_allocate(ctx, 2 * n, what, &e.row);
    if (status == TW_OK) status = tw_index_allocate(ctx, 2 * n, what, &e.column);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, 2 * n, 1, what, &e.value);
    moment *m = moments;
    for (size_t i = 0; status == TW_OK && i < n; i++) m[i] = (moment){t[i], (uint32_t)i};
    if (status == TW_OK) status = make_chain(kernel, node, n, m, diagonal, &e, q);
    tw_release(ctx, moments);
    tw_release(ctx, diagonal);
    tw_release(ctx, e.row);
    tw_release(ctx, e.column);
    tw_release(ctx, e.value);
    return status;
}

/* ---- which kernels have one ---- */

static bool is_chain(const tw_node *node, size_t d)
{
    return node->shape && node->shape->chain && tw_node_width(node, d) == 1;
}

static bool has_no_covariances(const tw_node *node)
{
    return node->kind == TW_NODE_LEAF && node->leaf->precision;
}

void tw_precision_release(tw_precision *precision)
{
    if (precision->ctx) tw_release(precision->ctx, precision->constraints.v);
    tw_sparse_free(precision->q);
    tw_sparse_free(precision->design);
    *precision = (tw_precision){0};
}

tw_status tw_precision_pick(tw_precision *precision, size_t n, size_t r, const uint32_t *of)
{
    uint32_t *row = NULL;
    double *one = NULL;
    size_t same = 0;
    while (same < n && of[same] == same) same++;
    if (same == n && n == r) return TW_OK;
    TW_TRY(tw_index_allocate(precision->ctx, n, "a design matrix", &row));
    tw_status status = tw_allocate_doubles(precision->ctx, n, 1, "a design matrix", &one);
    for (size_t i = 0; status == TW_OK && i < n; i++) {
        row[i] = (uint32_t)i;
        one[i] = 1.0;
    }
    if (status == TW_OK)
        status = tw_sparse_new(precision->ctx, n, r, false, n, row, of, one, &precision->design);
    tw_release(precision->ctx, row);
    tw_release(precision->ctx, one);
    return status;
}

tw_status tw_precision_show_variables(tw_precision *precision, size_t n)
{
    const tw_sparse *c = precision->design;
    size_t r = precision->q->rows, count = 0, cells = (c ? c->start[r] : n) + r;
    uint32_t *row = NULL, *column = NULL;
    double *value = NULL;
    tw_sparse *design = NULL;
    tw_status status = tw_index_allocate(precision->ctx, cells, "a design matrix", &row);
    if (status == TW_OK) status = tw_index_allocate(precision->ctx, cells, "a design matrix", &column);
    if (status == TW_OK) status = tw_allocate_doubles(precision->ctx, cells, 1, "a design matrix", &value);
    for (size_t j = 0; status == TW_OK && j < r; j++) {
        for (size_t e = c ? c->start[j] : j; e < (c ? c->start[j + 1] : j + 1); e++, count++) {
            row[count] = c ? c->row[e] : (uint32_t)j;
            column[count] = (uint32_t)j;
            value[count] = c ? c->value[e] : 1.0;
        }
        row[count] = (uint32_t)(n + j);
        column[count] = (uint32_t)j;
        value[count++] = 1.0;
    }
    if (status == TW_OK)
        status = tw_sparse_new(precision->ctx, n + r, r, false, count, row, column, value, &design);
    tw_release(precision->ctx, row);
    tw_release(precision->ctx, column);
    tw_release(precision->ctx, value);
    if (status != TW_OK) return status;
    tw_sparse_free(precision->design);
    precision->design = design;
    return TW_OK;
}

/* Is there a variable that no case sees, or are there more variables than cases? */
static bool hides(const tw_sparse *design)
{
    if (!design) return false;
    for (size_t j = 0; j < design->columns; j++)
        if (design->start[j] == design->start[j + 1]) return true;
    return design->columns > design->rows;
}

tw_status tw_leaf_precision_of(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                               const double *x, size_t ldx, tw_precision *out)
{
    if (is_chain(node, d) && tw_sparse_orderings())
        return chain_precision(kernel, node, n, x + tw_node_column(kernel, node, 0) * ldx, &out->q);
    return node->leaf->precision ? node->leaf->precision(kernel, node, n, d, x, ldx, out) : TW_OK;
}

tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_precision *out)
{
    const tw_node *node = &kernel->nodes[0];
    bool sparse = false;
    *out = (tw_precision){.ctx = kernel->ctx};
    for (size_t i = 0; i < kernel->node_count; i++) sparse = sparse || has_no_covariances(&kernel->nodes[i]);
    if (kernel->node_count > 1 && !sparse) return TW_OK;
    if (node->kind == TW_NODE_LEAF)
        TW_TRY(tw_leaf_precision_of(kernel, node, n, d, x, ldx, out));
    else if (node->kind != TW_NODE_NUMBER)
        TW_TRY(tw_precision_compose(kernel, n, d, x, ldx, out));
    out->hidden = out->hidden || hides(out->design);
    return TW_OK;
}

tw_status tw_kernel_check_covariances(const tw_kernel *kernel)
{
    for (size_t i = 0; i < kernel->node_count; i++)
        if (has_no_covariances(&kernel->nodes[i]))
            return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                           "%s has a sparse precision and no covariance function: there are no covariances "
                           "with new cases, no derivatives of log Z and no jitter",
                           tw_node_name(&kernel->nodes[i]));
    return TW_OK;
}
