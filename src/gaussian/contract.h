/* contract.h: derivatives of log Z with respect to the parameters of a prior covariance. */
#ifndef TALWEG_GAUSSIAN_CONTRACT_H
#define TALWEG_GAUSSIAN_CONTRACT_H

#include "covariance/kernel.h"
#include "gaussian/gaussian.h"

/* gradient[j] = 1/2 sum_mn W_mn (dK / d theta_j)_mn for all parameters of the kernel of K at the
 * inputs x (n x d), where
 *
 *   W = b b' + u b' + b u' - R,   R = T - T A T,   T = diag(tau),   A the covariance of q.
 *
 * R = S (I + S K S)^-1 S with S = T^1/2 if tau >= 0; the first form holds for negative tau too. All
 * parameters share one n x n array W; its cost is that of forming A from its factor, n^3 flops. A kind that
 * cannot form A computes columns of it. A kind with a sparse precision needs neither (sparse_contract.c). */
struct tw_contraction {
    const tw_gaussian *prior;  /* N(0, K) */
    const double *tau, *b, *u; /* n each */
    const tw_kernel *kernel;
    size_t d;
    const double *x;
    size_t hidden; /* how many of the n cases are variables of a sparse prior without an observation */
};
tw_status tw_gaussian_contract(const tw_gaussian *q, const tw_contraction *with, double *gradient);

#endif
