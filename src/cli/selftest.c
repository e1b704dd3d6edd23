/* selftest.c: talweg selftest:
 * checks reversibility, volume, order, invariance and derivatives on the user's model. */
#include <math.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/sampler_options.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/selftest.h"

typedef struct selftest_options {
    tw_model_options model;
    tw_output_options output;
    uint64_t cases, steps, fixed_point, seed, threads;
    const char *metric;
    double eps, solver_tol;
} selftest_options;

#define FIELD(member) offsetof(selftest_options, member)

static const tw_option rows[] = {
    {TW_ROW_CASES(FIELD(cases)), .default_value = "40", .help = "of the built-in problem"},
    {TW_ROW_METRIC(FIELD(metric)), .default_value = "smoothed", .choices = tw_metric_names_following,
     .help = "of RMHMC"},
    {TW_ROW_EPS(FIELD(eps)), .default_value = "0", .most = INFINITY,
     .help =
         "the step size of the trajectories; 0: the largest of 0.4, 0.2, 0.1, ... whose energy error stays "
         "below 0.5"},
    {TW_ROW_STEPS(FIELD(steps)), .default_value = "10", .least = 1, .most = 1000,
     .help = "leapfrog steps of a trajectory"},
    {TW_ROW_SOLVER_TOL(FIELD(solver_tol)),
     .help = "RMHMC: tolerance of the implicit equations, on the whitened scale; volume and order are "
             "measured at 1e-12 or below"},
    {TW_ROW_FIXED_POINT(FIELD(fixed_point)), .most = 1000,
     .help = "RMHMC: run exactly N plain iterations instead, which fails the checks for small N; 0: use "
             "--solver-tol"},
    {TW_ROW_SEED(FIELD(seed)),
     .help = "seed of the random numbers: starts, directions, subsets of cases, chains"},
    {TW_ROW_THREADS(FIELD(threads))},
};

/* ---- running ---- */

enum { MOST_LIKELIHOODS = 64, OTHER_CASES = 8 };

/* The result for a likelihood other than the problem's. */
typedef struct other {
    const tw_likelihood *likelihood;
    tw_selftest found;
} other;

typedef struct results {
    tw_problem *problem;
    tw_meter meter;
    tw_selftest found;
    size_t others; /* 0: only the problem was checked */
    other *other;
    double seconds;
} results;

static void show_progress(void *user, const tw_check *check)
{
    (void)check;
    results *r = user;
    tw_meter_show(&r->meter, TW_METER_COUNT(++r->meter.last.done, (1 + r->others) * TW_SELFTEST_CHECKS));
}

/* Are all likelihoods to be checked? Yes, without DATA and --likelihood:
 * its value is then the table's pointer. */
static bool wants_all(const selftest_options *options)
{
    for (size_t k = 0; k < TW_MODEL_OPTION_COUNT; k++)
        if (tw_model_option_rows[k].default_value == options->model.likelihood) return !*options->model.data;
    return false;
}

static tw_status list_others(tw_context *ctx, const selftest_options *options, results *r)
{
    void *memory = NULL;
    const tw_likelihood *likelihood = NULL;
    if (!wants_all(options)) return TW_OK;
    TW_TRY(tw_allocate(ctx, MOST_LIKELIHOODS, sizeof *r->other, "the likelihoods", &memory));
    r->other = memory;
    for (size_t i = 0; (likelihood = tw_likelihood_at(i)) && r->others < MOST_LIKELIHOODS; i++)
        if (likelihood != r->problem->likelihood) r->other[r->others++].likelihood = likelihood;
    return TW_OK;
}

static tw_status check_others(tw_context *ctx, const selftest_options *options, const tw_selftest_options *to,
                              results *r)
{
    tw_model_options model = options->model;
    for (size_t k = 0; k < r->others; k++) {
        tw_problem *problem = NULL;
        model.likelihood = r->other[k].likelihood->name;
        TW_TRY(tw_built_in_load(ctx, &model, OTHER_CASES, &problem));
        tw_status status = tw_selftest_run(problem->model, to, &r->other[k].found);
        tw_problem_free(problem);
        if (status != TW_OK) return status;
    }
    return TW_OK;
}

