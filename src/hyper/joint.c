/* joint.c: a second estimate of the evidence of the whole model: annealed importance sampling of parameters and
 * latents together, along the path p N exp(b R) of walker.h from b = 0 (independent draws from the prior of the
 * parameters, so that it does not depend on what the proposal of the points covers) to the posterior at b = 1.
 * The temperatures are b = (t/T)^2, since most draws from the prior are far from the posterior. At each, theta
 * makes two Metropolis steps with w fixed, and w two elliptical slice steps with theta fixed. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "hyper/walker.h"
#include "talweg/diagnose.h"

enum { STEPS = 2, SLICES = 2 };

/* The random streams of these chains follow those of the points. */
static const uint64_t JOINT_CHAIN = UINT64_C(1) << 39;

typedef struct joint {
    tw_hyper *h;
    size_t first; /* the first particle of the current batch */
    double *log_weight, *acceptance;
} joint;

/* ---- one particle ---- */

/* A team keeps its points only if it stops between batches, all at once. */
static tw_status tell(const tw_walker *k, size_t number)
{
    const tw_progress now = TW_PROGRESS("joint", "particles", number, k->h->o->joint_particles);
    return tw_team_is_alone(k->h->ctx) ? tw_crew_tell(k->h->crew, k->place, &k->h->watch, &now) : TW_OK;
}

/* Anneal one particle. A start outside the support of the prior has weight 0. */
static tw_status anneal_particle(tw_walker *k, size_t number, double *log_weight)
{
    size_t steps = k->h->o->joint_temperatures;
    bool possible;
    *log_weight = -INFINITY;
    TW_TRY(tw_walker_start(k, &possible));
    if (!possible) return TW_OK;
    *log_weight = 0.0;
    for (size_t t = 1; t <= steps; t++) {
        double before = k->beta;
        k->beta = pow((double)t / (double)steps, 2.0);
        *log_weight += (k->beta - before) * tw_walker_log_ratio(k);
        if (t == steps) break;
        TW_TRY(tell(k, number));
        for (int i = 0; i < STEPS; i++) TW_TRY(tw_walker_move_theta(k));
        for (int i = 0; i < SLICES; i++) tw_walker_move_w(k);
    }
    return TW_OK;
}

static tw_status compute(void *user, tw_place *place, size_t item)
{
    const joint *j = user;
    size_t number = j->first + item;
    tw_walker k;
    TW_TRY(tw_walker_begin(&k, j->h, place, tw_streams_of(TW_STREAMS_HYPER).first + JOINT_CHAIN + number));
    tw_status status = anneal_particle(&k, number, &j->log_weight[number]);
    j->acceptance[number] = k.moves > 0.0 ? k.accepted / k.moves : 0.0;
    tw_walker_end(&k);
    return status;
}

/* ---- all particles ---- */

static tw_status run(joint *j)
{
    enum { BATCH = 16 };
    tw_hyper *h = j->h;
    size_t total = h->o->joint_particles;
    for (j->first = 0; j->first < total && !h->watch.stopped; j->first += BATCH) {
        size_t count = total - j->first < BATCH ? total - j->first : BATCH;
        tw_status status = tw_crew_work(h->crew, count, compute, j);
        if (status == TW_INTERRUPTED && tw_team_is_alone(h->ctx)) h->watch.stopped = true;
        if (h->watch.stopped) break;
        TW_TRY(status);
        tw_team_gather(h->ctx, count, sizeof(double), count * sizeof(double), j->log_weight + j->first);
        tw_team_gather(h->ctx, count, sizeof(double), count * sizeof(double), j->acceptance + j->first);
        tw_progress now = TW_PROGRESS("joint", "particles", j->first + count, total);
        tw_watch_tell(&h->watch, &now);
    }
    return tw_team_status(h->ctx);
}

static void estimate(const joint *j)
{
    const tw_hyper_options *o = j->h->o;
    tw_estimate *e = &j->h->result->joint;
    double sum = 0.0;
    for (size_t i = 0; i < o->joint_particles; i++) sum += j->acceptance[i];
    *e = (tw_estimate){.method = "ais-joint",
                       .particles = o->joint_particles,
                       .temperatures = o->joint_temperatures,
                       .se_bootstrap = NAN,
                       .acceptance = sum / (double)o->joint_particles,
                       .unbiased = true,
                       .missed = NAN,
                       .trips = NAN,
                       .drift = NAN,
                       .apart = NAN};
    e->log_z = tw_log_mean_exp(o->joint_particles, j->log_weight, &e->se);
    e->weight_ess = tw_weights_ess(o->joint_particles, j->log_weight);
    e->pareto_k = tw_weights_pareto_k(o->joint_particles, j->log_weight);
    e->draws = tw_draws_number(o->seed, tw_streams_of(TW_STREAMS_HYPER).first + JOINT_CHAIN);
}

tw_status tw_hyper_anneal(tw_hyper *h)
{
    joint j = {.h = h};
    double begin = tw_wall_seconds();
    if (h->o->joint_particles == 0 || h->watch.stopped) return TW_OK;
    tw_status status = tw_allocate_doubles(h->ctx, h->o->joint_particles, 1, "weights", &j.log_weight);
    if (status == TW_OK)
        status = tw_allocate_doubles(h->ctx, h->o->joint_particles, 1, "weights", &j.acceptance);
    if (status == TW_OK) status = run(&j);
    if (status == TW_OK && !h->watch.stopped) estimate(&j);
    h->result->joint_seconds = tw_wall_seconds() - begin;
    tw_release(h->ctx, j.log_weight);
    tw_release(h->ctx, j.acceptance);
    return status;
}
