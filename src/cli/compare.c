/* compare.c: talweg compare:
 * compares models of the same observations by evidence and leave-one-out scores. */
#include "cli/compare.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/model_file.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/diagnose.h"

typedef struct compare_flags {
    tw_operands files;
    tw_output_options output;
    tw_hyper_flags hyper; /* without priors, which come from the files */
    uint64_t seed, threads;
} compare_flags;

#define FIELD(member) offsetof(compare_flags, member)

static const tw_option rows[] = {
    {.name = "MODEL...",
     .kind = TW_OPTION_OPERANDS,
     .offset = FIELD(files),
     .help = "at least two model files, written by talweg model or talweg fit"},
    {TW_ROW_SEED(FIELD(seed)), .help = "seed of the first model; the others use the seeds after it"},
    {TW_ROW_THREADS(FIELD(threads))},
};

/* ---- one model ---- */

/* A model file is read as the options of a command that takes only a model. */
typedef struct one_model {
    tw_model_options model;
    tw_prior_options priors;
} one_model;

static const tw_option_group model_groups[] = {
    TW_MODEL_OPTION_GROUPS(one_model, model),
    TW_PRIOR_OPTION_GROUP(one_model, priors),
};

static const tw_command model_command = {.name = "compare",
                                         .groups = model_groups,
                                         .group_count = TW_COUNT(model_groups),
                                         .bytes = sizeof(one_model)};

static tw_status build(tw_context *ctx, const tw_model_arguments *arguments, tw_hyper_job *j)
{
    one_model values = {.model = {0}};
    bool wants_help = false;
    TW_TRY(tw_options_parse(ctx, &model_command, arguments->count, arguments->item, &values, &wants_help));
    TW_TRY(tw_model_options_load(ctx, &values.model, &j->problem));
    TW_TRY(tw_prior_options_make(&values.priors, j->problem, &j->priors));
    return tw_priors_complete(j->priors, j->problem);
}

static tw_status load(tw_context *ctx, tw_compared *m)
{
    const char *const arguments[] = {"--model", m->file};
    tw_model_arguments all = {0};
    TW_TRY(tw_model_file_expand(ctx, &model_command, 2, arguments, &all));
    tw_status status = build(ctx, &all, &m->job);
    if (status != TW_OK) tw_fail_within(ctx, status, "%.1000s: ", m->file);
    tw_model_arguments_release(ctx, &all);
    return status;
}

/* The evidences of two models can be compared only if their observations are the same. */
static tw_status check_same(tw_context *ctx, const tw_compared *first, const tw_compared *m)
{
    const tw_data *a = first->job.problem->data, *b = m->job.problem->data;
    if (a->n == b->n && memcmp(a->y, b->y, a->n * sizeof *a->y) == 0) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA,
                   "%.500s and %.500s have different observations (%zu and %zu cases) and cannot be compared",
                   first->file, m->file, a->n, b->n);
}

static tw_status leave_one_out(tw_context *ctx, tw_compared *m)
{
    tw_hyper_result *r = m->job.result;
    TW_TRY(tw_allocate_doubles(ctx, r->n, 1, "predictions", &m->log_score));
    TW_TRY(tw_allocate_doubles(ctx, r->n, 1, "predictions", &m->pareto_k));
    TW_TRY(tw_hyper_leave_one_out(m->job.problem, r, m->log_score, m->pareto_k));
    m->loo = tw_hyper_sum_left_out(r, m->log_score, m->pareto_k);
    return TW_OK;
}

static tw_status compute(tw_context *ctx, const compare_flags *o, tw_compared *models)
{
    for (size_t k = 0; k < o->files.count; k++) {
        tw_warnings_about(models[k].file);
        TW_TRY(load(ctx, &models[k]));
        TW_TRY(check_same(ctx, &models[0], &models[k]));
    }
    if (o->files.count < 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "talweg compare needs at least two model files");
    for (size_t k = 0; k < o->files.count; k++) {
        tw_compared *m = &models[k];
        const tw_hyper_wish wish = {
            .seed = o->seed + k, .threads = o->threads, .kept = (size_t)o->hyper.particles};
        m->job.quiet = o->output.quiet;
        tw_warnings_about(m->file);
        tw_status status = tw_hyper_job_compute(ctx, &o->hyper, &wish, &m->job);
        if (status == TW_OK) status = tw_hyper_judge(ctx, m->job.result);
        if (status == TW_OK) status = leave_one_out(ctx, m);
        if (status != TW_OK) return tw_fail_within(ctx, status, "%.1000s: ", m->file);
        tw_warnings_keep(&m->job.result->warnings);
    }
    return TW_OK;
}

/* ---- the command ---- */

static void release(tw_context *ctx, size_t count, tw_compared *models)
{
    for (size_t k = 0; k < count; k++) {
        tw_hyper_job_release(&models[k].job);
        tw_release(ctx, models[k].log_score);
        tw_release(ctx, models[k].pareto_k);
    }
    tw_release(ctx, models);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const compare_flags *o = values;
    void *memory = NULL;
    tw_terminal_log_to(ctx, o->output.quiet);
    TW_TRY(tw_allocate(ctx, o->files.count, sizeof(tw_compared), "the models", &memory));
    tw_compared *models = memory;
    for (size_t k = 0; k < o->files.count; k++) models[k].file = o->files.item[k];
    tw_status status = compute(ctx, o, models);
    tw_terminal_progress(o->output.quiet, NULL);
    if (status == TW_OK && o->output.json) status = tw_compare_print_json(ctx, o->files.count, models);
    if (status == TW_OK && !o->output.json) tw_compare_print(o->files.count, models);
    for (size_t k = 0; status == TW_OK && k < o->files.count; k++) {
        tw_warnings_about(models[k].file);
        tw_warnings_say(&models[k].job.result->warnings);
    }
    release(ctx, o->files.count, models);
    return status;
}

static const tw_option_group groups[] = {
    {"Models", rows, TW_COUNT(rows), 0},
    TW_POINT_OPTION_GROUP(compare_flags, hyper),
    TW_OUTPUT_OPTION_GROUP(compare_flags, output),
};

const tw_command tw_command_compare = {
    .name = "compare",
    .summary = "compare models: evidence, Bayes factors, leave-one-out scores",
    .description =
        "Compare models of the same observations. The table has, for each model, the evidence of the whole "
        "model with its error (log p(y) with the parameters integrated out under their priors, as in talweg "
        "evidence); the Bayes factor against the best model; and the leave-one-out log score with its "
        "standard error over cases, by Pareto-smoothed importance sampling from the same draws.\n\n"
        "Every parameter that its file does not fix is unknown; one without a prior gets the default prior, "
        "which follows the scale of the data. Bayes factors depend on the priors, so choose the priors "
        "deliberately.\n\n"
        "The verdict: the data distinguish two models if the log Bayes factor exceeds 3 (20 to 1) by two of "
        "its errors; they do not if it is below 1.",
    .example = "  talweg model train.csv --kernel se --prior default -o a.json\n"
               "  talweg model train.csv --kernel matern32 --prior default -o b.json\n"
               "  talweg compare a.json b.json\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(compare_flags),
    .run = run,
};
