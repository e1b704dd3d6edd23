/* predict.c: talweg predict:
 * predicts new cases from a saved approximation, the draws of a run, or a model. */
#include "cli/predict.h"

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/file_names.h"
#include "cli/progress.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/team.h"
#include "talweg/warning.h"

#define FIELD(member) offsetof(tw_predict_options, member)

static const tw_option rows[] = {
    {.name = "FROM",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(from),
     .help = "a run with draws (talweg sample -o), a saved approximation (talweg approx --save-approx), or a "
             "model file (talweg fit, talweg model), which is sampled first"},
    {.name = "NEWDATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .default_value = "",
     .help = "a file with the same inputs as the training data, with or without labels. With "
             "--cross-kernel-matrix it is optional, and only its labels are used"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX|none",
     .help = "the column of y in NEWDATA; default: the column named as in the training data; if those had no "
             "names, the last column if there is one more column than inputs"},
    {TW_ROW_IGNORE(FIELD(ignore))},
    {TW_ROW_NEW_CATEGORIES(FIELD(new_categories))},
    {.name = "cross-kernel-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(cross),
     .argument = "FILE",
     .help =
         "for a model made with --kernel-matrix: the covariances, one row per training case and one column "
         "per new case (.npy or CSV)"},
    {.name = "diagonal",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(diagonal),
     .argument = "FILE",
     .help = "with --cross-kernel-matrix: the prior variance of each new case"},
    {.name = "joint",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(joint),
     .argument = "FILE",
     .help = "write joint draws of the latent function at all new cases to a CSV file, a row for each draw "
             "of the run: chain, draw, f.1, f.2, ...; needs a run with a kernel and known parameters"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of --joint, and of the draws of a model"},
    {TW_ROW_THREADS(FIELD(threads))},
    {.name = "distribute",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(distribute),
     .help = "distribute K over the processes of mpirun, as in the command that made FROM, for a K that is "
             "too large for one machine"},
    {TW_ROW_OUTPUT(FIELD(output_file)), .help = "the CSV file for the predictions; default: predictions.csv, "
                                                "or no file with --json; /dev/stdout prints them"},
};

const char *tw_predict_file(const tw_predict_options *options)
{
    if (options->output_file) return options->output_file;
    return options->output.json ? NULL : "predictions.csv";
}

/* Check the output file. tw_file_names_check compares only files that were given, so the default name is
 * compared here with the files that are read. */
static tw_status check_file(tw_context *ctx, const tw_predict_options *options)
{
    const char *file = tw_predict_file(options);
    const char *sources[] = {options->from, options->data, options->cross, options->diagonal, options->joint};
    if (!file) return TW_OK;
    for (size_t k = 0; !options->output_file && k < TW_COUNT(sources); k++)
        if (sources[k] && *sources[k] && tw_file_names_are_same(file, sources[k]))
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "the predictions would overwrite %s, an input of this command (%s): choose "
                           "another file with --output",
                           file, sources[k]);
    return tw_writer_hold(ctx, file, options->output.force);
}

/* Was Ctrl-C pressed? For ranks in lockstep rank 0 decides, so that all end after the same block. */
static bool is_interrupted(tw_context *ctx)
{
    const tw_team *team = tw_context_team(ctx);
    bool seen = tw_interrupt_seen();
    if (team && team->lockstep && team->broadcast(team->user, &seen, sizeof seen) != TW_OK) return true;
    return seen;
}

