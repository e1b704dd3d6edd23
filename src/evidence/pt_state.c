/* pt_state.c: save and restore the state of parallel tempering after a round.
 *
 * The numbers of tw_pt_state are, in this order: for each level its temperature, step size tuner and sums
 * since the current stage began; the replica at each level and the replicas' headings; the sums of the
 * running estimate; R of the recorded rounds; and the states of the samplers. Integers are stored as doubles.
 * With the number of the round, which random numbers are functions of, they determine the rest of the run.
 */
#include "evidence/pt.h"
#include "sample/sampler.h"

static void visit_levels(tw_pt *pt, tw_visit *v)
{
    for (size_t k = 0; k < pt->levels; k++) {
        tw_walk *w = pt->walk[k];
        tw_step_tuner *t = &pt->tuner[k];
        double *const number[] = {&pt->beta[k], &t->centre,     &t->deficit,       &t->log_eps,
                                  &t->log_mean, &t->count,      &pt->rejection[k], &w->acceptance,
                                  &w->failures, &w->transitions};
        for (size_t i = 0; i < sizeof number / sizeof *number; i++) tw_visit_doubles(v, 1, number[i]);
    }
}

static void visit_columns(tw_pt *pt, size_t recorded, tw_visit *v)
{
    size_t columns = pt->levels * pt->copies;
    for (size_t i = 0; i < columns; i++) tw_visit_size(v, &pt->replica[i], 0, pt->levels - 1);
    for (size_t i = 0; i < columns; i++) {
        size_t heading = (size_t)pt->heading[i];
        tw_visit_size(v, &heading, 0, 2);
        pt->heading[i] = (int)heading;
    }
    tw_visit_doubles(v, columns, pt->stone);
    for (size_t i = 0; i < columns; i++) tw_visit_doubles(v, recorded, pt->ratio + i * pt->rounds);
    for (size_t k = 0; k < pt->levels; k++) tw_sampler_visit(pt->walk[k]->sampler, v);
}

/* The count of numbers of a state with this many recorded rounds. */
static size_t numbers_of(tw_pt *pt, size_t recorded)
{
    tw_visit v = tw_visit_count();
    visit_levels(pt, &v);
    visit_columns(pt, recorded, &v);
    return v.count;
}

tw_status tw_pt_allocate_state(tw_pt *pt)
{
    if (!pt->o->wants_state) return TW_OK;
    return tw_allocate_doubles(pt->ctx, numbers_of(pt, pt->rounds), 1, "the run's state", &pt->state);
}

void tw_pt_emit_state(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    if (!o->wants_state || !tw_team_ask(pt->ctx, o->wants_state, o->user)) return;
    tw_visit v = tw_visit_save(pt->state);
    visit_levels(pt, &v);
    visit_columns(pt, pt->recorded, &v);
    tw_pt_state state = {.levels = pt->levels,
                         .copies = pt->copies,
                         .round = pt->round,
                         .recorded = pt->recorded,
                         .round_trips = pt->round_trips,
                         .counted = pt->counted,
                         .proposals = pt->proposals,
                         .count = v.count,
                         .numbers = pt->state};
    if (tw_team_reports(pt->ctx)) o->on_state(o->user, &state);
}

/* ---- restoring ---- */

/* Can a run with these options have this state? pt has the state's number of levels. */
static bool fits(tw_pt *pt, const tw_pt_state *s)
{
    bool possible = tw_pt_is_warmup(pt->o, s->round - s->recorded, s->recorded > 0);
    return s->copies == pt->copies && s->recorded <= s->round && s->recorded <= pt->rounds && possible &&
           s->counted <= s->recorded && s->count == numbers_of(pt, s->recorded);
}

tw_status tw_pt_resume(tw_pt *pt)
{
    const tw_pt_state *s = pt->o->resume;
    bool ladder = s->levels >= 2 && s->levels <= pt->allocated &&
                  (s->levels == pt->allocated ||
                   (pt->o->least_temperatures > 0 && s->levels > pt->o->least_temperatures));
    if (ladder) tw_pt_set_levels(pt, s->levels);
    if (ladder && fits(pt, s)) {
        tw_visit v = tw_visit_restore(s->numbers, s->count);
        visit_levels(pt, &v);
        TW_TRY(tw_schedule_check(pt->ctx, pt->levels - 1, pt->beta));
        for (size_t k = 0; k < pt->levels; k++) TW_TRY(tw_walk_temper(pt->walk[k], pt->beta[k]));
        visit_columns(pt, s->recorded, &v);
        pt->round = s->round;
        pt->recorded = s->recorded;
        pt->round_trips = s->round_trips;
        pt->counted = s->counted;
        pt->proposals = s->proposals;
        if (tw_visit_is_whole(&v)) return TW_OK;
    }
    return tw_fail(pt->ctx, TW_BAD_ARGUMENT,
                   "the state (%zu temperatures and %zu copies after %llu rounds, %zu numbers) does not "
                   "belong to this run",
                   s->levels, s->copies, (unsigned long long)s->round, s->count);
}
