/* pt.c: parallel tempering: a ladder of temperatures whose states exchange, and log Z from it.
 *
 * Copies of the whole ladder run side by side, independent of each other: column c of every level belongs to
 * copy c, a level is one target in open form with one sampler, so that all copies at a temperature move in
 * lockstep. Warm-up: four stages of 1/8, 1/8, 1/4 and 1/2 of its rounds; step sizes follow the acceptance
 * rate all along, and the ladder is equalised after each of the first three. Then everything is frozen, and R
 * of every level is recorded in every round.
 */
#include "evidence/pt.h"

#include <math.h>

enum { STAGES = 4, LEAST_WARMUP = 16 };

/* Copies that are enough for an error bar by themselves; fewer are cut into batches of at least so many
 * rounds, to make so many groups. */
enum { ENOUGH_COPIES = 8, ENOUGH_GROUPS = 16, LEAST_BATCH = 10 };

/* Below this, neighbours hardly speak to each other. */
static const double low_swap_rate = 0.1;

/* Above this, step sizes are at the limit of RMHMC's implicit equations, where ways that do not lead back
 * are common enough to bias an estimate unless every one of them is looked for. */
static const double high_failures = 0.01;

static bool tunes_steps(const tw_pt_options *o)
{
    return tw_walk_tunes(&o->kernel, o->eps);
}

static size_t batches_of(size_t copies)
{
    return copies >= ENOUGH_COPIES ? 1 : (ENOUGH_GROUPS + copies - 1) / copies;
}

static tw_status check_counts(tw_context *ctx, const tw_pt_options *o)
{
    if (o->copies < 2)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "parallel tempering with %zu cop%s has no error bar: it needs at least two, and eight or "
            "more are better",
            o->copies, o->copies == 1 ? "y" : "ies");
    if (o->rounds < 2 || o->moves == 0)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "parallel tempering needs at least two rounds of at least one transition; these are %zu "
            "rounds of %zu",
            o->rounds, o->moves);
    size_t batches = batches_of(o->copies);
    if (batches > 1 && o->rounds < LEAST_BATCH * batches)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "with %zu copies errors come from %zu batches of each: that needs at least %zu rounds, not "
            "%zu; or %d copies",
            o->copies, batches, LEAST_BATCH * batches, o->rounds, ENOUGH_COPIES);
    if ((tunes_steps(o) || o->tune_ladder) && o->warmup < LEAST_WARMUP)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "step sizes and temperatures are tuned in the warm-up: it needs at least %d rounds, not %zu",
            LEAST_WARMUP, o->warmup);
    return TW_OK;
}

static tw_status check(tw_context *ctx, const tw_pt_options *o)
{
    if (o->steps == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "parallel tempering needs at least two temperatures: 0 and 1");
    if (o->beta) TW_TRY(tw_schedule_check(ctx, o->steps, o->beta));
    TW_TRY(check_counts(ctx, o));
    if (!(o->eps >= 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    if (tunes_steps(o) && !(o->target_accept > 0.0 && o->target_accept < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the target acceptance lies in (0, 1); %g does not",
                       o->target_accept);
    return TW_OK;
}

static void release(tw_pt *pt)
{
    void *arrays[] = {pt->beta,    pt->tuner,   pt->normals, pt->x,     pt->swap, pt->rejection,
                      pt->replica, pt->heading, pt->ratio,   pt->stone, pt->state};
    for (size_t k = 0; pt->walk && k < pt->levels; k++) tw_walk_free(pt->walk[k]);
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
    kernel.threads = 1; /* levels are worked on side by side instead */
    TW_TRY(tw_allocate(pt->ctx, pt->levels, sizeof *pt->walk, "the replicas", &walk));
    pt->walk = walk;
    for (size_t k = 0; k < pt->levels; k++)
        TW_TRY(tw_walk_new_as(pt->model, pt->reference, &kernel, TW_FORM_OPEN, pt->copies, &pt->walk[k]));
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->levels, 1, "the temperatures", &pt->beta));
    TW_TRY(tw_allocate(pt->ctx, pt->levels, sizeof *pt->tuner, "the step sizes", &tuner));
    pt->tuner = tuner;
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->reference->gaussian->r, pt->copies, "fresh draws", &pt->normals));
    TW_TRY(tw_allocate_doubles(pt->ctx, n, pt->copies, "fresh draws", &pt->x));
    return allocate_counts(pt);
}

