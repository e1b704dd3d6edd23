/* ar1.h: a stationary autoregressive process of order one as its own kind of Gaussian: its precision Q is
 * tridiagonal, and every operation is O(n) without an n x n array. It shows that no code outside gaussian/
 * depends on the storage of a Gaussian, and how little a new kind requires. */
#ifndef TALWEG_TESTS_AR1_H
#define TALWEG_TESTS_AR1_H

#include "gaussian/gaussian.h"

/* x_t = phi x_{t-1} + e_t with |phi| < 1 and variance sd^2, so the covariances are sd^2 phi^|s - t|. The test
 * fails if there is no memory. */
tw_gaussian *ar1_new(tw_context *ctx, size_t n, double phi, double sd);

/* The same covariances, written to k (n x n). */
void ar1_kernel(size_t n, double phi, double sd, double *k);

#endif
