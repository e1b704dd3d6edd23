/* write.c: write a run file from its first draw to its last: draws go to a journal, from which complete.c
 * makes the file. */
#include <string.h>
#include <sys/stat.h>

#include "model/problem.h"
#include "output/run/file.h"
#include "output/run/seal.h"
#include "talweg/team.h"

/* netCDF-C writes a regular file by its name. */
static tw_status check_regular(tw_context *ctx, const char *path)
{
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%.1000s is not a regular file, which NetCDF needs: choose another name", path);
    return TW_OK;
}

tw_status tw_run_begin(tw_context *ctx, const char *path, bool overwrite, tw_writer **out)
{
    TW_TRY(check_regular(ctx, path));
    return tw_writer_open(ctx, path, overwrite, out);
}

tw_status tw_run_check(tw_context *ctx, const char *path, bool overwrite)
{
    if (!tw_team_leads(ctx)) return TW_OK;
    TW_TRY(check_regular(ctx, path));
    TW_TRY(tw_writer_hold(ctx, path, overwrite));
    return tw_journal_check(ctx, path, overwrite);
}

/* An upper bound of the length of the image: inputs, the covariance matrix if it was given, and some more. */
static uint64_t image_bytes(const tw_problem *problem)
{
    enum { GROUPS = 1 << 16, PER_CASE = 16 };
    uint64_t n = problem->data->n,
             columns = problem->data->d + PER_CASE + (tw_kernel_matrix(problem->kernel, NULL) ? n : 0);
    return GROUPS + n * columns * sizeof(double);
}

tw_status tw_run_write_image(tw_context *ctx, const tw_problem *problem, const tw_run_facts *facts,
                             unsigned compress, const tw_run_evidence *evidence, tw_writer *writer)
{
    /* Data are always compressed: decimal numbers read from a file shrink to a quarter. */
    tw_nc_writer w = {.ctx = ctx,
                      .path = writer->path,
                      .file = -1,
                      .compress = compress ? compress : TW_RUN_COMPRESSION,
                      .rows = 256};
    tw_run_facts now = *facts;
    now.n = problem->data->n;
    TW_TRY(tw_writer_reserve(writer, image_bytes(problem)));
    tw_nc_create(&w, writer->temporary);
    tw_facts_put(&w, &now);
    tw_problem_put(&w, problem);
    if (evidence) tw_evidence_put(&w, evidence);
    return tw_nc_finish(&w);
}

/* ---- creating ---- */

tw_status tw_run_check_parts(tw_context *ctx, const tw_run_options *o, const tw_problem *problem,
                             const tw_run_facts *facts)
{
    TW_TRY(tw_problem_check_saved(problem));
    if (facts->chains == 0 || facts->n != problem->data->n)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a run of %zu chains of %zu latents does not fit %zu cases",
                       facts->chains, facts->n, problem->data->n);
    if (o->compress > 9)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the compression level must be from 0 to 9, not %u",
                       o->compress);
    return TW_OK;
}

tw_journal_settings tw_run_settings(const tw_run_options *o, const tw_run_facts *facts)
{
    return (tw_journal_settings){.n = facts->n,
                                 .chains = facts->chains,
                                 .compress = o->compress,
                                 .summary_only = o->summary_only,
                                 .pointwise = o->pointwise,
                                 .threads = o->threads};
}

tw_status tw_run_writer_begin(tw_run_writer *w, const tw_run_options *o, const tw_run_facts *facts)
{
    tw_writer *image = NULL;
    const tw_journal_settings settings = tw_run_settings(o, facts);
    tw_run_facts start = *facts;
    start.draws = 0;
    TW_TRY(tw_run_begin(w->ctx, w->path, o->overwrite, &image));
    if (w->replaces) tw_writer_keep_rights(image, &w->old);
    tw_status status = tw_run_write_image(w->ctx, w->problem, &start, o->compress, NULL, image);
    if (status == TW_OK)
        status = tw_journal_create(&w->journal, w->ctx, w->path, o->overwrite, &settings, image->temporary);
    tw_writer_abandon(image);
    return status;
}

