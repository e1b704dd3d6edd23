/* approx.c: talweg approx: fits Laplace and EP, corrects EP's log Z, and prints all three. */
#include <math.h>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"

typedef struct approx_options {
    tw_model_options model;
    tw_output_options output;
    uint64_t max_sweeps, orders;
    double tol, site_tol;
    const char *marginals, *save;
} approx_options;

#define FIELD(member) offsetof(approx_options, member)

static const tw_option rows[] = {
    {.name = "max-sweeps",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(max_sweeps),
     .argument = "N",
     .default_value = "200",
     .least = 1,
     .most = INFINITY,
     .help = "stop EP after N sweeps over all sites"},
    {.name = "tol",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(tol),
     .argument = "X",
     .default_value = "1e-8",
     .positive = true,
     .help = "EP has converged when log Z changes by less than X nats in a sweep, and --site-tol holds"},
    {.name = "site-tol",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(site_tol),
     .argument = "X",
     .default_value = "1e-6",
     .positive = true,
     .help = "largest allowed difference between the tilted and the marginal mean and variance of a site, in "
             "units of the marginal"},
    {.name = "orders",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(orders),
     .argument = "L",
     .default_value = "4",
     .least = 3,
     .most = TW_CORRECTION_MAX_ORDER,
     .help = "highest order of cumulants in the correction"},
    {.name = "marginals",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(marginals),
     .argument = "FILE",
     .help = "write the mean and standard deviation of every latent value to a CSV file"},
    {.name = "save-approx",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(save),
     .argument = "FILE",
     .help = "write EP's approximation and its model to a JSON file for talweg predict"},
};

/* ---- computing ---- */

typedef struct results {
    tw_problem *problem;
    tw_approximation *laplace, *ep;
    double laplace_seconds, ep_seconds;
    tw_correction correction;
    bool corrected; /* false: no correction, because EP did not converge or there are too many cases */
    tw_warnings warnings;
} results;

static void free_results(results *r)
{
    tw_approximation_free(r->laplace);
    tw_approximation_free(r->ep);
    tw_problem_free(r->problem);
}

static tw_status correct(const approx_options *options, results *r)
{
    tw_status status = tw_ep_correct(r->problem->model, r->ep, (size_t)options->orders, &r->correction);
    r->corrected = status == TW_OK;
    if (!r->corrected) r->correction.log_z = NAN;
    return status == TW_NOT_CONVERGED ? TW_OK : status;
}

static tw_status compute(tw_context *ctx, const approx_options *options, results *r)
{
    tw_ep_options ep = TW_EP_DEFAULTS;
    ep.max_sweeps = (size_t)options->max_sweeps;
    ep.tolerance = options->tol;
    ep.site_tolerance = options->site_tol;
    bool quiet = options->output.quiet;
    tw_meter meter = {0};
    TW_TRY(tw_model_options_load(ctx, &options->model, &r->problem));
    tw_terminal_progress(quiet, "Laplace ...");
    double start = tw_wall_seconds();
    TW_TRY(tw_laplace_fit(r->problem->model, NULL, &r->laplace));
    double between = tw_wall_seconds();
    tw_meter_begin(&meter, quiet, "expectation propagation", NULL);
    ep.user = &meter;
    ep.on_progress = tw_meter_watch;
    tw_status status = tw_ep_fit(r->problem->model, &ep, &r->ep);
    tw_meter_end(&meter);
    if (status != TW_OK) return status;
    double end = tw_wall_seconds();
    r->laplace_seconds = between - start;
    r->ep_seconds = end - between;
    return correct(options, r);
}

/* ---- printing ---- */

static void print_row(const char *name, const tw_approximation *a, const char *unit, double seconds)
{
    char iterations[48];
    snprintf(iterations, sizeof iterations, "%zu %s%s", a->iterations, unit, a->iterations == 1 ? "" : "s");
    printf("%-14s%16.4f   %-10s%-14s%-11.1e%8.3f s\n", name, a->log_z,
           !a->converged     ? "NO"
           : isnan(a->log_z) ? "no digits"
                             : "yes",
           iterations, a->residual, seconds);
}

