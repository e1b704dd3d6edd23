/* bench.c: talweg bench: measures the cost of a leapfrog step on this machine, in units of a Cholesky
 * factorisation of order n (dpotrf) and of the matrix products in the step. bench/measure.c takes the
 * times. */
#include <math.h>
#include <string.h>

#include "bench/measure.h"
#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"

typedef struct bench_options {
    tw_model_options model;
    tw_output_options output;
    uint64_t cases;
} bench_options;

#define FIELD(member) offsetof(bench_options, member)

static const tw_option rows[] = {
    {TW_ROW_CASES(FIELD(cases)), .default_value = "400", .help = "of the built-in problem"},
};

enum {
    POSITIONS = 20,
    LITERAL_POSITIONS = 3,
    MOST_STEPS = 6,
    BATCHES = 4,
    MEASUREMENTS = MOST_STEPS + BATCHES
};
static const double eps = 0.1;

/* A row of the table of RMHMC. */
typedef struct step {
    const char *engine, *metric, *start;
    double beta;
    bench_step measured;
} step;

typedef struct results {
    tw_problem *problem;
    tw_approximation *ep;
    tw_reference *prior;
    double *x; /* n x POSITIONS */
    step steps[MOST_STEPS];
    size_t count;
    bench_batch batches[BATCHES];
    tw_meter meter;
    size_t done;      /* measurements so far */
    double potrf;     /* seconds of dpotrf, median over the rows */
    const char *note; /* why the literal algorithm was skipped, or NULL */
} results;

/* ---- measuring ---- */

static tw_status fit(tw_context *ctx, results *r)
{
    const tw_model *model = r->problem->model;
    TW_TRY(tw_ep_fit(model, NULL, &r->ep));
    if (!r->ep->converged)
        return tw_fail(ctx, TW_NOT_CONVERGED,
                       "EP did not converge (residual %.1e), and the benchmark needs it: check the scale of "
                       "the inputs (--standardise, --log-ell)",
                       r->ep->residual);
    TW_TRY(tw_allocate_doubles(ctx, r->problem->data->n, POSITIONS, "the positions", &r->x));
    return tw_reference_prior(model, &r->prior);
}

static void show_progress(results *r)
{
    tw_meter_show(&r->meter, TW_METER_COUNT(++r->done, MEASUREMENTS));
}

/* Measure the report's algorithm as printed, if possible; otherwise leave a note. */
static tw_status measure_literal(bool from_ep, step *row, results *r)
{
    if (!bench_has_literal()) {
        r->note = "the literal algorithm of the report is skipped: this program was built without it "
                  "(TALWEG_LITERAL)";
        return TW_OK;
    }
    if (strcmp(r->problem->likelihood->name, "probit") != 0) {
        r->note = "the literal algorithm of the report is skipped: it supports only the probit likelihood";
        return TW_OK;
    }
    tw_status status = bench_time_literal(r->problem->model, from_ep ? r->ep : NULL, row->beta, eps,
                                          LITERAL_POSITIONS, r->x, &row->measured);
    if (status == TW_OK) r->count++;
    if (status != TW_NOT_POSITIVE_DEFINITE) return status;
    r->note = "the literal algorithm of the report is skipped: it needs a K with a Cholesky factor";
    return TW_OK;
}

/* Measure both metrics and the literal algorithm on the path from q at inverse temperature row.beta. */
static tw_status measure_steps(const tw_target *target, bool from_ep, step row, results *r)
{
    static const char *const names[] = {"hessian", "smoothed"};
    const tw_metric metrics[] = {TW_METRIC_HESSIAN, TW_METRIC_SMOOTHED};
    row.engine = "talweg";
    for (size_t k = 0; k < TW_COUNT(metrics); k++) {
        row.metric = names[k];
        TW_TRY(bench_time_step(target, metrics[k], r->ep->variance, eps, POSITIONS, r->x, &row.measured));
        r->steps[r->count++] = row;
        show_progress(r);
    }
    row.engine = "literal";
    row.metric = "hessian";
    r->steps[r->count] = row;
    TW_TRY(measure_literal(from_ep, &r->steps[r->count], r));
    show_progress(r);
    return TW_OK;
}

