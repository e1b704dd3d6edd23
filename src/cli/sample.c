/* sample.c: talweg sample: draws from the posterior, a summary, warnings. */
#include <string.h>

#include "cli/commands.h"
#include "cli/model_options.h"
#include "cli/names.h"
#include "cli/progress.h"
#include "cli/reference_file.h"
#include "cli/sample_files.h"
#include "cli/sample_report.h"
#include "cli/sample_save.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"

typedef struct sample_options {
    tw_model_options model;
    tw_sampler_flags sampler;
    tw_sample_file_flags files;
    tw_saver_flags saver;
    tw_output_options output;
    const char *command; /* as it was typed */
} sample_options;

/* A run on its way. */
typedef struct job {
    tw_context *ctx;
    const sample_options *options;
    tw_sample_results *results;
    tw_sample_files files;
    tw_sample_saver saver;
    double start, warm; /* moments */
    tw_meter meter;
    tw_stage shown; /* the stage that the meter is for */
    char pilot[64]; /* what it calls a pilot run */
} job;

/* ---- while it runs ---- */

static tw_status write_draw(void *user, const tw_draw *draw)
{
    job *j = user;
    return tw_sample_files_add(&j->files, draw);
}

static void show_stage(job *j, tw_stage stage)
{
    bool warmup = stage == TW_STAGE_WARMUP, thinned = j->options->sampler.thin > 1;
    j->shown = stage;
    tw_meter_begin(&j->meter, j->options->output.quiet, warmup ? "warm-up" : "sampling",
                   warmup || thinned ? "iterations" : "draws");
}

static void show_progress(void *user, const tw_progress *p)
{
    job *j = user;
    if (p->stage == TW_STAGE_WARMUP) j->warm = tw_wall_seconds();
    if (p->stage != j->shown) show_stage(j, p->stage);
    tw_meter_view view = TW_METER_COUNT(p->iteration, p->total);
    view.acceptance = p->acceptance;
    tw_meter_show(&j->meter, view);
}

static void show_pilot(void *user, const tw_candidate *candidate, size_t done, size_t total)
{
    job *j = user;
    if (done == 1) {
        tw_meter_end(&j->meter);
        snprintf(j->pilot, sizeof j->pilot, "pilot of %s/%s", tw_method_name(candidate->method),
                 tw_metric_name(candidate->metric));
        tw_meter_begin(&j->meter, j->options->output.quiet, j->pilot, "iterations");
    }
    tw_meter_show(&j->meter, TW_METER_COUNT(done, total));
}

static bool interrupted(void *user)
{
    (void)user;
    return tw_interrupt_seen();
}

static bool wants_state(void *user)
{
    const job *j = user;
    return tw_saver_is_due(&j->saver.saver);
}

static void save_state(void *user, const tw_chains_state *state)
{
    job *j = user;
    tw_sample_save_state(&j->saver, state, j->warm - j->start);
}

/* ---- setting up ---- */

static bool needs_approximation(const tw_sampler_flags *f, const tw_sampler_options *s)
{
    const tw_metric_info *metric = tw_metric_describe(s->metric);
    return tw_sampler_flags_auto(f) || metric->needs_gaussian || metric->needs_smoothing ||
           strcmp(f->init, "ep") == 0 || strcmp(f->from, "ep") == 0;
}

static tw_status choose(job *j, const tw_posterior *posterior)
{
    const tw_sampler_flags *f = &j->options->sampler;
    tw_sample_results *r = j->results;
    tw_auto_options o = TW_AUTO_DEFAULTS;
    o.chains = (size_t)f->chains;
    o.target_accept = f->target_accept;
    o.seed = f->seed;
    o.sampler = r->sampler;
    o.user = j;
    o.on_progress = show_pilot;
    if (!tw_sample_save_choice(&j->saver, &r->choice)) {
        tw_status status = tw_auto_choose(posterior, &o, &r->choice);
        tw_meter_end(&j->meter);
        if (status != TW_OK) return status;
    }
    r->sampler.method = r->choice.candidates[r->choice.best].method;
    r->sampler.metric = r->choice.candidates[r->choice.best].metric;
    return TW_OK;
}

