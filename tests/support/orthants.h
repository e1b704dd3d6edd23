/* orthants.h: three labels with a probit likelihood. The evidence has a closed form for every theta, so that
 * results for unknown kernel parameters follow by quadrature. */
#ifndef TALWEG_TESTS_ORTHANTS_H
#define TALWEG_TESTS_ORTHANTS_H

#include "talweg/hyper.h"

/* Inputs 0, 0.7, 2 and labels +1, +1, -1 with the kernel se(log_ell, log_sigma), in ctx. */
tw_problem *orthants_pose(tw_context *ctx);

/* Z(theta) = 1/8 + sum over pairs of y_i y_j asin(rho_ij) / (4 pi), rho the correlations of K + I (Sheppard
 * 1899). */
double orthants_z(double log_ell, double log_sigma);

/* log p(y, x | theta), x 3 numbers, by the formula; for theta with a K far from singular. */
double orthants_log_joint(const double *theta, const double *x);

/* log p(y), and the means and standard deviations of theta, by the trapezoidal rule with this log prior. */
typedef struct orthants_answer {
    double log_z, mean[2], sd[2];
} orthants_answer;
orthants_answer orthants_solve(double (*log_prior)(double log_ell, double log_sigma));

#endif
