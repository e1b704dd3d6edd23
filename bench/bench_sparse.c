/* bench_sparse.c: a Matern field on a lattice of SIDE x SIDE cells with Poisson counts and a sparse
 * precision: analysis, factorisation, selected inverse, solves, Laplace, EP and HMC in units of a
 * factorisation, and memory in units of the factor. Usage: bench_sparse [SIDE [laplace|ep|hmc [DRAWS]]], with
 * defaults 100, ep and 100; the second argument is the last method to run. hmc runs 16 chains in lockstep in
 * EP's coordinates, DRAWS draws of each, and reports the ESS of the worst latent.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "covariance/precision.h"
#include "math/random.h"
#include "model/model.h"
#include "sparse/factor.h"
#include "support_time.h"
#include "talweg/approximate.h"
#include "talweg/chains.h"

enum { REPEATS = 5, CHAINS = 16, WARMUP = 60 };
typedef enum reach { LAPLACE, EP, HMC } reach;

static void check(const tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "%s\n", tw_context_message(ctx));
    exit(1);
}

/* Cells, and counts whose log rate is a wave. */
static void make_cells(size_t side, double *x, double *y)
{
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    for (size_t i = 0; i < side * side; i++) {
        size_t row = i / side, column = i % side;
        double a = (double)row, b = (double)column, left = exp(sin(a / 9.0) * cos(b / 7.0));
        x[i] = a;
        x[i + side * side] = b;
        y[i] = -1.0;
        while (left >= 0.0) {
            left -= tw_stream_exponential(&stream);
            y[i] += 1.0;
        }
    }
}

static double since(double *start)
{
    double now = bench_cpu_seconds(), took = now - *start;
    *start = now;
    return took;
}

/* Returns the seconds of a factorisation. */
static double time_factor(const tw_sparse *q)
{
    tw_analysis *a = NULL;
    tw_front front;
    double *l = NULL, *z = NULL, *x = NULL, *kept = NULL, start = bench_cpu_seconds();
    size_t failed;
    check(q->ctx, tw_analysis_new(q->ctx, q->rows, q->start, q->row, NULL, &a));
    printf("order and analysis            %9.3f s, factor of %.3g numbers, %.3g flops\n", since(&start),
           (double)a->entries, a->flops);
    check(q->ctx, tw_front_new(a, &front));
    check(q->ctx, tw_allocate_doubles(q->ctx, a->entries, 1, "L", &l));
    check(q->ctx, tw_allocate_doubles(q->ctx, a->entries, 1, "Z", &z));
    check(q->ctx, tw_allocate_doubles(q->ctx, a->n, TW_SPARSE_COLUMNS, "X", &x));
    check(q->ctx, tw_allocate_doubles(q->ctx, a->entries, 1, "Q", &kept));
    for (size_t j = 0; j < q->columns; j++)
        for (size_t e = q->start[j]; e < q->start[j + 1]; e++)
            l[tw_analysis_find(a, q->row[e], j)] = q->value[e];
    memcpy(kept, l, a->entries * sizeof *l);
    double factor = INFINITY;
    for (size_t k = 0; k < REPEATS; k++) { /* the shortest: other processes disturb it */
        memcpy(l, kept, a->entries * sizeof *l);
        since(&start);
        if (!tw_sparse_factor(a, &front, l, &failed)) exit(1);
        factor = fmin(factor, since(&start));
    }
    tw_release(q->ctx, kept);
    printf("factorisation                 %9.3f s, %.2f Gflop/s\n", factor, 1e-9 * a->flops / factor);
    tw_sparse_select(a, &front, l, z);
    printf("selected inverse              %9.2f factorisations\n", since(&start) / factor);
    tw_sparse_solve_lower(a, l, TW_SPARSE_COLUMNS, x);
    printf("half a solve, 16 columns      %9.3f factorisations\n", since(&start) / factor);
    tw_sparse_solve_lower(a, l, 1, x);
    printf("half a solve, 1 column        %9.3f factorisations\n", since(&start) / factor);
    tw_front_free(q->ctx, &front);
    tw_release(q->ctx, l);
    tw_release(q->ctx, z);
    tw_release(q->ctx, x);
    tw_analysis_release(a);
    return factor;
}

/* Times the draws alone, without warm-up: the cost of each further draw. */
typedef struct watch {
    double start; /* start of sampling */
    size_t seen;
} watch;

static tw_status on_draw(void *user, const tw_draw *draw)
{
    watch *w = user;
    if (draw->index == 0) w->start = bench_cpu_seconds();
    w->seen = draw->index;
    return TW_OK;
}

