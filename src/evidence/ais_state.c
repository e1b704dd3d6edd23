/* ais_state.c: save and restore a run of annealed importance sampling.
 *
 * The numbers of tw_ais_state are, in this order: the schedule, which a reverse run may have refined, the
 * step sizes, the log weights, in a reverse run those of its upward pass, and the state of the sampler. Their
 * count determines the length of the schedule. With the number of transitions so far, which random numbers
 * are functions of, they determine the rest of the run.
 */
#include "evidence/ais.h"
#include "sample/sampler.h"

static void visit(tw_ais *a, const tw_walk *walk, tw_visit *v)
{
    tw_visit_doubles(v, a->steps + 1, a->beta);
    tw_visit_doubles(v, a->steps + 1, a->eps);
    tw_visit_doubles(v, walk->particles, a->log_weight);
    if (a->up_log_weight) tw_visit_doubles(v, walk->particles, a->up_log_weight);
    tw_sampler_visit(walk->sampler, v);
}

/* The count of numbers without the schedule and the step sizes. */
static size_t other_numbers(tw_ais *a, const tw_walk *walk)
{
    tw_visit v = tw_visit_count();
    visit(a, walk, &v);
    return v.count - 2 * (a->steps + 1);
}

tw_status tw_ais_allocate_state(tw_ais *a, const tw_walk *walk)
{
    if (!a->o->wants_state) return TW_OK;
    return tw_allocate_doubles(walk->ctx, 2 * (a->capacity + 1) + other_numbers(a, walk), 1,
                               "the run's state", &a->state);
}

void tw_ais_emit_state(tw_ais *a, const tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    if (!o->wants_state || !tw_team_ask(walk->ctx, o->wants_state, o->user)) return;
    tw_visit v = tw_visit_save(a->state);
    visit(a, walk, &v);
    tw_ais_state state = {.particles = walk->particles,
                          .done = a->done,
                          .beta = walk->target->beta,
                          .iteration = a->iteration,
                          .acceptance = walk->acceptance,
                          .failures = walk->failures,
                          .transitions = walk->transitions,
                          .count = v.count,
                          .numbers = a->state};
    if (tw_team_reports(walk->ctx)) o->on_state(o->user, &state);
}

/* Does the state belong to a run with these options? Its schedule has at least as many steps as theirs. */
static bool fits(tw_ais *a, const tw_walk *walk, const tw_ais_state *state, size_t *steps)
{
    size_t others = other_numbers(a, walk), schedules = state->count - others;
    *steps = schedules / 2 - 1;
    return state->particles == walk->particles && state->count >= others + 4 && schedules % 2 == 0 &&
           *steps >= a->o->temperatures && *steps <= a->capacity && state->done <= *steps &&
           state->beta >= 0.0 && state->beta <= 1.0;
}

tw_status tw_ais_resume(tw_ais *a, tw_walk *walk)
{
    const tw_ais_state *state = a->o->resume;
    if (!fits(a, walk, state, &a->steps))
        return tw_fail(
            walk->ctx, TW_BAD_ARGUMENT,
            "the state (%zu particles after %zu temperatures, %zu numbers) does not belong to this run",
            state->particles, state->done, state->count);
    tw_visit v = tw_visit_restore(state->numbers, state->count);
    TW_TRY(tw_walk_temper(walk, state->beta));
    visit(a, walk, &v);
    TW_TRY(tw_schedule_check(walk->ctx, a->steps, a->beta));
    a->done = state->done;
    a->iteration = state->iteration;
    walk->acceptance = state->acceptance;
    walk->failures = state->failures;
    walk->transitions = state->transitions;
    return TW_OK;
}
