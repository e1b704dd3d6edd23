/* pt_warmup.c: the warm-up of parallel tempering tunes step sizes and temperatures until replicas travel.
 *
 * It has four stages of 1/8, 1/8, 1/4 and 1/2 of its rounds. Every round tunes the step sizes, and after each
 * of the first three stages the ladder is equalised. A replica is drawn anew from q whenever it is at b = 0,
 * so one that went up to b = 1 and came back has forgotten the start of the run. If the last stage had fewer
 * than one such round trip for each copy, further stages of 1, 2, 4, ... times the given rounds are added,
 * until replicas travel or the limit `patience` is reached. pt_judge.c sees the difference in the round trips
 * of the run itself.
 *
 * A ladder may have too many temperatures for a round trip in the given rounds. If the options allow it
 * (least_temperatures), an added stage removes some, and the run then has more rounds, for the same total
 * work.
 */
#include "evidence/pt.h"

enum { STAGES = 4 };

bool tw_pt_tunes_steps(const tw_pt_options *o)
{
    return tw_walk_tunes(&o->kernel, o->eps);
}

tw_status tw_pt_temper(tw_pt *pt)
{
    for (size_t k = 0; k < pt->levels; k++) TW_TRY(tw_walk_temper(pt->walk[k], pt->beta[k]));
    return TW_OK;
}

void tw_pt_set_levels(tw_pt *pt, size_t levels)
{
    pt->levels = levels;
    pt->rounds = pt->o->rounds * pt->allocated / levels;
    pt->batches = tw_ladder_batches(pt->copies, pt->rounds);
    if (pt->outcomes) tw_pt_distribute(pt);
}

/* ---- the ladder ---- */

static double barrier(const tw_pt *pt)
{
    double sum = 0.0;
    for (size_t k = 0; k + 1 < pt->levels; k++) sum += pt->rejection[k];
    return sum;
}

/* Remove levels: new level j takes the states and the step size of the old level at about the same height, k
 * >= j. */
static void remove_levels(tw_pt *pt, size_t new_steps)
{
    size_t steps = pt->levels - 1;
    for (size_t j = 1; j <= new_steps; j++) {
        size_t k = (2 * j * steps + new_steps) / (2 * new_steps); /* j steps / new_steps, rounded */
        tw_walk *kept = pt->walk[j];
        pt->walk[j] = pt->walk[k];
        pt->walk[k] = kept;
        pt->tuner[j] = pt->tuner[k];
    }
    tw_pt_set_levels(pt, new_steps + 1);
    tw_pt_reset_replicas(pt);
}

/* Set the temperatures of new_steps steps with equal rejection rates. */
static tw_status equalise(tw_pt *pt, size_t new_steps)
{
    size_t steps = pt->levels - 1;
    double *work = NULL;
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->levels, 2, "the barrier", &work));
    double *next = work + pt->levels;
    tw_ladder_equalise(steps, pt->rejection, pt->beta, new_steps, next, work);
    for (size_t k = 0; k <= new_steps; k++) pt->beta[k] = next[k];
    tw_release(pt->ctx, work);
    if (new_steps < steps) {
        TW_TRY(tw_pt_share_states(pt));
        remove_levels(pt, new_steps);
    }
    return tw_pt_temper(pt);
}

/* Tune the ladder by the rejection rates of the stage that has ended. */
static tw_status tune_ladder(tw_pt *pt, bool may_thin)
{
    const tw_pt_options *o = pt->o;
    size_t steps = pt->levels - 1;
    for (size_t k = 0; k < steps; k++) pt->rejection[k] /= pt->proposals;
    if (may_thin && o->least_temperatures > 0 && o->least_temperatures < steps)
        steps = tw_ladder_steps(o->least_temperatures, steps, barrier(pt), (double)o->warmup);
    return equalise(pt, steps);
}

/* ---- stages ---- */

/* The number of rounds at the end of a stage: warmup / 8, / 4, / 2 and / 1, then twice as many for each added
 * stage, up to warmup * patience. */
static uint64_t stage_end(const tw_pt_options *o, size_t stage)
{
    uint64_t rounds = o->warmup, most = rounds * o->patience;
    if (stage < STAGES) return rounds >> (STAGES - 1 - stage);
    uint64_t end = rounds << (stage - (STAGES - 1));
    return end < most ? end : most;
}

/* The stage after this many rounds. The state of a stage's last round is emitted before the stage ends, so a
 * run resumed there is still in that stage. */
static size_t stage_of(const tw_pt_options *o, uint64_t rounds)
{
    size_t stage = 0;
    while (rounds > stage_end(o, stage) && stage_end(o, stage) < o->warmup * o->patience) stage++;
    return stage;
}

bool tw_pt_is_warmup(const tw_pt_options *o, uint64_t rounds, bool over)
{
    size_t stage = stage_of(o, rounds);
    uint64_t end = stage_end(o, stage);
    return over ? rounds == end && stage + 1 >= STAGES : rounds <= end;
}

/* Is a further stage needed and allowed? */
static bool continues(const tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    return o->tune_ladder && pt->round_trips < pt->copies && pt->round < o->warmup * o->patience;
}

/* Restart the tuning of step sizes, because the temperatures or the replicas have changed. */
static void restart_tuners(tw_pt *pt)
{
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_begin(&pt->tuner[k]);
}

/* End a stage: tune the ladder and start the next stage, which may remove levels if it is an added one. *more
 * is false if there is no next stage. */
static tw_status end_stage(tw_pt *pt, bool *more)
{
    bool next_is_added = pt->stage + 1 >= STAGES;
    *more = !next_is_added || continues(pt);
    if (!*more) return TW_OK;
    if (pt->o->tune_ladder) TW_TRY(tune_ladder(pt, next_is_added));
    pt->stage++;
    tw_pt_reset_counts(pt);
    restart_tuners(pt);
    return TW_OK;
}

/* Run the rounds of a stage. In the first half of an added stage replicas still move away from atypical
 * positions, so the tuning of step sizes restarts after it. */
static tw_status run_stage(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    uint64_t begun = pt->stage > 0 ? stage_end(o, pt->stage - 1) : 0, end = stage_end(o, pt->stage);
    while (pt->round < end && !pt->watch.stopped) {
        if (pt->stage >= STAGES && pt->round == (begun + end) / 2) restart_tuners(pt);
        TW_TRY(tw_pt_round(pt));
        tw_pt_tell(pt, "warm-up", pt->round, end > o->warmup ? end : o->warmup);
        tw_pt_emit_state(pt);
    }
    return TW_OK;
}

tw_status tw_pt_warm_up(tw_pt *pt)
{
    bool more = true;
    pt->tuning = tw_pt_tunes_steps(pt->o);
    pt->stage = stage_of(pt->o, pt->round);
    while (more) {
        TW_TRY(run_stage(pt));
        if (pt->watch.stopped) return TW_OK;
        TW_TRY(end_stage(pt, &more));
    }
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_freeze(&pt->tuner[k]);
    pt->tuning = false;
    return TW_OK;
}
