/* sample_files.c: writes the draws of talweg sample to files (sample_files.h). */
#include "cli/sample_files.h"

#include "cli/common_rows.h"
#include "cli/names.h"
#include "talweg/base.h"
#include "talweg/files.h"
#include "talweg/team.h"

#define FIELD(member) offsetof(tw_sample_file_flags, member)

const tw_option tw_sample_file_option_rows[TW_SAMPLE_FILE_OPTION_COUNT] = {
    {TW_ROW_OUTPUT(FIELD(path)),
     .help = "write the run to FILE.nc (NetCDF in the InferenceData layout, for talweg summary, predict and "
             "report, xarray and ArviZ), the draws to FILE.csv (a line for each chain and draw), or the "
             "summary to FILE.json"},
    {.name = "compress",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(compress),
     .help = "FILE.nc: shuffle and deflate the draws, which is slower and saves a little space"},
    {.name = "summary-only",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(summary_only),
     .help = "FILE.nc: store a summary of every latent and the sampler statistics, not the draws"},
    {.name = "pointwise",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(pointwise),
     .help = "FILE.nc: store the log likelihood of each observation (for cross-validation; as large as the "
             "draws), not only the sum"},
    {.name = "stan-csv",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(stan_csv),
     .argument = "PREFIX",
     .help =
         "write the draws to PREFIX_1.csv, PREFIX_2.csv, ..., one file per chain, in the format of CmdStan"},
};

tw_status tw_sample_files_check(tw_context *ctx, const tw_sample_file_flags *f, bool force, size_t chains)
{
    bool run = tw_name_ends_in(f->path, ".nc");
    if (!run && (f->compress || f->summary_only || f->pointwise))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs -o FILE.nc",
                       f->compress       ? "compress"
                       : f->summary_only ? "summary-only"
                                         : "pointwise");
    if (f->path && !run && !tw_name_ends_in(f->path, ".csv") && !tw_name_ends_in(f->path, ".json"))
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "-o %.1000s: the name must end in .nc (the run), .csv (the draws) or .json (the summary)",
            f->path);
    if (f->stan_csv) TW_TRY(tw_stan_csv_check(ctx, f->stan_csv, force, chains));
    if (run) return tw_run_check(ctx, f->path, force);
    return f->path ? tw_writer_hold(ctx, f->path, force) : TW_OK;
}

tw_status tw_sample_files_begin(tw_sample_files *files, tw_context *ctx, const tw_sample_file_flags *f,
                                bool force, const tw_problem *problem, const tw_run_facts *facts,
                                const tw_stan_settings *settings, size_t threads, tw_sample_earlier earlier)
{
    *files = (tw_sample_files){.ctx = ctx, .positions = facts->n * facts->chains};
    if (f->stan_csv) TW_TRY(tw_stan_csv_open(ctx, f->stan_csv, force, settings, &files->stan));
    if (tw_name_ends_in(f->path, ".nc")) {
        const tw_run_options options = {.overwrite = force,
                                        .compress = f->compress ? TW_RUN_COMPRESSION : 0,
                                        .summary_only = f->summary_only,
                                        .pointwise = f->pointwise,
                                        .threads = threads};
        return earlier.draws > 0 ? tw_run_reopen(ctx, f->path, &options, problem, facts, earlier.draws,
                                                 earlier.x, &files->run)
                                 : tw_run_create(ctx, f->path, &options, problem, facts, &files->run);
    }
    if (!tw_name_ends_in(f->path, ".csv")) return TW_OK;
    TW_TRY(tw_writer_open(ctx, f->path, force, &files->csv));
    tw_draws_csv_header(problem->data->n, tw_writer_stream(files->csv));
    return TW_OK;
}

tw_status tw_sample_files_add(tw_sample_files *files, const tw_draw *draw)
{
    if (files->run) TW_TRY(tw_run_append(files->run, draw));
    if (files->csv) TW_TRY(tw_draws_csv_add(files->ctx, draw, tw_writer_stream(files->csv)));
    return files->stan ? tw_stan_csv_add(files->stan, draw) : TW_OK;
}

tw_status tw_sample_files_end(tw_sample_files *files, tw_status status, const tw_run_facts *facts)
{
    if (files->run && status == TW_OK)
        status = tw_run_finish(files->run, facts);
    else
        tw_run_abandon(files->run);
    if (files->csv) status = tw_writer_close(files->csv, status);
    if (files->stan && status == TW_OK)
        status = tw_stan_csv_close(files->stan, facts->warmup_seconds, facts->sampling_seconds);
    else
        tw_stan_csv_abandon(files->stan);
    *files = (tw_sample_files){.ctx = files->ctx};
    return status;
}
