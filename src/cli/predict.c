/* predict.c: talweg predict: from a saved approximation, the draws of a run, or a model, to new cases. */
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
     .help = "a run with draws that talweg sample -o wrote, an approximation that talweg approx "
             "--save-approx wrote, or a model that talweg fit or talweg model wrote, which is sampled first"},
    {.name = "NEWDATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .default_value = "",
     .help = "a file with the same inputs as the training data, with or without labels. With "
             "--cross-kernel-matrix it may be left out, and only its labels are used"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX|none",
     .help = "which column of NEWDATA is y; if not given, the one of the same name as in the training data; "
             "where "
             "that had none, the last one where there is one column more than inputs, else none"},
    {TW_ROW_IGNORE(FIELD(ignore))},
    {.name = "new-categories",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(new_categories),
     .help = "take categories of text columns that the training data do not have: only the prior is known "
             "about their effect; if not given, they are an error"},
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
     .help = "with it: the prior variance of each new case"},
    {.name = "joint",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(joint),
     .argument = "FILE",
     .help =
         "write draws of the latent function at all new cases together to a CSV file, a row for each draw of "
         "the run: chain, draw, f.1, f.2, ...; from a run with a kernel at known parameters"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of --joint, and of the draws of a model"},
    {TW_ROW_THREADS(FIELD(threads))},
    {.name = "distribute",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(distribute),
     .help =
         "spread K over the processes that mpirun started, as the command that made FROM did: for a K that "
         "is too large for one machine"},
    {TW_ROW_OUTPUT(FIELD(output_file)),
     .help = "the CSV file that the predictions are written to; if not given, predictions.csv, and none with "
             "--json; /dev/stdout prints them"},
};

const char *tw_predict_file(const tw_predict_options *options)
{
    if (options->output_file) return options->output_file;
    return options->output.json ? NULL : "predictions.csv";
}

/* The file that nobody named must not be one that is read: the check of names sees typed ones only. */
static tw_status check_file(tw_context *ctx, const tw_predict_options *options)
{
    const char *file = tw_predict_file(options);
    const char *sources[] = {options->from, options->data, options->cross, options->diagonal, options->joint};
    if (!file) return TW_OK;
    for (size_t k = 0; !options->output_file && k < TW_COUNT(sources); k++)
        if (sources[k] && *sources[k] && tw_file_names_are_same(file, sources[k]))
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "the predictions would overwrite %s, which this command reads (%s): choose "
                           "another file with --output",
                           file, sources[k]);
    return tw_writer_check(ctx, file, options->output.force);
}

/* Ctrl-C; of ranks in lockstep rank 0 says whether there was one, so that all end after the same block. */
static bool is_interrupted(tw_context *ctx)
{
    const tw_team *team = tw_context_team(ctx);
    bool seen = tw_interrupt_seen();
    if (team && team->lockstep && team->broadcast(team->user, &seen, sizeof seen) != TW_OK) return true;
    return seen;
}

/* Block by block, until the last or until Ctrl-C. */
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
    if (status == TW_OK && !p.places) tw_problem_warn_defaults(p.problem);
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
    .summary = "predictive probabilities or means; with labels: error, log score, calibration",
    .description =
        "Predict new cases from the posterior draws of a run, from a saved approximation, or from a model. A "
        "row of the "
        "result has its number, the inputs, the mean and variance of the latent function, and, for two "
        "classes, the probability of +1; for counts and real observations, mean and standard deviation of y "
        "(counts: the mean is the rate times the exposure), and for ordered levels the probability of each. "
        "The columns _q05, _q50 and _q95 are posterior "
        "quantiles of that probability or mean, given the latent function. Noise is that of the training "
        "data.\n\n"
        "From draws, everything is averaged over them: given a draw of the latent values at the training "
        "inputs, the latent function at a new one is Gaussian, and the average over that is exact or by "
        "quadrature. The column mcse is the Monte Carlo standard error of the probability or mean, which "
        "accounts for the autocorrelation of the draws; with few draws a probability far from 1/2 is more "
        "often too "
        "low than too high, and its error with it. From a run with unknown parameters predictions are "
        "averaged over the parameters too: each draw predicts with its own. The Monte Carlo error of the "
        "error rate treats cases as independent. Memory "
        "does not grow with the number of draws, above 256 MB of them, "
        "nor with that of new cases, beside their file's.\n\n"
        "With labels it says how good the predictions were: the error rate, the mean log score (the mean of "
        "log p(y), in nats and bits; higher is better), the information in bits of Kuss and Rasmussen for "
        "two equally frequent classes, and a table of calibration.\n\n"
        "From a model file the draws are made first, as talweg sample --model makes them with its defaults: "
        "of the parameters and the latent values where a parameter has a prior and is not fixed, else of the "
        "latent values at the file's parameters. They are not kept: where more predictions are wanted, or "
        "the draws "
        "themselves, use talweg sample -o RUN.nc.\n\n"
        "Ctrl-C ends after the block of 512 cases at hand, with what there is; while a model is sampled, "
        "with nothing.",
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
