/* sample.c: talweg sample: draws from the posterior, and prints a summary and warnings. */
#include <string.h>

#include "cli/commands.h"
#include "cli/hyper_sample.h"
#include "cli/model_options.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/reference_file.h"
#include "cli/sample_files.h"
#include "cli/sample_report.h"
#include "cli/sample_save.h"
#include "cli/sampler_options.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/team.h"

typedef struct sample_options {
    tw_model_options model;
    tw_hyper_flags hyper;
    tw_sampler_flags sampler;
    tw_sample_file_flags files;
    tw_saver_flags saver;
    tw_output_options output;
    const char *command; /* the command line */
} sample_options;

/* The state of a run. */
typedef struct job {
    tw_context *ctx;
    const sample_options *options;
    tw_sample_results *results;
    tw_sample_files files;
    tw_sample_saver saver;
    tw_reference *reference; /* q read from a file; NULL: none */
    tw_table *init;          /* initial positions read from a file; NULL: none */
    tw_meter meter;
    const char *stage; /* the stage that the meter shows; NULL: none yet */
    char pilot[64];    /* its name for the current pilot run */
} job;

/* ---- callbacks during the run ---- */

static tw_status write_draw(void *user, const tw_draw *draw)
{
    job *j = user;
    return tw_sample_files_add(&j->files, draw);
}

static tw_status look_at_file(void *user, tw_chains_summary *out)
{
    job *j = user;
    return tw_run_look(j->files.run, j->results->plan->sampler.threads, out);
}

/* Begin a stage. Without thinning every iteration is a draw, so the unit is "draws". */
static void show_stage(job *j, const tw_progress *p)
{
    const tw_sampling_plan *plan = j->results->plan;
    bool sampling = strcmp(p->stage, "sampling") == 0, sweeps = strcmp(p->unit, "sweeps") == 0;
    tw_meter_end(&j->meter); /* before j->pilot, its name, changes */
    snprintf(j->pilot, sizeof j->pilot, "pilot of %s/%s", p->method ? p->method : "",
             p->metric ? p->metric : "");
    j->stage = p->stage;
    tw_meter_begin(&j->meter, j->options->output.quiet, p->metric ? j->pilot : p->stage,
                   sweeps                                      ? NULL
                   : sampling && j->options->sampler.thin == 1 ? "draws"
                                                               : p->unit);
    if (sampling && plan) j->meter.first = plan->earlier.iteration;
}

static bool watch(void *user, const tw_progress *p)
{
    job *j = user;
    bool next_pilot = p->metric && p->done == 1;
    if (!j->stage || strcmp(p->stage, j->stage) != 0 || next_pilot) show_stage(j, p);
    return tw_meter_watch(&j->meter, p);
}

/* ---- set-up ---- */

static tw_status read_files(job *j, tw_sampling_options *out)
{
    const tw_sampler_flags *f = &j->options->sampler;
    const char *name = NULL;
    if (strcmp(f->from, "ep") != 0)
        TW_TRY(tw_reference_read(j->ctx, j->results->problem->model, j->results->problem->make_model, f->from,
                                 &name, &j->reference));
    out->reference = j->reference;
    if (tw_name_is_among(f->init, "ep, prior")) return TW_OK;
    TW_TRY(tw_table_read(j->ctx, f->init, &j->init));
    out->positions = j->init->values;
    out->position_rows = j->init->rows;
    out->position_columns = j->init->columns;
    return TW_OK;
}

static tw_status begin_files(job *j)
{
    const sample_options *o = j->options;
    const tw_sampling_plan *plan = j->results->plan;
    tw_run_facts facts = tw_sample_facts(o->model.data, o->command, j->results);
    const tw_stan_settings settings = {facts.n,      facts.chains, plan->run.draws,          facts.warmup,
                                       facts.thin,   facts.seed,   o->sampler.target_accept, facts.data,
                                       facts.method, facts.metric};
    const tw_chains_state *state = &plan->earlier;
    bool at_draw = state->iteration % facts.thin == 0;
    return tw_sample_files_begin(&j->files, j->ctx, &o->files, o->output.force || o->saver.resume,
                                 j->results->problem, &facts, &settings, plan->sampler.threads,
                                 (tw_sample_earlier){state->draws, at_draw ? state->x : NULL});
}

/* ---- running ---- */

/* The run ended before the first draw, so no file was written. */
static tw_status nothing_drawn(const job *j)
{
    double most = j->options->sampler.max_seconds;
    if (tw_terminal_elapsed() >= most) /* false for NaN: not given */
        return tw_fail(j->ctx, TW_INTERRUPTED,
                       "the time limit (--max-seconds %g) passed before the first draw: nothing was written",
                       most);
    return tw_fail(j->ctx, TW_INTERRUPTED, "interrupted before the first draw: nothing was written");
}

