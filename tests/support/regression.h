/* regression.h: a few observations with Gaussian noise under the kernel se with one length scale for each
 * input. The evidence has a closed form at every theta, so that of the whole model is an integral over the
 * parameters alone. */
#ifndef TALWEG_TESTS_REGRESSION_H
#define TALWEG_TESTS_REGRESSION_H

#include "talweg/hyper.h"

enum { REGRESSION_CASES = 12, REGRESSION_INPUTS = 7 };

typedef struct regression {
    size_t n, d;
    const double *x, *y; /* n x d, column-major; n */
    double noise;
} regression;

/* Pose the problem in ctx; its parameters are those of se or of se(ard), then the noise. */
tw_problem *regression_pose(tw_context *ctx, const regression *r);

/* The priors of the kernel's parameters; the noise is fixed. */
tw_priors *regression_priors(tw_problem *problem, const regression *r, const char *ell, const char *sigma);

/* log N(y; 0, K + noise^2 I) at theta = (log ell_1, ..., log ell_d, log sigma); NaN if rounding prevents a
 * factor. */
double regression_log_z(const regression *r, const double *theta);

#endif
