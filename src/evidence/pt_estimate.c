/* pt_estimate.c: log Z by stepping stones from draws at every level of a ladder.
 *
 * log Z = sum_k l_k, l_k = log Z(b_k) / Z(b_{k-1}), and with h = b_k - b_{k-1}
 *   forward:  l_k = log E_{k-1}[exp(h R)]                      from draws at the lower level (Xie et al. 2011)
 *   reverse:  l_k = -log E_k[exp(-h R)]                        from draws at the upper level
 *   bridge:   E_{k-1}[s(h R - l_k)] = E_k[s(l_k - h R)]        from both, s(t) = 1 / (1 + exp(-t)).
 * The bridge has the smallest variance of all bridges between the pair (Bennett 1976; Meng & Wong 1996). It
 * is the root of
 *   e(l) = log E_{k-1}[s(h R - l)] - log E_k[s(l - h R)].
 * e decreases with a slope in (-2, 0), which is -1 far from the root and may be nearly 0 at the root if R
 * varies over millions. So we use Newton's method within a bracket. The sums of s are divided by their
 * largest term if that is small, so that they do not underflow.
 *
 * The jackknife (pt_groups.c) gives the error of the whole sum, including the correlation between levels due
 * to swaps.
 */
#include <math.h>

#include "evidence/pt.h"

enum { MAX_STEPS = 200 };
static const double tolerance = 1e-12;
static const double small_step = 0.05; /* a Newton step whose error is negligible in a standard error */

/* The sum over all groups except one; `omitted` = groups: over all. Subtracting the group from the total
 * would cancel if it is nearly the whole sum. */
static double sum_without(size_t groups, const double *sums, size_t omitted)
{
    double sum = 0.0;
    for (size_t g = 0; g < groups; g++)
        if (g != omitted) sum += sums[g];
    return sum;
}

/* log sum_i exp(a_i) over all numbers except one; `omitted` = count: over all. */
static double log_sum_exp(size_t count, const double *a, size_t omitted)
{
    double largest = -INFINITY, sum = 0.0;
    for (size_t i = 0; i < count; i++)
        if (i != omitted) largest = fmax(largest, a[i]);
    if (largest == -INFINITY) return largest;
    for (size_t i = 0; i < count; i++)
        if (i != omitted) sum += exp(a[i] - largest);
    return largest + log(sum);
}

/* log sum exp(h R) over a group's draws at a level. */
static double group_log_sum(const tw_ladder_draws *d, size_t level, size_t group, double h)
{
    size_t length;
    const double *ratio = tw_ladder_group(d, level, group, &length);
    double largest = -INFINITY, sum = 0.0;
    for (size_t t = 0; t < length; t++) largest = fmax(largest, h * ratio[t]);
    if (largest == -INFINITY) return largest;
    for (size_t t = 0; t < length; t++) sum += exp(h * ratio[t] - largest);
    return largest + log(sum);
}

/* Returns sign log E_level[exp(h R)] over all groups, and adds the same without group g to without[g]. `sums`
 * holds `groups` numbers. */
static double one_sided(const tw_ladder_draws *d, size_t level, double h, double sign, double *sums,
                        double *without)
{
    size_t groups = tw_ladder_groups(d), count = d->copies * d->used, length;
    for (size_t g = 0; g < groups; g++) sums[g] = group_log_sum(d, level, g, h);
    for (size_t g = 0; g < groups; g++) {
        (void)tw_ladder_group(d, level, g, &length);
        without[g] += sign * (log_sum_exp(groups, sums, g) - log((double)(count - length)));
    }
    return sign * (log_sum_exp(groups, sums, groups) - log((double)count));
}

static tw_log_z one_sided_total(const tw_ladder_draws *d, bool forward, double *work)
{
    size_t groups = tw_ladder_groups(d);
    double *sums = work, *without = work + groups, sign = forward ? 1.0 : -1.0;
    tw_log_z out = {0.0, 0.0};
    for (size_t g = 0; g < groups; g++) without[g] = 0.0;
    for (size_t k = 1; k < d->levels; k++)
        out.value +=
            one_sided(d, forward ? k - 1 : k, sign * (d->beta[k] - d->beta[k - 1]), sign, sums, without);
    out.se = tw_ladder_se(d, without);
    return out;
}

tw_log_z tw_stepping_stone_forward(const tw_ladder_draws *d, double *work)
{
    return one_sided_total(d, true, work);
}

tw_log_z tw_stepping_stone_reverse(const tw_ladder_draws *d, double *work)
{
    return one_sided_total(d, false, work);
}

double tw_stepping_stone_first(const tw_ladder_draws *d, double *sums, double *without)
{
    return one_sided(d, 0, d->beta[1], 1.0, sums, without);
}

/* ---- the bridge of one pair of levels ---- */

typedef struct pair {
    const tw_ladder_draws *d;
    size_t k; /* levels k - 1 and k */
    /* At the current l, for each group: sums of s at k - 1, of s at k, and of s (1 - s) at k - 1 and at k. */
    double *sums;
    double scale; /* log of the factor by which the sums at k - 1 were divided, minus that of those at k */
} pair;

/* The largest sign (h R - l) over the draws of a level, or 0 if one is positive: about the log of the largest
 * s. */
