/* compose_leaf.h: the precision of one leaf of a kernel that is composed of several (compose.c): a leaf with a precision of its
 * own, or one whose variables are independent. */
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

/* Variables of the same variance: one that all cases see, or one for each case. */
tw_status tw_compose_constant(const tw_cases *c, bool one, double variance, tw_precision *out);

/* The different places of the leaf's inputs: of[i] is that of case i, first[k] the first case at place k, *count how many there are. */
tw_status tw_compose_places(const tw_cases *c, const tw_node *node, uint32_t *of, uint32_t *first,
                            size_t *count);

/* The precision of any leaf that has one, and of its slope and new cases where out asks for them. */
tw_status tw_compose_leaf(const tw_cases *c, const tw_node *node, tw_precision *out);

#endif
