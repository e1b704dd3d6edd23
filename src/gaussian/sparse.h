/* sparse.h: the Gaussian with a sparse precision.
 *
 *   u ~ N(0, Q^-1) in r variables,   x = C u over n sites,   C sparse with independent columns (r <= n), or the identity.
 *
 * With P Q P' = L L' and J, which reverses the order of coordinates, F = C P' L^-T J: where variables are eliminated from
 * the last to the first, F is the lower triangular factor that the dense kind has. Sites of precision tau add
 * C' diag(tau) C to Q; one analysis serves all of them. Variances come from the selected inverse. With c constraints V'u = 0
 * there are r - c coordinates (sparse_confine.c).
 */
#ifndef TALWEG_GAUSSIAN_SPARSE_H
#define TALWEG_GAUSSIAN_SPARSE_H

#include "gaussian/gaussian.h"
#include "sparse/sparse.h"

/* How variables are eliminated. */
typedef enum tw_elimination {
    TW_ELIMINATION_LITTLE_FILL, /* in an order with little fill */
    TW_ELIMINATION_BACKWARDS /* from the last to the first, with whatever fill: for comparisons with the dense kind */
} tw_elimination;

/* N(0, C Q^-1 C'). q is symmetric; design (n x r) NULL: the identity; constraints NULL: none. All are copied. TW_NOT_POSITIVE_DEFINITE names the
 * variable at whose pivot Q fails; TW_BAD_DATA one that no site determines. */
tw_status tw_gaussian_sparse_new(tw_context *ctx, const tw_sparse *q, const tw_sparse *design,
                                 const tw_constraints *constraints, tw_elimination how, tw_gaussian **out);

#endif