static tw_status measure_start(bool from_ep, results *r)
{
    const tw_reference *q = from_ep ? r->ep->reference : r->prior;
    const tw_model *model = r->problem->model;
    step row = {.start = from_ep ? "ep" : "prior", .beta = from_ep ? 0.5 : 1.0};
    tw_target *target = NULL;
    TW_TRY(bench_positions(model, r->ep, q, row.beta, POSITIONS, r->x));
    TW_TRY(tw_target_new(model, q, TW_FORM_FOLDED, &target));
    tw_status status = tw_target_set_temperature(target, row.beta);
    if (status == TW_OK) status = measure_steps(target, from_ep, row, r);
    tw_target_free(target);
    return status;
}

static tw_status measure_batches(results *r)
{
    static const size_t columns[BATCHES] = {1, 8, 32, 128};
    tw_target *target = NULL;
    TW_TRY(tw_target_new(r->problem->model, r->prior, TW_FORM_OPEN, &target));
    tw_status status = TW_OK;
    for (size_t k = 0; k < BATCHES && status == TW_OK; k++) {
        status = bench_time_batch(target, TW_METRIC_EP, r->ep->reference, columns[k], &r->batches[k]);
        show_progress(r);
    }
    tw_target_free(target);
    return status;
}

static tw_status measure(tw_context *ctx, const bench_options *options, results *r)
{
    bool quiet = options->output.quiet;
    double potrf[MOST_STEPS];
    TW_TRY(tw_built_in_load(ctx, &options->model, (size_t)options->cases, &r->problem));
    tw_terminal_progress(quiet, "expectation propagation ...");
    TW_TRY(fit(ctx, r));
    tw_meter_begin(&r->meter, quiet, "bench", "measurements");
    TW_TRY(measure_start(false, r));
    TW_TRY(measure_start(true, r));
    TW_TRY(measure_batches(r));
    tw_meter_end(&r->meter);
    for (size_t k = 0; k < r->count; k++) potrf[k] = r->steps[k].measured.potrf_seconds;
    r->potrf = bench_median(r->count, potrf);
    return TW_OK;
}

/* ---- printing ---- */

static void print_steps(const results *r)
{
    printf("%-33s%12s%10s%12s%8s%11s\n", "RMHMC, one step", "time", "dpotrf", "iterations", "active",
           "positions");
    for (size_t k = 0; k < r->count; k++) {
        const step *s = &r->steps[k];
        const bench_step *m = &s->measured;
        printf("  %-5s b = %-4g %-8s%-9s%8.3f ms%10.2f%12.1f%8.0f%11zu", s->start, s->beta, s->engine,
               s->metric, 1e3 * m->seconds, m->seconds / r->potrf, m->momentum + m->position, m->active,
               m->positions);
        if (m->failed) printf("  (%zu failed)", m->failed);
        printf("\n");
    }
    if (r->note) printf("  (%s)\n", r->note);
}

static void print_batches(const results *r)
{
    printf("\n%-33s%12s%12s%8s%12s%8s\n", "HMC in EP's coordinates, one step", "two dtrmm", "double", "ratio",
           "single", "ratio");
    for (size_t k = 0; k < BATCHES; k++) {
        const bench_batch *b = &r->batches[k];
        printf("  %3zu column%-21s%9.3f ms%9.3f ms%8.2f", b->columns, b->columns == 1 ? "" : "s",
               1e3 * b->product_seconds, 1e3 * b->seconds, b->seconds / b->product_seconds);
        if (isfinite(b->single_seconds))
            printf("%9.3f ms%8.2f", 1e3 * b->single_seconds, b->single_seconds / b->product_seconds);
        printf("\n");
    }
}

static void print_table(const bench_options *options, const results *r)
{
    printf("%s: ", *options->model.data ? tw_plain(options->model.data) : "the built-in problem");
    tw_model_print(r->problem, stdout);
    printf("\na Cholesky factor of order %zu (dpotrf) takes %.3f ms. Medians, processor time of one thread, "
           "eps = %g\n\n",
           r->problem->data->n, 1e3 * r->potrf, eps);
    print_steps(r);
    print_batches(r);
}

