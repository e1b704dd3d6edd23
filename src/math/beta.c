/* beta.c: the regularised incomplete beta function by its continued fraction, and its inverse.
 *
 *   I_x(a, b) = x^a (1 - x)^b / (a B(a, b)) * 1/(1 + d_1/(1 + d_2/(1 + ...)))
 *   d_{2k+1} = -(a + k)(a + b + k) x / ((a + 2k)(a + 2k + 1))
 *   d_{2k}   = k (b - k) x / ((a + 2k - 1)(a + 2k))
 *
 * (DLMF 8.17.22). For x < (a + 1)/(a + b + 2) it converges fast, in O(sqrt(max(a, b))) terms; for other x,
 * I_x(a, b) = 1 - I_{1-x}(b, a). The fraction is evaluated by Lentz's method as modified by Thompson and
 * Barnett. The quantile comes from Newton's method with a bracket: if a step would leave the bracket, or the
 * density underflows, it bisects.
 */
#include "math/beta.h"

#include <float.h>
#include <math.h>

enum { MAX_TERMS = 20000, MAX_STEPS = 200 };

static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign); /* lgamma() would write a global variable */
}

/* log of x^(a-1) (1 - x)^(b-1) / B(a, b). */
static double log_density(double x, double a, double b)
{
    double log_beta = log_gamma(a) + log_gamma(b) - log_gamma(a + b);
    return (a - 1.0) * log(x) + (b - 1.0) * log1p(-x) - log_beta;
}

static double away_from_zero(double value)
{
    return fabs(value) < DBL_MIN ? DBL_MIN : value;
}

/* 1/(1 + d_1/(1 + d_2/(1 + ...))). */
static double continued_fraction(double x, double a, double b)
{
    double c = 1.0, d = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)), value = d;
    for (int k = 1; k <= MAX_TERMS; k++) {
        double two_k = 2.0 * k;
        double even = k * (b - k) * x / ((a + two_k - 1.0) * (a + two_k));
        double odd = -(a + k) * (a + b + k) * x / ((a + two_k) * (a + two_k + 1.0));
        d = 1.0 / away_from_zero(1.0 + even * d);
        c = away_from_zero(1.0 + even / c);
        value *= c * d;
        d = 1.0 / away_from_zero(1.0 + odd * d);
        c = away_from_zero(1.0 + odd / c);
        value *= c * d;
        if (fabs(c * d - 1.0) < DBL_EPSILON) break;
    }
    return value;
}

static double lower_part(double x, double a, double b)
{
    return exp(log_density(x, a, b)) * x * (1.0 - x) / a * continued_fraction(x, a, b);
}

double tw_beta_cdf(double x, double a, double b)
{
    if (!(a > 0.0 && b > 0.0) || isnan(x)) return NAN;
    if (x <= 0.0) return 0.0;
    if (x >= 1.0) return 1.0;
    if (x < (a + 1.0) / (a + b + 2.0)) return lower_part(x, a, b);
    return 1.0 - lower_part(1.0 - x, b, a);
}

double tw_beta_quantile(double p, double a, double b)
{
    if (!(p >= 0.0 && p <= 1.0 && a >= 1.0 && b >= 1.0)) return NAN;
    if (p == 0.0 || p == 1.0) return p;
    double low = 0.0, high = 1.0, x = a / (a + b);
    for (int step = 0; step < MAX_STEPS; step++) {
        double excess = tw_beta_cdf(x, a, b) - p;
        if (excess > 0.0)
            high = x;
        else
            low = x;
        double next = x - excess / exp(log_density(x, a, b));
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        double change = fabs(next - x);
        x = next;
        if (change <= 1e-14 * x) break;
    }
    return x;
}
