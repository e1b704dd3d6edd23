/* pt_thermodynamic.c: log Z by thermodynamic integration, with the error of its quadrature.
 *
 *   log Z = int_0^1 f(b) db,   f = E_b[R],   f' = Var_b[R],   f'' = third central moment of R at b,
 * because the derivative of a cumulant of R with respect to b is the next cumulant. So draws give the
 * integrand and its derivatives. If q puts mass where the posterior has none, R has a heavy lower tail under
 * q and f a boundary layer at b = 0: it rises like -1/(b + c) from a value, with a variance, that may be
 * millions. Therefore
 *   - the integral over the first interval is computed as log E_0[exp(b_1 R)] (pt_estimate.c), to which it is
 *     equal: its terms are bounded even if R is not, and draws from q are independent;
 *   - from b_1 on the variable is u = log(b + c), in which g(u) = (b + c) (f - f(1)) has no layer. We choose
 *     c such that an f of the form above has the f''/f' of the draws at b_1: b_1 + c = -2 f'/f''. If f'' >= 0
 *     there is no layer, and c is so large that u is linear in b. With d = b + c, g' = g + d^2 f', g'' = g +
 *     3 d^2 f' + d^3 f'', and on an interval of length h
 *       cubic Hermite:    h/2 (g0 + g1) + h^2/12 (g0' - g1')                           error h^5 g''''/720
 *       quintic Hermite:  h/2 (g0 + g1) + h^2/10 (g0' - g1') + h^3/120 (g0'' + g1'')   error O(h^7)
 * The estimate is the cubic rule. The discretisation error is the sum over intervals of the absolute
 * differences between the two rules. The Monte Carlo error is that of the jackknife (pt_groups.c).
 */
#include <math.h>

#include "evidence/pt.h"

/* Sums of the powers 1, 2, 3 of R - centre over a group's draws at a level. */
static void power_sums(const tw_ladder_draws *d, size_t level, size_t group, double centre, double sums[3])
{
    size_t length;
    const double *ratio = tw_ladder_group(d, level, group, &length);
    sums[0] = sums[1] = sums[2] = 0.0;
    for (size_t t = 0; t < length; t++) {
        double r = ratio[t] - centre;
        sums[0] += r;
        sums[1] += r * r;
        sums[2] += r * r * r;
    }
}

/* Mean, variance and third central moment of R at a level without one group, from sums about `centre`. */
static void cumulants(const tw_ladder_draws *d, const double *sums, double centre, size_t omitted,
                      double out[3])
{
    double m[3] = {0.0, 0.0, 0.0};
    size_t groups = tw_ladder_groups(d), length = 0;
    if (omitted < groups) (void)tw_ladder_group(d, 0, omitted, &length);
    double count = (double)(d->copies * d->used - length);
    for (size_t g = 0; g < groups; g++)
        for (size_t i = 0; i < 3 && g != omitted; i++) m[i] += sums[3 * g + i] / count;
    out[0] = centre + m[0];
    out[1] = m[1] - m[0] * m[0];
    out[2] = m[2] - 3.0 * m[0] * m[1] + 2.0 * m[0] * m[0] * m[0];
}

/* The c of u = log(b + c), from the cumulants of R at beta. */
static double layer(const double *f, double beta)
{
    static const double none = 1e6; /* u is then linear in b, to a millionth */
    return f[2] < 0.0 ? fmin(fmax(-2.0 * f[1] / f[2] - beta, 0.0), none) : none;
}

/* g, g' and g'' at b = d - c, from the cumulants f there and f(1). */
static void transform(const double *f, double d, double last, double g[3])
{
    g[0] = d * (f[0] - last);
    g[1] = g[0] + d * d * f[1];
    g[2] = g[0] + d * d * (3.0 * f[1] + d * f[2]);
}

/* The cubic rule from b_1 to 1, and the sum of the absolute differences from the quintic rule (may be
 * NULL). */
static double integrate(const tw_ladder_draws *d, const double *f, double c, double *difference)
{
    double last = f[3 * (d->levels - 1)], sum = last * (1.0 - d->beta[1]), differences = 0.0;
    for (size_t k = 2; k < d->levels; k++) {
        double low = d->beta[k - 1] + c, high = d->beta[k] + c, a[3], b[3];
        double h = log1p((high - low) / low);
        transform(f + 3 * (k - 1), low, last, a);
        transform(f + 3 * k, high, last, b);
        sum += 0.5 * h * (a[0] + b[0]) + h * h / 12.0 * (a[1] - b[1]);
        differences += fabs(h * h / 60.0 * (a[1] - b[1]) + h * h * h / 120.0 * (a[2] + b[2]));
    }
    if (difference) *difference = differences;
    return sum;
}

static double level_mean(const tw_ladder_draws *d, size_t level)
{
    double mean = 0.0, count = (double)(d->copies * d->used);
    for (size_t g = 0; g < tw_ladder_groups(d); g++) {
        size_t length;
        const double *ratio = tw_ladder_group(d, level, g, &length);
        for (size_t t = 0; t < length; t++) mean += ratio[t] / count;
    }
    return mean;
}

/* The cumulants of R at every level without one group. */
static void all_cumulants(const tw_ladder_draws *d, const double *sums, const double *mean, size_t omitted,
                          double *f)
{
    for (size_t k = 0; k < d->levels; k++)
        cumulants(d, sums + 3 * k * tw_ladder_groups(d), mean[k], omitted, f + 3 * k);
}

tw_thermodynamic tw_thermodynamic_estimate(const tw_ladder_draws *d, double *mean, double *work,
                                           double *without)
{
    size_t groups = tw_ladder_groups(d);
    double *sums = work, *f = sums + 3 * d->levels * groups;
    tw_thermodynamic out;
    for (size_t g = 0; g < groups; g++) without[g] = 0.0;
    out.value = tw_stepping_stone_first(d, sums, without);
    for (size_t k = 0; k < d->levels; k++) {
        mean[k] = level_mean(d, k);
        for (size_t g = 0; g < groups; g++) power_sums(d, k, g, mean[k], sums + 3 * (k * groups + g));
    }
    all_cumulants(d, sums, mean, groups, f);
    double c = layer(f + 3, d->beta[1]);
    out.value += integrate(d, f, c, &out.discretisation);
    for (size_t g = 0; g < groups; g++) {
        all_cumulants(d, sums, mean, g, f);
        without[g] += integrate(d, f, c, NULL);
    }
    out.se = hypot(tw_ladder_se(d, without), out.discretisation);
    return out;
}
