/* newton.h: Newton steps of Laplace's approximation.
 *
 * The step solves (K^-1 + W) dx = g, W = diag(lambda). It is stored as the pair (da, dx) with dx = K da, so
 * that no inverse of K is needed. The decrement g' dx is the squared length of the step in standard
 * deviations of N(x, (K^-1 + W)^-1).
 */
#ifndef TALWEG_APPROXIMATE_NEWTON_H
#define TALWEG_APPROXIMATE_NEWTON_H

#include "gaussian/curved.h"

typedef struct tw_newton {
    const tw_gaussian *prior;
    double *gradient, *lambda; /* n each: g and lambda >= 0; the caller fills them */
    double *da, *dx;           /* n each: the step */
    double largest;            /* max_n lambda_n K_nn of the last step */

    tw_curved *curved; /* H_0 = K^-1 + W_0, with the curvatures of some sites at an earlier point */
    bool factored;     /* curved holds a factorisation */
    double spent;      /* flops spent since then on iterations that a new preconditioner would have saved */
    double *memory;    /* holds all vectors */
    double *r, *za, *zx, *pa, *px, *solution;
} tw_newton;

tw_status tw_newton_new(const tw_gaussian *prior, tw_newton *out);
void tw_newton_free(tw_newton *newton);

/* Compute the step with B factored at this point, n^3/3 flops. Returns the decrement, or NaN if B cannot be
 * factored because lambda K is too large for double precision. */
double tw_newton_direct(tw_newton *s);

/* Compute the step for a metric that leaves out no site (a sparse precision) from the point that it leads to:
 *   x + dx = (K^-1 + W)^-1 (W x + slope),   a + da = W x + slope - W (x + dx).
 * Errors of earlier steps do not remain in a and x. Returns the decrement, or NaN. */
double tw_newton_afresh(tw_newton *s, const double *slope, const double *a, const double *x);

/* Compute the step by preconditioned conjugate gradients, O(n^2) flops per iteration. Returns the decrement,
 * or NaN if they do not converge. The relative error of the step, in the norm of the decrement, is about
 * `accuracy`. */
double tw_newton_conjugate(tw_newton *s, double accuracy);

#endif
