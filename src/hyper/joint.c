/* joint.c: the evidence of the whole model a second way, with draws of its own: annealed importance sampling of parameters and latents together.
 *
 * Let (tau, nu)(theta) be any function of theta; here they are the sites of the nearest theta at which EP was fitted before. With
 * q_theta = N(0, K_theta) prod t_n / Z_q(theta) = N(m, F F') and x = m + F w, the joint density of (theta, w) and y is exactly
 *
 *   p(theta) Z_q(theta) N(w; 0, I) prod_n p(y_n | x_n, theta) / t_n(x_n) = g(theta) N(w; 0, I) exp R(theta, w),
 *   R = log p(theta) - log g(theta) + log Z_q(theta) + sum_n log p(y_n | x_n, theta) - log t_n(x_n),
 *
 * and the path g N exp(b R) leads from independent draws at b = 0 to the posterior at b = 1. At each temperature theta takes a random
 * walk step with w held, and w two steps of elliptical slice sampling with theta held. Where K is singular, F has fewer columns than w has
 * numbers: those left over stay standard normal. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "hyper/hyper.h"
#include "math/random.h"
#include "talweg/diagnose.h"

enum { SLICES = 2, SHRINKS = 60 };

/* Chains of their own, behind those of the points. */
static const uint64_t JOINT_CHAIN = UINT64_C(1) << 39;

/* A theta with its q. */
typedef struct spot {
    double theta[TW_HYPER_MOST];
    tw_model *model;
    tw_reference *q;
    tw_guess sites;         /* tau NULL: q is the prior */
    double log_g, log_rest; /* log p + log Z_q - log g */
    double sum;             /* of log p(y_n | x_n) - log t_n(x_n) */
} spot;

typedef struct walker {
    const tw_hyper *h;
    tw_place *place;
    tw_stream stream;
    double beta;
    spot here, there;
    double *w, *direction, *trial, *x, *value; /* n each */
    double accepted, moves;
} walker;

typedef struct joint {
    tw_hyper *h;
    size_t first; /* of the batch at hand */
    double *log_weight, *acceptance;
} joint;

/* ---- a spot ---- */

static void leave(spot *s)
{
    tw_reference_free(s->q);
    tw_model_free(s->model);
    s->q = NULL;
    s->model = NULL;
}

/* The sites may be too negative for this K: then q is the prior. */
static tw_status make_q(const walker *k, spot *s)
{
    if (!tw_library_find(k->h->library, k->h->g, s->theta, &s->sites)) s->sites = (tw_guess){NULL, NULL};
    tw_status status = TW_NUMERICAL_FAILURE;
    if (s->sites.tau) status = tw_reference_sites(s->model, s->sites.tau, s->sites.nu, &s->q);
    if (status != TW_NUMERICAL_FAILURE && status != TW_BAD_ARGUMENT) return status;
    s->sites = (tw_guess){NULL, NULL};
    return tw_reference_prior(s->model, &s->q);
}

/* The log ratio's sum at w; NaN and infinities are a density of 0. */
static double measure(walker *k, const spot *s, const double *w)
{
    size_t n = s->model->n;
    double sum = 0.0;
    tw_gaussian_positions(s->q->gaussian, 1, w, k->x);
    s->model->observed.likelihood->terms(&s->model->observed, k->x, k->value, NULL, NULL, NULL);
    for (size_t i = 0; i < n; i++) {
        double x = k->x[i];
        sum += k->value[i];
        if (s->sites.tau) sum -= x * (s->sites.nu[i] - 0.5 * s->sites.tau[i] * x);
    }
    return isfinite(sum) ? sum : -INFINITY;
}

/* All of a spot whose theta is there; *possible: its density is above 0. */
static tw_status arrive(walker *k, spot *s, bool *possible)
{
    const tw_hyper *h = k->h;
    leave(s);
    tw_hyper_fill(h, s->theta, k->place->theta);
    double log_prior = tw_priors_log_density(h->priors, h->problem, k->place->theta, NULL);
    *possible = false;
    if (!(log_prior > -INFINITY)) return TW_OK;
    TW_TRY(tw_place_model(k->place, &s->model));
    if (!s->model) return TW_OK;
    TW_TRY(make_q(k, s));
    s->log_g = tw_proposal_log_density(h->g, s->theta);
    s->log_rest = log_prior + s->q->log_z - s->log_g;
    s->sum = measure(k, s, k->w);
    *possible = s->sum > -INFINITY;
    return TW_OK;
}

static double log_ratio(const spot *s)
{
    return s->log_rest + s->sum;
}

/* ---- transitions ---- */

