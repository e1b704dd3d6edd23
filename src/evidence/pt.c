/* pt.c: parallel tempering: a ladder of temperatures that exchange states, and log Z from it.
 *
 * Independent copies of the whole ladder run side by side. A level is one target in open form with one
 * sampler, whose column c belongs to copy c, so that all copies at a temperature move in lockstep. After the
 * warm-up (pt_warmup.c) the temperatures and step sizes are frozen, and every round records R at every level.
 */
#include "evidence/pt.h"

#include <math.h>

#include "base/team.h"

enum { LEAST_WARMUP = 16, MOST_PATIENCE = 1000 };

/* Below this swap rate neighbours hardly exchange states. */
static const double low_swap_rate = 0.1;

/* Above this fraction of failures the step sizes are at the limit of RMHMC's implicit equations. Irreversible
 * trajectories are then frequent enough to bias an estimate unless every trajectory is checked. */
static const double high_failures = 0.01;

static tw_status check_counts(tw_context *ctx, const tw_pt_options *o)
{
    if (o->copies < 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "parallel tempering with %zu cop%s cannot give a standard error: use at least 2, "
                       "preferably 8 or more",
                       o->copies, o->copies == 1 ? "y" : "ies");
    if (o->rounds < 2 || o->moves == 0)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "parallel tempering needs at least two rounds of at least one transition, not %zu rounds of %zu",
            o->rounds, o->moves);
    size_t least = tw_ladder_least_rounds(o->copies);
    if (o->rounds < least)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "with %zu copies the errors come from %zu batches of each copy: use at least %zu "
                       "rounds, not %zu, or %d copies",
                       o->copies, tw_ladder_batches(o->copies, o->rounds), least, o->rounds,
                       TW_ENOUGH_COPIES);
    if ((tw_pt_tunes_steps(o) || o->tune_ladder) && o->warmup < LEAST_WARMUP)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the warm-up tunes step sizes and temperatures and needs at least %d rounds, not %zu",
                       LEAST_WARMUP, o->warmup);
    if (o->patience < 1 || o->patience > MOST_PATIENCE)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "patience must be from 1 to %d times the warm-up, not %zu",
                       MOST_PATIENCE, o->patience);
    return TW_OK;
}

static tw_status check(tw_context *ctx, const tw_pt_options *o)
{
    if (o->temperatures == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "parallel tempering needs at least two temperatures: 0 and 1");
    if (o->beta) TW_TRY(tw_schedule_check(ctx, o->temperatures, o->beta));
    TW_TRY(check_counts(ctx, o));
    if (!(o->eps >= 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    if (tw_pt_tunes_steps(o) && !(o->target_accept > 0.0 && o->target_accept < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the target acceptance must be between 0 and 1, not %g",
                       o->target_accept);
    return TW_OK;
}

static void release(tw_pt *pt)
{
    void *arrays[] = {pt->beta,      pt->tuner,    pt->normals, pt->x,     pt->swap,
                      pt->rejection, pt->replica,  pt->heading, pt->ratio, pt->stone,
                      pt->state,     pt->outcomes, pt->trade};
    for (size_t k = 0; pt->walk && k < pt->allocated; k++) tw_walk_free(pt->walk[k]);
    tw_release(pt->ctx, pt->walk);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(pt->ctx, arrays[i]);
}

static tw_status allocate_counts(tw_pt *pt)
{
    size_t columns = pt->levels * pt->copies;
    void *swap = NULL, *replica = NULL, *heading = NULL;
    TW_TRY(tw_allocate(pt->ctx, columns, sizeof *pt->swap, "the swaps", &swap));
    pt->swap = swap;
    TW_TRY(tw_allocate(pt->ctx, columns, sizeof *pt->replica, "the replicas", &replica));
    pt->replica = replica;
    TW_TRY(tw_allocate(pt->ctx, columns, sizeof *pt->heading, "the replicas", &heading));
    pt->heading = heading;
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->levels, 1, "the swap rates", &pt->rejection));
    TW_TRY(tw_allocate_doubles(pt->ctx, columns, 1, "the stepping stones", &pt->stone));
    return tw_allocate_doubles(pt->ctx, columns, pt->rounds, "the log ratios", &pt->ratio);
}

static tw_status allocate(tw_pt *pt)
{
    size_t n = pt->model->n;
    tw_sampler_options kernel = pt->o->kernel;
    void *walk = NULL, *tuner = NULL;
    kernel.threads = 1; /* threads process different levels instead */
    TW_TRY(tw_allocate(pt->ctx, pt->levels, sizeof *pt->walk, "the replicas", &walk));
    pt->walk = walk;
    for (size_t k = 0; k < pt->levels; k++)
        TW_TRY(tw_walk_new_as(pt->model, pt->reference, &kernel, TW_FORM_OPEN, pt->copies, &pt->walk[k]));
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->levels, 1, "the temperatures", &pt->beta));
    TW_TRY(tw_allocate(pt->ctx, pt->levels, sizeof *pt->tuner, "the step sizes", &tuner));
    pt->tuner = tuner;
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->reference->gaussian->r, pt->copies, "fresh draws", &pt->normals));
    TW_TRY(tw_allocate_doubles(pt->ctx, n, pt->copies, "fresh draws", &pt->x));
    TW_TRY(tw_pt_allocate_team(pt));
    tw_pt_distribute(pt);
    return allocate_counts(pt);
}

