/* orthants.h: three labels under a probit likelihood, whose evidence has a closed form for every theta, so that all that depends
 * on the parameters of the kernel follows by quadrature. */
#ifndef TALWEG_TESTS_ORTHANTS_H
#define TALWEG_TESTS_ORTHANTS_H

#include "talweg/hyper.h"

/* Inputs 0, 0.7, 2 and labels +1, +1, -1 under the kernel se(log_ell, log_sigma), in ctx. */
tw_problem *orthants_pose(tw_context *ctx);

/* Z(theta) = 1/8 + sum over pairs of y_i y_j asin(rho_ij) / (4 pi), rho the correlations of K + I (Sheppard 1899). */
double orthants_z(double log_ell, double log_sigma);

/* By the trapezoidal rule under the log densities of the priors: log p(y), means and standard deviations of theta, and the mean of
 * x at the first input. */
typedef struct orthants_answer {
    double log_z, mean[2], sd[2];
} orthants_answer;
orthants_answer orthants_solve(double (*log_prior)(double log_ell, double log_sigma));

#endif
