/* shape.h: the shapes g of stationary kernels, as functions of the scaled squared distance d2 = |(a - b)/ell|^2. A
 * new one is a new row of the list in shape.c.
 */
#ifndef TALWEG_COVARIANCE_SHAPE_H
#define TALWEG_COVARIANCE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "talweg/parameter.h"

typedef struct tw_shape {
    const char *name, *alias; /* alias may be NULL */

    /* A parameter of the shape's own, such as the alpha of rq, above 0 and moved by its logarithm; "" where it has none.
     * The functions below get its value. */
    const char *own;

    /* k[i] = sigma2 g(d2[i]) for d2 >= 0; k may be d2. */
    void (*value)(size_t n, double sigma2, double own, const double *d2, double *k);

    /* slope[i] = sigma2 g'(d2[i]), given k = sigma2 g(d2); slope may be k. Where g' is infinite, at d2 = 0 of a rough
     * kernel, it is 0: there it is multiplied by differences of inputs that are 0. */
    void (*slope)(size_t n, double own, const double *d2, const double *k, double *slope);

    /* slope[i] = sigma2 dg(d2[i])/dlog own, given k; slope may be k. NULL where there is no such parameter. */
    void (*own_slope)(size_t n, double own, const double *d2, const double *k, double *slope);

    /* On one input its precision is tridiagonal, and is used instead of its covariances (covariance/precision.h). */
    bool chain;
} tw_shape;

/* NULL when there is none of that name, which need not end with a zero. */
const tw_shape *tw_shape_find(const char *name, size_t length);

/* "se, matern12, ..." */
const char *tw_shape_names(void);

#endif
