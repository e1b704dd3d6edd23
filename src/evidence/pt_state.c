/* pt_state.c: where parallel tempering stands after a round, kept and taken up again.
 *
 * The rest of a run depends on the ladder, the step sizes, who is where, what was counted since the last stage of the
 * warm-up began, R of the rounds that count so far, and where all replicas are; random numbers are functions of
 * the round. In tw_pt_state's numbers these stand in this order, integers as doubles.
 */
#include <math.h>
#include <string.h>

#include "evidence/pt.h"
#include "sample/sampler.h"

enum { PER_LEVEL = 10 }; /* b, the step size's tuner, rejections, and three sums over transitions */

/* Numbers of a state with so many rounds recorded. */
static size_t numbers_of(const tw_pt *pt, size_t recorded)
{
    size_t columns = pt->levels * pt->copies;
    return pt->levels * (PER_LEVEL + tw_sampler_state_size(pt->walk[0]->sampler)) + columns * (3 + recorded);
}

tw_status tw_pt_allocate_state(tw_pt *pt)
{
    if (!pt->o->wants_state) return TW_OK;
    return tw_allocate_doubles(pt->ctx, numbers_of(pt, pt->rounds), 1, "the run's state", &pt->state);
}

static void save_levels(const tw_pt *pt, double *to)
{
    for (size_t k = 0; k < pt->levels; k++) {
        const tw_walk *w = pt->walk[k];
        const tw_step_tuner *t = &pt->tuner[k];
        const double level[PER_LEVEL] = {pt->beta[k], t->centre,     t->deficit,       t->log_eps,
                                         t->log_mean, t->count,      pt->rejection[k], w->acceptance,
                                         w->failures, w->transitions};
        memcpy(to + k * PER_LEVEL, level, sizeof level);
    }
}

static void save_columns(const tw_pt *pt, double *to)
{
    size_t columns = pt->levels * pt->copies, recorded = pt->recorded;
    double *ratio = to + 3 * columns;
    for (size_t i = 0; i < columns; i++) {
        to[i] = (double)pt->replica[i];
        to[columns + i] = (double)pt->heading[i];
        to[2 * columns + i] = pt->stone[i];
        memcpy(ratio + i * recorded, pt->ratio + i * pt->rounds, recorded * sizeof *ratio);
    }
}

void tw_pt_emit_state(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    if (!o->wants_state || !tw_team_ask(pt->ctx, o->wants_state, o->user)) return;
    double *columns = pt->state + pt->levels * PER_LEVEL;
    double *replicas = columns + pt->levels * pt->copies * (3 + pt->recorded);
    save_levels(pt, pt->state);
    save_columns(pt, columns);
    for (size_t k = 0; k < pt->levels; k++) {
        tw_sampler_save(pt->walk[k]->sampler, replicas);
        replicas += tw_sampler_state_size(pt->walk[k]->sampler);
    }
    tw_pt_state state = {.levels = pt->levels,
                         .copies = pt->copies,
                         .round = pt->round,
                         .recorded = pt->recorded,
                         .round_trips = pt->round_trips,
                         .counted = pt->counted,
                         .proposals = pt->proposals,
                         .count = numbers_of(pt, pt->recorded),
                         .numbers = pt->state};
    if (tw_team_leads(pt->ctx)) o->on_state(o->user, &state);
}

/* ---- taking it up ---- */

static bool fits(const tw_pt *pt, const tw_pt_state *s)
{
    bool place = tw_pt_is_warmup(pt->o, s->round - s->recorded, s->recorded > 0);
    return s->copies == pt->copies && s->recorded <= s->round && s->recorded <= pt->rounds && place &&
           s->counted <= s->recorded && s->count == numbers_of(pt, s->recorded);
}

static void restore_levels(tw_pt *pt, const double *from)
{
    for (size_t k = 0; k < pt->levels; k++, from += PER_LEVEL) {
        tw_walk *w = pt->walk[k];
        pt->beta[k] = from[0];
        tw_step_tuner *t = &pt->tuner[k];
        t->centre = from[1];
        t->deficit = from[2];
        t->log_eps = from[3];
        t->log_mean = from[4];
        t->count = from[5];
        pt->rejection[k] = from[6];
        w->acceptance = from[7];
        w->failures = from[8];
        w->transitions = from[9];
    }
}

/* False where a replica is none of these. */
static bool restore_columns(tw_pt *pt, size_t recorded, const double *from)
{
    size_t columns = pt->levels * pt->copies;
    const double *ratio = from + 3 * columns;
    for (size_t i = 0; i < columns; i++) {
        double replica = from[i], heading = from[columns + i];
        if (!(replica >= 0.0 && replica < (double)pt->levels && heading >= 0.0 && heading <= 2.0))
            return false;
        pt->replica[i] = (size_t)replica;
        pt->heading[i] = (int)heading;
        pt->stone[i] = from[2 * columns + i];
        memcpy(pt->ratio + i * pt->rounds, ratio + i * recorded, recorded * sizeof *ratio);
    }
    return true;
}

tw_status tw_pt_resume(tw_pt *pt)
{
    const tw_pt_state *s = pt->o->resume;
    bool ladder = s->levels >= 2 && s->levels <= pt->allocated &&
                  (s->levels == pt->allocated || (pt->o->least_steps > 0 && s->levels > pt->o->least_steps));
    if (ladder) tw_pt_set_levels(pt, s->levels);
    if (ladder && fits(pt, s)) {
        const double *columns = s->numbers + pt->levels * PER_LEVEL;
        const double *replicas = columns + pt->levels * pt->copies * (3 + s->recorded);
        restore_levels(pt, s->numbers);
        TW_TRY(tw_schedule_check(pt->ctx, pt->levels - 1, pt->beta));
        for (size_t k = 0; k < pt->levels; k++) {
            TW_TRY(tw_walk_temper(pt->walk[k], pt->beta[k]));
            tw_sampler_restore(pt->walk[k]->sampler, replicas);
            replicas += tw_sampler_state_size(pt->walk[k]->sampler);
        }
        pt->round = s->round;
        pt->recorded = s->recorded;
        pt->round_trips = s->round_trips;
        pt->counted = s->counted;
        pt->proposals = s->proposals;
        if (restore_columns(pt, s->recorded, columns)) return TW_OK;
    }
    return tw_fail(
        pt->ctx, TW_BAD_ARGUMENT,
        "a state of %zu temperatures and %zu copies after %llu rounds, of %zu numbers, is not one of "
        "this run",
        s->levels, s->copies, (unsigned long long)s->round, s->count);
}
