/* newton.h: Newton steps of Laplace's approximation.
 *
 * The step solves (K^-1 + W) dx = g, W = diag(lambda). It is held as a pair: dx = K da, so that no inverse of K occurs. The
 * decrement g' dx is its squared length in units of the standard deviations of N(x, (K^-1 + W)^-1).
 */
#ifndef TALWEG_APPROXIMATE_NEWTON_H
#define TALWEG_APPROXIMATE_NEWTON_H

#include "gaussian/curved.h"

typedef struct tw_newton {
    const tw_gaussian *prior;
    double *gradient, *lambda; /* n each: g and lambda >= 0, which the caller fills */
    double *da, *dx;           /* the step */
    double largest;            /* lambda K of the last step, at most */

    tw_curved *curved; /* K^-1 + W_0, W_0 of an earlier point and of some of the sites */
    bool factored;     /* it holds one */
    double spent;      /* flops of iterations since then that a better one would have saved */
    double *memory;    /* all vectors */
    double *r, *za, *zx, *pa, *px, *solution;
} tw_newton;

tw_status tw_newton_new(const tw_gaussian *prior, tw_newton *out);
void tw_newton_free(tw_newton *newton);

/* The step and its decrement, with B factored at this point: n^3/3 flops. NaN where lambda K is beyond double precision: B cannot be
 * factored. */
double tw_newton_direct(tw_newton *s);

/* The step and its decrement by conjugate gradients, in O(n^2) flops each; its relative error in that length is about `accuracy`.
 * NaN where they do not get there. */
double tw_newton_conjugate(tw_newton *s, double accuracy);

#endif
