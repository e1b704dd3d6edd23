/* shape.h: the shapes g of stationary kernels, functions of the scaled squared distance d2 = |(a - b)/ell|^2.
 * To add one, add a row to the list in shape.c. */
#ifndef TALWEG_COVARIANCE_SHAPE_H
#define TALWEG_COVARIANCE_SHAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "talweg/parameter.h"

typedef struct tw_shape {
    const char *name, *alias; /* alias may be NULL */

    /* The shape's own parameter, such as alpha of rq; "" if it has none. It is positive, and theta holds its
     * logarithm. The functions below get its value. */
    const char *own;

    /* k[i] = sigma2 g(d2[i]) for d2 >= 0; k may be d2. */
    void (*value)(size_t n, double sigma2, double own, const double *d2, double *k);

    /* slope[i] = sigma2 g'(d2[i]), given k = sigma2 g(d2); slope may be k. If g'(0) is infinite, slope is 0
     * at d2 = 0: it is only multiplied by squared differences of inputs, which are 0 there. */
    void (*slope)(size_t n, double own, const double *d2, const double *k, double *slope);

    /* slope[i] = sigma2 dg(d2[i])/dlog own, given k; slope may be k. NULL if there is no such parameter. */
    void (*own_slope)(size_t n, double own, const double *d2, const double *k, double *slope);

    /* On one input its precision is tridiagonal and is used instead of the covariances (precision.h). */
    bool chain;
} tw_shape;

/* The shape of this name (`length` bytes, not terminated); NULL: none. */
const tw_shape *tw_shape_find(const char *name, size_t length);

/* The names of all shapes: "se, matern12, ...". */
const char *tw_shape_names(void);

#endif
