/* sparse.h: the Gaussian with a sparse precision.
 *
 *   u ~ N(0, Q^-1) in r variables,   x = C u over n sites,
 *
 * where C is sparse with independent columns (r <= n), or the identity.
 *
 * With P Q P' = L L' and J, which reverses the order of coordinates, F = C P' L^-T J. If variables are
 * eliminated from the last to the first, F equals the lower triangular factor of the dense kind. Sites of
 * precision tau add C' diag(tau) C to Q; one symbolic analysis serves all tau. Variances come from the
 * selected inverse. With c constraints V'u = 0 there are r - c coordinates (sparse_confine.c).
 */
#ifndef TALWEG_GAUSSIAN_SPARSE_H
#define TALWEG_GAUSSIAN_SPARSE_H

#include "gaussian/gaussian.h"
#include "sparse/sparse.h"

/* The order in which variables are eliminated. */
typedef enum tw_elimination {
    TW_ELIMINATION_LITTLE_FILL, /* an order with little fill */
    TW_ELIMINATION_BACKWARDS    /* from the last to the first, for comparisons with the dense kind */
} tw_elimination;

/* N(0, C Q^-1 C'). q is symmetric; design is C (n x r), NULL for the identity; constraints may be NULL. All
 * are copied. TW_NOT_POSITIVE_DEFINITE names the variable at whose pivot the factorisation fails; TW_BAD_DATA
 * names a variable that no site determines. */
tw_status tw_gaussian_sparse_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design,
                                 const tw_constraints *constraints, tw_elimination how, tw_gaussian **out);

/* Replace log |Q| of a prior (on the subspace of its constraints), which its factor gave, by a better value. */
void tw_gaussian_sparse_know(tw_gaussian *g, double log_det);

#endif
