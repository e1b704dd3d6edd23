/* fit.c: talweg fit: fits parameters by maximising log Z + log prior. */
#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/json.h"
#include "cli/model_file.h"
#include "cli/model_options.h"
#include "cli/prior_options.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/fit.h"

typedef struct fit_options {
    tw_model_options model;
    tw_prior_options priors;
    tw_output_options output;
    const char *method, *file;
    uint64_t starts, max_evaluations, seed;
} fit_options;

#define FIELD(member) offsetof(fit_options, member)

static const char *methods(void)
{
    return "ep, laplace";
}

static const tw_option rows[] = {
    {.name = "method",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(method),
     .argument = "NAME",
     .default_value = "ep",
     .choices = methods,
     .help = "the approximation whose log Z is maximised"},
    {.name = "starts",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(starts),
     .argument = "N",
     .default_value = "8",
     .least = 1,
     .most = 1000,
     .help = "number of searches; the first starts at the given values, and at the median of the prior (or "
             "default prior) for other parameters; in the others signal or noise dominates, with long or "
             "short length scales"},
    {.name = "max-evaluations",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(max_evaluations),
     .argument = "N",
     .default_value = "200",
     .least = 1,
     .most = 1e9,
     .help = "end a search after N evaluations of log Z"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of the starting points"},
    {TW_ROW_OUTPUT(FIELD(file)), .help = "write the model with the fitted parameters to FILE, for --model"},
};

/* ---- computing ---- */

typedef struct job {
    const fit_options *options;
    tw_problem *problem;
    tw_priors *priors;
    tw_fit_result *result;
    tw_meter meter;
    double seconds;
} job;

static bool watch(void *user, const tw_fit_progress *p)
{
    job *j = user;
    tw_meter_show(&j->meter, TW_METER_COUNT(p->evaluations, 0));
    return tw_interrupt_seen();
}

static tw_status compute(tw_context *ctx, job *j)
{
    const fit_options *o = j->options;
    tw_fit_options options = TW_FIT_DEFAULTS;
    options.kind = strcmp(o->method, "ep") == 0 ? TW_EP : TW_LAPLACE;
    options.starts = (size_t)o->starts;
    options.max_evaluations = (size_t)o->max_evaluations;
    options.seed = o->seed;
    options.user = j;
    options.on_progress = watch;
    TW_TRY(tw_model_options_load(ctx, &o->model, &j->problem));
    TW_TRY(tw_prior_options_make(&o->priors, j->problem, &j->priors));
    if (tw_prior_wants_default(&o->priors)) /* a typed value is unknown here, and only starts the search */
        TW_TRY(tw_priors_complete(j->priors, j->problem));
    tw_interrupt_catch();
    tw_meter_begin(&j->meter, o->output.quiet, "fitting", "evaluations");
    double start = tw_wall_seconds();
    tw_terminal_mute(j->problem->ctx); /* else each K of the search could log a note about its rank */
    tw_status status = tw_fit(j->problem, j->priors, &options, &j->result);
    tw_terminal_log_to(j->problem->ctx, j->options->output.quiet);
    j->seconds = tw_wall_seconds() - start;
    tw_meter_end(&j->meter);
    if (status == TW_OK) tw_warnings_keep(&j->result->warnings);
    return status;
}

/* ---- a parameter in the output ----
 * A positive parameter is shown as its logarithm, unless its prior is on the natural scale. */

typedef struct shown {
    char name[TW_PARAMETER_NAME + 4], prior[200], brief[200]; /* the prior with all digits, and with few */
    double value, sd, natural; /* sd is NaN if there is none; natural: the value without the logarithm */
    bool fixed;
} shown;

static shown show(const job *j, const double *theta, size_t k)
{
    const tw_parameter *parameter = tw_problem_parameter(j->problem, k);
    const tw_priors *priors = j->priors;
    bool as_log = parameter->transform == TW_TRANSFORM_LOG && !(priors->has[k] && !priors->prior[k].of_log);
    shown s = {.fixed = priors->fixed[k], .natural = tw_parameter_value(parameter, theta[k])};
    snprintf(s.name, sizeof s.name, "%s%s", as_log ? "log_" : "", parameter->name);
    s.value = as_log ? theta[k] : s.natural;
    s.sd = j->result->sd[k];
    if (!as_log && parameter->transform == TW_TRANSFORM_LOG)
        s.sd *= s.natural; /* d value = value d log(value) */
    if (priors->has[k]) tw_prior_print(&priors->prior[k], parameter, s.prior, sizeof s.prior);
    if (priors->has[k]) tw_prior_show(&priors->prior[k], parameter, s.brief, sizeof s.brief);
    return s;
}

/* ---- the table ---- */

static void print_parameters(const job *j)
{
    const tw_fit_result *r = j->result;
    printf("\n%-20s%12s%12s%14s   %s\n", "parameter", "value", "sd", "natural", "prior");
    for (size_t k = 0; k < r->count; k++) {
        shown s = show(j, r->optimum[0].theta, k);
        char sd[32] = "-";
        if (isfinite(s.sd)) snprintf(sd, sizeof sd, "%.4g", s.sd);
        const char *density = strchr(s.brief, '~');
        printf("%-20s%12.5g%12s%14.5g   %s%s\n", tw_plain(s.name), s.value, s.fixed ? "fixed" : sd, s.natural,
               density   ? density + 2
               : s.fixed ? ""
                         : "none",
               r->at_bound[k] ? "  AT THE BOUND" : "");
    }
}

/* If there are several optima, print one line for each. */
static void print_optima(const job *j)
{
    const tw_fit_result *r = j->result;
    if (r->optima < 2 || r->stopped) return;
    printf("\n%zu optima\n", r->optima);
    for (size_t i = 0; i < r->optima; i++) {
        printf("  %.4f from %zu start%s:", r->optimum[i].log_posterior, r->optimum[i].starts,
               r->optimum[i].starts == 1 ? "" : "s");
        for (size_t k = 0; k < r->count; k++) {
            shown s = show(j, r->optimum[i].theta, k);
            if (!s.fixed) printf(" %s %.4g", tw_plain(s.name), s.value);
        }
        printf("\n");
    }
}

static void print_table(const job *j)
{
    const fit_options *o = j->options;
    const tw_fit_result *r = j->result;
    printf("%s: ", tw_plain(o->model.data));
    tw_model_print(j->problem, stdout);
    print_parameters(j);
    printf("\nlog Z (%s)       %14.4f\n", strcmp(o->method, "ep") == 0 ? "EP" : "Laplace",
           r->optimum[0].log_z);
    printf("with log prior   %14.4f\n", r->optimum[0].log_posterior);
    printf("verdict          %s\n", r->converged ? "a maximum" : "NOT a reliable maximum: see the warnings");
    printf("search           %zu of %zu start%s ended here, %zu evaluations of log Z (%zu failed), %.2f s\n",
           r->starts_at_best, r->starts, r->starts == 1 ? "" : "s", r->evaluations, r->failures, j->seconds);
    print_optima(j);
}

/* ---- JSON ---- */

static json_t *encode_parameter(const job *j, size_t k, bool *ok)
{
    shown s = show(j, j->result->optimum[0].theta, k);
    json_t *object = json_object();
    tw_json_set(object, "name", json_string(s.name), ok);
    tw_json_set(object, "value", tw_json_number(s.value), ok);
    tw_json_set(object, "sd", tw_json_number(s.sd), ok);
    tw_json_set(object, "prior", *s.prior ? json_string(s.prior) : json_null(), ok);
    tw_json_set(object, "natural", tw_json_number(s.natural), ok);
    tw_json_set(object, "fixed", json_boolean(s.fixed), ok);
    tw_json_set(object, "at_bound", json_boolean(j->result->at_bound[k]), ok);
    return object;
}

static json_t *encode_optima(const tw_fit_result *r, bool *ok)
{
    json_t *array = json_array();
    for (size_t i = 0; i < r->optima; i++) {
        json_t *object = json_object();
        tw_json_set(object, "theta", tw_json_numbers(r->count, r->optimum[i].theta), ok);
        tw_json_set(object, "log_z", tw_json_number(r->optimum[i].log_z), ok);
        tw_json_set(object, "log_posterior", tw_json_number(r->optimum[i].log_posterior), ok);
        tw_json_set(object, "starts", tw_json_count(r->optimum[i].starts), ok);
        tw_json_append(array, object, ok);
    }
    return array;
}

static tw_status print_json(tw_context *ctx, const job *j)
{
    bool ok = true;
    const tw_fit_result *r = j->result;
    json_t *object = json_object(), *parameters = json_array();
    for (size_t k = 0; k < r->count; k++) tw_json_append(parameters, encode_parameter(j, k, &ok), &ok);
    tw_json_set(object, "parameters", parameters, &ok);
    tw_json_set(object, "method", json_string(j->options->method), &ok);
    tw_json_set(object, "log_z", tw_json_number(r->optimum[0].log_z), &ok);
    tw_json_set(object, "log_posterior", tw_json_number(r->optimum[0].log_posterior), &ok);
    tw_json_set(object, "converged", json_boolean(r->converged), &ok);
    tw_json_set(object, "flat", json_boolean(r->flat), &ok);
    tw_json_set(object, "optima", encode_optima(r, &ok), &ok);
    tw_json_set(object, "evaluations", tw_json_count(r->evaluations), &ok);
    tw_json_set(object, "failures", tw_json_count(r->failures), &ok);
    tw_json_set(object, "starts", tw_json_count(r->starts), &ok);
    tw_json_set(object, "starts_at_best", tw_json_count(r->starts_at_best), &ok);
    tw_json_set(object, "seconds", tw_json_number(j->seconds), &ok);
    return tw_result_print_json(ctx, j->problem, object, ok, stdout);
}

/* ---- the command ---- */

static tw_status write_file(const job *j)
{
    const fit_options *o = j->options;
    tw_model_description model = {&tw_command_fit, o, o->model.data, j->problem, j->priors};
    return o->file ? tw_model_file_write(&model, o->file, o->output.force) : TW_OK;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const fit_options *options = values;
    job j = {.options = options};
    tw_terminal_log_to(ctx, options->output.quiet);
    if (options->file) TW_TRY(tw_writer_hold(ctx, options->file, options->output.force));
    tw_status status = compute(ctx, &j);
    tw_terminal_progress(options->output.quiet, NULL);
    if (status == TW_OK && options->output.json) status = print_json(ctx, &j);
    if (status == TW_OK && !options->output.json) print_table(&j);
    if (status == TW_OK && !options->output.json) tw_warnings_say(&j.result->warnings);
    if (status == TW_OK) status = write_file(&j);
    tw_fit_free(j.result);
    tw_priors_free(j.priors);
    tw_problem_free(j.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(fit_options, model),
    TW_PRIOR_OPTION_GROUP(fit_options, priors),
    {"Fit", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(fit_options, output),
};

const tw_command tw_command_fit = {
    .name = "fit",
    .summary = "fit parameters by maximising log Z, with standard deviations",
    .description =
        "Find the parameters of kernel and likelihood that maximise log Z (EP's or Laplace's) plus the log "
        "density of their priors. A given value is the start of the search; --fix fixes it. Every parameter "
        "that is not fixed is fitted; one without a prior has a flat prior on its logarithm.\n\n"
        "Searches (L-BFGS with exact derivatives) start from several points; distinct optima are listed. "
        "Each parameter stays within 5 standard deviations of its default prior and within the support of "
        "its own prior. Standard deviations come from the curvature at the maximum; they are those of the "
        "logarithm if the logarithm is printed.\n\n"
        "The verdict: a maximum has a gradient within 0.05 standard deviations of 0, is inside the searched "
        "range, and is curved in every direction. If the data are separable, or an input is irrelevant, a "
        "maximum may not exist: give a prior, or --prior default.\n\n"
        "Ctrl-C ends the search with the best result so far.",
    .example =
        "  talweg fit pima.csv --standardise -o pima.json && talweg sample --model pima.json -o run.nc\n"
        "  talweg fit pima.csv --standardise --kernel 'se(ard)' --prior default\n"
        "  talweg fit coal.csv --likelihood poisson --kernel matern52 --prior 'ell ~ gamma(25, 4)' --fix "
        "sigma=1\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(fit_options),
    .run = run,
};