static tw_status start_from_file(tw_sampler *sampler, tw_context *ctx, const char *path)
{
    tw_table *table = NULL;
    TW_TRY(tw_table_read(ctx, path, &table));
    tw_status status = tw_sampler_start_at(sampler, table->rows, table->columns, table->values);
    if (status != TW_OK) tw_fail_within(ctx, status, "%.1000s: ", path);
    tw_table_free(table);
    return status;
}

static tw_status start(job *j, const tw_sampling *sampling)
{
    const tw_sampler_flags *f = &j->options->sampler;
    tw_reference *prior = NULL;
    if (strcmp(f->init, "ep") == 0)
        return tw_sampler_start(sampling->sampler, j->results->approximation->reference, 1.5, f->seed);
    if (strcmp(f->init, "prior") != 0) return start_from_file(sampling->sampler, j->ctx, f->init);
    TW_TRY(tw_reference_prior(j->results->problem->model, &prior));
    tw_status status = tw_sampler_start(sampling->sampler, prior, 1.0, f->seed);
    tw_reference_free(prior);
    return status;
}

/* ---- running ---- */

static tw_run_facts facts_of(const job *j, size_t chains)
{
    const sample_options *o = j->options;
    const tw_sample_results *r = j->results;
    tw_run_facts facts = {.n = r->problem->data->n,
                          .chains = chains,
                          .data = o->model.data,
                          .command = o->command,
                          .method = tw_method_name(r->sampler.method),
                          .metric = tw_metric_name(r->sampler.metric),
                          .from = o->sampler.from,
                          .beta = o->sampler.beta,
                          .warmup = (size_t)o->sampler.warmup,
                          .thin = (size_t)o->sampler.thin,
                          .seed = o->sampler.seed,
                          .warmup_seconds = r->warmup_seconds,
                          .sampling_seconds = r->sampling_seconds};
    if (!r->draws) return facts;
    facts.tuning = r->draws->tuning;
    facts.warmup_totals = r->draws->warmup;
    facts.sampling = r->draws->sampling;
    facts.interrupted = r->draws->interrupted;
    return facts;
}

static tw_status begin_files(job *j, size_t chains)
{
    const sample_options *o = j->options;
    tw_run_facts facts = facts_of(j, chains);
    const tw_stan_settings settings = {facts.n,      chains,      (size_t)o->sampler.draws, facts.warmup,
                                       facts.thin,   facts.seed,  o->sampler.target_accept, facts.data,
                                       facts.method, facts.metric};
    const tw_chains_state *state = &j->saver.state;
    bool at_draw = state->iteration % facts.thin == 0;
    if (state->count > 0 && j->saver.positions != facts.n * chains)
        return tw_fail(j->ctx, TW_BAD_DATA,
                       "--resume %.1000s: this checkpoint is damaged: start again without it",
                       o->saver.resume);
    return tw_sample_files_begin(&j->files, j->ctx, &o->files, o->output.force || o->saver.resume,
                                 j->results->problem, &facts, &settings, j->results->sampler.threads,
                                 (tw_sample_earlier){state->draws, at_draw ? state->x : NULL});
}

/* Checkpoints on the way, and the way on from an earlier one. Where that had no draws yet, warm-up begins anew, which
 * is the same to the bit. */
static void use_checkpoints(job *j, tw_chains_options *o)
{
    tw_sample_saver *s = &j->saver;
    if (!s->saver.path) return;
    s->files = &j->files;
    o->wants_state = wants_state;
    o->on_state = save_state;
    if (s->state.count == 0) return;
    o->resume = &s->state;
    j->start -= s->warmup_seconds + s->sampling_seconds;
    j->warm -= s->sampling_seconds;
}