/* Predict block by block, until the end or Ctrl-C. */
static tw_status predict_all(const tw_predict_options *options, tw_prediction *p,
                             tw_prediction_report *report)
{
    tw_meter meter = {0};
    tw_status status = TW_OK;
    tw_meter_begin(&meter, options->output.quiet, "predicting", "cases");
    while (status == TW_OK && !is_interrupted(p->ctx)) {
        status = tw_prediction_next(p);
        if (status != TW_OK || p->count == 0) break;
        status = tw_prediction_report_add(report);
        tw_meter_show(&meter, TW_METER_COUNT(p->done, p->at.m));
    }
    tw_meter_end(&meter);
    if (status == TW_OK && p->done == 0 && p->at.m > 0)
        return tw_fail(p->ctx, TW_INTERRUPTED, "interrupted before the first case: no predictions");
    if (status == TW_OK) tw_prediction_warn(p);
    if (status == TW_OK && p->done < p->at.m)
        tw_warn(p->ctx, &(tw_warning){.code = TW_WARN_INTERRUPTED_CASES,
                                      .number = {(double)p->done, (double)p->at.m}});
    return status;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const tw_predict_options *options = values;
    tw_prediction p;
    tw_prediction_report *report = NULL;
    tw_terminal_log_to(ctx, options->output.quiet);
    TW_TRY(check_file(ctx, options));
    tw_interrupt_catch();
    tw_status status = tw_prediction_open(ctx, options, &p);
    if (status == TW_OK && p.model && !p.places) tw_problem_warn_defaults(p.problem);
    if (status == TW_OK) status = tw_predict_joint_check(options, &p);
    if (status == TW_OK) status = tw_prediction_report_begin(&p, options, &report);
    if (status == TW_OK) status = predict_all(options, &p, report);
    if (status == TW_OK && p.done == p.at.m) status = tw_predict_joint_write(options, &p);
    if (status == TW_OK)
        status = tw_prediction_report_end(report);
    else
        tw_prediction_report_abandon(report);
    tw_prediction_close(&p);
    return status;
}

static const tw_option_group groups[] = {
    {"Predictions", rows, TW_COUNT(rows), 0},
    TW_NEW_COLUMN_OPTION_GROUP(offsetof(tw_predict_options, columns)),
    TW_OUTPUT_OPTION_GROUP(tw_predict_options, output),
};

const tw_command tw_command_predict = {
    .name = "predict",
    .summary = "predict probabilities or means at new cases; with labels: error, log score, calibration",
    .description =
        "Predict new cases from the posterior draws of a run, from a saved approximation, or from a model. A "
        "row of the result has the number of the case, the inputs, the mean and variance of the latent "
        "function, and the prediction: for two classes the probability of +1; for counts and real "
        "observations the mean and standard deviation of y (for counts the mean is the rate times the "
        "exposure); for ordered levels the probability of each level. The columns _q05, _q50 and _q95 are "
        "posterior quantiles of that probability or mean. The noise is that of the training data.\n\n"
        "Predictions from a run are averages over its draws: given a draw of the latent values at the "
        "training inputs, the latent function at a new input is Gaussian, and the average over this Gaussian "
        "is exact or by quadrature. The column mcse is the Monte Carlo standard error of the probability or "
        "mean; it accounts for the autocorrelation of the draws; y_sd_mcse is that of y_sd. If the draws do "
        "not "
        "determine a mean, because a far tail that they seldom reach makes most of it, the mean, y_sd or the "
        "log score is withheld (empty in the file, null in JSON), and a warning says how many; quantiles are "
        "always given. So is the mean of Student t with df up to 1, which does not exist. Scores that need "
        "what was "
        "withheld are withheld. With few draws, a probability far from 1/2 "
        "is more often too low than too high, and so is its error. Predictions from a run with unknown "
        "parameters are also averaged over the parameters: each draw uses its own. The Monte Carlo error of "
        "the error rate treats the cases as independent. The command keeps at most 256 MB of draws in memory "
        "and processes new cases in blocks.\n\n"
        "With labels the command also prints scores: the error rate, the mean log score (the mean of log "
        "p(y), in nats and bits; higher is better), the information in bits of Kuss and Rasmussen for two "
        "equally frequent classes, and a calibration table.\n\n"
        "A model file is sampled first, as by talweg sample --model with its defaults: the parameters and "
        "the latent values if a parameter has a prior and is not fixed, otherwise the latent values at the "
        "parameters of the file. These draws are not saved: to predict several times, or to keep the draws, "
        "use talweg sample -o RUN.nc.\n\n"
        "Ctrl-C ends the command after the current block of 512 cases and keeps the predictions so far; "
        "while a model is sampled there are none.",
    .example =
        "  talweg predict run.nc new.csv\n"
        "  talweg predict run.nc new.csv -o /dev/stdout\n"
        "  talweg predict run.nc test.csv --label-column class\n"
        "  talweg predict approximation.json test.csv --json\n"
        "  talweg predict model.json test.csv\n"
        "  talweg predict approximation.json --cross-kernel-matrix cross.npy --diagonal variances.npy\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(tw_predict_options),
    .run = run,
};
