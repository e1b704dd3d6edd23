/* gamma.h: logarithms of factorials and of the gamma function, for positive arguments, without the global variable that
 * lgamma() writes. By Stirling's series from 16 on, where five terms leave 1e-16, and by recurrence below. */
#ifndef TALWEG_MATH_GAMMA_H
#define TALWEG_MATH_GAMMA_H

/* log Gamma(x) - ((x - 1/2) log x - x + log(2 pi)/2) for x >= 16. */
double tw_stirling_error(double x);

/* log y! for y = 0, 1, 2, ... */
double tw_log_factorial(double y);

/* log of the binomial coefficient n over k, 0 <= k <= n whole numbers. */
double tw_log_binomial(double n, double k);

/* log(Gamma(r + y)/Gamma(r)) for r > 0, y >= 0, with an error relative to the result and not to log Gamma(r). */
double tw_log_rising(double r, double y);

/* Its derivative with respect to r, digamma(r + y) - digamma(r). */
double tw_d_log_rising(double r, double y);

#endif