/* With a run file nothing that grows with the number of draws is kept in memory. */
static tw_status run_chains(job *j, tw_sampler *sampler)
{
    tw_sample_results *r = j->results;
    tw_chains_options o = tw_sampler_flags_chains(&j->options->sampler);
    size_t chains = (size_t)j->options->sampler.chains;
    o.user = j;
    o.on_progress = show_progress;
    o.on_draw = write_draw;
    o.interrupted = interrupted;
    o.keep = !tw_name_ends_in(j->options->files.path, ".nc");
    tw_interrupt_catch();
    tw_sample_save_begin(&j->saver, &r->choice);
    tw_status status = begin_files(j, chains);
    j->start = j->warm = j->saver.start = tw_wall_seconds();
    use_checkpoints(j, &o);
    show_stage(j, o.resume ? TW_STAGE_SAMPLING : TW_STAGE_WARMUP);
    j->meter.first = o.resume ? o.resume->iteration : 0;
    if (status == TW_OK) status = tw_chains_run(sampler, &o, &r->draws);
    tw_meter_end(&j->meter);
    r->warmup_seconds = j->warm - j->start;
    r->sampling_seconds = tw_wall_seconds() - j->warm;
    tw_run_facts facts = facts_of(j, chains);
    return tw_sample_files_end(&j->files, status, &facts);
}

static tw_status summarise(job *j)
{
    tw_sample_results *r = j->results;
    tw_run *run = NULL;
    tw_terminal_progress(j->options->output.quiet, "effective sample sizes ...");
    if (!tw_name_ends_in(j->options->files.path, ".nc"))
        return tw_draws_summarise(r->draws, r->sampler.threads, NULL, &r->summary);
    TW_TRY(tw_run_open(j->ctx, j->options->files.path, &run));
    tw_status status = tw_run_summarise(run, r->sampler.threads, NULL, &r->summary);
    tw_run_close(run);
    return status;
}

static tw_status sample(job *j, const tw_posterior *posterior)
{
    const tw_sampler_flags *f = &j->options->sampler;
    tw_sample_results *r = j->results;
    tw_sampling *sampling = NULL;
    if (tw_sampler_flags_auto(f)) TW_TRY(choose(j, posterior));
    TW_TRY(tw_sampling_new(posterior, &r->sampler, (size_t)f->chains, &sampling));
    tw_status status = start(j, sampling);
    if (status == TW_OK) status = run_chains(j, sampling->sampler);
    tw_sampling_free(sampling);
    return status == TW_OK ? summarise(j) : status;
}

static tw_status approximate(job *j)
{
    tw_ep_options o = TW_EP_DEFAULTS;
    tw_meter_begin(&j->meter, j->options->output.quiet, "expectation propagation", NULL);
    o.user = &j->meter;
    o.on_progress = tw_meter_show_sweep;
    tw_status status = tw_auto_approximation(j->results->problem->model, &o, &j->results->approximation);
    tw_meter_end(&j->meter);
    return status;
}

static tw_status compute(job *j)
{
    const sample_options *o = j->options;
    tw_sample_results *r = j->results;
    r->sampler = tw_sampler_flags_sampler(&o->sampler);
    TW_TRY(tw_model_options_load(j->ctx, &o->model, &r->problem));
    if (needs_approximation(&o->sampler, &r->sampler)) {
        TW_TRY(approximate(j));
    }
    tw_posterior posterior = {
        .model = r->problem->model, .beta = o->sampler.beta, .approximation = r->approximation};
    tw_reference *own = NULL;
    const char *name = NULL;
    tw_status status = TW_OK;
    if (strcmp(o->sampler.from, "ep") == 0)
        posterior.from = r->approximation->reference;
    else
        status = tw_reference_read(j->ctx, r->problem->model, o->sampler.from, &name, &own);
    if (own) posterior.from = own;
    if (status == TW_OK) status = sample(j, &posterior);
    tw_reference_free(own);
    return status;
}

static tw_status write_summary(job *j)
{
    const sample_options *o = j->options;
    tw_writer *writer = NULL;
    if (!tw_name_ends_in(o->files.path, ".json")) return TW_OK;
    TW_TRY(tw_writer_open(j->ctx, o->files.path, o->output.force, &writer));
    tw_status status = tw_sample_print_json(j->ctx, &o->sampler, j->results, tw_writer_stream(writer));
    return tw_writer_close(writer, status);
}

