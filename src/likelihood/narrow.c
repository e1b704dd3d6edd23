/* narrow.c: the probability of a narrow cell; see narrow.h. */
#include "likelihood/narrow.h"

#include <math.h>

#include "math/constants.h"

/* L(u) = log(sinh(u)/u) and its derivatives. */
typedef struct bend {
    double value, first, second, third;
} bend;

/* For |u| < 0.1. The omitted terms are below 3e-13 in the value, and below 3e-11, 2e-9 and 1e-7 in the
 * derivatives, which tw_narrow_terms multiplies by h, h^2 and h^3. */
static bend series(double u)
{
    double q = u * u;
    return (bend){q * (1.0 / 6 - q * (1.0 / 180 - q * (1.0 / 2835))),
                  u * (1.0 / 3 - q * (1.0 / 45 - q * (2.0 / 945))),
                  1.0 / 3 - q * (1.0 / 15 - q * (2.0 / 189)), -u * (2.0 / 15 - q * (8.0 / 189))};
}

/* L' = coth u - 1/u; with s = 1/sinh u: L'' = 1/u^2 - s^2, L''' = 2 (s^2 coth u - 1/u^3). */
static bend bend_at(double u)
{
    if (fabs(u) < 0.1) return series(u);
    double t = fabs(u), e = exp(-2.0 * t), coth = (1.0 + e) / (1.0 - e),
           s2 = 4.0 * e / ((1.0 - e) * (1.0 - e));
    double sign = u < 0.0 ? -1.0 : 1.0;
    return (bend){t + log((1.0 - e) / (2.0 * t)), sign * (coth - 1.0 / t), 1.0 / (t * t) - s2,
                  sign * 2.0 * (s2 * coth - 1.0 / (t * t * t))};
}

tw_narrow tw_narrow_terms(double c, double h)
{
    double u = c * h;
    bend l = bend_at(u);
    double spread = fabs(u) < 1e-4 ? 1.0 / 3 : 1.0 - 2.0 * l.first / u;
    return (tw_narrow){log(2.0 * h) - 0.5 * c * c - TW_HALF_LOG_TWO_PI + l.value - 0.5 * h * h * spread,
                       c - h * l.first, 1.0 - h * h * l.second, h * h * h * l.third};
}

tw_narrow tw_narrow_upper_moves(double c, double h)
{
    double u = c * h;
    bend l = bend_at(u);
    return (tw_narrow){.value = 0.5 * (1.0 / h - c + (c + h) * l.first),
                       .slope = 0.5 * (1.0 - l.first - (u + h * h) * l.second),
                       .lambda = -0.5 * h * (2.0 * l.second + (u + h * h) * l.third)};
}
