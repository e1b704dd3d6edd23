/* summary.c: talweg summary: summarises the draws in run files, with diagnostics and warnings. */
#include <math.h>

#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/model_options.h"
#include "cli/summary_print.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/report.h"

typedef struct summary_options {
    tw_operands runs;
    bool all;
    const char *csv;
    uint64_t threads;
    tw_output_options output;
} summary_options;

static const tw_option rows[] = {
    {.name = "RUN...",
     .kind = TW_OPTION_OPERANDS,
     .offset = offsetof(summary_options, runs),
     .help = "run files written by talweg sample; several files are treated as chains of one posterior"},
    {.name = "all",
     .kind = TW_OPTION_FLAG,
     .offset = offsetof(summary_options, all),
     .help = "print every latent, not only the 10 with the smallest ESS"},
    {.name = "csv",
     .kind = TW_OPTION_TEXT,
     .offset = offsetof(summary_options, csv),
     .argument = "FILE",
     .help = "write all rows to a CSV file"},
    {TW_ROW_THREADS(offsetof(summary_options, threads))},
};

/* ---- computing ---- */

static const struct {
    const char *name, *statistic;
} statistics[TW_SUMMARY_STATISTICS] = {
    {"lp__", "lp"},
    {"accept_stat__", "acceptance_rate"},
    {"stepsize__", "step_size"},
    {"n_leapfrog__", "n_steps"},
    {"divergent__", "diverging"},
    {"energy__", "energy"},
};

static tw_status summarise_statistics(tw_pool *pool, tw_diagnose *workspace, double *x,
                                      tw_summary_table *table)
{
    for (size_t k = 0; k < TW_SUMMARY_STATISTICS; k++) {
        TW_TRY(tw_pool_read_statistic(pool, statistics[k].statistic, x));
        tw_diagnose_load(workspace, x, pool->draws);
        table->statistic[k] = tw_diagnose_summary(workspace);
        if (pool->theta) table->statistic[k].rhat = NAN; /* resampled draws are not chains */
        table->statistic_name[k] = statistics[k].name;
    }
    return TW_OK;
}

static tw_status compute(tw_context *ctx, const summary_options *o, tw_summary_table *table)
{
    tw_pool *pool = table->pool;
    tw_diagnose *workspace = NULL;
    double *x = NULL;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, pool->n, sizeof *table->latent, "the summaries of the latents", &memory));
    table->latent = memory;
    TW_TRY(tw_pool_summarise(pool, tw_threads((size_t)o->threads), table->latent, &table->summary));
    TW_TRY(tw_allocate(ctx, pool->n, sizeof *table->worst, "the order of the latents", &memory));
    table->worst = memory;
    TW_TRY(tw_pool_order(pool, table->latent, table->worst));
    tw_status status = tw_allocate_doubles(ctx, pool->draws, pool->chains, "a statistic of the draws", &x);
    if (status == TW_OK) status = tw_diagnose_new(ctx, pool->draws, pool->chains, &workspace);
    if (status == TW_OK) status = summarise_statistics(pool, workspace, x, table);
    tw_diagnose_free(workspace);
    tw_release(ctx, x);
    tw_pool_judge(pool, &table->summary, &table->warnings);
    tw_summary_use(pool);
    tw_warnings_keep(&table->warnings);
    return status;
}

/* ---- the command ---- */

static tw_status save_csv(tw_context *ctx, const summary_options *o, const tw_summary_table *table)
{
    tw_writer *writer = NULL;
    if (!o->csv) return TW_OK;
    TW_TRY(tw_writer_open(ctx, o->csv, o->output.force, &writer));
    return tw_writer_close(writer, tw_summary_print_csv(ctx, table, tw_writer_stream(writer)));
}

static tw_status summarise(tw_context *ctx, const summary_options *o, tw_summary_table *table)
{
    if (o->csv) TW_TRY(tw_writer_hold(ctx, o->csv, o->output.force));
    TW_TRY(tw_pool_open(ctx, o->runs.count, o->runs.item, &table->pool));
    tw_terminal_progress(o->output.quiet, "effective sample sizes ...");
    tw_status status = compute(ctx, o, table);
    tw_terminal_progress(o->output.quiet, NULL);
    if (status != TW_OK) return status;
    if (o->output.json)
        TW_TRY(tw_summary_print_json(ctx, table));
    else
        tw_summary_print(table);
    TW_TRY(save_csv(ctx, o, table));
    tw_warnings_say(&table->warnings);
    return TW_OK;
}

static tw_status run(tw_context *ctx, const void *values)
{
    const summary_options *o = values;
    tw_summary_table table = {.all = o->all};
    tw_terminal_log_to(ctx, o->output.quiet);
    tw_status status = summarise(ctx, o, &table);
    tw_release(ctx, table.latent);
    tw_release(ctx, table.worst);
    tw_pool_close(table.pool);
    return status;
}

static const tw_option_group groups[] = {
    {"Summary", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(summary_options, output),
};

const tw_command tw_command_summary = {
    .name = "summary",
    .summary = "summarise draws: mean, MCSE, sd, quantiles, effective sample sizes, R-hat",
    .description = "Summarise the draws in run files, in the columns of Stan's stansummary: posterior mean, "
                   "Monte Carlo standard error of the mean, standard deviation, 5%, 50% and 95% quantiles, "
                   "bulk, tail and fold effective sample size (ESS), the smallest of the three per second of "
                   "sampling, and R-hat. ESS and R-hat are those of Vehtari et al. (2021); fold ESS is the "
                   "bulk ESS of |x - median|. Rows: lp__ (log density, normalised so that it integrates to "
                   "the evidence), the statistics of the sampler, and the latent values x.1, x.2, ...\n\n"
                   "Several files are treated as chains of one posterior and must have the same data, model "
                   "and temperature; otherwise summarise them one by one. If their lengths differ, the "
                   "longer chains are truncated; ESS/s uses the sum of their times. The samplers may differ; "
                   "the seeds must differ, since chains of one sampler and one seed repeat each other.\n\n"
                   "The command warns, with advice, about an R-hat above 1.01 that chance does not explain, "
                   "an ESS below 400, a single chain, an E-BFMI below 0.3, and trajectories that diverged or "
                   "whose implicit equations were not solved.",
    .example = "  talweg summary run.nc\n"
               "  talweg summary run1.nc run2.nc --all --csv summary.csv\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(summary_options),
    .run = run,
};
