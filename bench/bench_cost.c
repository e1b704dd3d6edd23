/* bench_cost.c: what transitions take, against what the automatic choice charges for them (sample/cost.h).
 *
 * n = 50 to 3200 cases in the plane, as many per unit of length scale for every n, with a probit likelihood and Laplace's Gaussian in the
 * place of EP's; 1 to 128 columns. Then 2500 cells of a lattice, by the sparse precision of a Matern field. The unit is a flop of a
 * Cholesky factorisation (dpotrf) of 767 x 767 in the same run. The first five figures are charged/measured,
 *
 *   5 steps    of HMC in EP's metric: a transition of five steps, and one step (the difference of 9 and 1 steps, over 8)
 *   prior's    a step of HMC in the prior's metric, in double precision
 *   slice      a transition of slice sampling from EP and from the prior
 *
 * the others what was measured, per column: thousands of flops of a step, of the rest of a transition, of a step in the prior's metric,
 * of slice sampling without its trials, and flops per site of a trial. (The two slice samplers have the same product and different numbers of
 * trials, so that both parts follow.) A line for each size has transitions of RMHMC, one column at a time; the first line has the
 * diagnostics of draws.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "covariance/precision.h"
#include "linalg/cholesky.h"
#include "math/random.h"
#include "sample/cost.h"
#include "sample/summarise.h"
#include "support_time.h"
#include "support_usps.h"

enum { UNIT_ORDER = 767, MOST_COLUMNS = 128, MOST_RIEMANN = 1600, SIDE = 50 };

/* ---- the unit ---- */

/* Seconds of a flop of dpotrf: the median of many. */
static double time_flop(void)
{
    enum { N = UNIT_ORDER, REPEATS = 31 };
    static double a[N * N], l[N * N];
    double seconds[REPEATS];
    tw_pivot failed;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) a[i + j * N] = i == j ? 2.0 : 1.0 / N;
    for (size_t k = 0; k < REPEATS; k++) {
        double start = bench_cpu_seconds();
        if (!tw_cholesky(N, a, N, l, N, &failed)) exit(2);
        seconds[k] = bench_cpu_seconds() - start;
    }
    return bench_median(REPEATS, seconds) / ((double)N * N * N / 3.0);
}

/* ---- transitions ---- */

/* A sampler of so many columns, started. */
static tw_sampler *make_sampler(const tw_target *target, const tw_approximation *q, tw_method method,
                                tw_metric metric, size_t columns)
{
    tw_sampler_options options = TW_SAMPLER_DEFAULTS;
    tw_sampler *s = NULL;
    options.method = method;
    options.metric = metric;
    options.gaussian = q->reference;
    bench_check(target->ctx, tw_sampler_new(target, &options, columns, &s));
    bench_check(target->ctx, tw_sampler_start(s, q->reference, 1.0, 1));
    return s;
}

/* Flops of one transition of one column, measured and charged. */
typedef struct figure {
    double measured, charged;
    double steps; /* of what the method counts, in the mean */
} figure;

/* The median of blocks of transitions that take a few milliseconds. */
static figure time_transition(tw_sampler *s, size_t steps, double flop)
{
    enum { BLOCKS = 9 };
    static uint64_t iteration = 0;
    const double block = 3e-3;
    tw_record records[MOST_COLUMNS];
    double seconds[BLOCKS], counted = 0.0, total = 0.0;
    for (size_t b = 0; b < BLOCKS; b++) {
        double start = bench_cpu_seconds(), now = start;
        size_t count = 0;
        for (; count == 0 || now - start < block; count++) {
            tw_sampler_advance(s, &(tw_move){0.1, steps, 1, ++iteration, 0}, records);
            for (size_t j = 0; j < s->columns; j++) counted += (double)records[j].steps;
            total += (double)s->columns;
            now = bench_cpu_seconds();
        }
        seconds[b] = (now - start) / (double)count;
    }
    double mean = counted / total;
    return (figure){bench_median(BLOCKS, seconds) / flop / (double)s->columns, s->method->cost(s, mean),
                    mean};
}

