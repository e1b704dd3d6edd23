/* resample_move.c: adaptive resample-move (sequential Monte Carlo samplers: Del Moral, Doucet & Jasra 2006;
 * with adaptive particle numbers: Fraccaro, Paquet & Winther 2016).
 *
 * A pilot (pilot.c) fixes everything: the temperatures b_k, moves and step sizes, the temperatures at which
 * particles are resampled, and the numbers of particles. Then M independent islands r, each with P_k / M
 * particles at step k and weights that start at w_j = 1, run
 *
 *   k = 1..B:  w_j *= exp((b_k - b_{k-1}) R(x_j));
 *              if the plan resamples here, and at the end: log Z_r += log mean_j w_j;
 *              if it resamples: P_{k+1} / M ancestors by systematic resampling by w_j, then w_j = 1;
 *              moves at b_k.
 *
 * Each Z_r is unbiased, because resampling is unbiased for any number of descendants
 * (E[copies of j] = count W_j) and the plan does not depend on the particles of the run. So their mean is
 * unbiased; log Z is its logarithm. estimate() computes its error. The spread of sixteen islands is known
 * only to 18 %, and with skewed weights it is small when the estimate is low. So particles are resampled only
 * when their weights require it, and the error also uses the weights of all particles between two
 * resamplings, which are many; the tail of these weights may raise a doubt (tw_evidence_doubt). The particles
 * of all islands move in lockstep, as columns of one sampler.
 */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "evidence/resample.h"
#include "evidence/resample_move.h"
#include "math/random.h"
#include "talweg/diagnose.h"

enum { BOOTSTRAP = 200 }; /* bootstrap samples */

/* Multiply the weights since the last resampling by those of step k. */
static void weigh(tw_resample_move *s, size_t k)
{
    double change = s->plan->step[k].beta - s->plan->step[k - 1].beta;
    tw_walk_measure(s->walk);
    for (size_t j = 0; j < s->walk->particles; j++) s->log_weight[j] += change * s->walk->log_ratio[j];
}

/* now = log Z_r of each island, with the weights since the last resampling. */
static void estimate_islands(tw_resample_move *s)
{
    size_t each = s->walk->particles / s->o->islands;
    for (size_t i = 0; i < s->o->islands; i++)
        s->now[i] = s->log_z[i] + tw_log_mean_exp(each, s->log_weight + i * each, NULL);
}

/* At the end of a period: the ESS of its weights and the Pareto k of their tail. */
static void judge_weights(tw_resample_move *s)
{
    s->weight_ess = fmin(s->weight_ess, tw_weights_ess(s->walk->particles, s->log_weight));
    s->pareto_k = fmax(s->pareto_k, tw_weights_pareto_k(s->walk->particles, s->log_weight));
}

/* End a period: add its weights to log Z_r and to the variance of log Z. */
static void end_period(tw_resample_move *s)
{
    double se;
    judge_weights(s);
    estimate_islands(s);
    (void)tw_log_mean_exp(s->walk->particles, s->log_weight, &se);
    s->variance += se * se;
    memcpy(s->log_z, s->now, s->o->islands * sizeof *s->log_z);
}

/* Resample the particles of each island into x, and reset the weights. */
static void resample(tw_resample_move *s, size_t k)
{
    size_t n = s->walk->target->model->n, islands = s->o->islands;
    size_t from = s->walk->particles / islands, to = s->plan->step[k + 1].particles / islands;
    const double *x = tw_sampler_positions(s->walk->sampler);
    for (size_t i = 0; i < islands; i++) {
        tw_stream stream = tw_stream_at(s->o->seed, TW_STREAM_RESAMPLE, s->chain + i, k);
        tw_resample_systematic(from, s->log_weight + i * from, tw_stream_uniform(&stream), to, s->ancestor);
        for (size_t j = 0; j < to; j++)
            memcpy(s->x + (i * to + j) * n, x + (i * from + s->ancestor[j]) * n, n * sizeof *x);
    }
    memset(s->log_weight, 0, to * islands * sizeof *s->log_weight);
}

/* Go to b_k, and resample if the plan says so. */
static tw_status temper(tw_resample_move *s, size_t k)
{
    const tw_rm_plan_step *step = &s->plan->step[k];
    if (!step->resample) return tw_walk_temper(s->walk, step->beta);
    end_period(s);
    resample(s, k);
    TW_TRY(tw_walk_temper(s->walk, step->beta));
    TW_TRY(tw_walk_resize(s->walk, step[1].particles));
    return tw_sampler_set_positions(s->walk->sampler, s->x);
}

