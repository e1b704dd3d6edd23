/* pt_groups.c: draws in groups, and the error of an estimate by leaving one out.
 *
 * An estimate is a function of groups of draws. Where those are independent of each other, however dependent draws
 * within a group are, the values t_g without group g have
 *   se^2 = (G - 1) / G sum_g (t_g - mean t)^2.
 * Copies of the ladder are such groups, and with 32 of them the error itself is known to an eighth. Batches of a copy's
 * rounds are four times as many, but depend on each other where chains remember long. The influence of a copy is, to
 * first order, the sum of those of its batches, t_c - t = (G - 1) / (G - G/C) sum_{g in c} (t_g - t), so that one set of
 * t_g gives both errors: the larger one is taken.
 *
 * An error from few groups is itself uncertain, and an estimate divided by it has Student's distribution with nu = C - 1
 * degrees of freedom (G - 1 where there are only batches), whose variance is nu / (nu - 2). The error is multiplied by
 * the root of that, so that scores z = (estimate - truth) / se have variance 1.
 */
#include <math.h>
#include <stdbool.h>

#include "evidence/pt.h"

/* Copies that are so many need no batches; those that are fewer than TW_ENOUGH_COPIES are cut into batches of at
 * least so many rounds, to make so many groups. */
enum { MANY_COPIES = 64, FEW_BATCHES = 4, ENOUGH_GROUPS = 16, LEAST_BATCH = 10 };

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

/* sum_i (t_i - mean)^2 over `count` sums of `each` numbers in a row, their mean being `each` times `mean`. */
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

/* The variance of Student's t from so many groups. */
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
    return isfinite(square) ? sqrt(square) : INFINITY; /* one group was everything */
}
