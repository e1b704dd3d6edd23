/* pt_thermodynamic.c: log Z by thermodynamic integration, with the error of its quadrature.
 *
 *   log Z = int_0^1 f(b) db,   f = E_b[R],   f' = Var_b[R],   f'' = third central moment of R at b,
 * since derivatives with respect to b of the cumulants of R are the next ones. Draws thus give the integrand
 * and its derivatives, and on each interval of length h cubic Hermite:   h/2 (f0 + f1) + h^2/12 (f0' - f1')
 * error h^5 f''''/720 quintic Hermite: h/2 (f0 + f1) + h^2/10 (f0' - f1') + h^3/120 (f0'' + f1'')  error
 * O(h^7). The estimate is the cubic rule; the differences between the two rules, in absolute value and added
 * up, are the discretisation error. The Monte Carlo error is that of the jackknife over independent groups.
 */
#include <math.h>

#include "evidence/pt.h"

/* Sums over a group's draws at a level of powers 1, 2, 3 of R - centre. */
static void power_sums(const tw_ladder_draws *d, size_t level, size_t group, double centre, double sums[3])
{
    const double *ratio = d->ratio + (level * d->groups + group) * d->length;
    sums[0] = sums[1] = sums[2] = 0.0;
    for (size_t t = 0; t < d->length; t++) {
        double r = ratio[t] - centre;
        sums[0] += r;
        sums[1] += r * r;
        sums[2] += r * r * r;
    }
}

/* Mean, variance and third central moment of R at a level with one group left out. */
static void cumulants(const tw_ladder_draws *d, const double *sums, double centre, size_t omitted,
                      double out[3])
{
    double m[3] = {0.0, 0.0, 0.0};
    double count = (double)(d->length * (omitted < d->groups ? d->groups - 1 : d->groups));
    for (size_t g = 0; g < d->groups; g++)
        for (size_t i = 0; i < 3 && g != omitted; i++) m[i] += sums[3 * g + i] / count;
    out[0] = centre + m[0];
    out[1] = m[1] - m[0] * m[0];
    out[2] = m[2] - 3.0 * m[0] * m[1] + 2.0 * m[0] * m[0] * m[0];
}

/* The cubic rule over the ladder, and by how much the quintic one differs (may be NULL). */
static double integrate(const tw_ladder_draws *d, const double *f, double *difference)
{
    double sum = 0.0, differences = 0.0;
    for (size_t k = 1; k < d->levels; k++) {
        const double *a = f + 3 * (k - 1), *b = f + 3 * k;
        double h = d->beta[k] - d->beta[k - 1];
        sum += 0.5 * h * (a[0] + b[0]) + h * h / 12.0 * (a[1] - b[1]);
        differences += fabs(h * h / 60.0 * (a[1] - b[1]) + h * h * h / 120.0 * (a[2] + b[2]));
    }
    if (difference) *difference = differences;
    return sum;
}

static double level_mean(const tw_ladder_draws *d, size_t level)
{
    size_t count = d->groups * d->length;
    double mean = 0.0;
    for (size_t i = 0; i < count; i++) mean += d->ratio[level * count + i] / (double)count;
    return mean;
}

tw_thermodynamic tw_thermodynamic_estimate(const tw_ladder_draws *d, double *mean, double *work)
{
    double *sums = work, *f = sums + 3 * d->levels * d->groups, *without = f + 3 * d->levels;
    tw_thermodynamic out;
    for (size_t k = 0; k < d->levels; k++) {
        mean[k] = level_mean(d, k);
        for (size_t g = 0; g < d->groups; g++) power_sums(d, k, g, mean[k], sums + 3 * (k * d->groups + g));
    }
    for (size_t g = 0; g < d->groups; g++) {
        for (size_t k = 0; k < d->levels; k++) cumulants(d, sums + 3 * k * d->groups, mean[k], g, f + 3 * k);
        without[g] = integrate(d, f, NULL);
    }
    for (size_t k = 0; k < d->levels; k++)
        cumulants(d, sums + 3 * k * d->groups, mean[k], d->groups, f + 3 * k);
    out.value = integrate(d, f, &out.discretisation);
    double se = tw_jackknife_se(d->groups, without);
    out.se = sqrt(se * se + out.discretisation * out.discretisation);
    return out;
}
