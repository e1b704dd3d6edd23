/* weights.h: the matrix that derivatives of log Z with respect to a prior covariance are contracted with. */
#ifndef TALWEG_GAUSSIAN_WEIGHTS_H
#define TALWEG_GAUSSIAN_WEIGHTS_H

#include "gaussian/gaussian.h"

/* The lower triangle of W = b b' + u b' + b u' - R,  R = T - T A T, T = diag(tau), A the covariance of q, into w (n x n).
 * A precision tau may be negative: with S = T^1/2, where there is one, R is S (I + S K S)^-1 S. Costs one product that
 * makes A of its factor, n^3 flops. TW_BAD_ARGUMENT of a kind that does not form its covariance. */
tw_status tw_gaussian_weights(const tw_gaussian *q, const double *tau, const double *b, const double *u,
                              double *w);

#endif
