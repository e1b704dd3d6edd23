/* compose_leaf.h: the precision of one leaf of a composed kernel (compose.c): a leaf with its own precision,
 * or one whose variables are independent (constant, white, categorical). */
#ifndef TALWEG_COVARIANCE_COMPOSE_LEAF_H
#define TALWEG_COVARIANCE_COMPOSE_LEAF_H

#include "covariance/precision.h"

/* The cases that a kernel is composed for: x is n x d. */
typedef struct tw_cases {
    const tw_kernel *kernel;
    size_t n, d;
    const double *x;
    size_t ldx;
} tw_cases;

/* Independent variables of the same variance: one that all cases share, or one for each case. */
tw_status tw_compose_constant(const tw_cases *c, bool one, double variance, tw_precision *out);

/* The distinct values (places) of the leaf's inputs, sorted: of[i] is the place of case i, first[k] the first
 * case at place k, *count their number. */
tw_status tw_compose_places(const tw_cases *c, const tw_node *node, uint32_t *of, uint32_t *first,
                            size_t *count);

/* The precision of a leaf, with its slope or new cases if `out` requests them. */
tw_status tw_compose_leaf(const tw_cases *c, const tw_node *node, tw_precision *out);

#endif
