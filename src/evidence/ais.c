/* ais.c: annealed importance sampling (Neal 2001), forward from q and in reverse from posterior draws.
 *
 * With R(x) = log p(y, x) - log q(x), L_b = log q + b R, so that every weight is linear in R:
 *
 *   forward:  log w = sum_{k=1}^{B} (b_k - b_{k-1}) R(x_{k-1}),  x_0 ~ q, x_k by transitions at b_k;
 *             E[w] = Z;
 *   reverse:  log w = sum_{k=B}^{1} (b_{k-1} - b_k) R(x_k),  x_B ~ posterior, x_{k-1} by transitions at
 *             b_{k-1};  E[w] = 1/Z;
 *
 * each term at the sample drawn before the move. The log of the mean of w is biased low for log Z, and minus
 * the log of the mean in a reverse run is biased high: in expectation they bracket log Z. A pilot run with
 * other particles tunes the step sizes, which are then frozen, so that the estimate is unbiased in Z.
 * ais_reverse.c explains where a reverse run gets its draws from, and what it may miss.
 */
#include "evidence/ais.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "base/team.h"
#include "evidence/walk.h"
#include "sample/step_size.h"
#include "talweg/diagnose.h"

enum {
    PILOT_PARTICLES = 32,
    PILOT_MOVES = 2,  /* transitions of the pilot at each temperature, */
    PILOT_START = 30, /* and at b = 0, to find the scale of the step size */
    BOOTSTRAP = 200,  /* resamples for the bootstrap error */
    /* A refined schedule has at most MORE times as many steps as the given one, plus EXTRA. */
    MORE = 2,
    EXTRA = 100
};

tw_move tw_ais_move(const tw_ais *a, const tw_walk *walk, size_t k, uint64_t iteration, uint64_t first_chain)
{
    const tw_ais_options *o = a->o;
    tw_move move = {.eps = a->eps[k], .seed = o->seed, .iteration = iteration, .first_chain = first_chain};
    move.steps = o->steps ? o->steps : tw_walk_steps(walk, a->eps[k]);
    return move;
}

/* The pilot run: at each temperature tune the step size to the target acceptance, starting from that of the
 * temperature before. */
static tw_status pilot(tw_ais *a)
{
    const tw_ais_options *o = a->o;
    tw_walk *walk = NULL;
    tw_step_tuner tuner = tw_step_tuner_at(TW_STEP_FIRST, o->target_accept, TW_STEP_LARGEST);
    uint64_t iteration = 0, chain = tw_streams_of(TW_STREAMS_AIS_PILOT).first;
    tw_sampler_options kernel = o->kernel;
    tw_status status = tw_walk_new(a->model, a->reference, &kernel, PILOT_PARTICLES, &walk);
    if (status == TW_OK) status = tw_walk_start(walk, o->seed, chain);
    for (size_t k = 0; status == TW_OK && k <= a->steps; k++) {
        size_t moves = k == 0 ? PILOT_START : PILOT_MOVES;
        if (k > 0) status = tw_walk_temper(walk, a->beta[k]);
        tw_step_tuner_begin(&tuner);
        for (size_t m = 0; status == TW_OK && m < moves; m++) {
            a->eps[k] = tw_step_tuner_eps(&tuner);
            tw_move move = tw_ais_move(a, walk, k, ++iteration, chain);
            tw_step_tuner_learn(&tuner, tw_walk_move(walk, &move));
        }
        a->eps[k] = tw_step_tuner_eps(&tuner);
        tw_progress now = {.stage = "pilot",
                           .unit = "temperatures",
                           .done = k,
                           .total = a->steps,
                           .acceptance = tw_walk_acceptance(walk),
                           .log_z = NAN,
                           .se = NAN};
        if (!tw_watch_tell(&a->watch, &now)) break;
    }
    tw_walk_free(walk);
    return status;
}