static tw_status temper_all(tw_pt *pt)
{
    for (size_t k = 0; k < pt->levels; k++) TW_TRY(tw_walk_temper(pt->walk[k], pt->beta[k]));
    return TW_OK;
}

/* Every level starts from draws of q. */
static tw_status start(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    for (size_t k = 0; k < pt->levels; k++) {
        pt->beta[k] = o->beta ? o->beta[k] : (double)k / (double)o->steps;
        pt->tuner[k] =
            tw_step_tuner_at(o->eps > 0.0 ? o->eps : TW_STEP_FIRST, o->target_accept, TW_STEP_LARGEST);
        for (size_t c = 0; c < pt->copies; c++) pt->replica[k * pt->copies + c] = k;
        TW_TRY(tw_walk_start(pt->walk[k], o->seed, pt->chain + k * pt->copies));
    }
    return temper_all(pt);
}

/* Mean over all levels but the lowest, whose draws are no transitions. */
static double acceptance(const tw_pt *pt)
{
    double sum = 0.0, transitions = 0.0;
    for (size_t k = 1; k < pt->levels; k++) {
        sum += pt->walk[k]->acceptance;
        transitions += pt->walk[k]->transitions;
    }
    return transitions > 0.0 ? sum / transitions : NAN;
}

static void report(tw_pt *pt, const char *stage, size_t done, size_t total)
{
    tw_log_z so_far = tw_pt_running(pt);
    tw_evidence_progress now = {.stage = stage,
                                .unit = "rounds",
                                .done = done,
                                .total = total,
                                .acceptance = acceptance(pt),
                                .log_z = so_far.value,
                                .se = so_far.se};
    tw_watch_tell(&pt->watch, &now);
}

static tw_status equalise(tw_pt *pt)
{
    size_t steps = pt->levels - 1;
    double *work = NULL;
    TW_TRY(tw_allocate_doubles(pt->ctx, pt->levels, 2, "the barrier", &work));
    for (size_t k = 0; k < steps; k++) pt->rejection[k] /= pt->proposals;
    tw_ladder_equalise(steps, pt->rejection, pt->beta, work, work + pt->levels);
    tw_release(pt->ctx, work);
    return temper_all(pt);
}

/* A stage of the warm-up begins: its temperatures are others. */
static void begin_stage(tw_pt *pt)
{
    tw_pt_reset_counts(pt);
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_begin(&pt->tuner[k]);
}

/* The rounds of a stage of the warm-up up to `end`. */
static tw_status run_stage(tw_pt *pt, size_t end)
{
    while (pt->round < end && !pt->watch.stopped) {
        TW_TRY(tw_pt_round(pt));
        report(pt, "warm-up", pt->round, pt->o->warmup);
        tw_pt_tell_state(pt);
    }
    return TW_OK;
}

/* A run that goes on is in the first stage whose end it is not beyond: what ends a stage is done after its last
 * round was told. */
static tw_status warm_up(tw_pt *pt)
{
    const tw_pt_options *o = pt->o;
    const size_t ends[STAGES] = {o->warmup / 8, o->warmup / 4, o->warmup / 2, o->warmup};
    size_t stage = 0;
    pt->tuning = tunes_steps(o);
    while (o->resume && pt->round > ends[stage]) stage++;
    for (bool goes_on = o->resume; stage < STAGES; stage++, goes_on = false) {
        bool last = stage + 1 == STAGES;
        if (!goes_on) begin_stage(pt);
        TW_TRY(run_stage(pt, ends[stage]));
        if (pt->watch.stopped) return TW_OK;
        if (o->tune_ladder && !last) TW_TRY(equalise(pt));
    }
    for (size_t k = 0; pt->tuning && k < pt->levels; k++) tw_step_tuner_freeze(&pt->tuner[k]);
    pt->tuning = false;
    return TW_OK;
}

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
        report(pt, "run", pt->recorded, pt->rounds);
        tw_pt_tell_state(pt);
    }
    return TW_OK;
}

