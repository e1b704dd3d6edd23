/* bench_samplers.c: which sampler gives the most effective draws? Worst-latent bulk ESS per second of processor time, and
 * per Cholesky factorisation of the same size timed in the same run, for every sampler on three posteriors:
 *   USPS 3-vs-5 at (4.85, 5.1); the hard exact case K = 25000 11' + 900 I with 767 equal labels; 400 Poisson counts
 *   on a line.
 * One thread. Each sampler has its own settings and budget, since their costs differ by a factor of a thousand: what is
 * tuned is tuned in warm-up, which is not counted. The literal algorithm is timed over a few trajectories, and given the
 * ESS per draw of rmhmc/hessian, whose trajectories it approximates.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linalg/cholesky.h"
#include "math/random.h"
#include "model/model.h"
#include "reference/reference.h"
#include "support_time.h"
#include "support_usps.h"
#include "talweg/chains.h"

typedef struct contestant {
    const char *name;
    tw_method method;
    tw_metric metric;
    size_t chains, warmup, draws;
    double eps; /* 0: tuned */
    size_t steps;
    tw_forces forces;
} contestant;

/* Fixed settings are the report's (hessian: eps = 0.1, 10 steps; identity: 0.02, 200 steps), or what
 * the stability limit of leapfrog allows (prior). */
static const contestant contestants[] = {
    {"hmc/ep", TW_METHOD_HMC, TW_METRIC_EP, 32, 150, 100, 0.0, 0, TW_FORCES_AUTO},
    {"hmc/ep, double", TW_METHOD_HMC, TW_METRIC_EP, 32, 150, 100, 0.0, 0, TW_FORCES_DOUBLE},
    {"hmc/ep, 4 chains", TW_METHOD_HMC, TW_METRIC_EP, 4, 150, 300, 0.0, 0, TW_FORCES_AUTO},
    {"hmc/ep, 4, double", TW_METHOD_HMC, TW_METRIC_EP, 4, 150, 300, 0.0, 0, TW_FORCES_DOUBLE},
    {"slice from ep", TW_METHOD_SLICE, TW_METRIC_EP, 32, 100, 400, 0.0, 0, TW_FORCES_AUTO},
    {"slice from prior", TW_METHOD_SLICE, TW_METRIC_PRIOR, 32, 100, 400, 0.0, 0, TW_FORCES_AUTO},
    {"mgrad from ep", TW_METHOD_MGRAD, TW_METRIC_EP, 32, 200, 400, 0.0, 0, TW_FORCES_AUTO},
    {"mgrad from prior", TW_METHOD_MGRAD, TW_METRIC_PRIOR, 32, 200, 400, 0.0, 0, TW_FORCES_AUTO},
    {"rmhmc/hessian", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 4, 10, 50, 0.1, 10, TW_FORCES_AUTO},
    {"rmhmc/smoothed", TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 4, 5, 25, 0.2, 8, TW_FORCES_AUTO},
    {"rmhmc/anchored", TW_METHOD_RMHMC, TW_METRIC_ANCHORED, 4, 40, 60, 0.0, 0, TW_FORCES_AUTO},
    {"hmc/identity", TW_METHOD_HMC, TW_METRIC_IDENTITY, 4, 10, 40, 0.02, 200, TW_FORCES_AUTO},
    {"hmc/prior", TW_METHOD_HMC, TW_METRIC_PRIOR, 4, 10, 40, 0.002, 400, TW_FORCES_AUTO},
};
enum { CONTESTANTS = sizeof contestants / sizeof *contestants };

typedef struct outcome {
    double ess, seconds, acceptance, eps, failures;
    size_t steps, draws;
} outcome;

