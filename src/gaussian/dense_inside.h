/* dense_inside.h: the struct of a dense Gaussian; private to this room. */
#ifndef TALWEG_GAUSSIAN_DENSE_INSIDE_H
#define TALWEG_GAUSSIAN_DENSE_INSIDE_H

#include "gaussian/gaussian.h"
#include "linalg/factor.h"

typedef struct tw_dense {
    tw_gaussian g;
    tw_factor *factor; /* F */
    const double *a;   /* the upper triangle of A, n x n: `own`, or above F's diagonal; NULL: not kept */
    double *own;       /* n x n memory for A; NULL: A is stored elsewhere or not kept */
    size_t expected;   /* the rank of A without rounding, if it is known to be below n; else 0 */
    bool common;       /* the team's members on this machine share `own` */
    double *common_l;  /* the shared memory of F; NULL: F is not shared */
} tw_dense;

/* dense_curved.c: the metric of a dense Gaussian. */
tw_status tw_dense_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
