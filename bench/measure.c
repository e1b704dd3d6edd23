/* measure.c: time a step of RMHMC, and a step of HMC on many columns; see measure.h. */
#include "measure.h"

#include <math.h>
#include <string.h>

#include "base/context.h"
#include "dynamics/leapfrog.h"
#include "dynamics/riemann.h"
#include "linalg/cholesky.h"
#include "math/random.h"
#include "talweg/sample.h"

enum { CHAINS = 8, BURN = 100, BETWEEN = 50, STEP_REPEATS = 3, BATCH_REPEATS = 15 };

/* ---- positions ---- */

/* Start all chains at EP's mean. */
static tw_status start_chains(const tw_approximation *ep, tw_sampler *s)
{
    double *start = NULL;
    TW_TRY(tw_allocate_doubles(ep->ctx, ep->n, CHAINS, "the starting points", &start));
    for (size_t j = 0; j < CHAINS; j++) memcpy(start + j * ep->n, ep->mean, ep->n * sizeof *start);
    tw_status status = tw_sampler_set_positions(s, start);
    tw_release(ep->ctx, start);
    return status;
}

static void collect(tw_sampler *s, size_t n, size_t count, double *x)
{
    tw_record records[CHAINS];
    size_t found = 0;
    for (size_t t = 1; found < count; t++) {
        tw_move move = {.eps = 0.2, .steps = 8, .seed = 1, .iteration = t};
        tw_sampler_advance(s, &move, records);
        if (t <= BURN || t % BETWEEN != 0) continue;
        size_t more = count - found < CHAINS ? count - found : CHAINS;
        memcpy(x + found * n, tw_sampler_positions(s), n * more * sizeof *x);
        found += more;
    }
}

tw_status bench_positions(const tw_model *model, const tw_approximation *ep, const tw_reference *q,
                          double beta, size_t count, double *x)
{
    tw_sampler_options options = TW_SAMPLER_DEFAULTS;
    tw_target *target = NULL;
    tw_sampler *s = NULL;
    options.metric = TW_METRIC_EP;
    options.gaussian = ep->reference;
    TW_TRY(tw_target_new(model, q, TW_FORM_OPEN, &target));
    tw_status status = tw_target_set_temperature(target, beta);
    if (status == TW_OK) status = tw_sampler_new(target, &options, CHAINS, &s);
    if (status == TW_OK) status = start_chains(ep, s);
    if (status == TW_OK) collect(s, model->n, count, x);
    tw_sampler_free(s);
    tw_target_free(target);
    return status;
}

/* ---- a step of RMHMC ---- */

/* The second of two: a step calls little of BLAS, and the first finds BLAS's code and work space out of cache (0.14 ms instead of 0.12 at n = 200). */
double bench_time_potrf(const tw_model *model, double *scratch)
{
    size_t n = model->n;
    tw_pivot failed;
    double start = 0.0;
    for (size_t k = 0; k < 2; k++) {
        tw_gaussian_block(model->prior, 0, n, 0, n, scratch);
        for (size_t i = 0; i < n; i++) scratch[i + i * n] *= 2.0;
        start = bench_cpu_seconds();
        (void)tw_cholesky_in_place(n, scratch, n, &failed);
    }
    return bench_cpu_seconds() - start;
}

/* The median of STEP_REPEATS steps from the same phase point. */
static tw_status time_repeats(tw_riemann *p, const double *v, const double *normals, double eps,
                              bench_step *out, double *median)
{
    double seconds[STEP_REPEATS];
    for (size_t k = 0; k < STEP_REPEATS; k++) {
        if (tw_riemann_set_position(p, v) != TW_STEP_FINE)
            return tw_fail(p->ctx, TW_NUMERICAL_FAILURE, "the metric at a position has no Cholesky factor");
        tw_riemann_draw_momentum(p, normals);
        if (k == 0) out->active += (double)p->curved->active / (double)out->positions;
        double start = bench_cpu_seconds();
        tw_step step = tw_riemann_leapfrog(p, eps);
        seconds[k] = bench_cpu_seconds() - start;
        if (k == 0 && step != TW_STEP_FINE) out->failed++;
    }
    *median = bench_median(STEP_REPEATS, seconds);
    return TW_OK;
}

/* work holds n + 2 r + n^2 + 2 positions numbers. */
static tw_status time_positions(tw_riemann *p, double eps, const double *x, double *work, bench_step *out)
{
    const tw_target *target = p->target;
    size_t n = p->n, r = p->r, count = out->positions;
    double *v = work, *normals = v + r, *scratch = normals + n + r;
    double *steps = scratch + n * n, *potrf = steps + count;
    for (size_t j = 0; j < count; j++) {
        tw_stream stream = tw_stream_at(7, TW_STREAM_MOMENTUM, j, 0);
        tw_stream_normals(&stream, n + r, normals);
        tw_target_whiten(target, 1, x + j * n, v);
        TW_TRY(time_repeats(p, v, normals, eps, out, &steps[j]));
        potrf[j] = bench_time_potrf(target->model, scratch);
    }
    out->seconds = bench_median(count, steps);
    out->potrf_seconds = bench_median(count, potrf);
    out->momentum = (double)p->momentum_evaluations / (double)p->steps;
    out->position = (double)p->position_evaluations / (double)p->steps;
    return TW_OK;
}

