/* chain.c: draws of (theta, x) by Markov chains (walker.h) instead of weighted points.
 *
 * o->chains chains start from independent draws of the prior, each with its own warm-up. The loop contains
 * no EP: a step of theta costs a factorisation of K and a conditioning. The result has the form of points of
 * equal weight, where draw t of chain c is point t C + c, so that means and errors are those of independent
 * chains; R-hat and ESS judge them. Chains give no estimate of the evidence. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "hyper/walker.h"
#include "talweg/diagnose.h"

enum { SLICES = 2, STARTS = 100, BATCH = 4, THIN = 4, WARMUP = 60 };

/* The random streams of these chains follow those of joint annealing (JOINT_CHAIN in joint.c). */
static const uint64_t FIRST_CHAIN = UINT64_C(3) << 38;

/* The draws of all chains, chain after chain. */
typedef struct chains {
    tw_hyper *h;
    size_t count, draws, thin, warmup, first; /* first: the first chain of the current batch */
    double *theta, *x, *log_density;          /* unknown x draws x count, n x draws x count, draws x count */
    double *acceptance;                       /* count */
} chains;

static void release(const chains *c)
{
    double *arrays[] = {c->theta, c->x, c->log_density, c->acceptance};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(c->h->ctx, arrays[i]);
}

static tw_status allocate(chains *c)
{
    tw_context *ctx = c->h->ctx;
    size_t total = c->draws * c->count;
    TW_TRY(tw_allocate_doubles(ctx, c->h->unknown, total, "draws", &c->theta));
    TW_TRY(tw_allocate_doubles(ctx, c->h->result->n, total, "draws", &c->x));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "draws", &c->log_density));
    return tw_allocate_doubles(ctx, c->count, 1, "chains", &c->acceptance);
}

/* ---- one chain ---- */

static tw_status start(tw_walker *k)
{
    bool possible = false;
    for (int i = 0; i < STARTS && !possible; i++) TW_TRY(tw_walker_start(k, &possible));
    k->beta = 1.0;
    return possible ? TW_OK
                    : tw_fail(k->place->ctx, TW_NUMERICAL_FAILURE,
                              "a chain of the parameters found no start in %d draws from the prior", STARTS);
}

/* `drawn` counts the draws of the chains before this one, and its own. */
static tw_status iterate(const chains *c, tw_walker *k, size_t drawn, size_t iterations)
{
    const tw_progress now = TW_PROGRESS("run", "draws", drawn, c->draws * c->count);
    for (size_t i = 0; i < iterations; i++) {
        TW_TRY(tw_crew_tell(c->h->crew, k->place, &c->h->watch, &now));
        TW_TRY(tw_walker_move_theta(k));
        for (int s = 0; s < SLICES; s++) tw_walker_move_w(k);
    }
    return TW_OK;
}

static tw_status walk(const chains *c, tw_walker *k, size_t chain)
{
    size_t unknown = c->h->unknown, n = c->h->result->n;
    TW_TRY(start(k));
    TW_TRY(iterate(c, k, chain * c->draws, c->warmup));
    k->accepted = k->moves = 0.0;
    for (size_t t = 0; t < c->draws; t++) {
        size_t at = chain * c->draws + t;
        TW_TRY(iterate(c, k, at, c->thin));
        memcpy(c->theta + at * unknown, k->here.theta, unknown * sizeof(double));
        c->log_density[at] = tw_walker_look(k, c->x + at * n);
    }
    c->acceptance[chain] = k->accepted / k->moves;
    return TW_OK;
}

static tw_status compute(void *user, tw_place *place, size_t item)
{
    const chains *c = user;
    size_t chain = c->first + item;
    tw_walker k;
    TW_TRY(tw_walker_begin(&k, c->h, place, tw_streams_of(TW_STREAMS_HYPER).first + FIRST_CHAIN + chain));
    tw_status status = walk(c, &k, chain);
    tw_walker_end(&k);
    return status;
}

/* ---- all chains ---- */

static void gather(const chains *c, size_t count)
{
    tw_context *ctx = c->h->ctx;
    size_t one = c->draws * sizeof(double), each = c->first * c->draws;
    size_t unknown = c->h->unknown, n = c->h->result->n;
    tw_team_gather(ctx, count, unknown * one, count * unknown * one, c->theta + each * unknown);
    tw_team_gather(ctx, count, n * one, count * n * one, c->x + each * n);
    tw_team_gather(ctx, count, one, count * one, c->log_density + each);
    tw_team_gather(ctx, count, sizeof(double), count * sizeof(double), c->acceptance + c->first);
}

/* An interrupted run has no result, because the remaining chains have no draws. */
static tw_status run(chains *c)
{
    tw_hyper *h = c->h;
    for (c->first = 0; c->first < c->count; c->first += BATCH) {
        size_t count = c->count - c->first < BATCH ? c->count - c->first : BATCH;
        TW_TRY(tw_crew_work(h->crew, count, compute, c));
        gather(c, count);
        tw_progress now = TW_PROGRESS("run", "draws", (c->first + count) * c->draws, c->draws * c->count);
        if (!tw_watch_tell(&h->watch, &now)) return tw_interrupt(h->ctx);
    }
    return tw_team_status(h->ctx);
}

/* Reorder the draws from chain-major to draw-major order. */
static void take(const chains *c)
{
    tw_hyper_result *r = c->h->result;
    double sum = 0.0;
    for (size_t chain = 0; chain < c->count; chain++) {
        sum += c->acceptance[chain];
        for (size_t t = 0; t < c->draws; t++) {
            size_t from = chain * c->draws + t, to = t * c->count + chain;
            memcpy(r->theta + to * r->unknown, c->theta + from * r->unknown, r->unknown * sizeof(double));
            r->log_weight[to] = 0.0;
            r->log_z[to] = NAN;
            if (!r->x) continue;
            memcpy(r->x + to * r->n, c->x + from * r->n, r->n * sizeof(double));
            r->log_density[to] = c->log_density[from];
        }
    }
    r->points = c->draws * c->count;
    r->kept = r->x ? 1 : 0;
    r->estimate.acceptance = sum / (double)c->count;
}

tw_status tw_hyper_walk(tw_hyper *h)
{
    size_t count = h->o->chains;
    chains c = {.h = h,
                .count = count,
                .draws = (h->o->points + count - 1) / count,
                .thin = THIN * h->unknown,
                .warmup = WARMUP * h->unknown};
    double begin = tw_wall_seconds(), cpu = tw_cpu_seconds();
    tw_status status = allocate(&c);
    if (status == TW_OK) status = run(&c);
    if (status == TW_OK) take(&c);
    h->result->seconds = tw_wall_seconds() - begin;
    h->result->cpu_points = tw_cpu_seconds() - cpu;
    release(&c);
    return status;
}
