/* spectral.h: a Gaussian in the basis of the eigenvectors of its covariance.
 *
 *   A = Q diag(s) Q',   x = m + Q z,   z ~ N(0, diag(s)),
 *
 * so that (A^-1 + c I)^-1 is diagonal for every c, and changing c costs nothing. The cost is one
 * eigendecomposition, about 9 n^3 flops, and n^2 numbers.
 */
#ifndef TALWEG_GAUSSIAN_SPECTRAL_H
#define TALWEG_GAUSSIAN_SPECTRAL_H

#include "gaussian/gaussian.h"

typedef struct tw_spectral {
    tw_context *ctx;
    size_t n;
    double *values; /* n: s in increasing order; 0 if only rounding error */
    double *q;      /* n x n */
} tw_spectral;

/* Decompose the covariance of g; fails if the kind cannot write it as a matrix. g is not needed afterwards. */
tw_status tw_spectral_new(const tw_gaussian *g, tw_spectral **out);
void tw_spectral_free(tw_spectral *s);

/* X = Q Z and Z = Q' X, for contiguous blocks of n x P. */
void tw_spectral_spread(const tw_spectral *s, size_t columns, const double *z, double *x);
void tw_spectral_pull_back(const tw_spectral *s, size_t columns, const double *x, double *z);

#endif