static tw_status choose_step_sizes(tw_ais *a)
{
    if (tw_walk_tunes(&a->o->kernel, a->o->eps)) return pilot(a);
    for (size_t k = 0; k <= a->steps; k++) a->eps[k] = a->o->eps;
    return TW_OK;
}

void tw_ais_weigh(tw_ais *a, tw_walk *walk, double step)
{
    tw_walk_measure(walk);
    for (size_t j = 0; j < walk->particles; j++) a->log_weight[j] += step * walk->log_ratio[j];
}

bool tw_ais_report(tw_ais *a, const tw_walk *walk, const char *stage, size_t done)
{
    const tw_ais_options *o = a->o;
    bool down = o->reverse && strcmp(stage, "run") == 0;
    tw_progress now = {.stage = stage,
                       .unit = "temperatures",
                       .done = done,
                       .total = a->steps,
                       .acceptance = tw_walk_acceptance(walk),
                       .log_z = NAN,
                       .se = NAN,
                       .part = done < a->steps};
    if (a->watch.progress)
        now.log_z = tw_log_mean_exp(o->particles, a->log_weight, &now.se) * (down ? -1.0 : 1.0);
    if (down && done == a->steps) {
        double error;
        (void)tw_ais_missed(o->particles, a->up_log_weight, a->log_weight, &error);
        now.se = hypot(now.se, error);
    }
    return tw_watch_tell(&a->watch, &now);
}

void tw_ais_finish_temperature(tw_ais *a, tw_walk *walk)
{
    a->done++;
    tw_ais_report(a, walk, "run", a->done);
    tw_ais_emit_state(a, walk);
}

tw_status tw_ais_move_at(tw_ais *a, tw_walk *walk, size_t k)
{
    TW_TRY(tw_walk_temper(walk, a->beta[k]));
    for (size_t m = 0; m < a->o->moves; m++) {
        tw_move move = tw_ais_move(a, walk, k, ++a->iteration, a->chain);
        tw_walk_move(walk, &move);
    }
    return TW_OK;
}

/* Step k: move at b_{k-1} (at b_0 the particles are exact draws), then weigh with R there. */
static tw_status run_forward(tw_ais *a, tw_walk *walk)
{
    while (a->done < a->steps && !a->watch.stopped) {
        size_t k = a->done + 1, at = TW_FAULTY(TW_FAULT_LATE_WEIGHT, k - 1, k);
        if (at > 0) TW_TRY(tw_ais_move_at(a, walk, at));
        tw_ais_weigh(a, walk, a->beta[k] - a->beta[k - 1]);
        tw_ais_finish_temperature(a, walk);
    }
    return TW_OK;
}

tw_streams_user tw_ais_streams(const tw_ais_options *options)
{
    return options->reverse ? TW_STREAMS_AIS_REVERSE : TW_STREAMS_AIS;
}

static void summarise(const tw_ais *a, const tw_walk *walk, tw_estimate *out)
{
    const tw_ais_options *o = a->o;
    size_t particles = a->watch.stopped ? 0 : o->particles;
    *out = (tw_estimate){.method = o->reverse ? "ais-reverse" : "ais",
                         .particles = particles,
                         .temperatures = a->steps,
                         .acceptance = tw_walk_acceptance(walk),
                         .failures = walk->transitions > 0.0 ? walk->failures / walk->transitions : 0.0,
                         .unbiased = !o->reverse,
                         .draws = tw_draws_number(o->seed, a->chain),
                         .trips = NAN,
                         .drift = NAN,
                         .apart = NAN};
    out->log_z = tw_log_mean_exp(particles, a->log_weight, &out->se) * (o->reverse ? -1.0 : 1.0);
    out->se_bootstrap = tw_log_mean_exp_bootstrap(particles, a->log_weight, o->seed, BOOTSTRAP);
    out->weight_ess = tw_weights_ess(particles, a->log_weight);
    out->pareto_k = tw_weights_pareto_k(particles, a->log_weight);
    out->missed = NAN;
    if (!o->reverse || !particles) return;
    double error;
    out->missed = tw_ais_missed(particles, a->up_log_weight, a->log_weight, &error);
    out->se = hypot(out->se, error);
}

