/* gamma_distribution.h: the gamma distribution with rate 1: its cdf (the regularised incomplete gamma
 * function) and its quantile. */
#ifndef TALWEG_MATH_GAMMA_DISTRIBUTION_H
#define TALWEG_MATH_GAMMA_DISTRIBUTION_H

/* P(X <= x) for X ~ Gamma(shape, 1), shape > 0. Relative error about 1e-14 (1 + shape). NaN if an argument is
 * NaN or the shape is not positive. */
double tw_gamma_cdf(double x, double shape);

/* The x where this cdf is p; NaN if p is outside [0, 1] or the shape is not positive. */
double tw_gamma_quantile(double p, double shape);

#endif
