/* rmhmc.c: Riemannian manifold HMC, the report's Algorithm 1, one column at a time.
 *
 * A transition sets a worker's phase point to the column's position (one factorisation), draws a momentum
 * from N(0, G) there, takes generalised leapfrog steps, and applies the Metropolis test to H. It rejects and
 * counts a trajectory in which an implicit solve or a factorisation failed. It also rejects and counts an
 * irreversible one, which does not return to its start when integrated back from its end with the momentum
 * reversed. It checks this for a random fraction of the trajectories: a test at the end of each step shows
 * for most steps that they are reversible (dynamics/riemann_return.c), and a trajectory with a step that
 * fails this test is integrated back. So is every trajectory with a solve that came close to its cap.
 * Differences from the report: solves go to a tolerance instead of a fixed count, and irreversible
 * trajectories are rejected.
 */
#include <math.h>
#include <string.h>

#include "dynamics/riemann.h"
#include "math/random.h"
#include "sample/cost.h"
#include "sample/sampler.h"

typedef struct rmhmc {
    tw_riemann **point;      /* one per worker */
    tw_gaussian *own_anchor; /* metric anchored: EP's Gaussian with its covariance; NULL: another metric */
    tw_frame anchor;         /* metric anchored: the frame of that Gaussian */
    double *v;               /* r x P whitened positions */
    double *normals;         /* per worker n + r numbers, for the momentum */
    double *saved;           /* per worker n + r numbers: v and x at the end of a trajectory */
} rmhmc;

static void rmhmc_release(tw_sampler *s)
{
    rmhmc *own = s->own;
    if (!own) return;
    for (size_t i = 0; own->point && i < s->options.threads; i++) tw_riemann_free(own->point[i]);
    tw_release(s->ctx, own->point);
    tw_release(s->ctx, own->v);
    tw_release(s->ctx, own->normals);
    tw_release(s->ctx, own->saved);
    tw_gaussian_free(own->own_anchor);
    tw_release(s->ctx, own);
}

/* The frame of the metric anchored. EP's own Gaussian cannot multiply by its covariance, so make one that
 * can. */
static tw_status make_anchor(tw_sampler *s, rmhmc *own)
{
    const tw_gaussian *prior = s->target->model->prior;
    double log_z;
    if (s->options.metric != TW_METRIC_ANCHORED) return TW_OK;
    TW_TRY(tw_frame_make(s->target, TW_METRIC_EP, s->options.gaussian, &own->anchor));
    s->frame.linear = true;               /* so that tw_sampler_set_gaussians refuses a Gaussian per chain */
    if (own->anchor.linear) return TW_OK; /* tw_riemann_new refuses it */
    TW_TRY(tw_gaussian_like(prior, true, &own->own_anchor));
    own->anchor.gaussian = own->own_anchor;
    if (tw_gaussian_condition(prior, 1.0, own->anchor.tau, own->anchor.nu, own->own_anchor, &log_z))
        return TW_OK;
    return tw_fail(s->ctx, TW_NUMERICAL_FAILURE, "the Gaussian of the metric anchored could not be factored");
}

static tw_status make_points(tw_sampler *s, rmhmc *own)
{
    tw_riemann_options o = TW_RIEMANN_DEFAULTS;
    void *points = NULL;
    o.metric = s->options.metric;
    o.smoothing = s->options.smoothing;
    if (s->options.metric == TW_METRIC_ANCHORED) o.anchor = &own->anchor;
    o.rule.tolerance = s->options.solver_tolerance;
    o.rule.cap = s->options.solver_cap;
    o.rule.fixed = s->options.fixed_point;
    TW_TRY(tw_allocate(s->ctx, s->options.threads, sizeof *own->point, "the phase points", &points));
    own->point = points;
    for (size_t i = 0; i < s->options.threads; i++) TW_TRY(tw_riemann_new(s->target, &o, &own->point[i]));
    return TW_OK;
}

static tw_status rmhmc_set_up(tw_sampler *s)
{
    size_t workers = s->options.threads;
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(rmhmc), "the phase points", &s->own));
    rmhmc *own = s->own;
    TW_TRY(make_anchor(s, own));
    TW_TRY(make_points(s, own));
    TW_TRY(tw_allocate_doubles(s->ctx, s->r, s->columns, "the whitened positions", &own->v));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n + s->r, workers, "the normals", &own->normals));
    return tw_allocate_doubles(s->ctx, s->n + s->r, workers, "the saved positions", &own->saved);
}

