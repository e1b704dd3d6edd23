/* bench_approximate.c: the cost of Laplace, EP and EP's correction, in units of one Cholesky factorisation of
 * the same size (dpotrf) timed in the same run; their growth with n; the number of tilted moments that EP
 * computes; the cost of EP for likelihoods whose moments need quadrature, relative to probit; and the savings
 * of EP along a row of a grid.
 *
 * USPS 3-vs-5 is read from TALWEG_SHARED (default ../shared) and omitted if it is absent. The growth is
 * measured on synthetic classes in five dimensions with a smooth boundary.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "approximate/approximate.h"
#include "linalg/cholesky.h"
#include "math/random.h"
#include "support_time.h"
#include "talweg/approximate.h"

enum { ROUNDS = 5, INPUTS = 5, STEPS = 4 };

static void expect(tw_context *ctx, tw_status status)
{
    if (status == TW_OK) return;
    fprintf(stderr, "bench_approximate: %s\n", tw_context_message(ctx));
    exit(1);
}

/* Processor time, since all work is in one thread and the machine may be shared. */
static double processor_seconds(void)
{
    return (double)clock() / (double)CLOCKS_PER_SEC;
}

/* One model: its approximations, and the seconds of each and of a Cholesky factorisation. */
typedef struct bench {
    tw_model *model;
    tw_approximation *laplace, *ep;
    tw_correction correction;
    double cholesky_time, laplace_time, ep_time, correction_time;
} bench;

static tw_model *make_model(const tw_data *data, double log_ell, double log_sigma, double white,
                            const tw_likelihood *likelihood)
{
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    expect(data->ctx, tw_kernel_simple(data->ctx, "se", 1, &log_ell, log_sigma, 0.0, white, &kernel));
    expect(data->ctx, tw_model_from_data(data, kernel, likelihood, NULL, 0.0, &model));
    tw_kernel_free(kernel);
    return model;
}

static double time_cholesky(const tw_model *model, double *scratch)
{
    size_t n = model->n;
    tw_pivot failed;
    tw_gaussian_block(model->prior, 0, n, 0, n, scratch);
    double start = processor_seconds();
    if (!tw_cholesky_in_place(n, scratch, n, &failed)) exit(1);
    return processor_seconds() - start;
}

static void release(bench *b)
{
    tw_approximation_free(b->laplace);
    tw_approximation_free(b->ep);
    b->laplace = b->ep = NULL;
}

/* Run everything once from a cold start. */
static void run_once(bench *b, double *scratch)
{
    release(b);
    b->cholesky_time = time_cholesky(b->model, scratch);
    double start = processor_seconds();
    expect(b->model->ctx, tw_laplace_fit(b->model, NULL, &b->laplace));
    b->laplace_time = processor_seconds() - start;
    start = processor_seconds();
    expect(b->model->ctx, tw_ep_fit(b->model, NULL, &b->ep));
    b->ep_time = processor_seconds() - start;
    start = processor_seconds();
    expect(b->model->ctx, tw_ep_correct(b->model, b->ep, 4, &b->correction));
    b->correction_time = processor_seconds() - start;
}

/* The shortest time of each of the four over several rounds. */
static bench measure(tw_model *model, int rounds)
{
    bench b = {.model = model}, best = {.cholesky_time = INFINITY,
                                        .laplace_time = INFINITY,
                                        .ep_time = INFINITY,
                                        .correction_time = INFINITY};
    double *scratch = malloc(model->n * model->n * sizeof *scratch);
    if (!scratch) exit(1);
    for (int round = 0; round < rounds; round++) {
        run_once(&b, scratch);
        best.cholesky_time = fmin(best.cholesky_time, b.cholesky_time);
        best.laplace_time = fmin(best.laplace_time, b.laplace_time);
        best.ep_time = fmin(best.ep_time, b.ep_time);
        best.correction_time = fmin(best.correction_time, b.correction_time);
    }
    free(scratch);
    best.model = model;
    best.laplace = b.laplace;
    best.ep = b.ep;
    best.correction = b.correction;
    return best;
}

static void finish(bench *b)
{
    release(b);
    tw_model_free(b->model);
}

static void report(const char *name, const bench *b)
{
    double unit = b->cholesky_time;
    printf("%-20s dpotrf %6.1f ms; in units of it: Laplace %4.1f (%2zu steps), EP %4.1f (%2zu sweeps%s), "
           "correction %3.1f\n",
           name, 1e3 * unit, b->laplace_time / unit, b->laplace->iterations, b->ep_time / unit,
           b->ep->iterations, b->ep->converged ? "" : ", NOT CONVERGED", b->correction_time / unit);
}

