/* adapt.c: an adaptive schedule of temperatures, whose steps have equal conditional effective sample sizes.
 *
 * The pilot of resample-move (pilot.c) chooses each next temperature by bisection. We keep its temperatures
 * and discard its particles, so that an estimate on this schedule with other particles is unbiased in Z.
 */
#include <math.h>

#include "evidence/rm_plan.h"

tw_status tw_rm_check_pilot(tw_context *ctx, const tw_rm_options *o)
{
    if (o->beta) TW_TRY(tw_schedule_check(ctx, o->temperatures, o->beta));
    if (o->pilot_particles < 8)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a pilot needs at least 8 particles, not %zu",
                       o->pilot_particles);
    if (!(o->fraction > 0.0 && o->fraction < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the fraction of the effective sample size to keep must be between 0 and 1, not %g",
                       o->fraction);
    if (!(o->largest_step > 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the largest step between temperatures must be above 0, not %g",
                       o->largest_step);
    if (!(o->resample >= 0.0 && o->resample <= 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the fraction below which particles are resampled must be from 0 to 1, not %g",
                       o->resample);
    if (o->max_moves == 0 || (!o->beta && o->max_temperatures == 0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a pilot needs at least one move and one temperature");
    if (!(o->eps >= 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    return TW_OK;
}

tw_status tw_schedule_adapt(const tw_model *model, const tw_reference *reference,
                            const tw_rm_options *options, size_t *steps, double *beta)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    if (options) o = *options;
    tw_rm_plan *plan = NULL;
    tw_watch no_callbacks = {.ctx = model->ctx};
    o.beta = NULL;
    o.largest_step = 1.0; /* the fraction alone decides */
    *steps = 0;
    TW_TRY(tw_rm_check_pilot(model->ctx, &o));
    TW_TRY(tw_rm_plan_make(model, reference, &o, &no_callbacks, &plan));
    for (size_t k = 0; k <= plan->steps; k++) beta[k] = plan->step[k].beta;
    *steps = plan->steps;
    tw_rm_plan_free(plan);
    return TW_OK;
}