static tw_riemann *point_of(const tw_sampler *s, size_t worker)
{
    const rmhmc *own = s->own;
    return own->point[worker];
}

/* The whitened position of a column. */
static double *position(const tw_sampler *s, size_t column)
{
    const rmhmc *own = s->own;
    return own->v + column * s->r;
}

/* The phase point of a worker, with the base of this column: its own, if it has one. */
static tw_riemann *point_for(const tw_sampler *s, size_t column, size_t worker)
{
    tw_riemann *p = point_of(s, worker);
    p->own = s->frame.column ? s->frame.column[column].gaussian : NULL;
    return p;
}

static void rmhmc_load(tw_sampler *s, size_t piece, size_t worker, bool moved)
{
    (void)moved; /* a folded base changes with the temperature, and v with it */
    tw_riemann *p = point_for(s, piece, worker);
    double *v = position(s, piece);
    tw_gaussian_whiten(tw_riemann_base(p), 1, s->x + piece * s->n, v);
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

/* Integrate back from the end and compare with the start. The phase point stays at the end of the reversed
 * trajectory. */
static bool leads_back(tw_riemann *p, const tw_move *move, const double *start)
{
    size_t taken;
    for (size_t i = 0; i < p->r; i++) p->pi[i] = -p->pi[i];
    if (trajectory(p, move->eps, move->steps, &taken) != TW_STEP_FINE) return false;
    double largest = 0.0;
    for (size_t i = 0; i < p->r; i++) largest = fmax(largest, fabs(p->v[i] - start[i]));
    return largest <= TW_REVERSAL_LIMIT;
}

/* Is this trajectory to be checked for reversibility? Drawn before it starts, from a stream of its own, so
 * that the answer does not depend on the trajectory. */
static bool wants_check(const tw_sampler *s, const tw_move *move, size_t column)
{
    tw_stream stream = tw_stream_at(move->seed, TW_STREAM_CHECK, move->first_chain + column, move->iteration);
    return !s->options.fixed_point && tw_stream_uniform(&stream) < s->options.reverse_check;
}

/* Check an accepted trajectory for reversibility, if necessary, and make its end the column's position, or
 * else reject it. `doubtful`: a step of a trajectory to be checked was not shown to be reversible. */
static void accept(tw_sampler *s, const tw_move *move, size_t column, size_t worker, tw_record *record)
{
    tw_riemann *p = point_of(s, worker);
    double *v = position(s, column), *end = ((const rmhmc *)s->own)->saved + worker * (s->n + s->r);
    double log_density = p->log_density, log_likelihood = p->log_likelihood;
    memcpy(end, p->v, s->r * sizeof *end);
    memcpy(end + s->r, p->x, s->n * sizeof *end);
    bool integrate_back = p->doubtful || (p->near_cap && !s->options.fixed_point);
    p->certify = false;
    if (integrate_back && !leads_back(p, move, v)) {
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

/* Take a trajectory from the current phase point and apply the Metropolis test. */
static void propose(tw_sampler *s, const tw_move *move, size_t column, size_t worker, tw_record *record)
{
    tw_riemann *p = point_of(s, worker);
    double before = tw_riemann_energy(p);
    p->certify = wants_check(s, move, column);
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
    tw_riemann *p = point_for(s, column, worker);
    tw_record *record = &records[column];
    double *normals = ((const rmhmc *)s->own)->normals + worker * (s->n + s->r);
    tw_stream stream =
        tw_stream_at(move->seed, TW_STREAM_MOMENTUM, move->first_chain + column, move->iteration);
    *record = (tw_record){0};
    record->factorisation = tw_riemann_set_position(p, position(s, column)) != TW_STEP_FINE;
    if (!record->factorisation) {
        tw_stream_normals(&stream, s->n + s->r, normals);
        tw_riemann_draw_momentum(p, normals);
        propose(s, move, column, worker, record);
    }
    record->log_density = s->log_density[column];
}

static size_t rmhmc_parts(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS])
{
    part[0] = (tw_column_part){position(s, column), s->r};
    return 1;
}

static double *rmhmc_coordinates(tw_sampler *s, size_t column)
{
    return position(s, column);
}

/* ---- cost ---- */

/* The mean number of active sites over the columns at their current positions. */
static double mean_active(tw_sampler *s)
{
    double sum = 0.0;
    for (size_t j = s->mine.first; j < s->mine.first + s->mine.count; j++) {
        tw_riemann *p = point_for(s, j, 0);
        tw_riemann_set_position(p, position(s, j));
        sum += (double)p->curved->active;
    }
    tw_team_add(s->ctx, 1, &sum);
    return sum / (double)s->columns;
}

/* The cost of one generalised leapfrog step. An evaluation of the position equation has a factorisation, a
 * solve, a product with A and n sites; a response, an evaluation of another equation with the current
 * factor, has a solve and a product. A step also has the diagonal of the inverse, five products with L and
 * n sites. */
static double step_cost(tw_sampler *s, double responses, double position_evaluations)
{
    const double level_2 = 4.0; /* a flop in a product with a vector costs that of four at level 3 */
    tw_curved_flops flops = tw_curved_cost(point_of(s, 0)->curved, mean_active(s));
    double sites = TW_COST_SITE * (double)s->n, vectors = level_2 * (flops.solve + flops.product);
    return position_evaluations * (flops.factor + vectors + sites) + responses * vectors + flops.diagonal +
           5.0 * level_2 * tw_cost_product(s) + sites;
}

static double rmhmc_work(tw_sampler *s)
{
    double taken = 0.0;
    for (size_t i = 0; i < s->options.threads; i++) taken += (double)point_of(s, i)->steps;
    tw_team_add(s->ctx, 1, &taken);
    return taken;
}

/* Evaluations per step as they were so far; before the first step, the cost of one step with one evaluation
 * of each. */
static double rmhmc_cost(tw_sampler *s, double steps)
{
    double taken = rmhmc_work(s);
    double evaluations[] = {0.0, 0.0}; /* responses, and evaluations of the position equation */
    for (size_t i = 0; i < s->options.threads; i++) {
        evaluations[0] += (double)(point_of(s, i)->momentum_evaluations + point_of(s, i)->guess_evaluations);
        evaluations[1] += (double)point_of(s, i)->position_evaluations;
    }
    tw_team_add(s->ctx, 2, evaluations);
    if (taken == 0.0) return step_cost(s, 1.0, 1.0);
    return steps * step_cost(s, evaluations[0] / taken, evaluations[1] / taken) +
           TW_COST_NORMAL * (double)(s->n + s->r);
}

/* One step with one factorisation and six responses, which we take as a lower bound. */
static double rmhmc_least_cost(tw_sampler *s)
{
    return step_cost(s, 6.0, 1.0);
}

/* The five products of one step, at level 2. */
static double rmhmc_floor(const tw_posterior *p)
{
    return 20.0 * tw_gaussian_flops(p->model->prior);
}

/* ---- the row ---- */

/* `auto` tries the smoothed metric if EP converged and the likelihood has one, otherwise the Hessian. */
static bool smooths(const tw_posterior *p)
{
    return p->approximation->kind == TW_EP &&
           tw_metric_fits(TW_METRIC_SMOOTHED, p->model->observed.likelihood);
}

/* The Hessian of a likelihood that is not log-concave (one with a `peak`) is not a metric. */
static bool hessian_fits(const tw_posterior *p)
{
    return !smooths(p) && !p->model->observed.likelihood->peak;
}

const tw_method_row tw_method_rmhmc = {
    .info = {.method = TW_METHOD_RMHMC,
             .name = "rmhmc",
             .title = "RMHMC",
             .meaning = "Hamiltonian Monte Carlo with a position-dependent metric",
             .metric_count = 4,
             .metrics = {TW_METRIC_SMOOTHED, TW_METRIC_HESSIAN, TW_METRIC_FISHER, TW_METRIC_ANCHORED},
             .form = TW_FORM_FOLDED,
             .has_eps = true,
             .has_steps = true,
             .implicit = true,
             .has_energy = true,
             .counts = "leapfrog steps"},
    .piece_columns = 1,
    .set_up = rmhmc_set_up,
    .release = rmhmc_release,
    .load = rmhmc_load,
    .advance = rmhmc_advance,
    .coordinates = rmhmc_coordinates,
    .parts = rmhmc_parts,
    .cost = rmhmc_cost,
    .least_cost = rmhmc_least_cost,
    .floor = rmhmc_floor,
    .work = rmhmc_work,
    .trials = {{.turn = 5, .metric = TW_METRIC_SMOOTHED, .applies = smooths},
               {.turn = 5, .metric = TW_METRIC_HESSIAN, .applies = hessian_fits}},
    .selftest_draws = 400,
    .selftest_of = "HMC and RMHMC"};