tw_status bench_time_step(const tw_target *target, tw_metric metric, const double *smoothing, double eps,
                          size_t count, const double *x, bench_step *out)
{
    size_t n = target->model->n, r = target->base->r;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    tw_riemann *p = NULL;
    double *work = NULL;
    options.metric = metric;
    options.smoothing = smoothing;
    *out = (bench_step){.positions = count, .tolerance = options.rule.tolerance};
    TW_TRY(tw_riemann_new(target, &options, &p));
    tw_status status =
        tw_allocate_doubles(target->ctx, n + 2 * r + n * n + 2 * count, 1, "the measurement", &work);
    if (status == TW_OK) status = time_positions(p, eps, x, work, out);
    tw_release(target->ctx, work);
    tw_riemann_free(p);
    return status;
}

/* ---- a step of HMC on many columns ---- */

typedef struct lockstep {
    tw_frame frame, single;          /* with factors packed in double and in single precision */
    tw_packed *packed, *narrow;      /* NULL: none, and no second flow */
    tw_leapfrog *flow, *single_flow; /* P columns */
    double *scratch;                 /* n x P */
} lockstep;

/* As often as a run has steps, so that both find their matrices in cache. */
static void products(lockstep *l, size_t times)
{
    for (size_t k = 0; k < times; k++) {
        tw_gaussian_spread(l->frame.gaussian, l->flow->columns, l->flow->w, l->scratch);
        tw_gaussian_pull_back(l->frame.gaussian, l->flow->columns, l->flow->at.x, l->scratch);
    }
}

static void short_products(void *data)
{
    products(data, 1);
}

static void long_products(void *data)
{
    products(data, 9);
}

static void short_run(void *data)
{
    tw_leapfrog_run(((lockstep *)data)->flow, 0.1, 1);
}

static void long_run(void *data)
{
    tw_leapfrog_run(((lockstep *)data)->flow, 0.1, 9);
}

static void short_single_run(void *data)
{
    tw_leapfrog_run(((lockstep *)data)->single_flow, 0.1, 1);
}

static void long_single_run(void *data)
{
    tw_leapfrog_run(((lockstep *)data)->single_flow, 0.1, 9);
}

static void fill_normals(size_t count, uint64_t chain, double *out)
{
    tw_stream stream = tw_stream_at(3, TW_STREAM_START, chain, 0);
    tw_stream_normals(&stream, count, out);
}

static void start_flow(tw_leapfrog *flow)
{
    fill_normals(flow->frame->r * flow->columns, 0, flow->w);
    fill_normals(flow->frame->r * flow->columns, 1, flow->p);
    tw_leapfrog_refresh(flow);
}

static void time_lockstep(lockstep *l, bench_batch *out)
{
    const bench_work work[] = {short_products, long_products,    short_run,
                               long_run,       short_single_run, long_single_run};
    double seconds[6];
    start_flow(l->flow);
    if (l->narrow) start_flow(l->single_flow);
    bench_medians(l->narrow ? 6 : 4, work, l, BATCH_REPEATS, seconds);
    out->product_seconds = (seconds[1] - seconds[0]) / 8.0;
    out->seconds = (seconds[3] - seconds[2]) / 8.0;
    if (l->narrow) out->single_seconds = (seconds[5] - seconds[4]) / 8.0;
}

/* Factors packed as HMC packs them. */
static tw_status pack_lockstep(tw_metric metric, lockstep *l)
{
    if (metric != TW_METRIC_EP || l->frame.linear) return TW_OK;
    TW_TRY(tw_packed_new(l->frame.gaussian, false, &l->packed));
    TW_TRY(tw_packed_new(l->frame.gaussian, true, &l->narrow));
    l->single = l->frame;
    l->single.packed = l->narrow;
    l->frame.packed = l->packed;
    return TW_OK;
}

static tw_status make_lockstep(const tw_target *target, tw_metric metric, const tw_reference *q,
                               size_t columns, lockstep *l)
{
    TW_TRY(tw_frame_make(target, metric, q, &l->frame));
    TW_TRY(pack_lockstep(metric, l));
    TW_TRY(tw_leapfrog_new(&l->frame, columns, &l->flow));
    TW_TRY(tw_allocate_doubles(target->ctx, l->frame.n, columns, "the measurement", &l->scratch));
    return l->narrow ? tw_leapfrog_new(&l->single, columns, &l->single_flow) : TW_OK;
}

tw_status bench_time_batch(const tw_target *target, tw_metric metric, const tw_reference *q, size_t columns,
                           bench_batch *out)
{
    lockstep l = {0};
    *out = (bench_batch){.columns = columns, .single_seconds = NAN};
    tw_status status = make_lockstep(target, metric, q, columns, &l);
    if (status == TW_OK) time_lockstep(&l, out);
    tw_release(target->ctx, l.scratch);
    tw_leapfrog_free(l.flow);
    tw_leapfrog_free(l.single_flow);
    tw_packed_free(l.packed);
    tw_packed_free(l.narrow);
    return status;
}
