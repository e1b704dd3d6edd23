/* check.c: talweg check: checks an approximation against exact draws and log Z. */
#include "cli/check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/files.h"
#include "talweg/report.h"

enum { EXIT_WRONG = 4, EXIT_UNDECIDED = 5 };

#define FIELD(member) offsetof(tw_check_flags, member)

static const tw_option rows[] = {
    {.name = "against",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(against),
     .argument = "FILE|ep|laplace",
     .default_value = "ep",
     .help = "the approximation to check: EP, Laplace, or a file with the results of another program. CSV: a "
             "header with some of name, mean, sd, q05, q50, q95, and a row for each latent. JSON: an object "
             "with arrays of those names, log_z, and log_z_omits (the constants that log_z omits). Names are "
             "x.1, x.2, ..., in the order of the data; a file without names lists all latents in that order"},
    {.name = "log-z",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_z),
     .argument = "X",
     .help = "the log Z to check, in nats, with all constants; overrides that of the file"},
    {.name = "tolerance",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(tolerance),
     .argument = "X",
     .default_value = "0.1",
     .positive = true,
     .help = "tolerance of a mean, standard deviation or median, in posterior standard deviations; that of a "
             "5 % or 95 % quantile is 2.645 X, the error that results if the mean and the standard deviation "
             "are both off by X"},
    {.name = "log-z-tolerance",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_z_tolerance),
     .argument = "X",
     .default_value = "0.1",
     .positive = true,
     .help = "tolerance of log Z, in nats"},
    {.name = "method",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(methods),
     .argument = "NAME[,NAME...]",
     .default_value = "ais,ais-reverse",
     .choices = tw_evidence_method_names,
     .help = "methods that estimate log Z, as in talweg evidence; particles are added until the standard "
             "error is a fifth of --log-z-tolerance"},
    {.name = "chains",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(chains),
     .argument = "C",
     .default_value = "4",
     .least = 1,
     .most = 1e6,
     .help = "number of Markov chains"},
    {.name = "warmup",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(warmup),
     .argument = "W",
     .default_value = "500",
     .most = 1e9,
     .help = "warm-up iterations of each chain, which are discarded"},
    {.name = "draws",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(draws),
     .argument = "T",
     .default_value = "4000",
     .least = 1,
     .most = 1e9,
     .help = "draws of each chain"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of the random numbers"},
    {TW_ROW_THREADS(FIELD(threads))},
    {TW_ROW_OUTPUT(FIELD(file)),
     .help = "write a page with plots to FILE.html, or what --json prints to FILE.json"},
};

/* ---- checks before the computation ---- */

static tw_status check(tw_context *ctx, const tw_check_flags *f)
{
    tw_evidence_options options = TW_EVIDENCE_DEFAULTS;
    options.methods = f->methods;
    TW_TRY(tw_evidence_options_check(ctx, &options));
    if (!f->file) return TW_OK;
    if (tw_name_ends_in(f->file, ".html") || tw_name_ends_in(f->file, ".json"))
        return tw_writer_hold(ctx, f->file, f->output.force);
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "-o %.1000s: the name must end in .html, for a page, or in .json, for what --json prints",
                   f->file);
}

/* ---- computing ---- */

/* Read a file with results; if there is none, the name may be a misspelt ep or laplace. */
static tw_status read_file(const tw_problem *problem, const char *path, tw_claim **claim)
{
    char words[1200]; /* a copy, because tw_fail overwrites the context's message */
    tw_status status = tw_claim_read(problem->model, path, claim);
    if (status == TW_OK || access(path, F_OK) == 0) return status;
    snprintf(words, sizeof words, "%s", tw_context_message(problem->ctx));
    return tw_fail(problem->ctx, status, "%s (--against needs ep, laplace or a file)", words);
}

static tw_status read_claim(const tw_check_flags *f, tw_stages *stages, tw_check_found *found)
{
    const tw_model *model = found->problem->model;
    tw_fits_options fitted = TW_FITS_DEFAULTS;
    bool ep = strcmp(f->against, "ep") == 0, laplace = strcmp(f->against, "laplace") == 0;
    fitted.user = stages;
    fitted.on_progress = tw_stages_watch;
    if (ep || laplace) TW_TRY(tw_fits_make(model, &fitted, &found->fits));
    if (ep || laplace)
        TW_TRY(tw_claim_from_fit(model, ep ? found->fits.ep : found->fits.laplace, &found->claim));
    else
        TW_TRY(read_file(found->problem, f->against, &found->claim));
    if (!isnan(f->log_z)) found->claim->log_z = f->log_z;
    return TW_OK;
}

