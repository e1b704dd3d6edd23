/* ais_state.c: where a run of annealed importance sampling stands, kept and taken up again.
 *
 * After a temperature of the last stage, the rest depends on the step sizes, the log weights, where the particles
 * are, and the number of transitions so far, which is what random numbers are functions of. In tw_ais_state's
 * numbers they stand in this order.
 */
#include <string.h>

#include "evidence/ais.h"
#include "sample/sampler.h"

static size_t numbers_of(const tw_ais *a, const tw_walk *walk)
{
    return a->o->steps + 1 + walk->particles + tw_sampler_state_size(walk->sampler);
}

tw_status tw_ais_allocate_state(tw_ais *a, const tw_walk *walk)
{
    if (!a->o->wants_state) return TW_OK;
    return tw_allocate_doubles(walk->ctx, numbers_of(a, walk), 1, "the run's state", &a->state);
}

void tw_ais_tell_state(tw_ais *a, const tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    if (!o->wants_state || !o->wants_state(o->user)) return;
    double *weights = a->state + o->steps + 1;
    memcpy(a->state, a->eps, (o->steps + 1) * sizeof *a->eps);
    memcpy(weights, a->log_weight, walk->particles * sizeof *weights);
    tw_sampler_save(walk->sampler, weights + walk->particles);
    tw_ais_state state = {.particles = walk->particles,
                          .done = a->done,
                          .beta = walk->target->beta,
                          .iteration = a->iteration,
                          .acceptance = walk->acceptance,
                          .failures = walk->failures,
                          .transitions = walk->transitions,
                          .count = numbers_of(a, walk),
                          .numbers = a->state};
    o->on_state(o->user, &state);
}

tw_status tw_ais_take_up(tw_ais *a, tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    const tw_ais_state *state = o->resume;
    const double *weights = state->numbers + o->steps + 1;
    if (state->particles != walk->particles || state->count != numbers_of(a, walk) ||
        state->done > o->steps || !(state->beta >= 0.0 && state->beta <= 1.0))
        return tw_fail(
            walk->ctx, TW_BAD_ARGUMENT,
            "a state of %zu particles after %zu temperatures, of %zu numbers, is not one of this run",
            state->particles, state->done, state->count);
    TW_TRY(tw_walk_temper(walk, state->beta));
    memcpy(a->eps, state->numbers, (o->steps + 1) * sizeof *a->eps);
    memcpy(a->log_weight, weights, walk->particles * sizeof *weights);
    tw_sampler_restore(walk->sampler, weights + walk->particles);
    a->done = state->done;
    a->iteration = state->iteration;
    walk->acceptance = state->acceptance;
    walk->failures = state->failures;
    walk->transitions = state->transitions;
    return TW_OK;
}
