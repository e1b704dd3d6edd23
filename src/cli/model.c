/* model.c: talweg model: writes a model file, without fitting or sampling. */
#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/model_file.h"
#include "cli/model_options.h"
#include "cli/prior_options.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"

typedef struct model_command {
    tw_model_options model;
    tw_prior_options priors;
    tw_output_options output;
    const char *file;
} model_command;

static const tw_option rows[] = {
    {TW_ROW_OUTPUT(offsetof(model_command, file)), .help = "write the model to FILE; default: print it"},
};

/* With --json and -o: print the model and the priors.
 * Without -o the model file itself, which is JSON, is printed. */
static tw_status print_json(tw_context *ctx, const tw_problem *problem, const tw_priors *priors)
{
    bool ok = true;
    json_t *object = json_object();
    tw_json_set(object, "priors", tw_priors_encode(problem, priors, &ok), &ok);
    return tw_result_print_json(ctx, problem, object, ok, stdout);
}

static tw_status write(tw_context *ctx, const model_command *options, tw_problem *problem)
{
    tw_priors *priors = NULL;
    tw_status status = tw_prior_options_make(&options->priors, problem, &priors);
    tw_model_description model = {&tw_command_model, options, options->model.data, problem, priors};
    if (status == TW_OK)
        status = options->file ? tw_model_file_write(&model, options->file, options->output.force)
                               : tw_model_file_print(&model, stdout);
    if (status == TW_OK && options->file && options->output.json) status = print_json(ctx, problem, priors);
    tw_priors_free(priors);
    return status;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const model_command *options = values;
    tw_problem *problem = NULL;
    tw_terminal_log_to(ctx, options->output.quiet);
    if (options->file) TW_TRY(tw_writer_hold(ctx, options->file, options->output.force));
    TW_TRY(tw_model_options_load(ctx, &options->model, &problem));
    tw_status status = write(ctx, options, problem);
    tw_problem_free(problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(model_command, model),
    TW_PRIOR_OPTION_GROUP(model_command, priors),
    {"File", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(model_command, output),
};

const tw_command tw_command_model = {
    .name = "model",
    .summary = "write a model file (data, kernel, likelihood, priors) for the option --model",
    .description = "Write a model to a file: the name of the data file, how the data are read and scaled, "
                   "the kernel and likelihood with their parameters, the priors, and the fixed parameters. "
                   "Every command that needs a model accepts such a file as --model FILE; options on the "
                   "command line override it, and other data may be given.\n\n"
                   "The data are read and the model is built, so that errors appear now. The file contains "
                   "the name of the data file, not the data; the name is looked up in the directory of the "
                   "model file, then in the working directory.",
    .example = "  talweg model pima.csv --standardise --kernel 'se(ard)' --prior default -o pima.json\n"
               "  talweg fit --model pima.json -o fitted.json\n"
               "  talweg sample --model fitted.json -o run.nc\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(model_command),
    .run = run,
};