/* A step of HMC, by trajectories of 9 steps and of one; *five: a transition of 5. */
static figure time_step(const tw_target *target, const tw_approximation *q, tw_metric metric, size_t columns,
                        double flop, figure *five)
{
    tw_sampler *s = make_sampler(target, q, TW_METHOD_HMC, metric, columns);
    figure one = time_transition(s, 1, flop), nine = time_transition(s, 9, flop);
    *five = time_transition(s, 5, flop);
    tw_sampler_free(s);
    return (figure){(nine.measured - one.measured) / 8.0, (nine.charged - one.charged) / 8.0, 1.0};
}

static figure time_slice(const tw_target *target, const tw_approximation *q, tw_metric metric, size_t columns,
                         double flop)
{
    tw_sampler *s = make_sampler(target, q, TW_METHOD_SLICE, metric, columns);
    figure f = time_transition(s, 0, flop);
    tw_sampler_free(s);
    return f;
}

static double ratio(figure f)
{
    return f.charged / f.measured;
}

static void report(const tw_target *target, const tw_approximation *q, size_t columns, double flop)
{
    figure five, other;
    figure step = time_step(target, q, TW_METRIC_EP, columns, flop, &five);
    figure plain = time_step(target, q, TW_METRIC_PRIOR, columns, flop, &other);
    figure near = time_slice(target, q, TW_METRIC_EP, columns, flop);
    figure far = time_slice(target, q, TW_METRIC_PRIOR, columns, flop);
    double trial = (far.measured - near.measured) / (far.steps - near.steps), n = (double)target->model->n;
    printf("%6.0f %7zu %8.2f %5.2f %7.2f %8.2f %5.2f %9.1f %8.1f %8.1f %8.1f %6.0f\n", n, columns,
           ratio(five), ratio(step), ratio(plain), ratio(near), ratio(far), 1e-3 * step.measured,
           1e-3 * (five.measured - 5.0 * step.measured), 1e-3 * plain.measured,
           1e-3 * (near.measured - near.steps * trial), trial / n);
    fflush(stdout);
}

/* Two columns, three steps. */
static void report_riemann(const tw_model *model, const tw_reference *prior, const tw_approximation *q,
                           double flop)
{
    tw_target *target = NULL;
    bench_check(model->ctx, tw_target_new(model, prior, TW_FORM_FOLDED, &target));
    tw_sampler *s = make_sampler(target, q, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 2);
    figure f = time_transition(s, 3, flop);
    printf("%6zu rmhmc/hessian, 3 steps: charged/measured %.2f, measured %.0f thousand flops\n", model->n,
           ratio(f), 1e-3 * f.measured);
    tw_sampler_free(s);
    tw_target_free(target);
}

/* The summary of a default run's first look: 64 draws of each of 32 chains. */
static void report_summary(double flop)
{
    enum { LATENTS = 32, CHAINS = 32, DRAWS = 64, REPEATS = 9 };
    static double x[LATENTS * CHAINS * DRAWS];
    tw_draw_block block = {DRAWS, CHAINS, LATENTS, x, {(size_t)LATENTS * CHAINS, LATENTS, 1}};
    tw_summary rows[LATENTS];
    double seconds[REPEATS];
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    tw_context *ctx = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) exit(3);
    tw_stream_normals(&stream, sizeof x / sizeof *x, x);
    for (size_t k = 0; k < REPEATS; k++) {
        double start = bench_cpu_seconds();
        bench_check(ctx, tw_summarise_block(ctx, &block, 1, rows));
        seconds[k] = bench_cpu_seconds() - start;
    }
    double each = bench_median(REPEATS, seconds) / flop / (LATENTS * CHAINS * DRAWS);
    printf("a draw of a latent in a summary: charged/measured %.2f, measured %.0f flops\n",
           TW_COST_SUMMARY / each, each);
    tw_context_free(ctx);
}

/* ---- the models ---- */

