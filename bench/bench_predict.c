/* bench_predict.c: predictions at 100,000 new inputs from draws on USPS 3-vs-5 (N = 767, 256 inputs):
 * seconds, the share of the matrix products alone, and the peak memory in addition to model and data.
 *
 * Usage: bench_predict [POINTS [DRAWS]] (draws of each of 4 chains). The draws are from EP's Gaussian, which
 * costs nothing and has the scale of the posterior; the new inputs are the training inputs plus seeded noise.
 * All of them are predicted once, and a tenth of them with one thread and with two, with draws recomputed for
 * every block of new inputs instead of kept in memory (here by products with EP's factor), and with a logit
 * likelihood, whose probabilities need quadrature.
 */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/vector.h"
#include "math/random.h"
#include "model/model.h"
#include "support_time.h"
#include "support_usps.h"
#include "talweg/predict.h"

enum { CHAINS = 4 };

static const double LOG_ELL = 4.85, LOG_SIGMA = 5.1;

/* Draws `first` to `first + count - 1` of a chain, computed when needed, from EP's q. */
static tw_status read_draws(void *user, size_t chain, size_t first, size_t count, double *x)
{
    const bench_usps *usps = user;
    const tw_gaussian *q = usps->ep->reference->gaussian;
    double v[1024];
    for (size_t i = 0; i < count; i++) {
        tw_stream stream = tw_stream_at(1, TW_STREAM_START, chain, first + i);
        tw_stream_normals(&stream, q->r, v);
        tw_gaussian_positions(q, 1, v, x + i * q->n);
    }
    return TW_OK;
}

static tw_data *make_inputs(const bench_usps *usps, size_t points)
{
    const tw_data *train = usps->data;
    tw_data *at = NULL;
    double *x = malloc(points * train->d * sizeof *x);
    for (size_t k = 0; x && k < train->d; k++) {
        tw_stream stream = tw_stream_at(1, TW_STREAM_DATA, 0, k);
        tw_stream_normals(&stream, points, x + k * points);
        for (size_t i = 0; i < points; i++)
            x[i + k * points] = train->x[i % train->n + k * train->n] + 0.2 * x[i + k * points];
    }
    if (!x) return NULL;
    bench_check(usps->ctx, tw_data_new(usps->ctx, points, train->d, x, points, NULL, &at));
    free(x);
    return at;
}

/* The products U'V alone, with the shapes of the predictor. */
static double product_seconds(size_t n, size_t points, size_t draws)
{
    enum { DRAWS = 1024, TILE = 64, WIDE = DRAWS * DRAWS, NARROW = DRAWS * TILE };
    static double v[WIDE], u[NARROW], c[NARROW];
    size_t times = 200;
    for (size_t i = 0; i < WIDE; i++) v[i] = 1.0 / (double)(i + 1);
    for (size_t i = 0; i < NARROW; i++) u[i] = v[i];
    double start = bench_cpu_seconds();
    for (size_t t = 0; t < times; t++) tw_dots(DRAWS, TILE, n, v, u, c);
    return (bench_cpu_seconds() - start) / (double)times * (double)points / TILE * (double)draws / DRAWS;
}

static void run(const bench_usps *usps, const tw_data *at, size_t points, size_t draws,
                const char *likelihood, size_t threads, size_t bytes)
{
    tw_draw_source source = {usps->data->n, CHAINS, draws, (void *)usps, read_draws, NULL};
    tw_draws_predictor_options options = {threads, bytes, false};
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    tw_draws_predictor *predictor = NULL;
    double p[2][TW_PREDICT_BATCH] = {{0}};
    tw_predictions out = {.expected = p[0], .mcse = p[1]};
    bench_check(usps->ctx, tw_kernel_simple(usps->ctx, "se", 1, &LOG_ELL, LOG_SIGMA, 0.0, 0.0, &kernel));
    bench_check(usps->ctx,
                tw_model_from_data(usps->data, kernel, tw_likelihood_find(likelihood), NULL, 0.0, &model));
    size_t before = tw_context_bytes_in_use(usps->ctx);
    double start = bench_seconds(), cpu = bench_cpu_seconds();
    bench_check(usps->ctx, tw_draws_predictor_new(model, &source, &options, &predictor));
    for (size_t first = 0; first < points; first += TW_PREDICT_BATCH) {
        size_t count = points - first < TW_PREDICT_BATCH ? points - first : TW_PREDICT_BATCH;
        bench_check(usps->ctx, tw_draws_predictor_at(predictor, kernel, usps->data, at, first, count, &out));
    }
    double taken = bench_seconds() - start;
    printf(
        "  %6zu  %-8s %zu thread%s, draws %-11s %8.1f s (processor %.1f s) %8.1f MB   first p %.4f +- %.4f\n",
        points, likelihood, threads, threads == 1 ? " " : "s", bytes ? "in memory" : "read again", taken,
        bench_cpu_seconds() - cpu, 1e-6 * (double)(tw_context_bytes_peak(usps->ctx) - before), p[0][0],
        p[1][0]);
    fflush(stdout);
    tw_draws_predictor_free(predictor);
    tw_model_free(model);
    tw_kernel_free(kernel);
}

int main(int argc, char **argv)
{
    size_t points = argc > 1 ? strtoul(argv[1], NULL, 10) : 100000;
    size_t draws = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000, kept = (size_t)1 << 30;
    bench_usps usps;
    if (!bench_usps_new(LOG_ELL, LOG_SIGMA, &usps)) return 77;
    tw_data *at = make_inputs(&usps, points);
    if (!at) return 1;
    printf(
        "%zu new inputs, %zu training cases, %d chains of %zu draws; products alone on one thread: %.1f s\n",
        points, usps.data->n, CHAINS, draws, product_seconds(usps.data->n, points, CHAINS * draws));
    run(&usps, at, points, draws, "probit", 2, kept);
    run(&usps, at, points / 10, draws, "probit", 1, kept);
    run(&usps, at, points / 10, draws, "probit", 2, kept);
    run(&usps, at, points / 10, draws, "probit", 2, 0);
    run(&usps, at, points / 10, draws, "logit", 2, kept);
    tw_data_free(at);
    bench_usps_free(&usps);
    return 0;
}