static json_t *encode_step(const step *s, bool *ok)
{
    const bench_step *m = &s->measured;
    json_t *object = json_object();
    tw_json_set(object, "engine", json_string(s->engine), ok);
    tw_json_set(object, "metric", json_string(s->metric), ok);
    tw_json_set(object, "start", json_string(s->start), ok);
    tw_json_set(object, "beta", tw_json_number(s->beta), ok);
    tw_json_set(object, "eps", tw_json_number(eps), ok);
    tw_json_set(object, "active", tw_json_number(m->active), ok);
    tw_json_set(object, "seconds", tw_json_number(m->seconds), ok);
    tw_json_set(object, "dpotrf_seconds", tw_json_number(m->potrf_seconds), ok);
    tw_json_set(object, "iterations", tw_json_number(m->momentum + m->position), ok);
    tw_json_set(object, "momentum_iterations", tw_json_number(m->momentum), ok);
    tw_json_set(object, "position_iterations", tw_json_number(m->position), ok);
    tw_json_set(object, "tolerance", tw_json_number(m->tolerance), ok);
    tw_json_set(object, "positions", tw_json_count(m->positions), ok);
    tw_json_set(object, "failed", tw_json_count(m->failed), ok);
    return object;
}

static json_t *encode_batch(const bench_batch *b, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "columns", tw_json_count(b->columns), ok);
    tw_json_set(object, "seconds", tw_json_number(b->seconds), ok);
    tw_json_set(object, "single_seconds", tw_json_number(b->single_seconds), ok);
    tw_json_set(object, "gemm_seconds", tw_json_number(b->product_seconds), ok);
    return object;
}

static tw_status print_json(tw_context *ctx, const results *r)
{
    bool ok = true;
    json_t *object = json_object(), *steps = json_array(), *batches = json_array();
    for (size_t k = 0; k < r->count; k++) tw_json_append(steps, encode_step(&r->steps[k], &ok), &ok);
    for (size_t k = 0; k < BATCHES; k++) tw_json_append(batches, encode_batch(&r->batches[k], &ok), &ok);
    tw_json_set(object, "n", tw_json_count(r->problem->data->n), &ok);
    tw_json_set(object, "rank", tw_json_count(tw_model_describe(r->problem->model).rank), &ok);
    tw_json_set(object, "likelihood", json_string(r->problem->likelihood->name), &ok);
    tw_json_set(object, "clock", json_string("processor"), &ok);
    tw_json_set(object, "dpotrf_seconds", tw_json_number(r->potrf), &ok);
    tw_json_set(object, "leapfrog", steps, &ok);
    tw_json_set(object, "hmc_batch", batches, &ok);
    tw_json_set(object, "note", r->note ? json_string(r->note) : json_null(), &ok);
    return tw_result_print_json(ctx, r->problem, object, ok, stdout);
}

/* ---- the command ---- */

static tw_status run(tw_context *ctx, const void *values)
{
    const bench_options *options = values;
    results r = {0};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status = measure(ctx, options, &r);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK && options->output.json) status = print_json(ctx, &r);
    if (status == TW_OK && !options->output.json) print_table(options, &r);
    tw_release(ctx, r.x);
    tw_reference_free(r.prior);
    tw_approximation_free(r.ep);
    tw_problem_free(r.problem);
    return status;
}

/* The command writes no file, so it has no --force, the last output option. */
static const tw_option_group groups[] = {
    TW_BUILT_IN_OPTION_GROUPS(bench_options, model),
    {"Built-in problem", rows, TW_COUNT(rows), 0},
    {"Output", tw_output_option_rows, TW_OUTPUT_OPTION_COUNT - 1, FIELD(output)},
};

const tw_command tw_command_bench = {
    .name = "bench",
    .summary = "measure the cost of a leapfrog step on this machine, in units of a Cholesky factorisation",
    .description =
        "Measure one leapfrog step of size 0.1 on a model, as a ratio to a Cholesky factorisation of order n "
        "(dpotrf) timed in the same run. RMHMC: the implicit equations are solved to 1e-9, from 20 positions "
        "on the path from the prior at b = 1 (the posterior) and on the path from EP at b = 0.5, with the "
        "Hessian and the smoothed metric. If this program was built with it, the literal algorithm of the "
        "report (five iterations of each implicit equation) runs from 3 of these positions, for the probit "
        "likelihood and a K that has a Cholesky factor. `iterations` counts both equations. HMC in EP's "
        "coordinates: a step on 1, 8, 32 and 128 columns, in double precision and with forces in single "
        "precision (as draws are made from 100 cases on), as a ratio to two triangular matrix products by "
        "BLAS (dtrmm).\n\n"
        "Times are medians of the processor time of one thread, which equals wall time on an idle machine. "
        "Exit code 2: EP did not converge, or a metric could not be factored.",
    .example = "  talweg bench\n"
               "  talweg bench train.csv --log-ell 4.85 --log-sigma 5.1 --json\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(bench_options),
    .run = run,
};
