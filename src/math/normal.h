/* normal.h: functions of the normal distribution for probit likelihoods, accurate at every z.
 *
 * With Phi the normal cdf, phi its density and r = phi/Phi the hazard:
 *   log_cdf   = log Phi(z)
 *   hazard    = r(z)
 *   curvature = lambda(z) = -d2 log Phi/dz2 = r (z + r)
 *   slope     = dlambda/dz,   bend = d2lambda/dz2
 * Each has a relative error below 1e-12 for every finite z (an absolute error if the value underflows).
 */
#ifndef TALWEG_MATH_NORMAL_H
#define TALWEG_MATH_NORMAL_H

#include <stddef.h>

typedef struct tw_normal_terms {
    double log_cdf;
    double hazard;
    double curvature;
    double slope;
    double bend;
} tw_normal_terms;

/* All five at one z. */
tw_normal_terms tw_normal_at(double z);

/* Hazard and curvature for n values of z, and the log cdf and the slope unless NULL. Vectorised: samplers
 * spend much of their time here. Outputs must not overlap z or each other. */
void tw_normal_block(size_t n, const double *z, double *log_cdf, double *hazard, double *curvature,
                     double *slope);

/* slope[i] = sign r(sign x[i]), the derivative of log Phi(sign x) for sign = sign[i] = -1 or 1, in single
 * precision. The relative error is below 1e-6 for sign x <= 4, and the absolute error below 1e-8 beyond.
 * Arrays must not overlap. */
void tw_normal_slopes_single(size_t n, const double *sign, const float *x, float *slope);

/* The z with Phi(z) = p, to a relative error of 2e-15: -inf at p = 0, inf at 1, NaN outside [0, 1]. */
double tw_normal_quantile(double p);

#endif