/* Start every level from draws of q. */
static tw_status start(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    for (size_t k = 0; k < pt->levels; k++) {
        pt->beta[k] = o->beta ? o->beta[k] : (double)k / (double)o->temperatures;
        pt->tuner[k] =
            tw_step_tuner_at(o->eps > 0.0 ? o->eps : TW_STEP_FIRST, o->target_accept, TW_STEP_LARGEST);
        TW_TRY(tw_team_leave(pt->ctx, tw_walk_start(pt->walk[k], o->seed, pt->chain + k * pt->copies)));
    }
    tw_pt_reset_replicas(pt);
    return tw_pt_temper(pt);
}

double tw_pt_acceptance(const tw_pt *pt)
{
    double sum = 0.0, transitions = 0.0;
    for (size_t k = 1; k < pt->levels; k++) {
        sum += pt->walk[k]->acceptance;
        transitions += pt->walk[k]->transitions;
    }
    return transitions > 0.0 ? sum / transitions : NAN;
}

void tw_pt_tell(tw_pt *pt, const char *stage, uint64_t done, uint64_t total)
{
    tw_log_z so_far = tw_pt_running(pt);
    tw_progress now = {.stage = stage,
                       .unit = "rounds",
                       .done = (size_t)done,
                       .total = (size_t)total,
                       .acceptance = tw_pt_acceptance(pt),
                       .log_z = so_far.value,
                       .se = so_far.se};
    tw_watch_tell(&pt->watch, &now);
}

/* The rounds after warm-up. */
static tw_status record(tw_pt *pt)
{
    if (pt->recorded == 0) tw_pt_reset_counts(pt);
    while (pt->recorded < pt->rounds && !pt->watch.stopped) {
        TW_TRY(tw_pt_round(pt));
        if (pt->watch.progress) tw_pt_running_add(pt);
        for (size_t k = 0; k < pt->levels; k++)
            for (size_t c = 0; c < pt->copies; c++)
                pt->ratio[(k * pt->copies + c) * pt->rounds + pt->recorded] = pt->walk[k]->log_ratio[c];
        pt->recorded++;
        tw_pt_tell(pt, "run", pt->recorded, pt->rounds);
        tw_pt_emit_state(pt);
    }
    return TW_OK;
}

/* The fields that both estimates share. Level 0 has draws instead of transitions and is left out of the
 * sums. */
