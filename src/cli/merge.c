/* merge.c: talweg merge: merges runs with different seeds into one file. */
#include "cli/commands.h"
#include "cli/common_rows.h"
#include "cli/json.h"
#include "cli/model_options.h"
#include "cli/names.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/report.h"

typedef struct merge_options {
    tw_operands runs;
    const char *path;
    bool compress;
    uint64_t threads;
    tw_output_options output;
} merge_options;

static const tw_option rows[] = {
    {.name = "RUN...",
     .kind = TW_OPTION_OPERANDS,
     .offset = offsetof(merge_options, runs),
     .help = "run files of the same problem with different seeds"},
    {TW_ROW_OUTPUT(offsetof(merge_options, path)), .help = "the output file with all chains"},
    {.name = "compress",
     .kind = TW_OPTION_FLAG,
     .offset = offsetof(merge_options, compress),
     .help = "deflate the draws"},
    {TW_ROW_THREADS(offsetof(merge_options, threads))},
};

static tw_status merge(tw_context *ctx, const merge_options *o, tw_pool **pool)
{
    const tw_run_options options = {.overwrite = o->output.force,
                                    .compress = o->compress ? TW_RUN_COMPRESSION : 0,
                                    .threads = tw_threads((size_t)o->threads)};
    TW_TRY(tw_pool_open(ctx, o->runs.count, o->runs.item, pool));
    if (!tw_name_ends_in(o->path, ".nc"))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "talweg merge needs an output file: -o ALL.nc");
    TW_TRY(tw_run_check(ctx, o->path, o->output.force));
    tw_terminal_progress(o->output.quiet, "copying draws ...");
    tw_status status = tw_pool_save(*pool, o->path, &options);
    tw_terminal_progress(o->output.quiet, NULL);
    return status;
}

static tw_status print_json(tw_context *ctx, const tw_pool *pool)
{
    bool ok = true;
    json_t *root = json_object();
    tw_json_set(root, "n", tw_json_count(pool->n), &ok);
    tw_json_set(root, "chains", tw_json_count(pool->chains), &ok);
    tw_json_set(root, "draws", tw_json_count(pool->draws), &ok);
    return tw_result_print_json(ctx, pool->problem, root, ok, stdout);
}

static tw_status run(tw_context *ctx, const void *values)
{
    const merge_options *o = values;
    tw_pool *pool = NULL;
    tw_terminal_log_to(ctx, o->output.quiet);
    tw_status status = merge(ctx, o, &pool);
    if (status == TW_OK && o->output.json) status = print_json(ctx, pool);
    if (status == TW_OK && !o->output.json)
        printf("%s: %zu chains of %zu draws from %zu file%s\n", tw_plain(o->path), pool->chains, pool->draws,
               pool->chained, pool->chained == 1 ? "" : "s");
    tw_pool_close(pool);
    return status;
}

static const tw_option_group groups[] = {
    {"Merge", rows, TW_COUNT(rows), 0},
    TW_OUTPUT_OPTION_GROUP(merge_options, output),
};

const tw_command tw_command_merge = {
    .name = "merge",
    .summary = "merge runs with different seeds into one file",
    .description =
        "Merge the chains of several run files, such as those of a job array, into one file. The runs must "
        "have the same data, model and temperature, and different seeds; if their numbers of draws differ, "
        "the longer chains are truncated. Estimates of log Z are not merged.",
    .example = "  talweg merge run.1.nc run.2.nc -o all.nc\n"
               "  talweg merge run.*.nc -o all.nc --compress\n",
    .groups = groups,
    .group_count = TW_COUNT(groups),
    .bytes = sizeof(merge_options),
    .run = run,
};
