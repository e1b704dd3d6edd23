/* chebyshev.h: approximate a smooth, expensive function on an interval by piecewise interpolation in
 * Chebyshev points, to a given tolerance. */
#ifndef TALWEG_MATH_CHEBYSHEV_H
#define TALWEG_MATH_CHEBYSHEV_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_CHEBYSHEV_POINTS = 16, TW_CHEBYSHEV_PIECES = 48 };

typedef struct tw_chebyshev {
    size_t pieces;
    double edge[TW_CHEBYSHEV_PIECES + 1];               /* increasing */
    double c[TW_CHEBYSHEV_PIECES][TW_CHEBYSHEV_POINTS]; /* coefficients of T_0, T_1, ... on each piece */
} tw_chebyshev;

/* *value = f(x); false if it cannot be computed. */
typedef bool tw_chebyshev_function(void *user, double x, double *value);

/* Approximate f on [a, b], a < b, to about `tolerance` (plus the rounding errors of f), with at most `most`
 * evaluations. False if that is not possible. */
bool tw_chebyshev_fit(tw_chebyshev_function *f, void *user, double a, double b, double tolerance, size_t most,
                      tw_chebyshev *out);

/* y[i] = the approximation at x[i] in [a, b]. */
void tw_chebyshev_evaluate(const tw_chebyshev *approximation, size_t n, const double *x, double *y);

#endif