/* What both estimates have in common. The draws at b = 0 are no transitions. */
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
                         .acceptance = acceptance(pt),
                         .failures = transitions > 0.0 ? failures / transitions : 0.0,
                         .particles = pt->watch.stopped ? 0 : pt->copies,
                         .temperatures = pt->levels - 1,
                         .draws = tw_draws_number(pt->o->seed, pt->chain)};
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

/* Fill in what is known of the ladder; returns the lowest swap rate. */
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
    report->round_trips = pt->round_trips;
    report->batches = pt->batches;
    return lowest;
}

static tw_status estimate(tw_pt *pt, tw_estimate out[2], tw_pt_report *report)
{
    size_t groups = pt->copies * pt->batches;
    tw_ladder_draws draws = {pt->levels, groups, pt->rounds / pt->batches, pt->beta, pt->ratio};
    double *work = NULL, *mean = NULL;
    size_t needed = pt->levels * (3 * groups + 4) + 6 * groups;
    TW_TRY(tw_allocate_doubles(pt->ctx, needed, 1, "the estimates", &work));
    mean = work + (needed - pt->levels);
    tw_stepping_stone stones = tw_stepping_stone_estimate(&draws, work);
    tw_thermodynamic integral = tw_thermodynamic_estimate(&draws, mean, work);
    out[0].log_z = stones.bridge.value;
    out[0].se = stones.bridge.se;
    out[1].log_z = integral.value;
    out[1].se = integral.se;
    report->forward = stones.forward.value;
    report->forward_se = stones.forward.se;
    report->reverse = stones.reverse.value;
    report->reverse_se = stones.reverse.se;
    report->discretisation = integral.discretisation;
    for (size_t k = 0; report->mean_log_ratio && k < pt->levels; k++) report->mean_log_ratio[k] = mean[k];
    tw_release(pt->ctx, work);
    return TW_OK;
}

static tw_status run(tw_pt *pt, tw_estimate out[2], tw_pt_report *report)
{
    tw_pt_report unwanted = {0};
    if (!report) report = &unwanted;
    TW_TRY(allocate(pt));
    TW_TRY(tw_pt_allocate_state(pt));
    TW_TRY(start(pt));
    if (pt->o->resume) TW_TRY(tw_pt_take_up(pt));
    if (pt->recorded == 0) TW_TRY(warm_up(pt));
    if (!pt->watch.stopped) TW_TRY(record(pt));
    out[0] = describe(pt, "stepping-stone");
    out[1] = describe(pt, "thermodynamic");
    if (pt->watch.stopped) return TW_OK;
    double lowest_rate = report_ladder(pt, report);
    warn(pt, lowest_rate, report->barrier, out[0].failures);
    return estimate(pt, out, report);
}

tw_status tw_pt_run(const tw_model *model, const tw_reference *reference, const tw_pt_options *options,
                    tw_progress_function *progress, void *user, tw_estimate out[2], tw_pt_report *report)
{
    TW_TRY(check(model->ctx, options));
    tw_pt pt = {.ctx = model->ctx,
                .model = model,
                .reference = reference,
                .o = options,
                .watch = {.ctx = model->ctx, .progress = progress, .user = user},
                .levels = options->steps + 1,
                .copies = options->copies,
                .batches = batches_of(options->copies)};
    pt.rounds = (options->rounds + pt.batches - 1) / pt.batches * pt.batches;
    TW_TRY(tw_streams_take(pt.ctx, TW_STREAMS_PT, options->first_chain, pt.levels * pt.copies, &pt.chain));
    tw_status status = run(&pt, out, report);
    release(&pt);
    return status;
}
