/* rm_state.c: where resample-move stands after a temperature, kept and taken up again.
 *
 * The rest of a run depends on the plan that the pilot made, log Z of the islands so far, the weights of the step that
 * was reached, and where the particles are, before they are resampled by those weights. In tw_rm_state's
 * numbers these stand in this order, integers as doubles.
 */
#include <math.h>
#include <string.h>

#include "evidence/resample_move.h"
#include "sample/sampler.h"

enum { PER_STEP = 6 };

static const double most_count = 9007199254740992.0; /* 2^53: integers up to there are doubles */

static size_t numbers_of(const tw_resample_move *s, size_t particles)
{
    return (s->plan->steps + 1) * PER_STEP + s->o->islands + particles +
           tw_sampler_state_size(s->walk->sampler) / s->walk->particles * particles;
}

/* Room for the largest number of particles; the walk is there. */
tw_status tw_rm_allocate_state(tw_resample_move *s)
{
    size_t most = 0;
    if (!s->o->wants_state) return TW_OK;
    for (size_t k = 1; k <= s->plan->steps; k++)
        most = s->plan->step[k].particles > most ? s->plan->step[k].particles : most;
    return tw_allocate_doubles(s->walk->ctx, numbers_of(s, most), 1, "the run's state", &s->state);
}

void tw_rm_emit_state(tw_resample_move *s)
{
    const tw_rm_options *o = s->o;
    const tw_walk *w = s->walk;
    double *to = s->state;
    if (!o->wants_state || !tw_team_ask(w->ctx, o->wants_state, o->user)) return;
    for (size_t k = 0; k <= s->plan->steps; k++, to += PER_STEP) {
        const tw_rm_plan_step *step = &s->plan->step[k];
        const double numbers[PER_STEP] = {step->beta,          step->variance,
                                          step->eps,           (double)step->leapfrog_steps,
                                          (double)step->moves, (double)step->particles};
        memcpy(to, numbers, sizeof numbers);
    }
    memcpy(to, s->log_z, o->islands * sizeof *to);
    memcpy(to + o->islands, s->log_weight, w->particles * sizeof *to);
    tw_sampler_save(w->sampler, to + o->islands + w->particles);
    tw_rm_state state = {.steps = s->plan->steps,
                         .done = s->done,
                         .particles = w->particles,
                         .iteration = s->iteration,
                         .weight_ess = s->weight_ess,
                         .acceptance = w->acceptance,
                         .failures = w->failures,
                         .transitions = w->transitions,
                         .count = numbers_of(s, w->particles),
                         .numbers = s->state};
    if (tw_team_leads(w->ctx)) o->on_state(o->user, &state);
}

/* ---- taking it up ---- */

static tw_status refuse(tw_context *ctx, const tw_rm_state *state)
{
    return tw_fail(
        ctx, TW_BAD_ARGUMENT,
        "a state of %zu particles after %zu of %zu temperatures, of %zu numbers, is not one of this run",
        state->particles, state->done, state->steps, state->count);
}

static bool is_count(double x)
{
    return x >= 0.0 && x < most_count && x == floor(x);
}

/* A step of the plan, or false: it could not be one. */
static bool take_step(const tw_rm_options *o, const double *from, bool first, tw_rm_plan_step *step)
{
    if (!is_count(from[3]) || !is_count(from[4]) || !is_count(from[5]) || !(from[2] >= 0.0)) return false;
    *step = (tw_rm_plan_step){.beta = from[0],
                              .variance = from[1],
                              .eps = from[2],
                              .leapfrog_steps = (size_t)from[3],
                              .moves = (size_t)from[4],
                              .particles = (size_t)from[5]};
    double most = o->spread * (double)o->particles + (double)o->islands;
    return first || (step->particles >= 2 * o->islands && step->particles % o->islands == 0 &&
                     from[5] <= fmax(most, 2.0 * (double)o->islands) && step->moves <= o->max_moves);
}

/* Does it say, of the plan and of where it stands, what a run with these options could? */
static bool fits(const tw_rm_options *o, const tw_rm_state *state)
{
    size_t capacity = o->beta ? o->steps : o->max_steps;
    return state->steps >= 1 && state->steps <= capacity && (!o->beta || state->steps == o->steps) &&
           state->done >= 1 && state->done <= state->steps && state->count > (state->steps + 1) * PER_STEP;
}

tw_status tw_rm_resume_plan(tw_context *ctx, const tw_rm_options *o, tw_rm_plan **out)
{
    const tw_rm_state *state = o->resume;
    *out = NULL;
    if (!fits(o, state)) return refuse(ctx, state);
    TW_TRY(tw_rm_plan_new(ctx, state->steps, out));
    (*out)->steps = state->steps;
    for (size_t k = 0; k <= state->steps; k++) {
        tw_rm_plan_step *step = &(*out)->step[k];
        bool rises = k == 0 || state->numbers[k * PER_STEP] > step[-1].beta;
        if (!take_step(o, state->numbers + k * PER_STEP, k == 0, step) || !rises) return refuse(ctx, state);
    }
    bool ends = (*out)->step[0].beta == 0.0 && (*out)->step[state->steps].beta == 1.0;
    return ends ? TW_OK : refuse(ctx, state);
}

tw_status tw_rm_resume(tw_resample_move *s)
{
    const tw_rm_state *state = s->o->resume;
    tw_walk *w = s->walk;
    size_t islands = s->o->islands;
    const double *from = state->numbers + (state->steps + 1) * PER_STEP;
    if (state->particles != w->particles || state->count != numbers_of(s, w->particles))
        return refuse(w->ctx, state);
    TW_TRY(tw_walk_temper(w, s->plan->step[state->done - 1].beta));
    memcpy(s->log_z, from, islands * sizeof *from);
    memcpy(s->log_weight, from + islands, w->particles * sizeof *from);
    tw_sampler_restore(w->sampler, from + islands + w->particles);
    s->done = state->done;
    s->iteration = state->iteration;
    s->weight_ess = state->weight_ess;
    w->acceptance = state->acceptance;
    w->failures = state->failures;
    w->transitions = state->transitions;
    return TW_OK;
}