/* Settings for another posterior: only USPS has fixed step sizes that are known to be good. */
static outcome run(const tw_model *model, const tw_approximation *ep, const contestant *c, bool fixed)
{
    tw_context *ctx = model->ctx;
    tw_posterior posterior = {.model = model, .beta = 1.0, .approximation = ep};
    tw_sampler_options options = TW_SAMPLER_DEFAULTS;
    tw_chains_options chains = TW_CHAINS_DEFAULTS;
    tw_sampling *sampling = NULL;
    tw_draws *draws = NULL;
    tw_chains_summary summary;
    options.method = c->method;
    options.metric = c->metric;
    options.forces = c->forces;
    bench_check(ctx, tw_sampling_new(&posterior, &options, c->chains, &sampling));
    bench_check(ctx, tw_sampler_start(sampling->sampler, ep->reference, 1.0, 1));
    chains.seed = 1;
    chains.eps = fixed ? c->eps : 0.0;
    chains.steps = fixed ? c->steps : 0;
    chains.max_steps = 400;
    chains.warmup = fixed || c->warmup >= 100 ? c->warmup : 60;
    chains.draws = c->draws;
    double start = bench_cpu_seconds();
    bench_check(ctx, tw_chains_run(sampling->sampler, &chains, &draws));
    double total = bench_cpu_seconds() - start;
    double leapfrogs = (double)(draws->sampling.leapfrog_steps + draws->warmup.leapfrog_steps);
    bench_check(ctx, tw_draws_summarise(draws, 1, NULL, &summary));
    const tw_totals *t = &draws->sampling;
    outcome o = {.ess = summary.ess_min,
                 .seconds = total * (double)t->leapfrog_steps / leapfrogs, /* the sampling's share */
                 .acceptance = summary.acceptance,
                 .eps = draws->tuning.eps,
                 .failures = (double)(t->energy_divergence + t->implicit_failure + t->irreversible +
                                      t->factorisation) /
                             (double)t->transitions,
                 .steps = draws->tuning.steps,
                 .draws = draws->draws * draws->chains};
    tw_draws_free(draws);
    tw_sampling_free(sampling);
    return o;
}

static double cholesky_seconds(const tw_model *model)
{
    size_t n = model->n;
    double *l = malloc(n * n * sizeof *l), best = INFINITY;
    tw_pivot failed;
    if (!l) exit(3);
    for (int i = 0; i < 7; i++) {
        double start = bench_cpu_seconds();
        tw_cholesky(n, tw_gaussian_dense_matrix(model->prior), n, l, n, &failed);
        best = fmin(best, bench_cpu_seconds() - start);
    }
    free(l);
    return best;
}

static void print_row(const char *name, const outcome *o, double unit)
{
    printf("%-18s %7zu %9.1f %10.3f %12.3f %12.4f %7.2f %8.4f %6zu %8.1f%%\n", name, o->draws, o->ess,
           o->ess / (double)o->draws, o->ess / o->seconds, o->ess / o->seconds * unit, o->acceptance, o->eps,
           o->steps, 100.0 * o->failures);
    fflush(stdout);
}

/* Seconds of a trajectory of the report's Algorithm 1 as printed: ten steps, f_max = 5. */
static void print_literal(const tw_model *model, const tw_approximation *ep, const outcome *hessian,
                          double unit)
{
    enum { TRAJECTORIES = 2 };
    int n = (int)model->n;
    ref_inputs *in = ref_inputs_new(n, model->observed.y, tw_gaussian_dense_matrix(model->prior), NULL, NULL);
    ref_workspace *work = ref_workspace_new(n);
    double *normals = calloc((size_t)n * TRAJECTORIES, sizeof *normals), energies[TRAJECTORIES];
    double *samples = calloc((size_t)n * TRAJECTORIES, sizeof *samples), uniforms[TRAJECTORIES] = {0.5, 0.5};
    ref_record record;
    if (!in || !work || !normals || !samples) exit(3);
    tw_stream stream = tw_stream_at(1, TW_STREAM_MOMENTUM, 0, 0);
    tw_stream_normals(&stream, (size_t)n * TRAJECTORIES, normals);
    in->x0 = ep->mean;
    in->t_max = TRAJECTORIES;
    double start = bench_cpu_seconds();
    ref_rmhmc(in, normals, uniforms, work, samples, energies, &record);
    double per_draw = (bench_cpu_seconds() - start) / TRAJECTORIES;
    outcome o = *hessian;
    o.seconds = per_draw * (double)o.draws;
    print_row("literal (extrap.)", &o, unit);
    free(normals);
    free(samples);
    ref_workspace_free(work);
    ref_inputs_free(in);
}