static void usps_settings(const tw_data *data)
{
    const double settings[][2] = {{2.85, 2.35}, {4.85, 5.10}, {2.60, 4.10}};
    for (size_t i = 0; i < 3; i++) {
        char name[64];
        tw_model *model = make_model(data, settings[i][0], settings[i][1], 0.0, tw_likelihood_find("probit"));
        bench b = measure(model, ROUNDS);
        snprintf(name, sizeof name, "USPS (%.2f, %.2f)", settings[i][0], settings[i][1]);
        report(name, &b);
        printf("%-20s log Z: Laplace %.4f, EP %.4f, corrected %.4f\n", "", b.laplace->log_z, b.ep->log_z,
               b.correction.log_z);
        finish(&b);
    }
}

/* ---- along a row of a grid */

/* Sweeps and seconds of EP at `points` length scales, from cold starts or along the row. */
static void time_row(const tw_data *data, size_t points, bool along, double *sweeps, double *seconds)
{
    tw_ep_sequence *sequence = NULL;
    expect(data->ctx, tw_ep_sequence_new(data->ctx, data->n, &sequence));
    *sweeps = *seconds = 0.0;
    for (size_t i = 0; i < points; i++) {
        double log_ell = 2.0 + 3.0 * (double)i / (double)(points - 1);
        tw_model *model = make_model(data, log_ell, 3.0, 0.0, tw_likelihood_find("probit"));
        tw_ep_options options = TW_EP_DEFAULTS;
        tw_approximation *ep = NULL;
        double start = processor_seconds();
        if (along) tw_ep_sequence_predict(sequence, &options);
        expect(data->ctx, tw_ep_fit(model, &options, &ep));
        tw_ep_sequence_learn(sequence, ep);
        *seconds += (processor_seconds() - start) / (double)points;
        *sweeps += (double)ep->iterations / (double)points;
        tw_approximation_free(ep);
        tw_model_free(model);
    }
    tw_ep_sequence_free(sequence);
}

static void report_row(const tw_data *data, size_t points)
{
    double sweeps[2], seconds[2];
    for (int along = 0; along < 2; along++) time_row(data, points, along, &sweeps[along], &seconds[along]);
    printf("USPS, log l = 2:5:%zu, log sigma = 3: EP %.2f sweeps and %.0f ms a point from cold, %.2f and "
           "%.0f along the "
           "row: %.2f of it\n",
           points, sweeps[0], 1e3 * seconds[0], sweeps[1], 1e3 * seconds[1], seconds[1] / seconds[0]);
}

/* ---- tilted moments: a likelihood that counts the calls of another */

typedef struct counter {
    const tw_likelihood *of;
    size_t calls;
} counter;

static tw_status counted_tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    counter *c = o->likelihood->user;
    tw_observations plain = *o;
    plain.likelihood = c->of;
    c->calls++;
    return tw_likelihood_tilted(&plain, i, m, v, out);
}

/* Processor seconds of EP, also as a multiple of probit's if that is known. */
static double tilted_calls(tw_context *ctx, const tw_data *data, const char *name, double probit)
{
    counter c = {.of = tw_likelihood_find(name)};
    tw_likelihood counted = *c.of;
    counted.user = &c;
    counted.tilted = counted_tilted;
    tw_model *model = make_model(data, 2.85, 2.35, 0.0, &counted);
    double best = INFINITY;
    size_t sweeps = 0;
    for (int round = 0; round < ROUNDS; round++) {
        tw_approximation *ep = NULL;
        c.calls = 0;
        double start = processor_seconds();
        expect(ctx, tw_ep_fit(model, NULL, &ep));
        best = fmin(best, processor_seconds() - start);
        sweeps = ep->iterations;
        tw_approximation_free(ep);
    }
    printf("%-8s EP on USPS (2.85, 2.35): %zu tilted moments in %zu sweeps, %.0f ms; %.2f of probit's\n",
           name, c.calls, sweeps, 1e3 * best, probit > 0.0 ? best / probit : 1.0);
    tw_model_free(model);
    return best;
}

static void on_usps(tw_context *ctx, bool rows)
{
    const char *root = getenv("TALWEG_SHARED");
    char path[1024];
    tw_data *data = NULL;
    snprintf(path, sizeof path, "%s/data/usps35_train.csv", root ? root : "../shared");
    if (access(path, R_OK) != 0) {
        printf("USPS: skipped, the data are not there (set TALWEG_SHARED)\n");
        return;
    }
    expect(ctx, tw_data_read(ctx, path, NULL, &data));
    usps_settings(data);
    for (size_t points = 11; rows && points <= 41; points = 2 * points - 1) report_row(data, points);
    double probit = rows ? tilted_calls(ctx, data, "probit", 0.0) : 0.0;
    if (rows) tilted_calls(ctx, data, "logit", probit);
    tw_data_free(data);
}

