/* gamma.c: log factorials and ratios of gamma functions; see gamma.h.
 *
 * With delta(x) the error of Stirling's formula, for r >= 16
 *   log Gamma(r + y)/Gamma(r) = y log(r + y) + (r - 1/2) log(1 + y/r) - y + delta(r + y) - delta(r),
 * which contains no term of the size of log Gamma(r); and digamma(x) = log x - 1/(2x) + delta'(x). For r < 16
 * the recurrence Gamma(x + 1) = x Gamma(x) shifts r up by 16.
 */
#include "math/gamma.h"

#include <math.h>

#include "math/constants.h"

enum { SMALL = 16 };

static const double FACTORIAL[SMALL] = {
    1.0,     1.0,      2.0,       6.0,        24.0,        120.0,        720.0,         5040.0,
    40320.0, 362880.0, 3628800.0, 39916800.0, 479001600.0, 6227020800.0, 87178291200.0, 1307674368000.0};

/* delta(x) = 1/(12 x) - 1/(360 x^3) + 1/(1260 x^5) - 1/(1680 x^7) + 1/(1188 x^9). */
double tw_stirling_error(double x)
{
    double q = 1.0 / (x * x);
    return (1.0 / 12 - q * (1.0 / 360 - q * (1.0 / 1260 - q * (1.0 / 1680 - q / 1188)))) / x;
}

/* delta'(x). */
static double stirling_slope(double x)
{
    double q = 1.0 / (x * x);
    return -q * (1.0 / 12 - q * (1.0 / 120 - q * (1.0 / 252 - q * (1.0 / 240 - q / 132))));
}

double tw_log_factorial(double y)
{
    if (y < SMALL) return log(FACTORIAL[(int)y]);
    return (y + 0.5) * log(y) - y + TW_HALF_LOG_TWO_PI + tw_stirling_error(y);
}

double tw_log_binomial(double n, double k)
{
    double few = fmin(k, n - k);
    return few == 0.0 ? 0.0 : tw_log_rising(n - few + 1.0, few) - tw_log_factorial(few);
}

/* For r >= SMALL. log1p keeps the digits of log(1 + y/r) for small y/r. The terms
 * y log(r + y) - y + r log(1 + y/r) do not cancel: only -y is negative, and log(r + y) > 2. */
static double log_rising_far(double r, double y)
{
    return y * (log(r + y) - 1.0) + (r - 0.5) * log1p(y / r) +
           (tw_stirling_error(r + y) - tw_stirling_error(r));
}

double tw_log_rising(double r, double y)
{
    double product = 1.0, sum = 0.0;
    if (r >= SMALL) return log_rising_far(r, y);
    sum = log(r) - log(r + y);
    for (int j = 1; j < SMALL; j++) product *= (r + j) / (r + y + j);
    return sum + log(product) + log_rising_far(r + SMALL, y);
}

double tw_d_log_rising(double r, double y)
{
    double sum = 0.0;
    for (int j = 0; r < SMALL && j < SMALL; j++) sum += y / (r + y + j) / (r + j);
    if (r < SMALL) r += SMALL;
    double digammas = log1p(y / r) + 0.5 * y / (r * (r + y));
    return sum + digammas + (stirling_slope(r + y) - stirling_slope(r));
}