static double scale_of(const pair *p, size_t level, double h, double l, double sign)
{
    const tw_ladder_draws *d = p->d;
    double scale = -INFINITY;
    for (size_t g = 0; g < tw_ladder_groups(d) && scale < 0.0; g++) {
        size_t length;
        const double *ratio = tw_ladder_group(d, level, g, &length);
        for (size_t t = 0; t < length; t++) scale = fmax(scale, fmin(sign * (h * ratio[t] - l), 0.0));
    }
    return scale;
}

/* Sums over each group at a level of s = s(sign (h R - l)) and s (1 - s), divided by exp(scale). sign = 1:
 * level k - 1; -1: level k. Returns scale. */
static double sums_at(const pair *p, double l, double sign, double *value, double *slope)
{
    const tw_ladder_draws *d = p->d;
    size_t level = sign > 0.0 ? p->k - 1 : p->k, length;
    double h = d->beta[p->k] - d->beta[p->k - 1], scale = scale_of(p, level, h, l, sign);
    for (size_t g = 0; g < tw_ladder_groups(d); g++) {
        const double *ratio = tw_ladder_group(d, level, g, &length);
        value[g] = slope[g] = 0.0;
        for (size_t t = 0; t < length; t++) {
            double z = sign * (h * ratio[t] - l), odds = exp(z), other = 1.0 / (1.0 + odds); /* 1 - s */
            double s = z > 0.0 ? 1.0 - other : (scale < 0.0 ? exp(z - scale) : odds) * other;
            value[g] += s;
            slope[g] += s * other;
        }
    }
    return scale;
}

/* Compute all sums at l. */
static void compute_sums(pair *p, double l)
{
    size_t groups = tw_ladder_groups(p->d);
    double below = sums_at(p, l, 1.0, p->sums, p->sums + 2 * groups);
    double above = sums_at(p, l, -1.0, p->sums + groups, p->sums + 3 * groups);
    p->scale = below - above;
}

/* e(l) without one group, from the sums at l, and minus its slope. */
static double imbalance(const pair *p, size_t omitted, double *slope)
{
    size_t groups = tw_ladder_groups(p->d);
    double below = sum_without(groups, p->sums, omitted);
    double above = sum_without(groups, p->sums + groups, omitted);
    *slope = sum_without(groups, p->sums + 2 * groups, omitted) / below +
             sum_without(groups, p->sums + 3 * groups, omitted) / above;
    return log(below / above) + p->scale;
}

/* e(l) without one group; l becomes an end of the bracket of the root. */
static double evaluate(pair *p, double l, size_t omitted, double *low, double *high, double *slope)
{
    compute_sums(p, l);
    double e = imbalance(p, omitted, slope);
    if (e > 0.0)
        *low = l;
    else
        *high = l;
    return e;
}

/* The root of e without one group; NaN if there is none because no draw of a level has any weight. First find
 * a bracket by steps that double. Then use Newton's method, or bisection if a Newton step would leave the
 * bracket or is not half as long as the step before last. */
static double solve(pair *p, double l, size_t omitted)
{
    double low = -INFINITY, high = INFINITY, slope, e = evaluate(p, l, omitted, &low, &high, &slope);
    double width = 1.0;
    while (isfinite(e) && (low == -INFINITY || high == INFINITY)) {
        l = e > 0.0 ? l + width : l - width;
        e = evaluate(p, l, omitted, &low, &high, &slope);
        width *= 2.0;
    }
    if (!isfinite(e)) return NAN;
    double step = high - low, before = step;
    for (size_t i = 0; i < MAX_STEPS && fabs(step) > tolerance * (1.0 + fabs(l)); i++) {
        double next = l + e / slope;
        bool newton = next > low && next < high && fabs(e / slope) < 0.5 * fabs(before);
        if (!newton) next = 0.5 * (low + high);
        before = step;
        step = next - l;
        l = next;
        e = evaluate(p, l, omitted, &low, &high, &slope);
    }
    return l;
}

/* The start of the search: the forward stepping stone, which a draw with R = -1e6 does not affect. */
static double bridge_start(const pair *p)
{
    const tw_ladder_draws *d = p->d;
    size_t groups = tw_ladder_groups(d);
    double h = d->beta[p->k] - d->beta[p->k - 1];
    for (size_t g = 0; g < groups; g++) p->sums[g] = group_log_sum(d, p->k - 1, g, h);
    return log_sum_exp(groups, p->sums, groups) - log((double)(d->copies * d->used));
}

/* l_k; its value without group g is added to without[g]. That value is one Newton step from l_k if the step
 * is small: a second one would not be visible in a standard error. `steps` holds `groups` numbers. */
static double bridge(pair *p, double *steps, double *without)
{
    size_t groups = tw_ladder_groups(p->d);
    double l = solve(p, bridge_start(p), groups), slope;
    compute_sums(p, l);
    for (size_t g = 0; g < groups; g++) {
        double e = imbalance(p, g, &slope);
        steps[g] = e / slope;
    }
    for (size_t g = 0; g < groups; g++)
        without[g] += fabs(steps[g]) < small_step ? l + steps[g] : solve(p, l, g);
    return l;
}

tw_log_z tw_stepping_stone_bridge(const tw_ladder_draws *d, double *work, double *without)
{
    size_t groups = tw_ladder_groups(d);
    tw_log_z out = {0.0, 0.0};
    for (size_t g = 0; g < groups; g++) without[g] = 0.0;
    for (size_t k = 1; k < d->levels; k++) {
        pair p = {.d = d, .k = k, .sums = work};
        out.value += bridge(&p, work + 4 * groups, without);
    }
    out.se = tw_ladder_se(d, without);
    return out;
}
