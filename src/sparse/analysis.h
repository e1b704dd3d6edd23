/* analysis.h: the symbolic factorisation of symmetric matrices with one pattern, done once for all values.
 *
 * Variables are eliminated in an order with little fill. Adjacent columns of the factor L with the same rows
 * below them form a supernode: k columns and m rows below, stored as one dense (k + m) x k block; the upper
 * triangle of its first k rows is not used. Small supernodes that follow each other in the tree are merged at
 * the price of a few zeros, so that the blocks are large enough for BLAS.
 */
#ifndef TALWEG_SPARSE_ANALYSIS_H
#define TALWEG_SPARSE_ANALYSIS_H

#include <stdatomic.h>

#include "sparse/graph.h"

typedef struct tw_analysis {
    tw_context *ctx;
    atomic_size_t holders;
    size_t n;
    uint32_t *order, *place; /* n: variable order[k] is column k of L; place[order[k]] = k */
    size_t supernodes;
    uint32_t *first; /* supernodes + 1: the first column of each */
    uint32_t *of;    /* n: the supernode of a column */
    size_t *below;   /* supernodes + 1: the start of its rows in `row` */
    uint32_t *row;
    size_t *at;        /* supernodes + 1: the start of its block in L */
    size_t entries;    /* length of L, unused numbers included */
    size_t most_below; /* the most rows below a supernode */
    size_t most_panel; /* the most numbers in a panel of rows below */
    double flops;      /* flops of a factorisation */
} tw_analysis;

/* Analyse the symmetric pattern of n variables (lower triangle, by columns). If order is NULL, an order with
 * little fill is computed; otherwise the variables are eliminated in an order equivalent to order[0],
 * order[1], ... */
tw_status tw_analysis_new(tw_context *ctx, size_t n, const size_t *start, const uint32_t *row,
                          const uint32_t *order, tw_analysis **out);

/* Add a reference; the last release frees the analysis. */
tw_analysis *tw_analysis_hold(tw_analysis *analysis);
void tw_analysis_release(tw_analysis *analysis);

/* The position in L of the entry of variables i and j, which must be in the pattern of L. */
size_t tw_analysis_find(const tw_analysis *analysis, size_t i, size_t j);

/* A supernode: its columns [first, past), its block and the rows below. */
typedef struct tw_supernode {
    size_t first, past, k, m, ld; /* ld = k + m */
    size_t at;
    const uint32_t *row; /* m */
} tw_supernode;

static inline tw_supernode tw_supernode_get(const tw_analysis *a, size_t s)
{
    size_t k = a->first[s + 1] - a->first[s], m = a->below[s + 1] - a->below[s];
    return (tw_supernode){.first = a->first[s],
                          .past = a->first[s + 1],
                          .k = k,
                          .m = m,
                          .ld = k + m,
                          .at = a->at[s],
                          .row = a->row + a->below[s]};
}

/* Rows [from, to) of a supernode are columns of one ancestor; `position` holds the positions of rows from
 * `from` on in the ancestor's block. */
typedef struct tw_overlap {
    size_t from, to;
    tw_supernode ancestor;
} tw_overlap;

/* The overlap that starts with row `from` of s; fills position (m numbers) from there on. */
tw_overlap tw_analysis_overlap(const tw_analysis *a, const tw_supernode *s, size_t from, uint32_t *position);

#endif