/* JSON has the warnings; people read them behind the table. */
static void judge(tw_sample_results *r)
{
    const tw_draws *d = r->draws;
    tw_problem_warn_defaults(r->problem);
    tw_chains_judge(d->chains, d->draws, d->interrupted, &r->summary, &d->sampling, &r->warnings);
    tw_warnings_keep(&r->warnings);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const sample_options *o = values;
    tw_sample_results r = {0};
    job j = {.ctx = ctx, .options = o, .results = &r};
    tw_terminal_log_to(ctx, o->output.quiet);
    tw_status status = tw_sampler_flags_check(ctx, &o->sampler);
    if (status == TW_OK) status = tw_sample_save_check(ctx, &o->saver, &o->files);
    if (status == TW_OK)
        status =
            tw_saver_begin(&j.saver.saver, ctx, &o->saver, &tw_command_sample, o, "draws", o->output.force);
    if (status == TW_OK)
        status = tw_sample_files_check(ctx, &o->files, o->output.force || o->saver.resume,
                                       (size_t)o->sampler.chains);
    tw_sample_save_resume(&j.saver);
    if (status == TW_OK) status = compute(&j);
    if (status == TW_OK) judge(&r);
    bool complete = status == TW_OK && !r.draws->interrupted;
    tw_terminal_progress(o->output.quiet, NULL);
    if (status == TW_OK && o->output.json) status = tw_sample_print_json(ctx, &o->sampler, &r, stdout);
    if (status == TW_OK && !o->output.json) tw_sample_print(o->model.data, &o->sampler, &r);
    if (status == TW_OK) status = write_summary(&j);
    if (status == TW_OK) tw_warnings_say(&r.warnings);
    tw_saver_end(&j.saver.saver, complete);
    tw_draws_free(r.draws);
    tw_approximation_free(r.approximation);
    tw_problem_free(r.problem);
    return status;
}

static const tw_option_group groups[] = {
    TW_MODEL_OPTION_GROUPS(sample_options, model),      TW_SAMPLER_OPTION_GROUP(sample_options, sampler),
    TW_SAMPLE_FILE_OPTION_GROUP(sample_options, files), TW_SAVER_OPTION_GROUP(sample_options, saver),
    TW_OUTPUT_OPTION_GROUP(sample_options, output),
};

const tw_command tw_command_sample = {
    .name = "sample",
    .summary = "posterior draws, a summary, warnings a person understands",
    .description =
        "Draw from the posterior of the latent values by Markov chain Monte Carlo, exactly: the sampler's "
        "only error is that of a finite number of draws, and the summary says how large that is. Chains "
        "start from over-dispersed draws, tune step size and trajectory length in warm-up, and are then "
        "frozen.\n\n"
        "--method auto fits EP and runs every candidate for a short while; the one with the most effective "
        "draws of the worst latent per flop wins, and the table of pilot runs says why. The draws depend on "
        "the seed alone, not on the number of threads or the speed of the machine.\n\n"
        "Numerical failures reject the trajectory, are counted, and never end the run. Ctrl-C ends it after "
        "the current iteration, with a complete file of the draws so far.\n\n"
        "A run file (-o RUN.nc) takes the draws as they are made, so that memory does not grow with their "
        "number; until it is complete they are in RUN.nc.journal, from which the next command that is given "
        "RUN.nc makes it, should the program be killed.\n\n"
        "A checkpoint (with -o RUN.nc) holds where the chains stand, their tuning and sums; with --resume "
        "the run goes on and its file has the draws of both parts, the same to the bit as those of one. In "
        "warm-up it holds the choice of the pilots, and warm-up begins anew. --draws may be another number "
        "than before.",
    .example = "  talweg sample ionosphere.csv --log-ell 1 --log-sigma 1.5 -o run.nc\n"
               "  talweg sample ionosphere.csv --log-ell 1 --log-sigma 1.5 -o draws.csv\n"
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