static tw_status run_chains(job *j, const tw_sampling_watch *watching)
{
    const sample_options *o = j->options;
    tw_sample_results *r = j->results;
    tw_status status = begin_files(j);
    if (status == TW_OK) status = tw_sampling_run(r->plan, watching, &r->result);
    tw_meter_end(&j->meter);
    if (status == TW_BAD_ARGUMENT && j->init) /* the file: all other arguments have been checked */
        tw_fail_within(j->ctx, status, "%.1000s: ", o->sampler.init);
    if (status == TW_OK && r->result.draws->draws == 0) status = nothing_drawn(j);
    tw_run_facts facts = tw_sample_facts(o->model.data, o->command, r);
    return tw_sample_files_end(&j->files, status, &facts);
}

/* With a run file the draws are not kept in memory, so the summary is computed from the file. */
static tw_status judge_file(job *j)
{
    tw_sample_results *r = j->results;
    tw_run *run = NULL;
    if (r->plan->run.keep || !tw_team_leads(j->ctx)) return TW_OK;
    tw_terminal_progress(j->options->output.quiet, "effective sample sizes ...");
    TW_TRY(tw_run_open(j->ctx, j->options->files.path, &run));
    tw_status status = tw_run_summarise(run, r->plan->sampler.threads, NULL, &r->result.summary);
    tw_run_close(run);
    if (status == TW_OK) tw_sampling_judge(&r->result);
    return status;
}

static tw_status make_plan(job *j, const tw_sampling_watch *watching)
{
    const sample_options *o = j->options;
    tw_sampling_options options = tw_sampler_flags_options(&o->sampler);
    options.keep = !tw_name_ends_in(o->files.path, ".nc");
    tw_interrupt_excuse("talweg: error: interrupted before the first draw: nothing was written\n");
    TW_TRY(tw_model_options_load(j->ctx, &o->model, &j->results->problem));
    TW_TRY(tw_prior_options_fix(&o->hyper.priors, j->results->problem));
    TW_TRY(read_files(j, &options));
    tw_interrupt_catch();
    tw_status status =
        tw_sampling_plan_new(j->results->problem->model, &options, watching, &j->results->plan);
    tw_meter_end(&j->meter);
    if (status == TW_INTERRUPTED) return nothing_drawn(j);
    if (status == TW_BAD_DATA && o->saver.resume)
        return tw_fail_within(j->ctx, status, "--resume %.1000s: ", o->saver.resume);
    return status;
}

/* Record the options in use, so that advice does not suggest them. */
static void record_used_options(const tw_sampler_options *sampler)
{
    tw_warnings_use(TW_USED_METHOD, tw_method_name(sampler->method));
    tw_warnings_use(TW_USED_METRIC, tw_metric_name(sampler->metric));
    if (sampler->fixed_point == 0) tw_warnings_use(TW_USED_SOLVER, "tolerance");
}

static tw_status compute(job *j)
{
    const tw_sampling_watch watching = {.user = j,
                                        .progress = watch,
                                        .on_draw = write_draw,
                                        .on_look = look_at_file,
                                        .store = tw_sample_saver_store(&j->saver, &j->files)};
    TW_TRY(make_plan(j, &watching));
    TW_TRY(run_chains(j, &watching));
    TW_TRY(judge_file(j));
    tw_problem_warn_defaults(j->results->problem);
    tw_problem_warn_lengths(j->results->problem);
    record_used_options(&j->results->plan->sampler);
    tw_warnings_keep(&j->results->result.warnings); /* for JSON; `say` prints them after the table */
    return TW_OK;
}

static tw_status write_summary(job *j)
{
    const sample_options *o = j->options;
    tw_writer *writer = NULL;
    if (!tw_name_ends_in(o->files.path, ".json")) return TW_OK;
    TW_TRY(tw_writer_open(j->ctx, o->files.path, o->output.force, &writer));
    tw_status status = tw_sample_print_json(j->ctx, j->results, tw_writer_stream(writer));
    return tw_writer_close(writer, status);
}

/* The most chains that the library chooses. */
enum { MOST_CHAINS = 32 };

static tw_status check(tw_context *ctx, const sample_options *o, tw_saver *saver)
{
    TW_TRY(tw_sampler_flags_check(ctx, &o->sampler));
    TW_TRY(tw_sample_save_check(ctx, &o->saver, &o->files));
    TW_TRY(tw_saver_begin(saver, ctx, &o->saver, &tw_command_sample, o,
                          "draws, until-ess, max-draws, max-seconds", o->output.force));
    return tw_sample_files_check(ctx, &o->files, o->output.force || o->saver.resume,
                                 o->sampler.chains == TW_OPTION_WORD ? MOST_CHAINS
                                                                     : (size_t)o->sampler.chains);
}

static void release(job *j)
{
    tw_sampling_result_release(&j->results->result);
    tw_sampling_plan_free(j->results->plan);
    tw_reference_free(j->reference);
    tw_table_free(j->init);
    tw_problem_free(j->results->problem);
}

