/* ais.c: annealed importance sampling (Neal 2001), forward from q and in reverse from posterior draws.
 *
 * With R(x) = log p(y, x) - log q(x), L_b = log q + b R, so that every weight is linear in R:
 *
 *   forward:  log w = sum_{k=1}^{B} (b_k - b_{k-1}) R(x_{k-1}),  x_0 ~ q, x_k by transitions at b_k;
 *             E[w] = Z;
 *   reverse:  log w = sum_{k=B}^{1} (b_{k-1} - b_k) R(x_k),  x_B ~ posterior, x_{k-1} by transitions at
 *             b_{k-1};  E[w] = 1/Z;
 *
 * each term at the sample drawn before the move. log of the mean of w is biased low for log Z, minus that of
 * the reverse run biased high: together they bracket log Z. Step sizes are tuned by a pilot run with other
 * particles and then frozen: the estimate stays unbiased in Z.
 */
#include "evidence/ais.h"

#include <math.h>
#include <string.h>

#include "evidence/resample.h"
#include "evidence/walk.h"
#include "math/random.h"
#include "talweg/diagnose.h"

enum { PILOT_PARTICLES = 32, PILOT_MOVES = 2, PILOT_START = 30, BOOTSTRAP = 200 };

/* Streams of pilots are those of chains that no run will reach. */
static const uint64_t pilot_chain = (uint64_t)1 << 62;

static tw_move make_move(const tw_ais *a, size_t k, uint64_t iteration, uint64_t first_chain)
{
    const tw_ais_options *o = a->o;
    tw_move move = {.eps = a->eps[k], .seed = o->seed, .iteration = iteration, .first_chain = first_chain};
    move.steps = o->leapfrog_steps ? o->leapfrog_steps : tw_walk_steps(a->eps[k]);
    return move;
}

/* The pilot walks up the path, following the step size that gives the target acceptance: each transition
 * moves log eps by the difference. At b = 0 it has more transitions, to find the scale. */
static tw_status pilot(tw_ais *a)
{
    const tw_ais_options *o = a->o;
    tw_walk *walk = NULL;
    double log_eps = log(0.5);
    uint64_t iteration = 0;
    tw_sampler_options kernel = o->kernel;
    tw_status status = tw_walk_new(a->model, a->reference, &kernel, PILOT_PARTICLES, &walk);
    if (status == TW_OK) status = tw_walk_start(walk, o->seed, pilot_chain);
    for (size_t k = 0; status == TW_OK && k <= o->steps; k++) {
        size_t moves = k == 0 ? PILOT_START : PILOT_MOVES;
        if (k > 0) status = tw_walk_temper(walk, o->beta[k]);
        for (size_t m = 0; status == TW_OK && m < moves; m++) {
            a->eps[k] = exp(log_eps);
            tw_move move = make_move(a, k, ++iteration, pilot_chain);
            log_eps += tw_walk_move(walk, &move) - o->target_acceptance;
            log_eps = fmin(log_eps,
                           log(1.5)); /* beyond, a unit Gaussian is unstable whatever the acceptance says */
        }
        a->eps[k] = exp(log_eps);
        tw_evidence_progress now = {.stage = "pilot",
                                    .unit = "temperatures",
                                    .done = k,
                                    .total = o->steps,
                                    .acceptance = tw_walk_acceptance(walk),
                                    .log_z = NAN,
                                    .se = NAN};
        if (!tw_watch_tell(&a->watch, &now)) break;
    }
    tw_walk_free(walk);
    return status;
}

static tw_status step_sizes(tw_ais *a)
{
    if (a->o->eps == 0.0 && a->o->kernel.method != TW_METHOD_SLICE) return pilot(a);
    for (size_t k = 0; k <= a->o->steps; k++) a->eps[k] = a->o->eps;
    return TW_OK;
}

static void add_weights(tw_ais *a, tw_walk *walk, double step)
{
    tw_walk_measure(walk);
    for (size_t j = 0; j < walk->particles; j++) a->log_weight[j] += step * walk->log_ratio[j];
}