static tw_status check(tw_context *ctx, const tw_ais_options *o)
{
    if (o->beta) TW_TRY(tw_schedule_check(ctx, o->temperatures, o->beta));
    if (o->particles < 2)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "AIS with %zu particle%s cannot give a standard error: use at least 2, preferably 100 or more",
            o->particles, o->particles == 1 ? "" : "s");
    if (o->moves == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "AIS needs at least one transition at each temperature");
    if (!(o->eps >= 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    if (!(o->refine >= 0.0 && o->refine < 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the fraction that a refined step keeps must be at least 0 and below 1, not %g",
                       o->refine);
    return TW_OK;
}

static tw_status allocate(tw_context *ctx, tw_ais *a)
{
    const tw_ais_options *o = a->o;
    a->steps = a->capacity = o->temperatures;
    if (o->reverse && o->refine > 0.0) a->capacity = MORE * o->temperatures + EXTRA;
    TW_TRY(tw_allocate_doubles(ctx, a->capacity + 1, 1, "the temperatures", &a->beta));
    TW_TRY(tw_allocate_doubles(ctx, a->capacity + 1, 1, "the step sizes", &a->eps));
    TW_TRY(tw_allocate_doubles(ctx, o->particles, 1, "the weights", &a->log_weight));
    if (o->reverse) TW_TRY(tw_allocate_doubles(ctx, o->particles, 1, "the weights", &a->up_log_weight));
    if (!o->beta) return tw_schedule_fill(ctx, TW_SCHEDULE_LINEAR, o->temperatures, 0.0, a->beta);
    memcpy(a->beta, o->beta, (o->temperatures + 1) * sizeof *a->beta);
    return TW_OK;
}

static tw_status run(tw_ais *a, tw_estimate *out)
{
    const tw_ais_options *o = a->o;
    tw_walk *walk = NULL;
    if (!o->resume) TW_TRY(choose_step_sizes(a));
    tw_status status = tw_walk_new(a->model, a->reference, &o->kernel, o->particles, &walk);
    if (status == TW_OK) status = tw_ais_allocate_state(a, walk);
    if (status == TW_OK) status = o->resume ? tw_ais_resume(a, walk) : tw_walk_start(walk, o->seed, a->chain);
    if (status == TW_OK) status = o->reverse ? tw_ais_run_reverse(a, walk) : run_forward(a, walk);
    if (status == TW_OK) status = tw_team_status(walk->ctx);
    if (status == TW_OK) summarise(a, walk, out);
    tw_walk_free(walk);
    return status;
}

tw_status tw_ais_run(const tw_model *model, const tw_reference *reference, const tw_ais_options *options,
                     tw_progress_function *progress, void *user, double *log_weight, tw_estimate *out)
{
    tw_context *ctx = model->ctx;
    tw_ais_options defaults = TW_AIS_DEFAULTS;
    if (!options) options = &defaults;
    tw_ais a = {.model = model,
                .reference = reference,
                .o = options,
                .watch = {.ctx = model->ctx, .progress = progress, .user = user}};
    TW_TRY(check(ctx, options));
    TW_TRY(tw_streams_take(ctx, tw_ais_streams(options), options->first_chain, options->particles, &a.chain));
    tw_status status = allocate(ctx, &a);
    if (status == TW_OK) status = run(&a, out);
    for (size_t j = 0; status == TW_OK && log_weight && j < options->particles; j++)
        log_weight[j] = a.log_weight[j];
    tw_release(ctx, a.beta);
    tw_release(ctx, a.eps);
    tw_release(ctx, a.log_weight);
    tw_release(ctx, a.up_log_weight);
    tw_release(ctx, a.state);
    return status;
}
