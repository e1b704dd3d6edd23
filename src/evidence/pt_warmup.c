/* pt_warmup.c: the warm-up of parallel tempering: step sizes, temperatures, and whether replicas travel.
 *
 * Four stages of 1/8, 1/8, 1/4 and 1/2 of its rounds; step sizes follow the acceptance rate all along, and the ladder is
 * equalised after each of the first three. A replica is drawn afresh from q whenever it is at b = 0: one that went up
 * to b = 1 and came back has forgotten where the run began. So, where the last stage saw fewer than one such round trip
 * for each copy, tuning goes on, with stages of 1, 2, 4, ... times the given rounds, until replicas travel or patience
 * ends; which it was is seen in the trips of the run itself (pt_judge.c).
 *
 * A ladder may have so many temperatures that nobody can travel it in the rounds there are. Where it may, a stage that
 * is added leaves some of them out, and the run then has as many more rounds as make the same work.
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
    if (pt->outcomes) tw_pt_share_out(pt);
}

/* ---- the ladder ---- */

static double barrier(const tw_pt *pt)
{
    double sum = 0.0;
    for (size_t k = 0; k + 1 < pt->levels; k++) sum += pt->rejection[k];
    return sum;
}

/* Leave out temperatures: every new level takes the states and the step size of an old one that is about as far up. */
static void thin(tw_pt *pt, size_t new_steps)
{
    size_t steps = pt->levels - 1;
    for (size_t j = 1; j <= new_steps; j++) {
        size_t k =
            (2 * j * steps + new_steps) / (2 * new_steps); /* j steps / new_steps, rounded: j or above */
        tw_walk *kept = pt->walk[j];
        pt->walk[j] = pt->walk[k];
        pt->walk[k] = kept;
        pt->tuner[j] = pt->tuner[k];
    }
    tw_pt_set_levels(pt, new_steps + 1);
    tw_pt_name_replicas(pt);
}

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
        TW_TRY(tw_pt_settle(pt));
        thin(pt, new_steps);
    }
    return tw_pt_temper(pt);
}

/* By the rejections of the stage that has ended. */
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

/* Rounds up to the end of a stage: those of every run first, then those that are added. */
static uint64_t end_of(const tw_pt_options *o, size_t stage)
{
    uint64_t rounds = o->warmup, most = rounds * o->patience;
    if (stage < STAGES) return rounds >> (STAGES - 1 - stage);
    uint64_t end = rounds << (stage - (STAGES - 1));
    return end < most ? end : most;
}

/* What ends a stage is done after its last round was told: a run that goes on is in the first stage whose end it is not
 * beyond. */
static size_t stage_after(const tw_pt_options *o, uint64_t rounds)
{
    size_t stage = 0;
    while (rounds > end_of(o, stage) && end_of(o, stage) < o->warmup * o->patience) stage++;
    return stage;
}

bool tw_pt_is_warmup(const tw_pt_options *o, uint64_t rounds, bool over)
{
    size_t stage = stage_after(o, rounds);
    uint64_t end = end_of(o, stage);
    return over ? rounds == end && stage + 1 >= STAGES : rounds <= end;
}

static bool goes_on(const tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    return o->tune_ladder && pt->round_trips < pt->copies && pt->round < o->warmup * o->patience;
}

/* Step sizes are looked for anew: what is sampled has changed. */
static void tune_anew(tw_pt *pt)
{
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_begin(&pt->tuner[k]);
}

/* After the rounds of a stage: tune, and begin the next. *more is false where there is none. */
static tw_status end_stage(tw_pt *pt, bool *more)
{
    bool added = pt->stage + 1 >= STAGES;
    *more = !added || goes_on(pt);
    if (!*more) return TW_OK;
    if (pt->o->tune_ladder) TW_TRY(tune_ladder(pt, added));
    pt->stage++;
    tw_pt_reset_counts(pt);
    tune_anew(pt);
    return TW_OK;
}

/* The rounds of a stage. In the first half of one that is added, replicas still leave where they do not belong: step
 * sizes start again after it. */
static tw_status run_stage(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    uint64_t begun = pt->stage > 0 ? end_of(o, pt->stage - 1) : 0, end = end_of(o, pt->stage);
    while (pt->round < end && !pt->watch.stopped) {
        if (pt->stage >= STAGES && pt->round == (begun + end) / 2) tune_anew(pt);
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
    pt->stage = stage_after(pt->o, pt->round);
    while (more) {
        TW_TRY(run_stage(pt));
        if (pt->watch.stopped) return TW_OK;
        TW_TRY(end_stage(pt, &more));
    }
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_freeze(&pt->tuner[k]);
    pt->tuning = false;
    return TW_OK;
}
