/* rm_state.c: save and restore a run of resample-move after a temperature.
 *
 * The rest of a run depends on the plan, log Z of the islands up to the last resampling, the weights since
 * then, and the positions of the particles before they are resampled with those weights. The numbers of
 * tw_rm_state contain these in this order, integers as doubles.
 */
#include <math.h>

#include "evidence/resample_move.h"
#include "sample/sampler.h"

static const size_t most_count = (size_t)1 << 53; /* doubles represent integers up to this exactly */

static void visit_plan(tw_rm_plan *plan, tw_visit *v)
{
    for (size_t k = 0; k <= plan->steps; k++) {
        tw_rm_plan_step *step = &plan->step[k];
        tw_visit_doubles(v, 1, &step->beta);
        tw_visit_doubles(v, 1, &step->variance);
        tw_visit_doubles(v, 1, &step->eps);
        tw_visit_size(v, &step->leapfrog_steps, 0, most_count);
        tw_visit_size(v, &step->resample, 0, 1);
        tw_visit_size(v, &step->moves, 0, most_count);
        tw_visit_size(v, &step->particles, 0, most_count);
    }
}

static void visit(tw_resample_move *s, tw_visit *v)
{
    visit_plan(s->plan, v);
    tw_visit_doubles(v, s->o->islands, s->log_z);
    tw_visit_doubles(v, s->walk->particles, s->log_weight);
    tw_sampler_visit(s->walk->sampler, v);
}

/* The number of particles may grow, so allocate memory for the largest one. */
tw_status tw_rm_allocate_state(tw_resample_move *s)
{
    size_t most = 0, each = 1 + tw_sampler_state_size(s->walk->sampler) / s->walk->particles;
    tw_visit v = tw_visit_count();
    if (!s->o->wants_state) return TW_OK;
    visit(s, &v);
    for (size_t k = 1; k <= s->plan->steps; k++)
        most = s->plan->step[k].particles > most ? s->plan->step[k].particles : most;
    return tw_allocate_doubles(s->walk->ctx, v.count + (most - s->walk->particles) * each, 1,
                               "the run's state", &s->state);
}

void tw_rm_emit_state(tw_resample_move *s)
{
    const tw_rm_options *o = s->o;
    const tw_walk *w = s->walk;
    if (!o->wants_state || !tw_team_ask(w->ctx, o->wants_state, o->user)) return;
    tw_visit v = tw_visit_save(s->state);
    visit(s, &v);
    tw_rm_state state = {.steps = s->plan->steps,
                         .done = s->done,
                         .particles = w->particles,
                         .iteration = s->iteration,
                         .weight_ess = s->weight_ess,
                         .variance = s->variance,
                         .pareto_k = s->pareto_k,
                         .acceptance = w->acceptance,
                         .failures = w->failures,
                         .transitions = w->transitions,
                         .count = v.count,
                         .numbers = s->state};
    if (tw_team_reports(w->ctx)) o->on_state(o->user, &state);
}

/* ---- restoring ---- */

static tw_status refuse(tw_context *ctx, const tw_rm_state *state)
{
    return tw_fail(
        ctx, TW_BAD_ARGUMENT,
        "the state (%zu particles after %zu of %zu temperatures, %zu numbers) does not belong to this run",
        state->particles, state->done, state->steps, state->count);
}

/* Is this a valid step of a plan? */
static bool is_step(const tw_rm_options *o, const tw_rm_plan_step *step, bool first)
{
    double most = fmax(o->spread * (double)o->particles + (double)o->islands, 2.0 * (double)o->islands);
    if (first) return step->beta == 0.0;
    return step->eps >= 0.0 && step->beta > step[-1].beta && step->particles >= 2 * o->islands &&
           step->particles % o->islands == 0 && (double)step->particles <= most &&
           step->moves <= o->max_moves;
}

/* Does the number of particles change only at resamplings, and is there none after the last step? */
static bool has_periods(const tw_rm_plan *plan)
{
    for (size_t k = 1; k < plan->steps; k++)
        if (!plan->step[k].resample && plan->step[k].particles != plan->step[k + 1].particles) return false;
    return !plan->step[plan->steps].resample;
}

/* Are the numbers of steps possible in a run with these options? */
static bool fits(const tw_rm_options *o, const tw_rm_state *state)
{
    size_t capacity = o->beta ? o->temperatures : o->max_temperatures;
    return state->steps >= 1 && state->steps <= capacity && (!o->beta || state->steps == o->temperatures) &&
           state->done >= 1 && state->done <= state->steps;
}

tw_status tw_rm_resume_plan(tw_context *ctx, const tw_rm_options *o, tw_rm_plan **out)
{
    const tw_rm_state *state = o->resume;
    *out = NULL;
    if (!fits(o, state)) return refuse(ctx, state);
    TW_TRY(tw_rm_plan_new(ctx, state->steps, out));
    (*out)->steps = state->steps;
    tw_visit v = tw_visit_restore(state->numbers, state->count);
    visit_plan(*out, &v);
    bool sound = v.sound && (*out)->step[state->steps].beta == 1.0;
    for (size_t k = 0; k <= state->steps && sound; k++) sound = is_step(o, &(*out)->step[k], k == 0);
    return sound && has_periods(*out) ? TW_OK : refuse(ctx, state);
}

tw_status tw_rm_resume(tw_resample_move *s)
{
    const tw_rm_state *state = s->o->resume;
    tw_walk *w = s->walk;
    tw_visit v = tw_visit_restore(state->numbers, state->count);
    TW_TRY(tw_walk_temper(w, s->plan->step[state->done - 1].beta));
    if (state->particles == w->particles) visit(s, &v);
    if (!tw_visit_is_whole(&v)) return refuse(w->ctx, state);
    s->done = state->done;
    s->iteration = state->iteration;
    s->weight_ess = state->weight_ess;
    s->variance = state->variance;
    s->pareto_k = state->pareto_k;
    w->acceptance = state->acceptance;
    w->failures = state->failures;
    w->transitions = state->transitions;
    return TW_OK;
}