/* Say how far a stage is, and what the weights are worth by now; false: stop. */
static bool report(tw_ais *a, const tw_walk *walk, const char *stage, size_t done)
{
    const tw_ais_options *o = a->o;
    bool back = o->reverse && strcmp(stage, "run") == 0;
    tw_evidence_progress now = {.stage = stage,
                                .unit = "temperatures",
                                .done = done,
                                .total = o->steps,
                                .acceptance = tw_walk_acceptance(walk),
                                .log_z = NAN,
                                .se = NAN,
                                .part = done < o->steps};
    if (a->watch.progress)
        now.log_z = tw_log_mean_exp(o->particles, a->log_weight, &now.se) * (back ? -1.0 : 1.0);
    return tw_watch_tell(&a->watch, &now);
}

/* After a temperature of the last stage. */
static void finish_temperature(tw_ais *a, tw_walk *walk)
{
    a->done++;
    report(a, walk, "run", a->done);
    tw_ais_tell_state(a, walk);
}

static tw_status move_at(tw_ais *a, tw_walk *walk, size_t k)
{
    TW_TRY(tw_walk_temper(walk, a->o->beta[k]));
    for (size_t m = 0; m < a->o->moves; m++) {
        tw_move move = make_move(a, k, ++a->iteration, a->o->first_chain);
        tw_walk_move(walk, &move);
    }
    return TW_OK;
}

static tw_status walk_up(tw_ais *a, tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    bool late = a->order == TW_AIS_MOVE_THEN_WEIGH;
    while (a->done < o->steps && !a->watch.stopped) {
        size_t k = a->done + 1;
        if (late || k > 1) TW_TRY(move_at(a, walk, late ? k : k - 1));
        add_weights(a, walk, o->beta[k] - o->beta[k - 1]);
        finish_temperature(a, walk);
    }
    return TW_OK;
}

/* Put the particles at the places of their ancestors, drawn by their weights, which are then used up. */
static tw_status resample(tw_ais *a, tw_walk *walk)
{
    size_t n = walk->target->model->n, count = walk->particles;
    double *x = NULL;
    void *memory = NULL;
    tw_stream stream = tw_stream_at(a->o->seed, TW_STREAM_RESAMPLE, a->o->first_chain, 0);
    tw_status status = tw_allocate_doubles(walk->ctx, n, count, "the particles", &x);
    if (status == TW_OK)
        status = tw_allocate(walk->ctx, count, sizeof(size_t), "the particles' ancestors", &memory);
    if (status == TW_OK) {
        size_t *ancestor = memory;
        tw_resample_systematic(count, a->log_weight, tw_stream_uniform(&stream), count, ancestor);
        for (size_t j = 0; j < count; j++)
            memcpy(x + j * n, tw_sampler_positions(walk->sampler) + ancestor[j] * n, n * sizeof *x);
        memset(a->log_weight, 0, count * sizeof *a->log_weight);
        status = tw_sampler_set_positions(walk->sampler, x);
    }
    tw_release(walk->ctx, x);
    tw_release(walk->ctx, memory);
    return status;
}

/* A particle of q may lie where the posterior has next to nothing, with slopes too steep for any step that suits
 * the others, and stay there for ever. Forward, its weight is nothing; in reverse it would be all. So particles
 * are led up the path as in a forward run, resampled by its weights, and then burnt in. */
static tw_status lead_up(tw_ais *a, tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    for (size_t k = 1; k <= o->steps; k++) {
        add_weights(a, walk, o->beta[k] - o->beta[k - 1]);
        TW_TRY(move_at(a, walk, k));
        if (!report(a, walk, "way up", k)) return TW_OK;
    }
    TW_TRY(resample(a, walk));
    for (size_t m = 0; m < o->burn_in; m++) {
        tw_move move = make_move(a, o->steps, ++a->iteration, o->first_chain);
        tw_walk_move(walk, &move);
        tw_evidence_progress now = {.stage = "burn-in",
                                    .unit = "transitions",
                                    .done = m + 1,
                                    .total = o->burn_in,
                                    .acceptance = tw_walk_acceptance(walk),
                                    .log_z = NAN,
                                    .se = NAN};
        if (!tw_watch_tell(&a->watch, &now)) return TW_OK;
    }
    return TW_OK;
}

