/* normal_quantile.c: the inverse of the normal cdf, by Halley's method from an initial value with three
 * digits.
 *
 * There are two equations, each used where its residual has full relative precision:
 *
 *   centre, |p - 1/2| <= 1/4:  f(z) = erf(z/sqrt 2)/2 - (p - 1/2) = 0,  f' = phi,      f''/f' = -z
 *       start: the series of the inverse about 1/2, with s = sqrt(2 pi) (p - 1/2):
 *       z = s + s^3/6 + 7 s^5/120 + 127 s^7/5040 + ...
 *   lower tail, p < 1/4:       g(z) = log Phi(z) - log p = 0,           g' = hazard r, g''/g' = -(z + r)
 *       start: the rational function of Abramowitz & Stegun 26.2.23 in t = sqrt(-2 log p), good to 4.5e-4
 *
 * The upper tail mirrors the lower one; p - 1/2 and 1 - p are exact where they are used. A Halley step
 *   z <- z - u / (1 - u f''/(2 f')),   u = f/f',
 * cubes the error, so two steps reduce 4.5e-4 below rounding. The remaining error is that of rounding log Phi
 * and log p: a relative error d in them changes z by |log p| / (r |z|) d relative to z, which is 1.6 d at
 * p = 1/4 and d/2 far in the tail.
 */
#include <math.h>

#include "math/normal.h"

#define SQRT_2PI 2.50662827463100050242
#define SQRT_HALF 0.70710678118654752440

enum { STEPS = 2 };

static double halley(double z, double u, double ratio)
{
    return z - u / (1.0 - 0.5 * u * ratio);
}

/* The z with Phi(z) = 1/2 + q. */
static double central_quantile(double q)
{
    double s = SQRT_2PI * q, s2 = s * s;
    double z = s * (1.0 + s2 * (1.0 / 6.0 + s2 * (7.0 / 120.0 + s2 * (127.0 / 5040.0))));
    for (int step = 0; step < STEPS; step++) {
        double density = exp(-0.5 * z * z) / SQRT_2PI;
        z = halley(z, (0.5 * erf(SQRT_HALF * z) - q) / density, -z);
    }
    return z;
}

/* The z with log Phi(z) = log_p, for z below -2/3. */
static double tail_quantile(double log_p)
{
    double t = sqrt(-2.0 * log_p);
    double z =
        (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
        t;
    for (int step = 0; step < STEPS; step++) {
        tw_normal_terms at = tw_normal_at(z);
        z = halley(z, (at.log_cdf - log_p) / at.hazard, -at.curvature / at.hazard);
    }
    return z;
}

double tw_normal_quantile(double p)
{
    if (!(p >= 0.0 && p <= 1.0)) return NAN;
    if (p == 0.0) return -INFINITY;
    if (p == 1.0) return INFINITY;
    if (p < 0.25) return tail_quantile(log(p));
    if (p > 0.75) return -tail_quantile(log(1.0 - p));
    return central_quantile(p - 0.5);
}