/* A step of 2.4 / sqrt(d) standard deviations of the proposal. */
static tw_status move_theta(walker *k)
{
    const tw_hyper *h = k->h;
    double z[TW_HYPER_MOST], step = 2.4 / sqrt((double)h->unknown);
    bool possible;
    tw_stream_normals(&k->stream, h->unknown, z);
    for (size_t a = 0; a < h->unknown; a++) z[a] *= step;
    tw_gaussian_spread(h->g->shape, 1, z, k->there.theta);
    for (size_t a = 0; a < h->unknown; a++) k->there.theta[a] += k->here.theta[a];
    double level = log(tw_stream_uniform(&k->stream));
    k->moves++;
    TW_TRY(arrive(k, &k->there, &possible));
    if (!possible ||
        level > k->there.log_g - k->here.log_g + k->beta * (log_ratio(&k->there) - log_ratio(&k->here)))
        return TW_OK;
    spot swapped = k->here;
    k->here = k->there;
    k->there = swapped;
    k->accepted++;
    return TW_OK;
}

/* Elliptical slice sampling (Murray, Adams and MacKay 2010) of N(w; 0, I) exp(b sum). */
static void move_w(walker *k)
{
    const double turn = 6.2831853071795864769;
    size_t n = k->here.model->n;
    tw_stream_normals(&k->stream, n, k->direction);
    double level = k->beta * k->here.sum + log(tw_stream_uniform(&k->stream));
    double angle = turn * tw_stream_uniform(&k->stream), low = angle - turn, high = angle;
    for (int i = 0; i < SHRINKS; i++) {
        for (size_t j = 0; j < n; j++) k->trial[j] = cos(angle) * k->w[j] + sin(angle) * k->direction[j];
        double sum = measure(k, &k->here, k->trial);
        if (k->beta * sum > level) {
            memcpy(k->w, k->trial, n * sizeof *k->w);
            k->here.sum = sum;
            return;
        }
        *(angle < 0.0 ? &low : &high) = angle;
        angle = low + (high - low) * tw_stream_uniform(&k->stream);
    }
}

/* ---- a particle ---- */

static tw_status start(walker *k, bool *possible)
{
    double u[TW_HYPER_MOST + 1];
    for (size_t a = 0; a <= k->h->unknown; a++) u[a] = tw_stream_uniform(&k->stream);
    tw_proposal_draw(k->h->g, u, k->here.theta);
    tw_stream_normals(&k->stream, k->h->result->n, k->w);
    return arrive(k, &k->here, possible);
}

/* A start that the prior excludes has weight 0. */
static tw_status climb(walker *k, double *log_weight)
{
    size_t steps = k->h->o->joint_temperatures;
    bool possible;
    *log_weight = -INFINITY;
    TW_TRY(start(k, &possible));
    if (!possible) return TW_OK;
    *log_weight = 0.0;
    for (size_t t = 1; t <= steps; t++) {
        *log_weight += log_ratio(&k->here) / (double)steps;
        if (t == steps) break;
        k->beta = (double)t / (double)steps;
        TW_TRY(move_theta(k));
        for (int i = 0; i < SLICES; i++) move_w(k);
    }
    return TW_OK;
}

static tw_status compute(void *user, tw_place *place, size_t item)
{
    const joint *j = user;
    const tw_hyper *h = j->h;
    size_t n = h->result->n, number = j->first + item;
    uint64_t chain = tw_streams_of(TW_STREAMS_HYPER).first + JOINT_CHAIN + number;
    walker k = {.h = h, .place = place, .stream = tw_stream_at(h->o->seed, TW_STREAM_SLICE, chain, 0)};
    double *memory = NULL;
    TW_TRY(tw_allocate_doubles(place->ctx, n, 5, "a particle", &memory));
    k.w = memory;
    k.direction = memory + n;
    k.trial = memory + 2 * n;
    k.x = memory + 3 * n;
    k.value = memory + 4 * n;
    tw_status status = climb(&k, &j->log_weight[number]);
    j->acceptance[number] = k.moves > 0.0 ? k.accepted / k.moves : 0.0;
    leave(&k.here);
    leave(&k.there);
    tw_release(place->ctx, memory);
    return status;
}

/* ---- all of them ---- */

static tw_status run(joint *j)
{
    enum { BATCH = 16 };
    tw_hyper *h = j->h;
    size_t total = h->o->joint_particles;
    for (j->first = 0; j->first < total && !h->watch.stopped; j->first += BATCH) {
        size_t count = total - j->first < BATCH ? total - j->first : BATCH;
        TW_TRY(tw_crew_work(h->crew, count, compute, j));
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
