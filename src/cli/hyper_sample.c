/* hyper_sample.c: talweg sample with unknown parameters. Weighted points of theta with particles of x are
 * resampled and shuffled into draws of (theta, x) with equal weights; or chains draw them. */
#include "cli/hyper_sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/names.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/files.h"
#include "talweg/run.h"
#include "talweg/team.h"

enum { KEPT = 4 }; /* particles of x to keep at each point */

/* A run with its draws. */
typedef struct sampled {
    tw_context *ctx;
    const tw_hyper_sample_flags *flags;
    tw_hyper_job job;
    size_t *point; /* the point of each draw */
    tw_draws *draws;
    tw_saver saver;
} sampled;

/* ---- checks of the options ---- */

/* Does an option differ from its default? */
static bool is_changed(const tw_option *option, const tw_sampler_flags *flags)
{
    const char *at = (const char *)flags + option->offset, *own = option->default_value;
    if (option->kind == TW_OPTION_INTEGER) {
        bool word = own && option->also && strcmp(own, option->also) == 0;
        return *(const uint64_t *)(const void *)at != (word  ? TW_OPTION_WORD
                                                       : own ? strtoull(own, NULL, 10)
                                                             : 0);
    }
    if (option->kind == TW_OPTION_NUMBER) {
        double value = *(const double *)(const void *)at;
        return own ? value != strtod(own, NULL) : !isnan(value);
    }
    const char *text = *(const char *const *)(const void *)at;
    return text && (!own || strcmp(text, own) != 0);
}

/* Options of the samplers do not apply, except --seed and --threads. `method` is that of --hyper-method. */
static tw_status check_sampler(tw_context *ctx, const tw_sampler_flags *flags, const char *method)
{
    const char *advice =
        strcmp(method, "chain") == 0
            ? "--hyper-method chain has 16 chains and its own transitions, and --points draws in total"
            : "use --points, --point-particles and --point-temperatures for draws from weighted points, or "
              "--hyper-method chain with --points draws in total for Markov chains";
    for (size_t k = 0; k < TW_SAMPLER_OPTION_COUNT; k++) {
        const tw_option *option = &tw_sampler_option_rows[k];
        if (strcmp(option->name, "seed") == 0 || strcmp(option->name, "threads") == 0) continue;
        if (is_changed(option, flags))
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "--%s cannot be used with unknown parameters (they have priors): %s; or fix the "
                           "parameters with --fix all",
                           option->name, advice);
    }
    return TW_OK;
}

static tw_status check(tw_context *ctx, const tw_hyper_sample_flags *f)
{
    TW_TRY(check_sampler(ctx, f->sampler, f->hyper->method));
    if (f->files->summary_only || f->files->stan_csv)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--%s cannot be used with unknown parameters: use -o FILE.nc or -o FILE.csv",
                       f->files->summary_only ? "summary-only" : "stan-csv");
    return tw_sample_files_check(ctx, f->files, f->output->force || f->saver->resume, 1);
}

/* ---- files ---- */

static tw_run_facts facts_of(const sampled *s)
{
    const tw_hyper_result *r = s->job.result;
    return (tw_run_facts){.n = r->n,
                          .chains = 1,
                          .draws = s->draws->draws,
                          .has_x = true,
                          .data = s->flags->model->data,
                          .command = s->flags->command,
                          .method = r->estimate.method,
                          .metric = "ep",
                          .from = "ep",
                          .beta = 1.0,
                          .thin = 1,
                          .seed = s->flags->sampler->seed,
                          .warmup_seconds = r->mode_seconds + r->proposal_seconds,
                          .sampling_seconds = r->seconds,
                          .interrupted = r->stopped};
}

static tw_status write_run(const sampled *s)
{
    const tw_sample_file_flags *f = s->flags->files;
    const tw_run_options options = {.overwrite = s->flags->output->force || s->flags->saver->resume,
                                    .compress = f->compress ? TW_RUN_COMPRESSION : 0,
                                    .pointwise = f->pointwise};
    const tw_run_facts facts = facts_of(s);
    const tw_hyper_result *r = s->job.result;
    tw_run_theta_room theta;
    tw_run_theta_of(s->job.problem, s->job.priors, r, s->point, &theta);
    return tw_run_save_hyper(s->ctx, f->path, &options, s->job.problem, &facts, &theta.all, &r->estimate,
                             r->seconds, s->draws);
}