/* ---- synthetic data */

/* n standard normal inputs, with labels from the sign of a smooth function plus noise, or counts around its
 * exponential. */
static tw_data *synthetic(tw_context *ctx, size_t n, bool counts)
{
    tw_stream stream = tw_stream_at(2016, TW_STREAM_DATA, 0, 0);
    double *x = malloc(n * INPUTS * sizeof *x), *y = malloc(n * sizeof *y);
    tw_data *data = NULL;
    if (!x || !y) exit(1);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < INPUTS; j++) x[i + j * n] = tw_stream_normal(&stream);
        double f = sin(2.0 * x[i]) + x[i + n] * x[i + 2 * n] + 0.3 * tw_stream_normal(&stream);
        y[i] = counts ? floor(0.5 + exp(f)) : f > 0.0 ? 1.0 : -1.0;
    }
    expect(ctx, tw_data_new(ctx, n, INPUTS, x, n, y, &data));
    free(x);
    free(y);
    return data;
}

/* ---- the cost of quadrature */

/* Processor seconds of EP from a cold start at n = 200, where the sites' share of the cost is largest; the
 * shortest of several. */
static double time_small_ep(tw_context *ctx, const char *name, size_t *sweeps)
{
    tw_data *data = synthetic(ctx, 200, strcmp(name, "poisson") == 0);
    tw_model *model = make_model(data, log(2.0), 1.0, 0.0, tw_likelihood_find(name));
    double best = INFINITY;
    for (int round = 0; round < 4 * ROUNDS; round++) {
        tw_approximation *ep = NULL;
        double start = processor_seconds();
        expect(ctx, tw_ep_fit(model, NULL, &ep));
        best = fmin(best, processor_seconds() - start);
        *sweeps = ep->iterations;
        tw_approximation_free(ep);
    }
    tw_model_free(model);
    tw_data_free(data);
    return best;
}

static void quadratures(tw_context *ctx)
{
    static const char *const names[] = {"probit", "logit", "poisson"};
    double probit = 0.0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t sweeps = 0;
        double seconds = time_small_ep(ctx, names[i], &sweeps);
        if (i == 0) probit = seconds;
        printf("%-8s EP at n = 200: %.2f ms, %zu sweeps; %.2f of probit's\n", names[i], 1e3 * seconds, sweeps,
               seconds / probit);
    }
}

/* ---- growth with n */

/* The slope of log seconds against log n, by least squares. */
static double exponent(size_t count, const double *n, const double *seconds)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (size_t i = 0; i < count; i++) {
        double x = log(n[i]), y = log(seconds[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (sxy - sx * sy / (double)count) / (sxx - sx * sx / (double)count);
}

static void growth(tw_context *ctx)
{
    const size_t sizes[STEPS] = {400, 800, 1600, 3200};
    double n[STEPS], cholesky[STEPS], laplace[STEPS], ep[STEPS], correction[STEPS];
    for (size_t i = 0; i < STEPS; i++) {
        char name[64];
        tw_data *data = synthetic(ctx, sizes[i], false);
        tw_model *model = make_model(data, log(2.0), log(4.0), 1e-4, tw_likelihood_find("probit"));
        bench b = measure(model, sizes[i] < 1000 ? ROUNDS : 1);
        snprintf(name, sizeof name, "synthetic n = %zu", sizes[i]);
        report(name, &b);
        n[i] = (double)sizes[i];
        cholesky[i] = b.cholesky_time;
        laplace[i] = b.laplace_time;
        ep[i] = b.ep_time;
        correction[i] = b.correction_time;
        finish(&b);
        tw_data_free(data);
    }
    printf("exponent of n from %zu to %zu: dpotrf %.2f, Laplace %.2f, EP %.2f, correction %.2f\n", sizes[0],
           sizes[STEPS - 1], exponent(STEPS, n, cholesky), exponent(STEPS, n, laplace),
           exponent(STEPS, n, ep), exponent(STEPS, n, correction));
}

/* With the argument "usps", only the costs at the three settings of USPS. */
int main(int count, char **arguments)
{
    tw_context *ctx = NULL;
    bool settings_only = count > 1 && strcmp(arguments[1], "usps") == 0;
    if (tw_context_new(NULL, &ctx) != TW_OK) return 1;
    if (!settings_only) quadratures(ctx);
    on_usps(ctx, !settings_only);
    if (!settings_only) growth(ctx);
    tw_context_free(ctx);
    return 0;
}
