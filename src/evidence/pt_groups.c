/* pt_groups.c: groups of draws, and the jackknife standard error of an estimate.
 *
 * Let t_g be the estimate without group g of G groups. If groups are independent of each other, with any
 * dependence within a group,
 *   se^2 = (G - 1) / G sum_g (t_g - mean t)^2.
 * Copies of the ladder are independent groups, but with 32 of them the error itself is known only to an
 * eighth. Batches of a copy's rounds are four times as many, but depend on each other if the autocorrelation
 * time is long. To first order the influence of a copy c is the sum of those of its batches, t_c - t = (G -
 * 1) / (G - G/C) sum_{g in c} (t_g - t), so one set of t_g gives both errors. We use the larger one.
 *
 * An error from few groups is itself uncertain: an estimate divided by it has Student's distribution with nu
 * = C - 1 degrees of freedom (G - 1 if there are only batches), whose variance is nu / (nu - 2). The error is
 * multiplied by the square root of that, so that scores z = (estimate - truth) / se have variance 1.
 */
#include <math.h>
#include <stdbool.h>

#include "evidence/pt.h"

enum {
    MANY_COPIES = 64,   /* from this many copies on, each copy is one group */
    FEW_BATCHES = 4,    /* with fewer, but at least TW_ENOUGH_COPIES, each copy has this many batches */
    ENOUGH_GROUPS = 16, /* with fewer than TW_ENOUGH_COPIES, there are at least this many batches in all */
    LEAST_BATCH = 10    /* the smallest number of rounds in a batch */
};

size_t tw_ladder_batches(size_t copies, size_t rounds)
{
    if (copies < TW_ENOUGH_COPIES) return (ENOUGH_GROUPS + copies - 1) / copies;
    return copies < MANY_COPIES && rounds >= (size_t)FEW_BATCHES * LEAST_BATCH ? FEW_BATCHES : 1;
}

size_t tw_ladder_least_rounds(size_t copies)
{
    return copies < TW_ENOUGH_COPIES ? LEAST_BATCH * tw_ladder_batches(copies, 0) : 2;
}

size_t tw_ladder_groups(const tw_ladder_draws *d)
{
    return d->copies * d->batches;
}

const double *tw_ladder_group(const tw_ladder_draws *d, size_t level, size_t group, size_t *length)
{
    size_t copy = group / d->batches, batch = group % d->batches;
    size_t from = batch * d->used / d->batches, to = (batch + 1) * d->used / d->batches;
    *length = to - from;
    return d->ratio + (level * d->copies + copy) * d->rounds + d->first + from;
}

/* sum_i [sum_j (t_ij - mean)]^2 over `count` blocks i of `each` consecutive numbers t_ij. */
static double squares(size_t count, size_t each, const double *without, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        double t = 0.0;
        for (size_t j = 0; j < each; j++) t += without[i * each + j] - mean;
        sum += t * t;
    }
    return sum;
}

/* nu / (nu - 2) with nu = groups - 1: the variance of Student's t. */
static double student(double groups)
{
    return (groups - 1.0) / (groups - 3.0);
}

double tw_ladder_se(const tw_ladder_draws *d, const double *without)
{
    size_t groups = tw_ladder_groups(d);
    bool enough = d->copies >= TW_ENOUGH_COPIES;
    double mean = 0.0, count = (double)groups, copies = (double)d->copies, each = (double)d->batches;
    for (size_t g = 0; g < groups; g++) mean += without[g] / count;
    double square = squares(groups, 1, without, mean) * (count - 1.0) / count;
    if (enough && d->batches > 1) {
        double factor = (count - 1.0) / (count - each);
        double of_copies = squares(d->copies, d->batches, without, mean) * factor * factor;
        square = fmax(square, of_copies * (copies - 1.0) / copies);
    }
    square *= student(enough ? copies : count);
    return isfinite(square) ? sqrt(square) : INFINITY; /* without some group there is no estimate */
}