/* n inputs in a square whose side grows like sqrt(n), labels by a smooth boundary. */
static tw_model *planar_model(tw_context *ctx, size_t n)
{
    tw_kernel *se = NULL;
    double side = sqrt((double)n) / 6.0, *x = calloc(2 * n, sizeof *x), *y = calloc(n, sizeof *y);
    tw_stream stream = tw_stream_at(5, TW_STREAM_DATA, n, 0);
    tw_data *data = NULL;
    tw_model *model = NULL;
    if (!x || !y) exit(3);
    for (size_t i = 0; i < 2 * n; i++) x[i] = side * tw_stream_uniform(&stream);
    for (size_t i = 0; i < n; i++) y[i] = sin(x[i]) + cos(1.3 * x[n + i]) > 0.0 ? 1.0 : -1.0;
    bench_check(ctx, tw_data_new(ctx, n, 2, x, n, y, &data));
    bench_check(ctx, tw_kernel_parse(ctx, "se(log_sigma=0.7) + white(variance=0.05)", 2, &se));
    bench_check(ctx, tw_model_from_data(data, se, tw_likelihood_find("probit"), NULL, 0.0, &model));
    tw_kernel_free(se);
    tw_data_free(data);
    free(x);
    free(y);
    return model;
}

/* Labels on the cells of a lattice. */
static tw_model *lattice_model(tw_context *ctx)
{
    enum { N = SIDE * SIDE };
    static double x[2 * N], y[N];
    tw_kernel *kernel = NULL;
    tw_precision prior = {0};
    tw_model *model = NULL;
    for (size_t i = 0; i < N; i++) {
        size_t row = i / SIDE, column = i % SIDE;
        x[i] = (double)row;
        x[i + N] = (double)column;
        y[i] = sin(x[i] / 9.0) * cos(x[i + N] / 7.0) > 0.0 ? 1.0 : -1.0;
    }
    const tw_observations observed = {.likelihood = tw_likelihood_find("probit"), .n = N, .y = y};
    bench_check(ctx, tw_kernel_parse(ctx, "spde(1, 2, ell=8, sigma=1)", 2, &kernel));
    bench_check(ctx, tw_kernel_precision(kernel, N, 2, x, N, &prior));
    bench_check(ctx, tw_model_from_precision(prior.q, NULL, &observed, &model));
    tw_precision_release(&prior);
    tw_kernel_free(kernel);
    return model;
}

/* Of one size, or with 0 of the lattice. */
static void report_size(size_t n, double flop)
{
    static const size_t columns[] = {1, 4, 8, 32, MOST_COLUMNS};
    tw_context *ctx = NULL;
    tw_approximation *q = NULL;
    tw_reference *prior = NULL;
    tw_target *target = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) exit(3);
    tw_model *model = n > 0 ? planar_model(ctx, n) : lattice_model(ctx);
    bench_check(ctx, tw_laplace_fit(model, NULL, &q));
    bench_check(ctx, tw_reference_prior(model, &prior));
    bench_check(ctx, tw_target_new(model, prior, TW_FORM_OPEN, &target));
    for (size_t k = 0; k < sizeof columns / sizeof *columns; k++) report(target, q, columns[k], flop);
    if (n <= MOST_RIEMANN) report_riemann(model, prior, q, flop);
    tw_target_free(target);
    tw_reference_free(prior);
    tw_approximation_free(q);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* Without an argument all sizes and the lattice (0); else the one given. */
int main(int count, char **arguments)
{
    static const size_t sizes[] = {50, 200, 767, 1600, 3200, 0};
    double flop = time_flop();
    printf("%.1f Gflop/s\n", 1e-9 / flop);
    report_summary(flop);
    printf("%6s %7s %8s %5s %7s %8s %5s %9s %8s %8s %8s %6s\n", "n", "columns", "5 steps", "step", "prior's",
           "slice ep", "prior", "step", "rest", "prior's", "slice", "trial");
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        if (sizes[k] == 0 && !tw_sparse_orderings()) continue;
        if (count < 2 || strtoul(arguments[1], NULL, 10) == sizes[k]) report_size(sizes[k], flop);
    }
    return 0;
}