static tw_status move(tw_resample_move *s, size_t k)
{
    const tw_rm_plan_step *step = &s->plan->step[k];
    TW_TRY(temper(s, k));
    for (size_t m = 0; m < step->moves; m++) {
        tw_move move = {.eps = step->eps,
                        .steps = step->leapfrog_steps,
                        .seed = s->o->seed,
                        .iteration = ++s->iteration,
                        .first_chain = s->chain};
        tw_walk_move(s->walk, &move);
    }
    return TW_OK;
}

/* Was there a resampling before step `done`? */
static bool has_resampled(const tw_resample_move *s)
{
    size_t k = 1;
    while (k < s->done && !s->plan->step[k].resample) k++;
    return k < s->done;
}

/* log Z so far and its standard error. Without resampling all particles are independent, and their weights
 * give the error. With resampling only islands are independent. Their spread may be small by chance, so
 * the error is the larger of that spread and the error that independent periods would have. */
static double estimate(const tw_resample_move *s, double *se)
{
    double period, islands, log_z = tw_log_mean_exp(s->o->islands, s->now, &islands);
    (void)tw_log_mean_exp(s->walk->particles, s->log_weight, &period);
    *se = sqrt(s->variance + period * period);
    if (has_resampled(s)) *se = fmax(*se, islands);
    return log_z;
}

static double bootstrap(const tw_resample_move *s)
{
    uint64_t seed = s->o->seed;
    return has_resampled(s) ? tw_log_mean_exp_bootstrap(s->o->islands, s->now, seed, BOOTSTRAP)
                            : tw_log_mean_exp_bootstrap(s->walk->particles, s->log_weight, seed, BOOTSTRAP);
}

static bool report(tw_resample_move *s, size_t k)
{
    tw_progress now = {.stage = "run",
                       .unit = "temperatures",
                       .done = k,
                       .total = s->plan->steps,
                       .acceptance = tw_walk_acceptance(s->walk),
                       .part = k < s->plan->steps};
    now.log_z = estimate(s, &now.se);
    return tw_watch_tell(&s->watch, &now);
}

/* Apply the weights of step k. *more: there is a step after it, and the caller does not want to stop. */
static tw_status take_weights(tw_resample_move *s, size_t k, bool *more)
{
    weigh(s, k);
    estimate_islands(s);
    for (size_t i = 0; i < s->o->islands; i++)
        if (!isfinite(s->now[i]))
            return tw_fail(s->walk->ctx, TW_NUMERICAL_FAILURE,
                           "all weights of island %zu are 0 at temperature %zu: use more particles, or start "
                           "closer to the posterior",
                           i + 1, k);
    s->done = k;
    *more = report(s, k) && k < s->plan->steps;
    tw_rm_emit_state(s);
    return TW_OK;
}

static tw_status climb(tw_resample_move *s)
{
    bool more = s->done < s->plan->steps;
    if (s->done == 0) TW_TRY(take_weights(s, 1, &more));
    while (more) {
        TW_TRY(move(s, s->done));
        TW_TRY(take_weights(s, s->done + 1, &more));
    }
    return TW_OK;
}

static void summarise(tw_resample_move *s, tw_estimate *out)
{
    const tw_walk *w = s->walk;
    bool stopped = s->watch.stopped;
    judge_weights(s);
    estimate_islands(s);
    *out = (tw_estimate){.method = "resample-move",
                         .particles = stopped ? 0 : s->o->particles,
                         .temperatures = s->plan->steps,
                         .acceptance = tw_walk_acceptance(w),
                         .failures = w->transitions > 0.0 ? w->failures / w->transitions : 0.0,
                         .weight_ess = s->weight_ess,
                         .pareto_k = s->pareto_k,
                         .missed = NAN,
                         .unbiased = true,
                         .draws = tw_draws_number(s->o->seed, s->chain),
                         .trips = NAN,
                         .drift = NAN,
                         .apart = NAN};
    out->log_z = out->se = out->se_bootstrap = NAN;
    if (stopped) return;
    out->log_z = estimate(s, &out->se);
    out->se_bootstrap = bootstrap(s);
}

