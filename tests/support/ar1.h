/* ar1.h: a stationary autoregressive process of order one as a Gaussian of its own kind: its precision Q is
 * tridiagonal, and everything is done in O(n) without any n x n array. It shows that nothing outside gaussian/ knows how
 * a Gaussian is stored, and how little a new kind has to bring. */
#ifndef TALWEG_TESTS_AR1_H
#define TALWEG_TESTS_AR1_H

#include "gaussian/gaussian.h"

/* x_t = phi x_{t-1} + e_t with |phi| < 1 and variance sd^2: covariances sd^2 phi^|s - t|. The test fails where there is no
 * memory. */
tw_gaussian *ar1_new(tw_context *ctx, size_t n, double phi, double sd);

/* The same covariances, written to k (n x n). */
void ar1_kernel(size_t n, double phi, double sd, double *k);

#endif