tw_status tw_run_writer_new(tw_context *ctx, const char *path, const tw_run_options *o,
                            const tw_problem *problem, const tw_run_facts *facts, tw_run_writer **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_run_check_parts(ctx, o, problem, facts));
    if (strlen(path) >= PATH_MAX)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%.100s...: this name is too long", path);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_run_writer), "the writer of a run", &memory));
    tw_run_writer *w = memory;
    w->ctx = ctx;
    w->problem = problem;
    w->overwrite = o->overwrite;
    w->writes = tw_team_leads(ctx);
    w->journal = (tw_journal){.ctx = ctx, .descriptor = -1};
    strcpy(w->path, path);
    w->replaces = stat(path, &w->old) == 0;
    *out = w;
    return TW_OK;
}

tw_status tw_run_create(tw_context *ctx, const char *path, const tw_run_options *options,
                        const tw_problem *problem, const tw_run_facts *facts, tw_run_writer **out)
{
    const tw_run_options defaults = {0}, *o = options ? options : &defaults;
    tw_run_writer *w = NULL;
    *out = NULL;
    TW_TRY(tw_run_writer_new(ctx, path, o, problem, facts, &w));
    tw_status status = w->writes ? tw_run_writer_begin(w, o, facts) : TW_OK;
    if (status == TW_OK)
        *out = w;
    else
        tw_release(ctx, w);
    return status;
}

/* ---- draws, and the end ---- */

tw_status tw_run_append(tw_run_writer *writer, const tw_draw *draw)
{
    return writer->writes ? tw_journal_append(&writer->journal, draw) : TW_OK;
}

tw_status tw_run_sync(tw_run_writer *writer)
{
    return writer->writes ? tw_journal_sync(&writer->journal) : TW_OK;
}

void tw_run_writer_free(tw_run_writer *w)
{
    tw_context *ctx = w->ctx;
    tw_journal_close(&w->journal);
    tw_release(ctx, w);
}

/* The final facts go to the journal first; from then on a crash loses nothing. An interrupted run keeps its draws even
 * if only their summary was wanted: a resumed run needs them. */
static tw_status finish(tw_run_writer *w, const tw_run_facts *facts)
{
    tw_nc_writer nc = {.ctx = w->ctx, .path = w->path, .file = -1};
    tw_nc_image image = {NULL, 0};
    tw_run_facts now = *facts;
    now.n = w->problem->data->n;
    now.draws = w->journal.draws;
    if (facts->interrupted) w->journal.settings.summary_only = 0;
    tw_nc_create_image(&nc);
    tw_facts_put(&nc, &now);
    tw_status status = tw_nc_finish_image(&nc, &image);
    if (status == TW_OK) status = tw_journal_append_facts(&w->journal, image.bytes, image.length);
    tw_nc_release_image(&image);
    return status == TW_OK ? tw_run_complete(&w->journal, w->path, w->overwrite) : status;
}

tw_status tw_run_finish(tw_run_writer *writer, const tw_run_facts *facts)
{
    tw_status status = writer->writes ? finish(writer, facts) : TW_OK;
    tw_run_writer_free(writer);
    return status;
}

void tw_run_abandon(tw_run_writer *writer)
{
    if (!writer) return;
    if (writer->writes && writer->journal.draws == 0) tw_journal_remove(&writer->journal);
    tw_run_writer_free(writer);
}

/* ---- estimates ---- */

static tw_status write_estimates(tw_context *ctx, const char *path, bool overwrite, const tw_problem *problem,
                                 const tw_run_facts *facts, const tw_run_evidence *evidence)
{
    tw_writer *writer = NULL;
    tw_run_facts now = *facts;
    now.draws = 0;
    TW_TRY(tw_run_begin(ctx, path, overwrite, &writer));
    tw_status status = tw_run_write_image(ctx, problem, &now, 0, evidence, writer);
    if (status == TW_OK) status = tw_seal_put(writer);
    return tw_writer_close(writer, status);
}

/* Lock and remove an old journal; otherwise the next reader would turn it into the file. */
tw_status tw_run_write_evidence(tw_context *ctx, const char *path, bool overwrite, const tw_problem *problem,
                                const tw_run_facts *facts, const tw_run_evidence *evidence)
{
    tw_journal there;
    TW_TRY(tw_problem_check_saved(problem));
    if (evidence->count > TW_RUN_MOST_ESTIMATES)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a file holds at most %d estimates, not %zu",
                       TW_RUN_MOST_ESTIMATES, evidence->count);
    if (!tw_team_leads(ctx)) return TW_OK;
    TW_TRY(tw_journal_claim(&there, ctx, path, overwrite));
    tw_status status = write_estimates(ctx, path, overwrite, problem, facts, evidence);
    if (status == TW_OK) tw_journal_remove(&there);
    tw_journal_close(&there);
    return status;
}
