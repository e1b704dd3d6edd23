/* quadrature.h: the moments of a function over an interval, by adaptive quadrature. */
#ifndef TALWEG_MATH_QUADRATURE_H
#define TALWEG_MATH_QUADRATURE_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_QUADRATURE_MOMENTS = 9, TW_QUADRATURE_NODES = 21 };

/* f[i] = f(t[i]) for n <= TW_QUADRATURE_NODES points. */
typedef void tw_quadrature_function(void *user, size_t n, const double *t, double *f);

typedef struct tw_quadrature {
    double moment[TW_QUADRATURE_MOMENTS]; /* moment[k] is the integral of t^k f(t), k < moments */
    double error;                         /* the sum over panels of the largest estimated error */
    size_t evaluations;                   /* number of values of f */
    bool converged;                       /* false: the limit on panels or on their depth was reached */
} tw_quadrature;

/* Integrate t^k f(t), k = 0..moments - 1 (moments <= TW_QUADRATURE_MOMENTS), over [edge[0], edge[panels]].
 * The edges are increasing and give the initial panels; put them where f has features. A panel is split until
 * the estimated error of each of its moments is below tolerance, which is absolute and per panel, or below
 * the rounding error of its sum. */
tw_quadrature tw_quadrature_moments(tw_quadrature_function *f, void *user, size_t moments, size_t panels,
                                    const double *edge, double tolerance);

#endif