static void time_hmc(const tw_model *model, const tw_approximation *ep, size_t draws, double factor)
{
    tw_context *ctx = ep->ctx;
    tw_sampler_options options = TW_SAMPLER_DEFAULTS;
    tw_chains_options chains = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    tw_draws *kept = NULL;
    tw_chains_summary summary;
    watch w = {0};
    const tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
    options.metric = TW_METRIC_EP;
    chains.warmup = WARMUP;
    chains.draws = draws;
    chains.keep = true;
    chains.user = &w;
    chains.on_draw = on_draw;
    check(ctx, tw_sampling_new(&posterior, &options, CHAINS, &sampling));
    check(ctx, tw_sampler_start(sampling->sampler, ep->reference, 1.0, 1));
    check(ctx, tw_chains_run(sampling->sampler, &chains, &kept));
    double each = (bench_cpu_seconds() - w.start) / (double)w.seen / factor; /* one draw of all chains */
    check(ctx, tw_draws_summarise(kept, 1, NULL, &summary));
    double share = each * (double)draws;
    printf("HMC, %d chains               %9.2f factorisations a draw of all, %zu steps of %.3f, acceptance "
           "%.2f\n",
           CHAINS, each, kept->tuning.steps, kept->tuning.eps, summary.acceptance);
    printf("  worst latent                %9.2f effective draws a factorisation (bulk %.2f, tail %.2f, fold "
           "%.2f); "
           "median %.2f; R-hat %.3f\n",
           summary.ess_min / share, summary.ess_bulk_min / share, summary.ess_tail_min / share,
           summary.ess_fold_min / share, summary.ess_median / share, summary.rhat_max);
    tw_draws_free(kept);
    tw_sampling_free(sampling);
}

static void time_fits(const tw_sparse *q, const double *y, double factor, reach last, size_t draws)
{
    tw_model *model = NULL;
    tw_approximation *fit[2] = {NULL, NULL};
    const tw_observations observed = {.likelihood = tw_likelihood_find("poisson"), .n = q->rows, .y = y};
    double start = bench_cpu_seconds();
    check(q->ctx, tw_model_from_precision(q, NULL, &observed, &model));
    since(&start);
    check(q->ctx, tw_laplace_fit(model, NULL, &fit[0]));
    double took = since(&start);
    printf("Laplace                       %9.2f factorisations, %zu steps, %.1f s, log Z %.4f\n",
           took / factor, fit[0]->iterations, took, fit[0]->log_z);
    if (last >= EP) {
        check(q->ctx, tw_ep_fit(model, NULL, &fit[1]));
        took = since(&start);
        printf("EP                            %9.2f factorisations, %zu sweeps, %.1f s, log Z %.4f\n",
               took / factor, fit[1]->iterations, took, fit[1]->log_z);
    }
    printf("memory                        %9.1f MB at most\n", 1e-6 * (double)tw_context_bytes_peak(q->ctx));
    fflush(stdout);
    if (last >= HMC) time_hmc(model, fit[1], draws, factor);
    tw_approximation_free(fit[0]);
    tw_approximation_free(fit[1]);
    tw_model_free(model);
}

int main(int count, char **arguments)
{
    size_t side = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : 100, n = side * side;
    size_t draws = count > 3 ? (size_t)strtoul(arguments[3], NULL, 10) : 100;
    reach last = count < 3                              ? EP
                 : strcmp(arguments[2], "laplace") == 0 ? LAPLACE
                 : strcmp(arguments[2], "hmc") == 0     ? HMC
                                                        : EP;
    tw_context *ctx = NULL;
    tw_kernel *kernel = NULL;
    tw_precision prior = {0};
    double *x = NULL, *y = NULL;
    if (!tw_sparse_orderings()) {
        printf("this build has no sparse matrices\n");
        return 0;
    }
    if (tw_context_new(NULL, &ctx) != TW_OK) return 1;
    check(ctx, tw_kernel_parse(ctx, "spde(1, 2, ell=8, sigma=1)", 2, &kernel));
    check(ctx, tw_allocate_doubles(ctx, n, 2, "cells", &x));
    check(ctx, tw_allocate_doubles(ctx, n, 1, "counts", &y));
    make_cells(side, x, y);
    check(ctx, tw_kernel_precision(kernel, n, 2, x, n, &prior));
    printf("%zu x %zu cells, n = %zu\n", side, side, n);
    double factor = time_factor(prior.q);
    time_fits(prior.q, y, factor, last, draws);
    tw_precision_release(&prior);
    tw_kernel_free(kernel);
    tw_release(ctx, x);
    tw_release(ctx, y);
    tw_context_free(ctx);
    return 0;
}