/* One line for each draw: its number, its point, lp, the parameters, and x. */
static tw_status print_csv(const sampled *s, FILE *to)
{
    const tw_hyper_result *r = s->job.result;
    fputs("draw,point,lp", to);
    for (size_t k = 0; k < r->unknown; k++) {
        fputc(',', to);
        tw_csv_text(r->row[k].name, to);
    }
    for (size_t i = 1; i <= r->n; i++) fprintf(to, ",x.%zu", i);
    fputc('\n', to);
    for (size_t i = 0; i < s->draws->draws; i++) {
        double values[3 + TW_HYPER_MOST] = {(double)(i + 1), (double)(s->point[i] + 1),
                                            s->draws->records[i].log_density};
        for (size_t k = 0; k < r->unknown; k++)
            values[3 + k] = tw_hyper_reported(s->job.problem, r, k, s->point[i]);
        TW_TRY(tw_csv_numbers(s->ctx, 3 + r->unknown, values, to));
        fputc(',', to);
        TW_TRY(tw_csv_numbers(s->ctx, r->n, s->draws->x + i * r->n, to));
        fputc('\n', to);
    }
    return TW_OK;
}

/* ---- JSON ---- */

static json_t *encode_size(double ess, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "min", tw_json_number(ess), ok);
    tw_json_set(object, "median", tw_json_number(ess), ok);
    return object;
}

/* The largest R-hat of the parameters; NaN without chains. */
static double largest_rhat(const tw_hyper_result *r)
{
    double rhat = NAN;
    for (size_t k = 0; k < r->unknown; k++) rhat = fmax(rhat, r->row[k].rhat);
    return rhat;
}

static void encode_run(const sampled *s, json_t *object, bool *ok)
{
    const tw_hyper_result *r = s->job.result;
    static const char *const sizes[] = {"ess", "ess_bulk", "ess_tail", "ess_fold"};
    tw_json_set(object, "method", json_string(r->estimate.method), ok);
    tw_json_set(object, "metric", json_string("ep"), ok);
    tw_json_set(object, "n", tw_json_count(r->n), ok);
    tw_json_set(object, "chains", tw_json_count(1), ok);
    tw_json_set(object, "draws", tw_json_count(s->draws->draws), ok);
    tw_json_set(object, "seed", tw_json_count((size_t)s->flags->sampler->seed), ok);
    tw_json_set(object, "beta", tw_json_number(1.0), ok);
    tw_json_set(object, "interrupted", json_boolean(r->stopped), ok);
    tw_json_set(object, "warmup_seconds", tw_json_number(r->mode_seconds + r->proposal_seconds), ok);
    tw_json_set(object, "sampling_seconds", tw_json_number(r->seconds), ok);
    tw_json_set(object, "acceptance", tw_json_number(r->estimate.acceptance), ok);
    for (size_t k = 0; k < TW_COUNT(sizes); k++)
        tw_json_set(object, sizes[k], encode_size(r->estimate.weight_ess, ok), ok);
    tw_json_set(object, "rhat_max", tw_json_number(largest_rhat(r)), ok);
    tw_json_set(object, "pareto_k", tw_json_number(r->estimate.pareto_k), ok);
}

static tw_status print_json(const sampled *s, FILE *to)
{
    bool ok = true;
    const tw_hyper_result *r = s->job.result;
    json_t *object = json_object(), *estimates = json_array();
    encode_run(s, object, &ok);
    if (!tw_hyper_is_chain(r))
        tw_json_append(estimates, tw_hyper_encode_estimate(&r->estimate, r->points, r->seconds, &ok), &ok);
    tw_json_set(object, "estimates", estimates, &ok);
    tw_json_set(object, "theta", tw_hyper_encode_rows(&s->job, &ok), &ok);
    tw_json_set(object, "importance_sampling", tw_hyper_encode_points(r, &ok), &ok);
    return tw_result_print_json(s->ctx, s->job.problem, object, ok, to);
}

