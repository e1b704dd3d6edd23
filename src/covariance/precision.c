/* precision.c: sparse precisions of kernels, their derivatives, and new cases (precision.h). */
#include "covariance/precision.h"

#include <string.h>

#include "sparse/sparse.h"

/* Is the leaf an ar1 process on one input? */
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
    if (precision->ctx) {
        tw_release(precision->ctx, precision->constraints.v);
        tw_release(precision->ctx, precision->at_variance);
    }
    tw_sparse_free(precision->q);
    tw_sparse_free(precision->design);
    tw_sparse_free(precision->at_design);
    *precision = (tw_precision){0};
}

tw_status tw_precision_pick(tw_precision *precision, size_t n, size_t r, const uint32_t *of)
{
    tw_entries e;
    size_t same = 0;
    while (same < n && of[same] == same) same++;
    if (same == n && n == r) return TW_OK;
    tw_status status = tw_entries_new(precision->ctx, n, &e);
    for (size_t i = 0; status == TW_OK && i < n; i++) tw_entries_add(&e, i, of[i], 1.0);
    return tw_entries_finish(&e, status, n, r, false, &precision->design);
}

tw_status tw_precision_show_variables(tw_precision *precision, size_t n)
{
    const tw_sparse *c = precision->design;
    size_t r = precision->q->rows;
    tw_entries e;
    tw_sparse *design = NULL;
    tw_status status = tw_entries_new(precision->ctx, (c ? c->start[r] : n) + r, &e);
    for (size_t j = 0; status == TW_OK && j < r; j++) {
        for (size_t s = c ? c->start[j] : j; s < (c ? c->start[j + 1] : j + 1); s++)
            tw_entries_add(&e, c ? c->row[s] : j, j, c ? c->value[s] : 1.0);
        tw_entries_add(&e, n + j, j, 1.0);
    }
    TW_TRY(tw_entries_finish(&e, status, n + r, r, false, &design));
    tw_sparse_free(precision->design);
    precision->design = design;
    return TW_OK;
}

/* Is there a variable that no case depends on, or are there more variables than cases? */
static bool has_hidden(const tw_sparse *design)
{
    if (!design) return false;
    for (size_t j = 0; j < design->columns; j++)
        if (design->start[j] == design->start[j + 1]) return true;
    return design->columns > design->rows;
}

/* ---- leaves ---- */

bool tw_precision_asks(const tw_precision *out, const tw_node *node, size_t slot, size_t *k)
{
    const tw_span *span = &node->slot[slot];
    if (!out->slope || *out->slope < span->first || *out->slope >= span->first + span->count) return false;
    *k = *out->slope - span->first;
    return true;
}

void tw_precision_finish_slope(const tw_kernel *kernel, const tw_node *node, tw_precision *out)
{
    size_t k;
    tw_amplitude amplitude;
    for (size_t slot = 0; slot < node->leaf->slot_count; slot++) {
        if (!tw_precision_asks(out, node, slot, &k)) continue;
        out->moves = true;
        if (!out->q || !tw_kernel_amplitude(kernel, *out->slope, &amplitude)) continue;
        double factor = amplitude.power == 1 ? -2.0 : -1.0;
        for (size_t e = 0; e < out->q->start[out->q->columns]; e++) out->q->value[e] *= factor;
    }
}

tw_status tw_precision_begin_new(tw_precision *out, size_t most, tw_entries *seen)
{
    TW_TRY(tw_entries_new(out->ctx, most * out->at->count, seen));
    return tw_allocate_doubles(out->ctx, out->at->count, 1, "the variances of new cases", &out->at_variance);
}

tw_status tw_leaf_precision_of(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                               const double *x, size_t ldx, tw_precision *out)
{
    if (is_chain(node, d) && tw_sparse_orderings())
        TW_TRY(tw_chain_precision(kernel, node, n, d, x, ldx, out));
    else if (node->leaf->precision)
        TW_TRY(node->leaf->precision(kernel, node, n, d, x, ldx, out));
    tw_precision_finish_slope(kernel, node, out);
    return TW_OK;
}

/* ---- kernels ---- */

bool tw_kernel_has_precision_only(const tw_kernel *kernel)
{
    for (size_t i = 0; i < kernel->node_count; i++)
        if (has_no_covariances(&kernel->nodes[i])) return true;
    return false;
}

/* Compute what `out` requests; out->q stays NULL for a kernel with covariances. */
static tw_status fill(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                      tw_precision *out)
{
    const tw_node *node = &kernel->nodes[0];
    if (kernel->node_count > 1 && !tw_kernel_has_precision_only(kernel)) return TW_OK;
    if (tw_kernel_is_mixed(kernel)) return TW_OK;
    if (node->kind == TW_NODE_LEAF)
        TW_TRY(tw_leaf_precision_of(kernel, node, n, d, x, ldx, out));
    else if (node->kind != TW_NODE_NUMBER)
        TW_TRY(tw_precision_compose(kernel, n, d, x, ldx, out));
    out->hidden = out->hidden || has_hidden(out->design);
    return TW_OK;
}

tw_status tw_kernel_precision(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                              tw_precision *out)
{
    *out = (tw_precision){.ctx = kernel->ctx};
    return fill(kernel, n, d, x, ldx, out);
}

tw_status tw_kernel_precision_slope(const tw_kernel *kernel, size_t j, size_t n, size_t d, const double *x,
                                    size_t ldx, tw_precision *out)
{
    *out = (tw_precision){.ctx = kernel->ctx, .slope = &j};
    tw_status status = fill(kernel, n, d, x, ldx, out);
    out->slope = NULL;
    TW_TRY(status);
    if (out->q && !out->moves) memset(out->q->value, 0, out->q->start[out->q->columns] * sizeof(double));
    return TW_OK;
}

tw_status tw_kernel_precision_at(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                                 size_t m, const double *z, size_t ldz, tw_precision *out)
{
    const tw_inputs at = {m, z, ldz};
    *out = (tw_precision){.ctx = kernel->ctx, .at = &at};
    tw_status status = fill(kernel, n, d, x, ldx, out);
    out->at = NULL;
    return status;
}

bool tw_kernel_is_mixed(const tw_kernel *kernel)
{
    bool dense = false;
    for (size_t i = 0; i < kernel->node_count; i++) {
        const tw_node *node = &kernel->nodes[i];
        if (node->kind != TW_NODE_LEAF || node->leaf->precision) continue;
        if (node->shape && node->shape->chain && node->columns.count == 1) continue;
        dense = dense || !(node->leaf == &tw_leaf_constant || node->leaf == &tw_leaf_white ||
                           node->leaf == &tw_leaf_categorical);
    }
    return dense && tw_kernel_has_precision_only(kernel);
}

tw_status tw_kernel_check_covariances(const tw_kernel *kernel, bool others)
{
    bool mixed = tw_kernel_is_mixed(kernel);
    for (size_t i = 0; (others || !mixed) && i < kernel->node_count; i++)
        if (has_no_covariances(&kernel->nodes[i]))
            return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                           mixed ? "%s has a sparse precision, not a covariance function, and is combined "
                                   "with leaves that have one: the kernel cannot predict at new inputs"
                                 : "%s has a sparse precision, not a covariance function: jitter and joint "
                                   "draws at new inputs are not supported",
                           tw_node_name(&kernel->nodes[i]));
    return TW_OK;
}
