/* gamma.h: logarithms of factorials and gamma functions of positive arguments, without the global variable
 * that lgamma() writes. Stirling's series is used from 16 on, where five terms have an error of 1e-16, and a
 * recurrence below. */
#ifndef TALWEG_MATH_GAMMA_H
#define TALWEG_MATH_GAMMA_H

/* log Gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2) for x >= 16. */
double tw_stirling_error(double x);

/* log y! for y = 0, 1, 2, ... */
double tw_log_factorial(double y);

/* The log of the binomial coefficient n over k, for whole numbers 0 <= k <= n. */
double tw_log_binomial(double n, double k);

/* log(Gamma(r + y)/Gamma(r)) for r > 0, y >= 0; the error is relative to the result, not to log Gamma(r). */
double tw_log_rising(double r, double y);

/* Its derivative with respect to r, digamma(r + y) - digamma(r). */
double tw_d_log_rising(double r, double y);

#endif