static tw_estimate describe(const tw_pt *pt, const char *method)
{
    double failures = 0.0, transitions = 0.0;
    for (size_t k = 1; k < pt->levels; k++) {
        failures += pt->walk[k]->failures;
        transitions += pt->walk[k]->transitions;
    }
    return (tw_estimate){.method = method,
                         .log_z = NAN,
                         .se = NAN,
                         .se_bootstrap = NAN,
                         .weight_ess = NAN,
                         .pareto_k = NAN,
                         .missed = NAN,
                         .acceptance = tw_pt_acceptance(pt),
                         .failures = transitions > 0.0 ? failures / transitions : 0.0,
                         .particles = pt->watch.stopped ? 0 : pt->copies,
                         .temperatures = pt->levels - 1,
                         .draws = tw_draws_number(pt->o->seed, pt->chain),
                         .trips = (double)pt->round_trips / (double)pt->copies,
                         .drift = NAN,
                         .apart = NAN};
}

static void warn(const tw_pt *pt, double lowest_rate, double barrier, double failures)
{
    const tw_sampler_options *kernel = &pt->o->kernel;
    if (lowest_rate < low_swap_rate)
        tw_warn(pt->ctx, &(tw_warning){.code = TW_WARN_SWAP_RATE,
                                       .number = {lowest_rate, barrier, ceil(2.0 * barrier) + 1.0}});
    if (tw_method_describe(kernel->method)->implicit && kernel->reverse_check < 1.0 &&
        failures > high_failures)
        tw_warn(pt->ctx, &(tw_warning){.code = TW_WARN_PT_FAILURES, .number = {100.0 * failures}});
}

/* Report the ladder and its swap rates; returns the lowest swap rate. */
static double report_ladder(const tw_pt *pt, tw_pt_report *report)
{
    double lowest = 1.0;
    report->barrier = 0.0;
    for (size_t k = 0; k + 1 < pt->levels; k++) {
        double rejection = pt->proposals > 0.0 ? pt->rejection[k] / pt->proposals : NAN;
        report->barrier += rejection;
        lowest = fmin(lowest, 1.0 - rejection);
        if (report->swap_rate) report->swap_rate[k] = 1.0 - rejection;
    }
    for (size_t k = 0; k < pt->levels; k++) {
        if (report->beta) report->beta[k] = pt->beta[k];
        if (report->eps) report->eps[k] = tw_step_tuner_eps(&pt->tuner[k]);
    }
    report->temperatures = pt->levels - 1;
    report->warmup = (size_t)pt->round - pt->recorded;
    report->rounds = pt->recorded;
    report->round_trips = pt->round_trips;
    report->batches = pt->batches;
    return lowest;
}

static tw_status run(tw_pt *pt, tw_estimate out[2], tw_pt_report *report)
{
    tw_pt_report unwanted = {0};
    if (!report) report = &unwanted;
    TW_TRY(allocate(pt));
    TW_TRY(tw_pt_allocate_state(pt));
    TW_TRY(start(pt));
    if (pt->o->resume) TW_TRY(tw_pt_resume(pt));
    if (pt->recorded == 0) TW_TRY(tw_pt_warm_up(pt));
    if (!pt->watch.stopped) TW_TRY(record(pt));
    out[0] = describe(pt, "stepping-stone");
    out[1] = describe(pt, "thermodynamic");
    if (pt->watch.stopped) return TW_OK;
    double lowest_rate = report_ladder(pt, report);
    warn(pt, lowest_rate, report->barrier, out[0].failures);
    return tw_pt_estimate(pt, out, report);
}

tw_status tw_pt_run(const tw_model *model, const tw_reference *reference, const tw_pt_options *options,
                    tw_progress_function *progress, void *user, tw_estimate out[2], tw_pt_report *report)
{
    tw_pt_options defaults = TW_PT_DEFAULTS;
    if (!options) options = &defaults;
    TW_TRY(check(model->ctx, options));
    tw_pt pt = {.ctx = model->ctx,
                .model = model,
                .reference = reference,
                .o = options,
                .watch = {.ctx = model->ctx, .progress = progress, .user = user},
                .allocated = options->temperatures + 1,
                .copies = options->copies,
                .threads = tw_model_threads(model, options->kernel.threads)};
    tw_pt_set_levels(&pt, pt.allocated);
    TW_TRY(tw_streams_take(pt.ctx, TW_STREAMS_PT, options->first_chain, pt.levels * pt.copies, &pt.chain));
    tw_status status = run(&pt, out, report);
    release(&pt);
    return status;
}
