/* rmhmc.c: Riemannian manifold HMC, the report's Algorithm 1, one column at a time.
 *
 * The phase point of a worker is set to a column's position (one factorisation), a momentum is drawn from the
 * metric there, a trajectory of generalised leapfrog steps is taken, and Metropolis decides on H. A
 * trajectory whose implicit solve or factorisation failed is rejected and counted. So is one that, integrated
 * back from its end with the momentum reversed, does not return to its start; that is checked on a sampled
 * fraction and wherever a solve came near its cap.
 */
#include <math.h>
#include <string.h>

#include "math/random.h"
#include "sample/sampler.h"

static void rmhmc_release(tw_sampler *s)
{
    for (size_t i = 0; s->riemann && i < s->options.threads; i++) tw_riemann_free(s->riemann[i]);
    tw_release(s->ctx, s->riemann);
    tw_release(s->ctx, s->v);
    tw_release(s->ctx, s->normals);
    tw_release(s->ctx, s->saved);
}

static tw_status rmhmc_set_up(tw_sampler *s)
{
    tw_riemann_options o = TW_RIEMANN_DEFAULTS;
    void *points = NULL;
    size_t workers = s->options.threads;
    o.metric = s->options.metric;
    o.smoothing = s->options.smoothing;
    o.rule.tolerance = s->options.solver_tolerance;
    o.rule.cap = s->options.solver_cap;
    o.rule.fixed = s->options.fixed_point;
    TW_TRY(tw_allocate(s->ctx, workers, sizeof *s->riemann, "the phase points", &points));
    s->riemann = points;
    for (size_t i = 0; i < workers; i++) TW_TRY(tw_riemann_new(s->target, &o, &s->riemann[i]));
    TW_TRY(tw_allocate_doubles(s->ctx, s->r, s->columns, "the whitened positions", &s->v));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n + s->r, workers, "the normals", &s->normals));
    return tw_allocate_doubles(s->ctx, s->n + s->r, workers, "the saved positions", &s->saved);
}

static void rmhmc_load(tw_sampler *s, size_t piece, size_t worker, bool moved)
{
    (void)moved; /* a folded base changes with the temperature */
    tw_riemann *p = s->riemann[worker];
    double *v = s->v + piece * s->r;
    tw_target_whiten(s->target, 1, s->x + piece * s->n, v);
    bool fine = tw_riemann_set_position(p, v) == TW_STEP_FINE;
    memcpy(s->x + piece * s->n, p->x, s->n * sizeof *p->x);
    s->log_density[piece] = fine ? p->log_density : NAN;
    s->log_likelihood[piece] = fine ? p->log_likelihood : NAN;
}

static tw_step trajectory(tw_riemann *p, double eps, size_t steps, size_t *taken)
{
    tw_step step = TW_STEP_FINE;
    for (*taken = 0; *taken < steps && step == TW_STEP_FINE; ++*taken) step = tw_riemann_leapfrog(p, eps);
    return step;
}

/* Integrate back from the end and compare with the start. The point is left at the start. */
static bool leads_back(tw_riemann *p, const tw_move *move, const double *start)
{
    size_t taken;
    for (size_t i = 0; i < p->r; i++) p->pi[i] = -p->pi[i];
    if (trajectory(p, move->eps, move->steps, &taken) != TW_STEP_FINE) return false;
    double largest = 0.0;
    for (size_t i = 0; i < p->r; i++) largest = fmax(largest, fabs(p->v[i] - start[i]));
    return largest <= TW_REVERSAL_LIMIT;
}

static bool wants_check(const tw_sampler *s, const tw_move *move, size_t column, const tw_riemann *p)
{
    tw_stream stream = tw_stream_at(move->seed, TW_STREAM_CHECK, move->first_chain + column, move->iteration);
    return !s->options.fixed_point && (p->near_cap || tw_stream_uniform(&stream) < s->options.reverse_check);
}

/* An accepted end becomes the column's position, unless the way back from it, where it is looked at, does not
 * lead back. */
static void accept(tw_sampler *s, const tw_move *move, size_t column, size_t worker, tw_record *record)
{
    tw_riemann *p = s->riemann[worker];
    double *v = s->v + column * s->r, *end = s->saved + worker * (s->n + s->r);
    double log_density = p->log_density, log_likelihood = p->log_likelihood;
    memcpy(end, p->v, s->r * sizeof *end);
    memcpy(end + s->r, p->x, s->n * sizeof *end);
    if (wants_check(s, move, column, p) && !leads_back(p, move, v)) {
        record->irreversible = true;
        record->accepted = false;
        record->acceptance_rate = 0.0;
        return;
    }
    memcpy(v, end, s->r * sizeof *v);
    memcpy(s->x + column * s->n, end + s->r, s->n * sizeof *end);
    s->log_density[column] = log_density;
    s->log_likelihood[column] = log_likelihood;
}

/* A trajectory from the current phase point. */
static void propose(tw_sampler *s, const tw_move *move, size_t column, size_t worker, tw_record *record)
{
    tw_riemann *p = s->riemann[worker];
    double before = tw_riemann_energy(p);
    tw_step step = trajectory(p, move->eps, move->steps, &record->steps);
    record->energy = before;
    record->energy_error = NAN;
    record->implicit_failure = step == TW_STEP_IMPLICIT;
    record->factorisation = step == TW_STEP_FACTORISATION;
    if (step != TW_STEP_FINE) return;
    if (tw_metropolis(move, column, before, tw_riemann_energy(p), record))
        accept(s, move, column, worker, record);
}

static void rmhmc_advance(tw_sampler *s, const tw_move *move, size_t column, size_t worker,
                          tw_record *records)
{
    tw_riemann *p = s->riemann[worker];
    tw_record *record = &records[column];
    double *normals = s->normals + worker * (s->n + s->r);
    tw_stream stream =
        tw_stream_at(move->seed, TW_STREAM_MOMENTUM, move->first_chain + column, move->iteration);
    *record = (tw_record){0};
    record->factorisation = tw_riemann_set_position(p, s->v + column * s->r) != TW_STEP_FINE;
    if (!record->factorisation) {
        tw_stream_normals(&stream, s->n + s->r, normals);
        tw_riemann_draw_momentum(p, normals);
        propose(s, move, column, worker, record);
    }
    record->log_density = s->log_density[column];
}

static double *rmhmc_coordinates(tw_sampler *s, size_t column)
{
    return s->v + column * s->r;
}

static size_t rmhmc_parts(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS])
{
    part[0] = (tw_column_part){s->v + column * s->r, s->r};
    return 1;
}

const tw_transition tw_transition_rmhmc = {
    1, rmhmc_set_up, rmhmc_release, rmhmc_load, rmhmc_advance, rmhmc_coordinates, rmhmc_parts};