/* Print the results and the warnings, and write the summary file. */
static tw_status say(job *j)
{
    const tw_output_options *output = &j->options->output;
    if (output->json)
        TW_TRY(tw_sample_print_json(j->ctx, j->results, stdout));
    else
        tw_sample_print(j->options->model.data, j->results);
    TW_TRY(write_summary(j));
    tw_warnings_say(&j->results->result.warnings);
    return TW_OK;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const sample_options *o = values;
    tw_sample_results r = {0};
    job j = {.ctx = ctx, .options = o, .results = &r};
    tw_terminal_log_to(ctx, o->output.quiet);
    if (tw_hyper_is_wanted(&o->hyper))
        return tw_hyper_sample(ctx, &(tw_hyper_sample_flags){&o->model, &o->hyper, &o->sampler, &o->files,
                                                             &o->saver, &o->output, o->command, o});
    tw_status status = check(ctx, o, &j.saver.saver);
    if (status == TW_OK) status = compute(&j);
    bool complete = status == TW_OK && !r.result.draws->interrupted;
    tw_terminal_progress(o->output.quiet, NULL);
    if (status == TW_OK && tw_team_leads(ctx)) status = say(&j);
    tw_saver_end(&j.saver.saver, complete);
    release(&j);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(sample_options, model),    TW_HYPER_OPTION_GROUPS(sample_options, hyper),
    TW_SAMPLER_OPTION_GROUP(sample_options, sampler), TW_SAMPLE_FILE_OPTION_GROUP(sample_options, files),
    TW_SAVER_OPTION_GROUP(sample_options, saver),     TW_DISTRIBUTE_OPTION_GROUP(sample_options, model),
    TW_OUTPUT_OPTION_GROUP(sample_options, output),
};

const tw_command tw_command_sample = {
    .name = "sample",
    .summary = "draw from the posterior, with a summary and warnings",
    .description =
        "Draw from the exact posterior of the latent values by Markov chain Monte Carlo: the only error is "
        "that of a finite number of draws, which the summary reports. Chains start from over-dispersed "
        "draws, and tune the step size and trajectory length in warm-up, which are then frozen.\n\n"
        "Parameters with a prior (--prior, or those of a --model file) are unknown: the command then draws "
        "the parameters and the latent values jointly, also exactly. Points of the parameters are weighted "
        "by the prior and an unbiased estimate of their likelihood (importance sampling squared, as in "
        "talweg evidence), resampled by their weights and shuffled: there are no chains, ESS is the "
        "effective number of weights, and R-hat is not defined. --fix all fixes the parameters at their "
        "values instead. A parameter with neither prior nor value is fixed at its default, with a warning; "
        "talweg fit finds a better value.\n\n"
        "--method auto fits EP and compares candidates in pilot runs: the candidate with the smallest "
        "remaining cost to the goal, by a fixed cost model, wins and continues from its pilot run. A "
        "candidate that cannot win is stopped early, and the table gives the reason. The draws depend only "
        "on the seed, not on the number of threads or the speed of the machine.\n\n"
        "A numerical failure rejects the trajectory and is counted; it does not end the run. Ctrl-C ends the "
        "run after the current iteration, with a complete file of the draws so far.\n\n"
        "With -o RUN.nc the draws are written as they are made, so memory does not grow with their number. "
        "During the run they are in RUN.nc.journal; if the program is killed, the next command that reads "
        "RUN.nc completes it from the journal.\n\n"
        "A checkpoint (with -o RUN.nc) holds the state of the chains, their tuning and sums; with --resume "
        "the run continues, and its file has the draws of both parts, bitwise identical to those of an "
        "uninterrupted run. A checkpoint made in warm-up holds the choice of the sampler, and warm-up is "
        "repeated. --draws and the other options that end a run may change. With unknown parameters a "
        "checkpoint holds the points so far and needs no run file, and --points may change.\n\n"
        "A run ends when the effective sample size of the worst latent reaches 400 (or --until-ess) and "
        "R-hat shows convergence. It ends at the same draw for any number of threads and processes, and "
        "after --resume. --draws sets a fixed number of draws instead; --max-seconds ends a run after a time "
        "limit, which affects nothing else.",
    .example = "  talweg sample ionosphere.csv --log-ell 1 --log-sigma 1.5 -o run.nc\n"
               "  talweg sample ionosphere.csv --prior default -o run.nc\n"
               "  talweg sample ionosphere.csv --log-ell 1 --log-sigma 1.5 -o draws.csv\n"
               "  talweg sample ionosphere.csv --log-ell 1 --log-sigma 1.5 --until-ess 4000 -o precise.nc\n"
               "  talweg sample train.csv --draws 100000 -o long.nc --checkpoint long.state\n"
               "  talweg sample train.csv --draws 100000 -o long.nc --resume long.state\n"
               "  talweg sample coal.csv --likelihood poisson --kernel matern52 --log-ell 2 --json\n"
               "  talweg sample train.csv --method rmhmc --metric smoothed --chains 8 --draws 2000\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(sample_options),
    .line = offsetof(sample_options, command),
    .run = run,
};