static tw_status allocate(tw_resample_move *s, const tw_model *model)
{
    size_t most = 0;
    void *ancestor = NULL;
    for (size_t k = 1; k <= s->plan->steps; k++)
        most = s->plan->step[k].particles > most ? s->plan->step[k].particles : most;
    TW_TRY(tw_allocate_doubles(model->ctx, model->n, most, "the particles", &s->x));
    TW_TRY(tw_allocate_doubles(model->ctx, most, 1, "the weights", &s->log_weight));
    TW_TRY(tw_allocate_doubles(model->ctx, s->o->islands, 1, "the islands", &s->log_z));
    TW_TRY(tw_allocate_doubles(model->ctx, s->o->islands, 1, "the islands", &s->now));
    TW_TRY(tw_allocate(model->ctx, most / s->o->islands, sizeof *s->ancestor, "the ancestors", &ancestor));
    s->ancestor = ancestor;
    return TW_OK;
}

static tw_status run(tw_resample_move *s, const tw_model *model, const tw_reference *reference)
{
    const tw_rm_state *resume = s->o->resume;
    size_t particles = s->plan->step[resume ? resume->done : 1].particles;
    TW_TRY(allocate(s, model));
    TW_TRY(tw_walk_new(model, reference, &s->o->kernel, particles, &s->walk));
    TW_TRY(tw_rm_allocate_state(s));
    TW_TRY(resume ? tw_rm_resume(s) : tw_walk_start(s->walk, s->o->seed, s->chain));
    return climb(s);
}

/* Make the plan by a pilot, or restore it. */
static tw_status make_plan(tw_resample_move *s, const tw_model *model, const tw_reference *reference)
{
    const tw_rm_options *o = s->o;
    if (o->resume) return tw_rm_resume_plan(model->ctx, o, &s->plan);
    TW_TRY(tw_rm_plan_make(model, reference, o, &s->watch, &s->plan));
    if (s->plan) tw_rm_plan_share(s->plan, o->particles, o->islands, o->spread);
    return TW_OK;
}

static tw_status check(tw_context *ctx, const tw_rm_options *o)
{
    if (o->islands < 2)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "resample-move with one island cannot give a standard error: use at least 2, preferably 16");
    if (o->particles < 2 * o->islands)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%zu particles on %zu islands are too few: each island needs at least two",
                       o->particles, o->islands);
    if (!(o->spread >= 1.0) || !isfinite(o->spread))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the spread of particle numbers must be at least 1, not %g",
                       o->spread);
    return tw_rm_check_pilot(ctx, o);
}

/* A bound on the number of particles at any temperature: tw_rm_plan_share keeps them within the spread,
 * rounded to a multiple of the number of islands. */
static uint64_t most_particles(const tw_rm_options *o)
{
    return (uint64_t)(o->spread * (double)o->particles) + 2 * o->islands;
}

tw_status tw_rm_run(const tw_model *model, const tw_reference *reference, const tw_rm_options *options,
                    tw_progress_function *progress, void *user, tw_estimate *out)
{
    tw_context *ctx = model->ctx;
    tw_rm_options defaults = TW_RM_DEFAULTS;
    if (!options) options = &defaults;
    TW_TRY(check(ctx, options));
    tw_resample_move s = {.o = options,
                          .watch = {.ctx = model->ctx, .progress = progress, .user = user},
                          .weight_ess = INFINITY,
                          .pareto_k = NAN};
    TW_TRY(tw_streams_take(ctx, TW_STREAMS_RM, options->first_chain, most_particles(options), &s.chain));
    *out = (tw_estimate){.method = "resample-move",
                         .log_z = NAN,
                         .se = NAN,
                         .pareto_k = NAN,
                         .missed = NAN,
                         .trips = NAN,
                         .drift = NAN,
                         .apart = NAN};
    tw_status status = make_plan(&s, model, reference);
    if (status == TW_OK && s.plan) {
        status = run(&s, model, reference);
        if (status == TW_OK) status = tw_team_status(ctx);
        if (status == TW_OK) summarise(&s, out);
    }
    tw_walk_free(s.walk);
    tw_release(ctx, s.x);
    tw_release(ctx, s.log_weight);
    tw_release(ctx, s.log_z);
    tw_release(ctx, s.now);
    tw_release(ctx, s.ancestor);
    tw_release(ctx, s.state);
    tw_rm_plan_free(s.plan);
    return status;
}