static tw_status check(tw_context *ctx, const selftest_options *options, results *r)
{
    tw_selftest_options to = {.metric = tw_metric_find(options->metric)->metric,
                              .eps = options->eps,
                              .steps = (size_t)options->steps,
                              .solver_tolerance = options->solver_tol,
                              .fixed_point = (size_t)options->fixed_point,
                              .seed = options->seed,
                              .threads = tw_threads((size_t)options->threads),
                              .user = r,
                              .on_check = show_progress};
    TW_TRY(tw_built_in_load(ctx, &options->model, (size_t)options->cases, &r->problem));
    TW_TRY(list_others(ctx, options, r));
    double start = tw_wall_seconds();
    tw_meter_begin(&r->meter, options->output.quiet, "checking", "checks");
    tw_status status = tw_selftest_run(r->problem->model, &to, &r->found);
    if (status == TW_OK) status = check_others(ctx, options, &to, r);
    tw_meter_end(&r->meter);
    r->seconds = tw_wall_seconds() - start;
    return status;
}

/* ---- printing ---- */

static const char *verdict_of(const tw_check *check)
{
    return check->verdict == TW_CHECK_PASSED   ? "ok"
           : check->verdict == TW_CHECK_FAILED ? "FAILED"
                                               : "skipped";
}

static void print_check(const tw_check *check)
{
    char limit[48];
    tw_colour colour = check->verdict == TW_CHECK_PASSED   ? TW_COLOUR_GREEN
                       : check->verdict == TW_CHECK_FAILED ? TW_COLOUR_RED
                                                           : TW_COLOUR_YELLOW;
    if (check->low > 0.0)
        snprintf(limit, sizeof limit, "%g to %g", check->low, check->high);
    else
        snprintf(limit, sizeof limit, "%.3g", check->high);
    printf("  %-30s%-27s%7zu%11.2g%12s   %s%s%s\n", check->of, check->name, check->cases, check->measured,
           limit, tw_terminal_colour(stdout, colour), verdict_of(check),
           tw_terminal_colour(stdout, TW_COLOUR_NONE));
}

/* Explain a check that failed or was skipped. */
static void explain(const tw_check *check)
{
    if (check->verdict == TW_CHECK_PASSED) return;
    printf("\n%s, %s: %s.\n  Measured: %s.\n", check->of, check->name, check->cure, check->meaning);
}

/* Print one line for each other likelihood, and the checks that failed. */
static void print_others(const results *r)
{
    if (r->others == 0) return;
    printf("\nThe other likelihoods, %d cases each:\n", OTHER_CASES);
    for (size_t k = 0; k < r->others; k++) {
        const tw_selftest *found = &r->other[k].found;
        printf("  %-30s%zu checks, %zu failed, %zu skipped\n", r->other[k].likelihood->name, found->count,
               found->failed, found->skipped);
        for (size_t i = 0; i < found->count; i++)
            if (found->checks[i].verdict == TW_CHECK_FAILED) print_check(&found->checks[i]);
    }
}

static size_t count_failed(const results *r, size_t *checks)
{
    size_t failed = r->found.failed;
    *checks = r->found.count;
    for (size_t k = 0; k < r->others; k++) {
        failed += r->other[k].found.failed;
        *checks += r->other[k].found.count;
    }
    return failed;
}

static void print_table(const selftest_options *options, const results *r)
{
    const tw_selftest *found = &r->found;
    printf("%s: ", *options->model.data ? tw_plain(options->model.data) : "the built-in problem");
    tw_model_print(r->problem, stdout);
    printf("\n  %-30s%-27s%7s%11s%12s\n", "", "check", "cases", "measured", "limit");
    for (size_t k = 0; k < found->count; k++) print_check(&found->checks[k]);
    for (size_t k = 0; k < found->count; k++) explain(&found->checks[k]);
    print_others(r);
    size_t checks = 0, failed = count_failed(r, &checks);
    if (r->others)
        printf("\n%zu checks of %zu likelihoods, %zu failed; %.1f s\n", checks, 1 + r->others, failed,
               r->seconds);
    else
        printf("\n%zu checks, %zu failed, %zu skipped; %.1f s\n", checks, failed, found->skipped, r->seconds);
}