static tw_check_options options_of(const tw_check_flags *f, const tw_check_found *found)
{
    return (tw_check_options){.tolerance = f->tolerance,
                              .log_z_tolerance = f->log_z_tolerance,
                              .methods = f->methods,
                              .chains = (size_t)f->chains,
                              .warmup = (size_t)f->warmup,
                              .draws = (size_t)f->draws,
                              .seed = f->seed,
                              .threads = (size_t)f->threads,
                              .fits = found->fits.ep ? &found->fits : NULL};
}

static tw_status compute(tw_context *ctx, const tw_check_flags *f, tw_check_found *found)
{
    tw_stages stages = {.quiet = f->output.quiet};
    TW_TRY(tw_model_options_load(ctx, &f->model, &found->problem));
    tw_interrupt_catch();
    tw_status status = read_claim(f, &stages, found);
    tw_check_options options = options_of(f, found);
    if (status == TW_OK)
        status = tw_check_run(found->problem->model, found->claim, &options, tw_stages_watch, &stages,
                              &found->result);
    tw_meter_end(&stages.meter);
    if (status != TW_OK) return status;
    tw_problem_warn_defaults(found->problem);
    tw_problem_warn_lengths(found->problem);
    tw_warnings_use(TW_USED_METHOD, f->methods);
    tw_warnings_keep(&found->result.warnings);
    return TW_OK;
}

/* ---- files ---- */

static tw_status write_page(const tw_check_flags *f, const tw_check_found *found)
{
    const tw_check_page page = {.overwrite = f->output.force, .data = f->model.data, .command = f->command};
    if (!tw_gnuplot_available()) tw_warn(found->problem->ctx, &(tw_warning){.code = TW_WARN_NO_PLOTS});
    tw_terminal_progress(f->output.quiet, "writing the page ...");
    tw_status status = tw_check_write(found->problem, found->claim, &found->result, f->file, &page);
    tw_terminal_progress(f->output.quiet, NULL);
    return status;
}

static tw_status write_file(tw_context *ctx, const tw_check_flags *f, const tw_check_found *found)
{
    tw_writer *writer = NULL;
    if (!f->file) return TW_OK;
    if (tw_name_ends_in(f->file, ".html")) return write_page(f, found);
    TW_TRY(tw_writer_open(ctx, f->file, f->output.force, &writer));
    return tw_writer_close(writer, tw_check_print_json(ctx, f, found, tw_writer_stream(writer)));
}

/* ---- the command ---- */

static tw_status run(tw_context *ctx, const void *values)
{
    const tw_check_flags *f = values;
    tw_check_found found = {.result = {.ctx = ctx}};
    tw_terminal_log_to(ctx, f->output.quiet);
    tw_status status = check(ctx, f);
    if (status == TW_OK) status = compute(ctx, f, &found);
    tw_terminal_progress(f->output.quiet, NULL);
    if (status == TW_OK && f->output.json) status = tw_check_print_json(ctx, f, &found, stdout);
    if (status == TW_OK && !f->output.json) tw_check_print(f, &found);
    if (status == TW_OK) status = write_file(ctx, f, &found);
    if (status == TW_OK) tw_warnings_say(&found.result.warnings);
    if (status == TW_OK && found.result.verdict == TW_CHECK_WRONG) tw_terminal_set_exit_code(EXIT_WRONG);
    if (status == TW_OK && found.result.verdict == TW_CHECK_UNDECIDED)
        tw_terminal_set_exit_code(EXIT_UNDECIDED);
    tw_check_release(&found.result);
    tw_claim_free(found.claim);
    tw_fits_release(&found.fits);
    tw_problem_free(found.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(tw_check_flags, model),
    {"Check", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(tw_check_flags, output),
};

const tw_command tw_command_check = {
    .name = "check",
    .summary = "check an approximation (EP, Laplace or another program) against exact draws and log Z",
    .description = "Compare an approximation of the posterior with exact results for the same model: log Z "
                   "by Monte Carlo with its standard error, and the mean, standard deviation and quantiles "
                   "of every latent from exact draws. Differences of log Z are in nats, those of latents in "
                   "posterior standard deviations, each with the standard error of the exact value. Only "
                   "claimed quantities are computed: without a claimed log Z, log Z is not estimated.\n\n"
                   "The verdict is one of three. Right: every difference plus two standard errors is within "
                   "its tolerance. Wrong: some difference exceeds its tolerance by more than chance explains "
                   "(a false alarm at most once in 1000 checks, for any number of latents). Undecided: the "
                   "Monte Carlo errors are too large, and the verdict says how many draws are needed.\n\n"
                   "Exit code 0: right; 4: wrong; 5: undecided; 1 to 3: errors, as for every command.",
    .example = "  talweg check crabs.csv --standardise --log-ell 1 --log-sigma 3 --against laplace\n"
               "  talweg check counts.csv --likelihood poisson --log-ell 0 --against inla.csv --log-z -812.4 "
               "-o check.html\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_check_flags),
    .line = offsetof(tw_check_flags, command),
    .run = run,
};