static tw_status walk_down(tw_ais *a, tw_walk *walk)
{
    const tw_ais_options *o = a->o;
    if (!o->resume && !a->watch.stopped) TW_TRY(lead_up(a, walk));
    while (a->done < o->steps && !a->watch.stopped) {
        size_t k = o->steps - a->done;
        if (a->done > 0) TW_TRY(move_at(a, walk, k));
        add_weights(a, walk, o->beta[k - 1] - o->beta[k]);
        finish_temperature(a, walk);
    }
    return TW_OK;
}

static void summarise(const tw_ais *a, const tw_walk *walk, tw_estimate *out)
{
    const tw_ais_options *o = a->o;
    size_t particles = a->watch.stopped ? 0 : o->particles;
    *out = (tw_estimate){.method = o->reverse ? "ais-reverse" : "ais",
                         .particles = particles,
                         .temperatures = o->steps,
                         .acceptance = tw_walk_acceptance(walk),
                         .failures = walk->transitions > 0.0 ? walk->failures / walk->transitions : 0.0,
                         .unbiased = !o->reverse};
    out->log_z = tw_log_mean_exp(particles, a->log_weight, &out->se) * (o->reverse ? -1.0 : 1.0);
    out->se_bootstrap = tw_log_mean_exp_bootstrap(particles, a->log_weight, o->seed, BOOTSTRAP);
    out->weight_ess = tw_weights_ess(particles, a->log_weight);
}

static tw_status check(tw_context *ctx, const tw_ais_options *o)
{
    TW_TRY(tw_schedule_check(ctx, o->steps, o->beta));
    if (o->particles < 2)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "AIS with %zu particle%s has no error bar: it needs at least two, and a hundred are better",
            o->particles, o->particles == 1 ? "" : "s");
    if (o->moves == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "AIS needs at least one transition at each temperature");
    if (!(o->eps >= 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    return TW_OK;
}

static tw_status run(tw_ais *a, tw_estimate *out)
{
    const tw_ais_options *o = a->o;
    tw_walk *walk = NULL;
    if (!o->resume) TW_TRY(step_sizes(a));
    tw_status status = tw_walk_new(a->model, a->reference, &o->kernel, o->particles, &walk);
    if (status == TW_OK) status = tw_ais_allocate_state(a, walk);
    if (status == TW_OK)
        status = o->resume ? tw_ais_take_up(a, walk) : tw_walk_start(walk, o->seed, o->first_chain);
    if (status == TW_OK) status = o->reverse ? walk_down(a, walk) : walk_up(a, walk);
    if (status == TW_OK) summarise(a, walk, out);
    tw_walk_free(walk);
    return status;
}

tw_status tw_ais_run_in_order(const tw_model *model, const tw_reference *reference,
                              const tw_ais_options *options, tw_ais_order order,
                              tw_progress_function *progress, void *user, double *log_weight,
                              tw_estimate *out)
{
    tw_context *ctx = model->ctx;
    tw_ais a = {.model = model,
                .reference = reference,
                .o = options,
                .order = order,
                .watch = {.progress = progress, .user = user}};
    TW_TRY(check(ctx, options));
    tw_status status = tw_allocate_doubles(ctx, options->steps + 1, 1, "the step sizes", &a.eps);
    if (status == TW_OK)
        status = tw_allocate_doubles(ctx, options->particles, 1, "the weights", &a.log_weight);
    if (status == TW_OK) status = run(&a, out);
    for (size_t j = 0; status == TW_OK && log_weight && j < options->particles; j++)
        log_weight[j] = a.log_weight[j];
    tw_release(ctx, a.eps);
    tw_release(ctx, a.log_weight);
    tw_release(ctx, a.state);
    return status;
}

tw_status tw_ais_run(const tw_model *model, const tw_reference *reference, const tw_ais_options *options,
                     tw_progress_function *progress, void *user, double *log_weight, tw_estimate *out)
{
    return tw_ais_run_in_order(model, reference, options, TW_AIS_WEIGH_THEN_MOVE, progress, user, log_weight,
                               out);
}
