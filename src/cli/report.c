/* report.c: talweg report: writes one HTML page about run files. */
#include "talweg/report.h"
#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/model_options.h"
#include "cli/new_inputs.h"
#include "cli/summary_print.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/warning.h"

typedef struct report_options {
    tw_operands runs;
    const char *output_file, *title, *test, *label_column;
    tw_likelihood_options columns;
    uint64_t latents, threads;
    tw_output_options output;
    tw_operands ignore;
    bool new_categories;
} report_options;

#define FIELD(member) offsetof(report_options, member)

static const tw_option rows[] = {
    {.name = "RUN...",
     .kind = TW_OPTION_OPERANDS,
     .offset = FIELD(runs),
     .help = "run files of one problem, written by talweg sample or talweg evidence"},
    {TW_ROW_OUTPUT(FIELD(output_file)), .default_value = "report.html", .help = "the page"},
    {.name = "title",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(title),
     .argument = "TEXT",
     .help = "the title; default: the name of the data"},
    {.name = "latents",
     .kind = TW_OPTION_INTEGER,
     .offset = FIELD(latents),
     .argument = "K",
     .default_value = "4",
     .most = 20,
     .help = "trace and rank plots for the K latents with the smallest ESS"},
    {TW_ROW_TEST(FIELD(test)), .help = "labelled test cases with the same inputs: use them for calibration, "
                                       "error and log score, instead of the training cases"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX",
     .help = "the column of y in the test file; default: as in talweg predict, the column named as in the "
             "training "
             "data; if those had no names, the last column if there is one more column than inputs"},
    {TW_ROW_IGNORE(FIELD(ignore))},
    {TW_ROW_NEW_CATEGORIES(FIELD(new_categories))},
    {TW_ROW_THREADS(FIELD(threads))},
};

static tw_status read_test(const report_options *o, const tw_pool *pool, tw_new_inputs *at)
{
    if (!o->test) return TW_OK;
    if (tw_kernel_matrix(pool->problem->kernel, NULL))
        return tw_fail(pool->ctx, TW_BAD_ARGUMENT,
                       "--test needs a kernel, but these runs were made with --kernel-matrix");
    if (!pool->has_x)
        return tw_fail(pool->ctx, TW_BAD_ARGUMENT,
                       "--test needs draws, but %.1000s has none: sample without --summary-only",
                       pool->path[0]);
    TW_TRY(tw_new_inputs_read(pool->problem, o->test,
                              (tw_new_columns){o->label_column, &o->columns, &o->ignore, o->new_categories},
                              at));
    if (at->y) return TW_OK;
    return tw_fail(pool->ctx, TW_BAD_DATA, "%.1000s: --test needs labelled cases", o->test);
}

static tw_status write_page(tw_context *ctx, const report_options *o, tw_pool *pool, tw_new_inputs *at)
{
    TW_TRY(read_test(o, pool, at));
    tw_report_options options = {.overwrite = o->output.force,
                                 .title = o->title,
                                 .latents = (size_t)o->latents,
                                 .test = at->data,
                                 .test_name = o->test,
                                 .threads = tw_threads((size_t)o->threads)};
    if (!tw_gnuplot_available()) tw_warn(ctx, &(tw_warning){.code = TW_WARN_NO_PLOTS});
    tw_terminal_progress(o->output.quiet, "writing the page ...");
    tw_status status = tw_report_write(pool, o->output_file, &options);
    tw_terminal_progress(o->output.quiet, NULL);
    return status;
}

/* Keep the warnings that talweg summary gives for the same draws. */
static tw_status keep_warnings(tw_pool *pool, size_t threads)
{
    void *memory = NULL;
    tw_chains_summary summary;
    tw_warnings warnings = {0};
    if (pool->chained == 0) return TW_OK;
    TW_TRY(tw_allocate(pool->ctx, pool->n, sizeof(tw_summary), "the summary", &memory));
    tw_status status = tw_pool_summarise(pool, threads, memory, &summary);
    if (status == TW_OK) tw_pool_judge(pool, &summary, &warnings);
    tw_summary_use(pool);
    tw_warnings_keep(&warnings);
    tw_release(pool->ctx, memory);
    return status;
}

static tw_status print_json(tw_pool *pool, size_t threads)
{
    bool ok = true;
    TW_TRY(keep_warnings(pool, threads));
    json_t *object = json_object();
    tw_json_set(object, "n", tw_json_count(pool->n), &ok);
    tw_json_set(object, "chains", tw_json_count(pool->chains), &ok);
    tw_json_set(object, "draws", tw_json_count(pool->draws), &ok);
    return tw_result_print_json(pool->ctx, pool->problem, object, ok, stdout);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const report_options *o = values;
    tw_pool *pool = NULL;
    tw_new_inputs at = {.m = 0};
    tw_terminal_log_to(ctx, o->output.quiet);
    TW_TRY(tw_writer_hold(ctx, o->output_file, o->output.force));
    TW_TRY(tw_pool_open(ctx, o->runs.count, o->runs.item, &pool));
    tw_status status = write_page(ctx, o, pool, &at);
    if (status == TW_OK && o->output.json) status = print_json(pool, tw_threads((size_t)o->threads));
    tw_new_inputs_free(&at);
    tw_pool_close(pool);
    return status;
}

static const tw_option_group groups[] = {
    {"Report", rows, TW_COUNT(rows), 0},
    TW_NEW_COLUMN_OPTION_GROUP(offsetof(report_options, columns)),
    TW_OUTPUT_OPTION_GROUP(report_options, output),
};

const tw_command tw_command_report = {
    .name = "report",
    .summary = "write one self-contained HTML page about runs, with plots",
    .description =
        "Write one HTML page from run files of one problem: a verdict, the estimates of log Z with their "
        "errors compared with Laplace and EP, calibration and predictions, effective sample sizes and R-hat "
        "of all latents, traces and rank plots of the worst latents, energies, times, and the settings. The "
        "page needs no network and no scripts, and works on a phone, on paper and in dark mode.\n\n"
        "The draws of several files are treated as chains of one posterior, as in talweg summary; the "
        "estimates of all files are listed together. All files must have the same data and model.\n\n"
        "gnuplot draws the plots. If it is not installed, the page says so and has no plots.",
    .example = "  talweg report run.nc -o report.html\n"
               "  talweg report run.nc evidence.nc --test test.csv -o report.html\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(report_options),
    .run = run,
};