static void print_correction(const results *r)
{
    const tw_correction *c = &r->correction;
    if (!r->corrected) {
        printf("%-14s%16s   skipped: needs a converged EP\n", "EP corrected", "-");
        return;
    }
    printf("%-14s%16.4f   ", "EP corrected", c->log_z);
    for (size_t l = 3; l <= c->orders; l++) printf("%sorder %zu: %+.4g", l > 3 ? ", " : "", l, c->term[l]);
    printf("%s\n", c->decreasing ? "" : " (NOT decreasing)");
}

static void print_table(const approx_options *options, const results *r)
{
    printf("%s: ", tw_plain(options->model.data));
    tw_model_print(r->problem, stdout);
    printf("\n%-14s%16s   %-10s%-14s%-11s%10s\n", "", "log Z (nats)", "converged", "iterations", "residual",
           "time");
    print_row("Laplace", r->laplace, "step", r->laplace_seconds);
    print_row("EP", r->ep, "sweep", r->ep_seconds);
    print_correction(r);
}

static json_t *encode_approximation(const tw_approximation *a, const char *unit, double seconds, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "log_z", tw_json_number(a->log_z), ok);
    tw_json_set(object, "converged", json_boolean(a->converged), ok);
    tw_json_set(object, unit, tw_json_count(a->iterations), ok);
    tw_json_set(object, "residual", tw_json_number(a->residual), ok);
    tw_json_set(object, "seconds", tw_json_number(seconds), ok);
    return object;
}

static json_t *encode_correction(const results *r, bool *ok)
{
    const tw_correction *c = &r->correction;
    json_t *object = json_object(), *terms = json_array();
    for (size_t l = 3; r->corrected && l <= c->orders; l++)
        tw_json_append(terms, tw_json_number(c->term[l]), ok);
    tw_json_set(object, "log_z", tw_json_number(c->log_z), ok);
    tw_json_set(object, "first_order", tw_json_count(3), ok);
    tw_json_set(object, "terms", terms, ok);
    tw_json_set(object, "decreasing", r->corrected ? json_boolean(c->decreasing) : json_null(), ok);
    return object;
}

static tw_status print_json(tw_context *ctx, const results *r)
{
    bool ok = true;
    json_t *object = json_object();
    tw_json_set(object, "n", tw_json_count(r->problem->data->n), &ok);
    tw_json_set(object, "rank", tw_json_count(tw_model_describe(r->problem->model).rank), &ok);
    tw_json_set(object, "likelihood", json_string(r->problem->likelihood->name), &ok);
    tw_json_set(object, "laplace", encode_approximation(r->laplace, "steps", r->laplace_seconds, &ok), &ok);
    tw_json_set(object, "ep", encode_approximation(r->ep, "sweeps", r->ep_seconds, &ok), &ok);
    tw_json_set(object, "ep_corrected", encode_correction(r, &ok), &ok);
    return tw_result_print_json(ctx, r->problem, object, ok, stdout);
}

/* ---- files ---- */

static tw_status check_files(tw_context *ctx, const approx_options *options)
{
    if (options->marginals) TW_TRY(tw_writer_hold(ctx, options->marginals, options->output.force));
    return options->save ? tw_writer_hold(ctx, options->save, options->output.force) : TW_OK;
}

enum { MARGINAL_COLUMNS = 5 };

/* The columns of the file: index, and mean and standard deviation by both approximations. */
static void fill_marginals(const results *r, double *block)
{
    size_t n = r->ep->n;
    for (size_t i = 0; i < n; i++) {
        block[i] = (double)(i + 1);
        block[i + n] = r->laplace->mean[i];
        block[i + 2 * n] = sqrt(r->laplace->variance[i]);
        block[i + 3 * n] = r->ep->mean[i];
        block[i + 4 * n] = sqrt(r->ep->variance[i]);
    }
}

