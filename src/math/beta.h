/* beta.h: the beta distribution: its cdf (the regularised incomplete beta function) and its quantile. */
#ifndef TALWEG_MATH_BETA_H
#define TALWEG_MATH_BETA_H

/* I_x(a, b) = P(X <= x) for X ~ Beta(a, b), a, b > 0. Relative error about 1e-14 (1 + a + b). NaN if an
 * argument is NaN or a or b is not positive. */
double tw_beta_cdf(double x, double a, double b);

/* The x with I_x(a, b) = p for a, b >= 1; NaN if p is outside [0, 1] or a or b is below 1. */
double tw_beta_quantile(double p, double a, double b);

#endif