static json_t *encode_check(const tw_check *check, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "of", json_string(check->of), ok);
    tw_json_set(object, "check", json_string(check->name), ok);
    tw_json_set(object, "meaning", json_string(check->meaning), ok);
    tw_json_set(object, "cases", tw_json_count(check->cases), ok);
    tw_json_set(object, "measured", tw_json_number(check->measured), ok);
    tw_json_set(object, "low", tw_json_number(check->low), ok);
    tw_json_set(object, "high", tw_json_number(check->high), ok);
    tw_json_set(object, "verdict", json_string(verdict_of(check)), ok);
    return object;
}

static json_t *encode_checks(const tw_selftest *found, bool *ok)
{
    json_t *checks = json_array();
    for (size_t k = 0; k < found->count; k++) tw_json_append(checks, encode_check(&found->checks[k], ok), ok);
    return checks;
}

static json_t *encode_others(const results *r, bool *ok)
{
    json_t *others = json_array();
    for (size_t k = 0; k < r->others; k++) {
        json_t *one = json_object();
        tw_json_set(one, "likelihood", json_string(r->other[k].likelihood->name), ok);
        tw_json_set(one, "failed", tw_json_count(r->other[k].found.failed), ok);
        tw_json_set(one, "skipped", tw_json_count(r->other[k].found.skipped), ok);
        tw_json_set(one, "checks", encode_checks(&r->other[k].found, ok), ok);
        tw_json_append(others, one, ok);
    }
    return others;
}

static tw_status print_json(tw_context *ctx, const results *r)
{
    bool ok = true;
    json_t *object = json_object();
    tw_json_set(object, "n", tw_json_count(r->problem->data->n), &ok);
    tw_json_set(object, "likelihood", json_string(r->problem->likelihood->name), &ok);
    tw_json_set(object, "failed", tw_json_count(r->found.failed), &ok);
    tw_json_set(object, "skipped", tw_json_count(r->found.skipped), &ok);
    tw_json_set(object, "seconds", tw_json_number(r->seconds), &ok);
    tw_json_set(object, "checks", encode_checks(&r->found, &ok), &ok);
    tw_json_set(object, "other_likelihoods", encode_others(r, &ok), &ok);
    return tw_result_print_json(ctx, r->problem, object, ok, stdout);
}

/* ---- the command ---- */

static tw_status judge(tw_context *ctx, const results *r)
{
    size_t checks = 0, failed = count_failed(r, &checks);
    if (failed == 0) return TW_OK;
    return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                   "%zu of %zu checks failed: do not trust draws and evidence made with these settings",
                   failed, checks);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const selftest_options *options = values;
    results r = {0};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status = check(ctx, options, &r);
    if (status == TW_OK && options->output.json) status = print_json(ctx, &r);
    if (status == TW_OK && !options->output.json) print_table(options, &r);
    if (status == TW_OK) status = judge(ctx, &r);
    tw_problem_free(r.problem);
    tw_release(ctx, r.other);
    return status;
}

static const tw_option_group groups[] = {
    TW_BUILT_IN_OPTION_GROUPS(selftest_options, model),
    {"Checks", rows, TW_COUNT(rows), 0},
    {"Output", tw_output_option_rows, TW_OUTPUT_OPTION_COUNT - 1, FIELD(output)},
};

const tw_command tw_command_selftest = {
    .name = "selftest",
    .summary = "check reversibility, volume, order, invariance and derivatives on your model",
    .description =
        "Check the properties that make the draws exact, on your data and model: the factor of K; the "
        "derivatives of the likelihood and the gradient of the log density, against finite differences; EP's "
        "fixed point; and, for the integrators of HMC (metric ep) and RMHMC, reversibility, preservation of "
        "volume (the determinant of a numerical Jacobian) and an energy error of order 2 in the step size. "
        "Finally, HMC, RMHMC, elliptical slice sampling and mGrad must agree on the means of x and x^2 "
        "within 5 joint Monte Carlo errors.\n\n"
        "Expensive checks use a random subset of the cases (150 for trajectories, 30 for the agreement, 12 "
        "for volume). Without DATA and --likelihood every likelihood is checked, the default one on the "
        "built-in problem and the others on a few built-in cases each. Exit code 2: a check failed.",
    .example = "  talweg selftest\n"
               "  talweg selftest train.csv --log-ell 4.85 --log-sigma 5.1 --metric hessian\n"
               "  talweg selftest --fixed-point 1     # does not solve the implicit equations: fails\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(selftest_options),
    .run = run,
};
