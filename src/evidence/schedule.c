/* schedule.c: schedules of inverse temperatures from 0 to 1; tw_schedule_kind has the formulas. */
#include <math.h>

#include "base/context.h"
#include "talweg/evidence.h"

static double geometric(size_t k, size_t steps, double beta_min)
{
    return steps == 1 ? 1.0 : pow(beta_min, (double)(steps - k) / (double)(steps - 1));
}

static double sigmoid(size_t k, size_t steps)
{
    const double reach = log(49.0); /* logit 0.98 */
    double t = reach * (2.0 * (double)k / (double)steps - 1.0);
    double low = 1.0 / 50.0, value = 1.0 / (1.0 + exp(-t));
    return (value - low) / (1.0 - 2.0 * low);
}

tw_status tw_schedule_fill(tw_context *ctx, tw_schedule_kind kind, size_t steps, double beta_min,
                           double *beta)
{
    if (steps == 0) return tw_fail(ctx, TW_BAD_ARGUMENT, "a schedule needs at least one step");
    if (kind == TW_SCHEDULE_GEOMETRIC && !(beta_min > 0.0 && beta_min < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the smallest temperature of a geometric schedule must be between 0 and 1, not %g",
                       beta_min);
    for (size_t k = 1; k < steps; k++) {
        double linear = (double)k / (double)steps;
        beta[k] = kind == TW_SCHEDULE_GEOMETRIC ? geometric(k, steps, beta_min)
                  : kind == TW_SCHEDULE_SIGMOID ? sigmoid(k, steps)
                                                : linear;
    }
    beta[0] = 0.0;
    beta[steps] = 1.0;
    return TW_OK;
}

tw_status tw_schedule_check(tw_context *ctx, size_t steps, const double *beta)
{
    if (steps == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a schedule needs at least two temperatures: 0 and 1");
    if (beta[0] != 0.0 || beta[steps] != 1.0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the temperatures must go from 0 to 1, not from %g to %g",
                       beta[0], beta[steps]);
    for (size_t k = 1; k <= steps; k++)
        if (!(beta[k] > beta[k - 1]))
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "the temperatures must increase, but number %zu is %g after %g", k + 1, beta[k],
                           beta[k - 1]);
    return TW_OK;
}
