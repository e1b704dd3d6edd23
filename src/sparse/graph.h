/* graph.h: the pattern of a symmetric matrix in elimination order, and its elimination tree.
 *
 * Variable order[k] is eliminated as number k. Column j of the factor has an entry in row k > j if the matrix
 * has one, or if an earlier elimination creates one; parent[j] is the first such row (Liu 1990, The role of
 * elimination trees in sparse factorization).
 */
#ifndef TALWEG_SPARSE_GRAPH_H
#define TALWEG_SPARSE_GRAPH_H

#include "sparse/sparse.h"

#define TW_NO_PARENT UINT32_MAX

typedef struct tw_graph {
    tw_context *ctx;
    size_t n;
    size_t *start;   /* n + 1 */
    uint32_t *below; /* rows k > j of column j, sorted, in elimination order */
    size_t *row_start;
    uint32_t *before;       /* columns j < k of row k */
    uint32_t *parent;       /* n; TW_NO_PARENT for a root */
    uint32_t *count;        /* n: entries of a column of the factor, the diagonal included */
    uint32_t *mark, *place; /* n: work; place[order[k]] = k */
} tw_graph;

/* Allocate the graph of a symmetric pattern of n variables with these columns (lower triangle). */
tw_status tw_graph_new(tw_context *ctx, size_t n, const size_t *start, tw_graph *graph);
void tw_graph_free(tw_graph *graph);

/* Set below, before, parent and count for this order of elimination. Returns the number of entries of the
 * factor. */
size_t tw_graph_order(tw_graph *graph, const size_t *start, const uint32_t *row, const uint32_t *order);

/* Replace `order` by an equivalent one with the same fill in which every subtree is consecutive (a
 * postorder). */
void tw_graph_postorder(tw_graph *graph, uint32_t *order);

/* ---- sparse/order.c ---- */

/* An order of elimination with little fill. */
tw_status tw_order_find(tw_graph *graph, const size_t *start, const uint32_t *row, uint32_t *order);

#endif
