/* pt_estimate.c: log Z by stepping stones from draws at every level of a ladder.
 *
 * log Z = sum_k l_k, l_k = log Z(b_k) / Z(b_{k-1}), and with h = b_k - b_{k-1}
 *   forward:  l_k = log E_{k-1}[exp(h R)]                      from draws below (Xie et al. 2011)
 *   reverse:  l_k = -log E_k[exp(-h R)]                        from draws above
 *   bridge:   E_{k-1}[s(h R - l_k)] = E_k[s(l_k - h R)]        from both, s(t) = 1 / (1 + exp(-t)): of all
 * ways to bridge the pair the one of least variance (Bennett 1976; Meng & Wong 1996). The bridge is solved by
 * Newton's method for e(l) = log E_{k-1}[s(h R - l)] - log E_k[s(l - h R)], which falls, with slope -1 far
 * from the root.
 *
 * Errors: the whole sum is a function of groups of draws that are independent of each other, however
 * dependent draws within a group are, so the jackknife that leaves out one group at a time gives its error,
 * with the correlation between levels that swaps bring about. The bridge without a group is found by one
 * Newton step.
 */
#include <math.h>

#include "evidence/pt.h"

enum { MAX_NEWTON_STEPS = 100 };

double tw_jackknife_se(size_t groups, const double *without)
{
    double mean = 0.0, square = 0.0, count = (double)groups;
    for (size_t g = 0; g < groups; g++) mean += without[g] / count;
    for (size_t g = 0; g < groups; g++) square += (without[g] - mean) * (without[g] - mean);
    return sqrt(square * (count - 1.0) / count);
}

/* The sum over all groups but one; `omitted` = groups: over all. Added, not subtracted: one group may be
 * nearly everything. */
static double sum_without(size_t groups, const double *sums, size_t omitted)
{
    double sum = 0.0;
    for (size_t g = 0; g < groups; g++)
        if (g != omitted) sum += sums[g];
    return sum;
}

/* log E_level[exp(h R)] over all groups is returned, and added, with each group left out, to without[g].
 * `sign` is that with which it enters. */
static double one_sided(const tw_ladder_draws *d, size_t level, double h, double sign, double *sums,
                        double *without)
{
    const double *ratio = d->ratio + level * d->groups * d->length;
    size_t count = d->groups * d->length;
    double largest = -INFINITY;
    for (size_t i = 0; i < count; i++) largest = fmax(largest, h * ratio[i]);
    for (size_t g = 0; g < d->groups; g++) {
        sums[g] = 0.0;
        for (size_t t = 0; t < d->length; t++) sums[g] += exp(h * ratio[g * d->length + t] - largest);
    }
    double others = (double)(count - d->length);
    for (size_t g = 0; g < d->groups; g++)
        without[g] += sign * (largest + log(sum_without(d->groups, sums, g) / others));
    return sign * (largest + log(sum_without(d->groups, sums, d->groups) / (double)count));
}

static tw_log_z one_sided_total(const tw_ladder_draws *d, bool forward, double *work)
{
    double *sums = work, *without = work + d->groups, sign = forward ? 1.0 : -1.0;
    tw_log_z out = {0.0, 0.0};
    for (size_t g = 0; g < d->groups; g++) without[g] = 0.0;
    for (size_t k = 1; k < d->levels; k++)
        out.value +=
            one_sided(d, forward ? k - 1 : k, sign * (d->beta[k] - d->beta[k - 1]), sign, sums, without);
    out.se = tw_jackknife_se(d->groups, without);
    return out;
}

double tw_stepping_stone_first(const tw_ladder_draws *d, double *sums, double *without)
{
    return one_sided(d, 0, d->beta[1], 1.0, sums, without);
}

static double logistic(double t)
{
    return 1.0 / (1.0 + exp(-t));
}

/* Per group: sums of s and of s (1 - s) over the draws of a level, s = s(sign (h R - l)). */
static void bridge_sums(const tw_ladder_draws *d, size_t level, double h, double l, double sign,
                        double *value, double *slope)
{
    for (size_t g = 0; g < d->groups; g++) {
        const double *ratio = d->ratio + (level * d->groups + g) * d->length;
        value[g] = slope[g] = 0.0;
        for (size_t t = 0; t < d->length; t++) {
            double s = logistic(sign * (h * ratio[t] - l));
            value[g] += s;
            slope[g] += s * (1.0 - s);
        }
    }
}

/* The Newton step for e(l) = 0 with one group left out; `sums`: below, above, their slopes, groups each. */
static double newton_step(size_t groups, const double *sums, size_t omitted)
{
    double below = sum_without(groups, sums, omitted), above = sum_without(groups, sums + groups, omitted);
    double slope = sum_without(groups, sums + 2 * groups, omitted) / below +
                   sum_without(groups, sums + 3 * groups, omitted) / above;
    return log(below / above) / fmax(slope, 0.05);
}

static void fill_sums(const tw_ladder_draws *d, size_t k, double l, double *sums)
{
    double h = d->beta[k] - d->beta[k - 1];
    bridge_sums(d, k - 1, h, l, 1.0, sums, sums + 2 * d->groups);
    bridge_sums(d, k, h, l, -1.0, sums + d->groups, sums + 3 * d->groups);
}

/* l_k from a start near it, added without each group to without[g]. */
static double bridge(const tw_ladder_draws *d, size_t k, double l, double *sums, double *without)
{
    double step = INFINITY;
    for (size_t i = 0; i < MAX_NEWTON_STEPS && fabs(step) > 1e-12 * (1.0 + fabs(l)); i++) {
        fill_sums(d, k, l, sums);
        step = newton_step(d->groups, sums, d->groups);
        l += step;
    }
    fill_sums(d, k, l, sums);
    for (size_t g = 0; g < d->groups; g++) without[g] += l + newton_step(d->groups, sums, g);
    return l;
}

/* Where Newton starts: halfway between the means of h R below and above, which bound l_k by Jensen. */
static double bridge_start(const tw_ladder_draws *d, size_t k)
{
    size_t count = d->groups * d->length;
    const double *below = d->ratio + (k - 1) * count, *above = d->ratio + k * count;
    double mean_below = 0.0, mean_above = 0.0, h = d->beta[k] - d->beta[k - 1];
    for (size_t i = 0; i < count; i++) {
        mean_below += h * below[i] / (double)count;
        mean_above += h * above[i] / (double)count;
    }
    return isfinite(mean_below) ? 0.5 * (mean_below + mean_above) : mean_above;
}

tw_stepping_stone tw_stepping_stone_estimate(const tw_ladder_draws *d, double *work)
{
    double *sums = work, *without = work + 4 * d->groups;
    tw_stepping_stone out = {.bridge = {0.0, 0.0}};
    out.forward = one_sided_total(d, true, work);
    out.reverse = one_sided_total(d, false, work);
    for (size_t g = 0; g < d->groups; g++) without[g] = 0.0;
    for (size_t k = 1; k < d->levels; k++)
        out.bridge.value += bridge(d, k, bridge_start(d, k), sums, without);
    out.bridge.se = tw_jackknife_se(d->groups, without);
    return out;
}
