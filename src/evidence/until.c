/* until.c: annealed importance sampling until the standard error reaches a goal.
 *
 * The standard error of the log of the mean of P weights is sd(w) / (sqrt(P) mean(w)), so if P particles give
 * the error s, a goal g needs P (s / g)^2 particles. Runs differ only in their random streams (particle j
 * over all runs uses chain first_chain + j), so their weights are one sample.
 */
#include <math.h>

#include "evidence/ais.h"
#include "model/model.h"
#include "talweg/diagnose.h"
#include "talweg/evidence.h"

enum { LARGEST_RUN = 8 /* times the first run */, BOOTSTRAP = 200 };
static const double safety = 1.1; /* the estimated error is itself uncertain */

typedef struct until {
    const tw_ais_options *o;
    uint64_t chain; /* the first chain of the random streams */
    double goal;
    size_t done, most;                   /* particles so far; the largest number */
    double *log_weight;                  /* of all runs */
    double acceptance, failures, missed; /* sums over particles */
    double spread;                       /* sum over runs of particles^2 times the variance of `missed` */
    double needed;                       /* estimated number of particles for the goal */
    const tw_estimate *now;              /* the estimate from all runs so far */
    tw_progress_function *progress;
    void *user;
} until;

/* Report the progress of a run; from the second run on, with the estimate from all runs before it. */
static bool relay(void *user, const tw_progress *progress)
{
    const until *u = user;
    tw_progress all = *progress;
    if (u->done > 0) {
        all.log_z = u->now->log_z;
        all.se = u->now->se;
        all.part = false;
    }
    return u->progress && u->progress(u->user, &all);
}

/* The number of particles of the next run; 0: no further run. */
static size_t next_run(const until *u, const tw_estimate *now)
{
    size_t first = u->o->particles;
    if (u->done == 0) return first;
    if (now->se <= u->goal || !isfinite(u->needed)) return 0;
    double more = fmin(fmax(safety * u->needed - (double)u->done, 2.0), (double)(LARGEST_RUN * first));
    return (size_t)fmin(ceil(more), (double)(u->most - u->done));
}

/* The estimate from all weights so far, and the number of particles that the goal needs. */
static void estimate(until *u, tw_estimate *out)
{
    double particles = (double)u->done;
    out->particles = u->done;
    out->acceptance = u->acceptance / particles;
    out->failures = u->failures / particles;
    out->log_z = tw_log_mean_exp(u->done, u->log_weight, &out->se) * (u->o->reverse ? -1.0 : 1.0);
    out->se_bootstrap = tw_log_mean_exp_bootstrap(u->done, u->log_weight, u->o->seed, BOOTSTRAP);
    out->weight_ess = tw_weights_ess(u->done, u->log_weight);
    out->pareto_k = tw_weights_pareto_k(u->done, u->log_weight);
    out->missed = u->o->reverse ? u->missed / particles : NAN;
    if (u->o->reverse) out->se = hypot(hypot(out->se, out->missed), sqrt(u->spread) / particles);
    u->needed = fmax(particles * pow(out->se / u->goal, 2.0), 2.0);
}

/* The variance of `missed` of a reverse run: the part of se^2 that is due neither to the weights nor to
 * `missed` itself (ais_reverse.c). */
static double variance_of_missed(const until *u, const tw_estimate *run)
{
    double se;
    (void)tw_log_mean_exp(run->particles, u->log_weight + u->done, &se);
    return fmax(run->se * run->se - se * se - run->missed * run->missed, 0.0);
}

/* Add a run, whose log weights follow those of the runs before it, to the estimate. */
static void combine(until *u, const tw_estimate *run, tw_estimate *out)
{
    bool first = u->done == 0;
    size_t draws = first ? run->draws : out->draws; /* the number of the first run identifies all */
    u->acceptance += run->acceptance * (double)run->particles;
    u->failures += run->failures * (double)run->particles;
    u->missed += run->missed * (double)run->particles;
    if (u->o->reverse)
        u->spread += variance_of_missed(u, run) * (double)run->particles * (double)run->particles;
    u->done += run->particles;
    *out = *run;
    out->unbiased = run->unbiased && first;
    out->draws = draws;
    estimate(u, out);
}

/* Pass on the state of a run, with the weights and sums of the runs before it. */
static void relay_state(void *user, const tw_ais_state *state)
{
    const until *u = user;
    tw_ais_state all = *state;
    all.before = u->done;
    all.before_weight = u->log_weight;
    all.before_acceptance = u->acceptance;
    all.before_failures = u->failures;
    all.before_missed = u->missed;
    all.before_spread = u->spread;
    u->o->on_state(u->o->user, &all);
}

static bool wants_state(void *user)
{
    const until *u = user;
    return u->o->wants_state(u->o->user);
}

/* Restore the runs before the one that is resumed. */
static tw_status resume_until(tw_context *ctx, until *u, tw_estimate *out)
{
    const tw_ais_state *state = u->o->resume;
    if (state->before + state->particles > u->most)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the state has %zu particles, but the limit is %zu",
                       state->before + state->particles, u->most);
    u->done = state->before;
    u->acceptance = state->before_acceptance;
    u->failures = state->before_failures;
    u->missed = state->before_missed;
    u->spread = state->before_spread;
    for (size_t j = 0; j < u->done; j++) u->log_weight[j] = state->before_weight[j];
    *out = (tw_estimate){.method = u->o->reverse ? "ais-reverse" : "ais",
                         .temperatures = u->o->temperatures,
                         .draws = tw_draws_number(u->o->seed, u->chain),
                         .trips = NAN,
                         .drift = NAN,
                         .apart = NAN};
    if (u->done > 0) estimate(u, out);
    return TW_OK;
}

static tw_status run_all(const tw_model *model, const tw_reference *reference, until *u, tw_estimate *out)
{
    const tw_ais_state *resume = u->o->resume;
    tw_estimate run = {0};
    if (resume) TW_TRY(resume_until(model->ctx, u, out));
    for (size_t count; (count = resume ? resume->particles : next_run(u, out)) > 0; resume = NULL) {
        tw_ais_options next = *u->o;
        next.particles = count;
        next.first_chain = u->o->first_chain + u->done;
        next.user = u;
        next.wants_state = u->o->wants_state ? wants_state : NULL;
        next.on_state = relay_state;
        next.resume = resume;
        TW_TRY(tw_ais_run(model, reference, &next, relay, u, u->log_weight + u->done, &run));
        if (run.particles == 0) break; /* stopped by progress */
        combine(u, &run, out);
    }
    return TW_OK;
}

tw_status tw_ais_until(const tw_model *model, const tw_reference *reference, const tw_ais_options *options,
                       double se, size_t max_particles, tw_progress_function *progress, void *user,
                       tw_estimate *out, double *needed)
{
    tw_context *ctx = model->ctx;
    tw_ais_options defaults = TW_AIS_DEFAULTS;
    if (!options) options = &defaults;
    until u = {
        .o = options, .goal = se, .most = max_particles, .now = out, .progress = progress, .user = user};
    *out = (tw_estimate){0};
    if (!(se > 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the goal for the standard error must be above 0, not %g", se);
    if (u.most < options->particles) u.most = options->particles;
    TW_TRY(tw_streams_take(ctx, tw_ais_streams(options), options->first_chain, u.most, &u.chain));
    TW_TRY(tw_allocate_doubles(ctx, u.most, 1, "the weights", &u.log_weight));
    tw_status status = run_all(model, reference, &u, out);
    *needed = u.needed;
    tw_release(ctx, u.log_weight);
    return status;
}