static tw_status write_marginals(tw_context *ctx, const approx_options *options, const results *r)
{
    static const char *const names[MARGINAL_COLUMNS] = {"index", "laplace_mean", "laplace_sd", "ep_mean",
                                                        "ep_sd"};
    const double *values[MARGINAL_COLUMNS];
    double *block = NULL;
    size_t n = r->ep->n;
    TW_TRY(tw_allocate_doubles(ctx, n, MARGINAL_COLUMNS, "the marginals", &block));
    fill_marginals(r, block);
    for (size_t j = 0; j < MARGINAL_COLUMNS; j++) values[j] = block + j * n;
    tw_csv csv = {n, MARGINAL_COLUMNS, names, values, NULL, false};
    tw_status status = tw_csv_save(ctx, &csv, options->marginals, options->output.force);
    tw_release(ctx, block);
    return status;
}

static tw_status write_files(tw_context *ctx, const approx_options *options, const results *r)
{
    if (options->marginals) TW_TRY(write_marginals(ctx, options, r));
    if (!options->save) return TW_OK;
    return tw_approximation_save(r->problem, r->ep, options->save, options->output.force);
}

/* ---- the command ---- */

/* The prior standard deviation of the first case; 0 if it is not known. */
static double prior_sd(const tw_problem *problem)
{
    double variance = 0.0;
    if (tw_kernel_matrix(problem->kernel, NULL)) return 0.0;
    if (tw_kernel_diagonal(problem->kernel, 1, problem->data->d, problem->data->x, problem->data->n,
                           &variance) != TW_OK)
        return 0.0;
    return sqrt(variance);
}

/* The residual is not finite: K is too large for double precision, or the moments of a site cannot be
 * computed, or (for a likelihood that is not log-concave) the sites define no distribution. More sweeps would
 * not help. */
static tw_status fail_overflow(tw_context *ctx, const results *r, const char *name)
{
    double sd = prior_sd(r->problem);
    if (sd > 1e6)
        return tw_fail(ctx, TW_NOT_CONVERGED,
                       "%s failed: the prior standard deviation (%.2g) is too large for double precision. "
                       "Use a smaller --log-sigma",
                       name, sd);
    return tw_fail(ctx, TW_NOT_CONVERGED,
                   "%s failed: its Gaussian is not a proper distribution, or the moments of a case exceed "
                   "double precision. Check for extreme observations and parameters of the %s likelihood, or "
                   "use talweg evidence --from prior or talweg sample",
                   name, r->problem->likelihood->name);
}

/* Fail if a fit did not converge; otherwise print the warnings. */
static tw_status judge(tw_context *ctx, const approx_options *options, const results *r)
{
    if (!r->ep->converged && !isfinite(r->ep->residual)) return fail_overflow(ctx, r, "EP");
    if (r->ep->rounding > TW_MOST_ROUNDING)
        return tw_fail(ctx, TW_NUMERICAL_FAILURE,
                       "EP's log Z is withheld, because it has a rounding error of up to %.1g nats: the "
                       "variances or precisions of the model span more orders of magnitude than double "
                       "precision has digits. Use a smaller --log-sigma or degree, or more noise",
                       r->ep->rounding);
    if (!r->laplace->converged && !isfinite(r->laplace->residual))
        return fail_overflow(ctx, r, "Laplace's approximation");
    if (!r->ep->converged)
        return tw_fail(ctx, TW_NOT_CONVERGED,
                       "EP did not converge in %zu sweep%s (residual %.1e, allowed %.1e): do not use its log "
                       "Z. Raise --max-sweeps (now %zu); if that does not help, loosen --tol and --site-tol, "
                       "or check the scale of the inputs (--standardise, --log-ell)",
                       r->ep->iterations, r->ep->iterations == 1 ? "" : "s", r->ep->residual,
                       options->site_tol, (size_t)options->max_sweeps);
    if (!r->laplace->converged)
        return tw_fail(ctx, TW_NOT_CONVERGED,
                       "Newton's method for Laplace's approximation did not converge in %zu steps (the mode "
                       "is %.1e standard deviations away): do not use its log Z; EP's is fine",
                       r->laplace->iterations, r->laplace->residual);
    tw_warnings_say(&r->warnings);
    return TW_OK;
}