/* Of the contestants, those whose name begins so. */
static const char *only = "";

static void table(const char *title, const tw_model *model, const tw_approximation *ep, bool is_usps)
{
    double unit = cholesky_seconds(model);
    outcome hessian = {0};
    printf("%s; dpotrf(%zu) %.2f ms\n%-18s %7s %9s %10s %12s %12s %7s %8s %6s %9s\n", title, model->n,
           1e3 * unit, "sampler", "draws", "min ESS", "ESS/draw", "ESS/second", "ESS/dpotrf", "accept", "eps",
           "steps", "failures");
    for (size_t i = 0; i < CONTESTANTS; i++) {
        if (strncmp(contestants[i].name, only, strlen(only)) != 0) continue;
        outcome o = run(model, ep, &contestants[i], is_usps);
        print_row(contestants[i].name, &o, unit);
        if (contestants[i].metric == TW_METRIC_HESSIAN) hessian = o;
    }
    if (is_usps && hessian.draws > 0) print_literal(model, ep, &hessian, unit);
    printf("\n");
}

static void bench_hard(tw_context *ctx)
{
    enum { N = 767 };
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    double *k = malloc((size_t)N * N * sizeof *k), y[N];
    if (!k) exit(3);
    for (size_t i = 0; i < N; i++) y[i] = 1.0;
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) k[i + j * N] = 25000.0 + (i == j ? 900.0 : 0.0);
    const tw_observations observed = {.likelihood = tw_likelihood_find("probit"), .n = N, .y = y};
    bench_check(ctx, tw_model_new(ctx, k, N, &observed, 0.0, &model));
    bench_check(ctx, tw_ep_fit(model, NULL, &ep));
    table("K = 25000 11' + 900 I, 767 equal labels", model, ep, false);
    tw_approximation_free(ep);
    tw_model_free(model);
    free(k);
}

/* Counts with log rate 1 + 2 sin(7 t) on 400 points of [0, 1], by inversion from the library's streams. */
static void bench_poisson(tw_context *ctx)
{
    enum { N = 400 };
    double x[N], y[N];
    tw_kernel *kernel = NULL;
    tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, 0);
    tw_data *data = NULL;
    tw_model *model = NULL;
    tw_approximation *ep = NULL;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i / N;
        double rate = exp(1.0 + 2.0 * sin(7.0 * x[i])), time = tw_stream_exponential(&stream);
        size_t count = 0;
        for (; time < rate; count++) time += tw_stream_exponential(&stream);
        y[i] = (double)count;
    }
    bench_check(ctx, tw_data_new(ctx, N, 1, x, N, y, &data));
    bench_check(ctx, tw_kernel_parse(ctx, "matern52(ell=0.1, log_sigma=0.5) + constant", 1, &kernel));
    bench_check(ctx, tw_model_from_data(data, kernel, tw_likelihood_find("poisson"), NULL, 0.0, &model));
    bench_check(ctx, tw_ep_fit(model, NULL, &ep));
    table("Poisson counts on a line", model, ep, false);
    tw_approximation_free(ep);
    tw_model_free(model);
    tw_kernel_free(kernel);
    tw_data_free(data);
}

/* Without an argument all three; else the one named: usps, hard or poisson. A second argument: only the samplers whose name
 * begins so, "mgrad". */
static bool wanted(int count, char **arguments, const char *name)
{
    return count < 2 || strcmp(arguments[1], name) == 0;
}

int main(int count, char **arguments)
{
    bench_usps usps;
    tw_context *ctx = NULL;
    if (count > 2) only = arguments[2];
    if (wanted(count, arguments, "usps") && bench_usps_new(4.85, 5.1, &usps)) {
        table("USPS 3-vs-5, log ell = 4.85, log sigma = 5.1", usps.model, usps.ep, true);
        bench_usps_free(&usps);
    }
    if (tw_context_new(NULL, &ctx) != TW_OK) return 3;
    if (wanted(count, arguments, "hard")) bench_hard(ctx);
    if (wanted(count, arguments, "poisson")) bench_poisson(ctx);
    tw_context_free(ctx);
    return 0;
}