static tw_status write_file(const sampled *s)
{
    const char *path = s->flags->files->path;
    tw_writer *writer = NULL;
    if (!path) return TW_OK;
    if (tw_name_ends_in(path, ".nc")) return write_run(s);
    TW_TRY(tw_writer_open(s->ctx, path, s->flags->output->force || s->flags->saver->resume, &writer));
    FILE *to = tw_writer_stream(writer);
    return tw_writer_close(writer, tw_name_ends_in(path, ".csv") ? print_csv(s, to) : print_json(s, to));
}

/* ---- the table ---- */

static void print_weights(const tw_hyper_result *r)
{
    const tw_estimate *e = &r->estimate;
    printf("\nweights         %.1f of %zu points are effective", e->weight_ess, r->points);
    if (isfinite(e->pareto_k))
        printf("; Pareto k %.2f (reliable below %.2f)", e->pareto_k, tw_pareto_limit(r->points));
    printf("\nlog p(y)        %.4f +- %.4f nats, of the whole model\n", e->log_z, e->se);
}

static void print_table(const sampled *s)
{
    const tw_hyper_result *r = s->job.result;
    const tw_estimate *e = &r->estimate;
    tw_hyper_print_model(&s->job, s->flags->model->data);
    tw_hyper_print_rows(&s->job);
    if (tw_hyper_is_chain(r))
        printf("\nESS             %.0f of %zu draws at the worst parameter; R-hat %.4f at most\n",
               e->weight_ess, r->points, largest_rhat(r));
    else
        print_weights(r);
    printf("draws           %zu of the parameters and %zu latents, %s\n", s->draws->draws, r->n,
           tw_hyper_is_chain(r) ? "of all chains, shuffled"
                                : "resampled by the weights and shuffled: no chains, no R-hat");
    printf("acceptance      %.3f\n", e->acceptance);
    printf("time            %.2f s of set-up, %.2f s of points; %.2f s in all\n",
           r->mode_seconds + r->proposal_seconds, r->seconds, tw_terminal_elapsed());
}

/* ---- the command ---- */

static tw_status draw(sampled *s)
{
    const tw_hyper_result *r = s->job.result;
    void *memory = NULL;
    TW_TRY(tw_allocate(s->ctx, r->points, sizeof *s->point, "the draws", &memory));
    s->point = memory;
    return tw_hyper_draws(s->job.problem, s->job.priors, r, s->flags->sampler->seed, s->point, &s->draws);
}

/* Print the results and write the file. */
static tw_status say(const sampled *s)
{
    if (s->flags->output->json)
        TW_TRY(print_json(s, stdout));
    else
        print_table(s);
    tw_warnings_say(&s->job.result->warnings);
    return write_file(s);
}

static tw_status compute(sampled *s)
{
    const tw_hyper_sample_flags *f = s->flags;
    const tw_hyper_wish wish = {.seed = f->sampler->seed,
                                .threads = f->sampler->threads,
                                .kept = KEPT,
                                .store = tw_saver_store(&s->saver),
                                .draws = true};
    TW_TRY(tw_hyper_job_run(s->ctx, f->model, f->hyper, &wish, &s->job));
    tw_terminal_progress(f->output->quiet, NULL);
    TW_TRY(tw_hyper_judge(s->ctx, s->job.result)); /* collapsed weights have nothing to draw from */
    TW_TRY(draw(s));
    return tw_team_leads(s->ctx) ? say(s) : TW_OK;
}

tw_status tw_hyper_sample(tw_context *ctx, const tw_hyper_sample_flags *flags)
{
    sampled s = {.ctx = ctx, .flags = flags, .job = {.quiet = flags->output->quiet}};
    TW_TRY(check(ctx, flags));
    tw_status status = tw_saver_begin(&s.saver, ctx, flags->saver, &tw_command_sample, flags->values,
                                      "points", flags->output->force);
    if (status == TW_OK) status = compute(&s);
    tw_saver_end(&s.saver, status == TW_OK && !s.job.result->stopped);
    tw_draws_free(s.draws);
    tw_release(ctx, s.point);
    tw_hyper_job_release(&s.job);
    return status;
}