static void warn(results *r, tw_warning_code code, double first, double second)
{
    tw_warnings_add(&r->warnings, &(tw_warning){.code = code, .number = {first, second}});
}

static void warn_rounding(results *r, const char *name, const tw_approximation *a)
{
    const tw_warning lost = {.code = TW_WARN_ROUNDING, .number = {a->rounding}, .name = name};
    if (a->converged && a->rounding > TW_EP_ROUNDING) tw_warnings_add(&r->warnings, &lost);
}

/* The warnings of the JSON output; `judge` reports some of them as errors. */
static void find_warnings(results *r)
{
    const tw_approximation *ep = r->ep, *laplace = r->laplace;
    tw_problem_warn_defaults(r->problem);
    tw_problem_warn_lengths(r->problem);
    if (!ep->converged)
        warn(r, isfinite(ep->residual) ? TW_WARN_EP : TW_WARN_EP_OVERFLOW, (double)ep->iterations,
             ep->residual);
    warn_rounding(r, "EP", ep);
    warn_rounding(r, "Laplace", laplace);
    if (!laplace->converged)
        warn(r, isfinite(laplace->residual) ? TW_WARN_LAPLACE : TW_WARN_LAPLACE_OVERFLOW,
             (double)laplace->iterations, laplace->residual);
    if (r->corrected && !r->correction.decreasing) warn(r, TW_WARN_CORRECTION, 0.0, 0.0);
    tw_warnings_keep(&r->warnings);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const approx_options *options = values;
    results r = {0};
    tw_terminal_log_to(ctx, options->output.quiet);
    tw_status status = check_files(ctx, options);
    if (status == TW_OK) status = compute(ctx, options, &r);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK) find_warnings(&r);
    if (status == TW_OK && options->output.json) status = print_json(ctx, &r);
    if (status == TW_OK && !options->output.json) print_table(options, &r);
    if (status == TW_OK) status = write_files(ctx, options, &r);
    if (status == TW_OK) status = judge(ctx, options, &r);
    free_results(&r);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(approx_options, model),
    {"Approximation", rows, TW_COUNT(rows), 0},
    TW_DISTRIBUTE_OPTION_GROUP(approx_options, model),
    TW_OUTPUT_OPTION_GROUP(approx_options, output),
};

const tw_command tw_command_approx = {
    .name = "approx",
    .summary = "fit Laplace, EP and corrected EP: log Z, marginals, convergence",
    .description =
        "Fit Gaussian approximations to the posterior of the latent values and print their estimates of log "
        "Z = log p(y), in nats: Laplace's (Newton's method, until a step can gain less than 1e-9 nats and "
        "change log Z by less than 1e-8, at most 100 steps), expectation propagation's (EP: sequential "
        "sweeps, or a provably convergent double loop if they fail), and EP's with its second-order "
        "correction.\n\n"
        "If EP does not converge, its result is printed and marked, the correction is skipped, and the exit "
        "code is 2. A correction whose terms do not decrease with their order is marked, with a warning.",
    .example = "  talweg approx ionosphere.csv --likelihood probit --log-ell 1 --log-sigma 1.5\n"
               "  talweg approx coal.csv --likelihood poisson --kernel matern52 --log-ell 2 --json\n"
               "  talweg approx train.csv --standardise --save-approx fit.json && talweg predict fit.json "
               "test.csv\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(approx_options),
    .run = run,
};
