/* predict_model.c: draws for predictions from a model file, made as by talweg sample --model with its
 * defaults and kept in memory. If a parameter has a prior and is not fixed, these are draws of the parameters
 * and the latents; otherwise of the latents at the parameters of the file. */
#include <string.h>

#include "cli/hyper_options.h"
#include "cli/model_file.h"
#include "cli/predict.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/sampling_plan.h"

enum { KEPT = 4 }; /* particles of x to keep at each point of the parameters */

/* The options that a model file can hold. */
typedef struct values {
    tw_model_options model;
    tw_hyper_flags hyper;
} values;

static const tw_option_group groups[] = {TW_MODEL_OPTION_GROUPS(values, model),
                                         TW_HYPER_OPTION_GROUPS(values, hyper)};
static const tw_command reader = {
    .name = "predict", .groups = groups, .group_count = TW_COUNT(groups), .bytes = sizeof(values)};

struct tw_model_draws {
    tw_context *ctx;
    const tw_predict_options *options;
    tw_model_arguments arguments; /* the texts of `read` point into it */
    values read;
    tw_problem *problem; /* owned by the caller */
    bool unknown;        /* are parameters unknown? */

    /* With unknown parameters: */
    tw_hyper_job job; /* its problem is the caller's too */
    size_t *point;    /* the point of each draw */
    tw_run_theta_room theta;
    tw_draws *draws;

    /* With known parameters: */
    tw_sampling_plan *plan;
    tw_sampling_result result;

    tw_meter meter;
    const char *stage; /* the stage that the meter shows; NULL: none yet */
};

static bool watch(void *user, const tw_progress *p)
{
    tw_model_draws *m = user;
    if (!m->stage || strcmp(p->stage, m->stage) != 0) {
        tw_meter_end(&m->meter);
        m->stage = p->stage;
        tw_meter_begin(&m->meter, m->options->output.quiet, p->stage, p->unit);
    }
    return tw_meter_watch(&m->meter, p);
}

/* No predictions from an incomplete run: they would look like those of a complete one. */
static tw_status interrupted(tw_context *ctx)
{
    return tw_fail(ctx, TW_INTERRUPTED, "interrupted during sampling: no predictions");
}

/* ---- unknown parameters ---- */

static tw_status draw_points(tw_model_draws *m)
{
    const tw_hyper_wish wish = {
        .seed = m->options->seed, .threads = m->options->threads, .kept = KEPT, .draws = true};
    void *memory = NULL;
    m->job = (tw_hyper_job){.problem = m->problem, .quiet = m->options->output.quiet};
    TW_TRY(tw_prior_options_make(&m->read.hyper.priors, m->problem, &m->job.priors));
    TW_TRY(tw_hyper_job_compute(m->ctx, &m->read.hyper, &wish, &m->job));
    const tw_hyper_result *r = m->job.result;
    if (r->stopped) return interrupted(m->ctx);
    tw_warnings_keep(&r->warnings);
    tw_warnings_say(&r->warnings);
    TW_TRY(tw_hyper_judge(m->ctx, r));
    TW_TRY(tw_allocate(m->ctx, r->points, sizeof *m->point, "the draws", &memory));
    m->point = memory;
    TW_TRY(tw_hyper_draws(m->problem, m->job.priors, r, m->options->seed, m->point, &m->draws));
    tw_run_theta_of(m->problem, m->job.priors, r, m->point, &m->theta);
    return TW_OK;
}

/* ---- known parameters ---- */

static tw_status draw_chains(tw_model_draws *m)
{
    tw_sampling_options options = TW_SAMPLING_DEFAULTS;
    const tw_sampling_watch watching = {.user = m, .progress = watch};
    options.seed = m->options->seed;
    options.threads = (size_t)m->options->threads;
    TW_TRY(tw_prior_options_fix(&m->read.hyper.priors, m->problem));
    tw_status status = tw_sampling_plan_new(m->problem->model, &options, &watching, &m->plan);
    if (status == TW_OK) status = tw_sampling_run(m->plan, &watching, &m->result);
    tw_meter_end(&m->meter);
    if (status == TW_INTERRUPTED || (status == TW_OK && m->result.draws->interrupted))
        return interrupted(m->ctx);
    TW_TRY(status);
    tw_warnings_keep(&m->result.warnings);
    tw_warnings_say(&m->result.warnings);
    return TW_OK;
}

/* ---- both ---- */

tw_status tw_model_draws_load(tw_context *ctx, const tw_predict_options *options, tw_problem **problem,
                              tw_model_draws **out)
{
    const char *arguments[] = {"--model", options->from};
    bool help = false;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "the draws of a model", &memory));
    tw_model_draws *m = *out = memory;
    *m = (tw_model_draws){.ctx = ctx, .options = options};
    TW_TRY(tw_model_file_expand(ctx, &reader, TW_COUNT(arguments), arguments, &m->arguments));
    TW_TRY(tw_options_parse(ctx, &reader, m->arguments.count, m->arguments.item, &m->read, &help));
    m->unknown = tw_hyper_is_wanted(&m->read.hyper);
    if (m->unknown && options->joint)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--joint needs known parameters, but %.1000s has unknown ones: sample it with --fix "
                       "all, and predict from that run",
                       options->from);
    if (m->unknown && options->distribute) return tw_predict_refuse_distributed(ctx, options->from);
    m->read.model.distribute = options->distribute;
    TW_TRY(tw_model_options_load(ctx, &m->read.model, problem));
    m->problem = *problem;
    return TW_OK;
}

tw_status tw_model_draws_make(tw_model_draws *m, tw_draw_source *source, const tw_run_theta **theta)
{
    TW_TRY(m->unknown ? draw_points(m) : draw_chains(m));
    *source = tw_draws_source(m->unknown ? m->draws : m->result.draws);
    *theta = m->unknown ? &m->theta.all : NULL;
    return TW_OK;
}

void tw_model_draws_free(tw_model_draws *m)
{
    if (!m) return;
    tw_sampling_result_release(&m->result);
    tw_sampling_plan_free(m->plan);
    tw_draws_free(m->draws);
    tw_release(m->ctx, m->point);
    m->job.problem = NULL;
    tw_hyper_job_release(&m->job);
    tw_model_arguments_release(m->ctx, &m->arguments);
    tw_release(m->ctx, m);
}
