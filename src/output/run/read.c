/* read.c: open and read a run file; if the run was killed, first make the file from its journal. */
#include <stdint.h>
#include <string.h>

#include "output/run/file.h"

enum { ROWS_BUFFER = 1 << 19 }; /* numbers transposed at a time */

/* ---- opening ---- */

/* A crash can leave only one incomplete draw. More data than that is damage, and the user may want to recover
 * them. */
static tw_status drop_empty(tw_journal *j)
{
    if (j->left > j->stride)
        return tw_fail(j->ctx, TW_BAD_DATA,
                       "%.1000s: the journal is damaged at its first draw, before %.3g MB of data: remove it "
                       "to start again",
                       j->path, 1e-6 * (double)j->left);
    tw_log(j->ctx, TW_LOG_INFO, "%.1000s: its run ended before the first draw; removing it", j->path);
    tw_journal_remove(j);
    return TW_OK;
}

static tw_status complete(tw_journal *j, const char *path)
{
    TW_TRY(tw_run_complete(j, path, true));
    tw_log(j->ctx, TW_LOG_INFO,
           "%.1000s: its run did not finish; the file was completed from the journal, with %zu draws of each "
           "chain",
           path, j->draws);
    if (j->left > j->stride)
        tw_warn(j->ctx, &(tw_warning){.code = TW_WARN_JOURNAL,
                                      .number = {(double)j->draws, 1e-6 * (double)j->left},
                                      .file = path});
    return TW_OK;
}

/* Turn the journal of a run that did not end into its file; remove a journal without draws. */
static tw_status complete_journal(tw_context *ctx, const char *path)
{
    tw_journal journal;
    bool found = false;
    TW_TRY(tw_journal_open(&journal, ctx, path, &found));
    if (!found) return TW_OK;
    bool empty = journal.draws == 0 && !journal.ended;
    tw_status status = empty ? drop_empty(&journal) : complete(&journal, path);
    tw_journal_close(&journal);
    return status;
}

/* The dimensions of a file may have any length, also 0, without any data. Check that the size of all draws in
 * bytes does not overflow. */
static tw_status check_counts(tw_context *ctx, const tw_run_facts *f)
{
    const size_t most_numbers = SIZE_MAX / 128;
    if (f->chains > 0 && f->draws <= most_numbers / f->n && f->chains <= most_numbers / f->n / f->draws)
        return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "%zu chains of %zu draws of %zu latents: the file is damaged", f->chains,
                   f->draws, f->n);
}

/* Check that the draws which the facts describe are present. */
static tw_status check_draws(const tw_run *run, tw_run_facts *f)
{
    const tw_nc_reader *r = &run->file;
    const size_t lengths[3] = {f->chains, f->draws, f->n};
    int group = -1, variable = -1;
    if (f->draws == 0) return TW_OK;
    TW_TRY(check_counts(run->ctx, f));
    TW_TRY(tw_nc_find_group(r, "sample_stats", &group));
    for (size_t k = 0; k < TW_STATISTIC_COUNT; k++)
        TW_TRY(tw_nc_find_variable(r, group, tw_statistics[k].name, 2, lengths, &variable));
    f->has_x = tw_nc_has_group(r, "posterior");
    TW_TRY(tw_nc_find_group(r, f->has_x ? "posterior" : "summary", &group));
    return f->has_x ? tw_nc_find_variable(r, group, "x", 3, lengths, &variable)
                    : tw_nc_find_variable(r, group, "mean", 1, &f->n, &variable);
}

static tw_status open_file(tw_run *run)
{
    TW_TRY(tw_nc_open(&run->file, run->ctx, run->path));
    TW_TRY(tw_facts_get(&run->file, &run->facts));
    TW_TRY(check_draws(run, &run->facts.facts));
    TW_TRY(tw_evidence_get(&run->file, &run->evidence));
    return tw_theta_get(&run->file, &run->facts.facts, &run->theta);
}

tw_status tw_run_open(tw_context *ctx, const char *path, tw_run **out)
{
    void *memory = NULL;
    *out = NULL;
    if (strlen(path) >= PATH_MAX)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%.100s...: this name is too long", path);
    TW_TRY(complete_journal(ctx, path));
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_run), "a run", &memory));
    tw_run *run = memory;
    run->ctx = ctx;
    run->file.file = -1;
    strcpy(run->path, path);
    tw_status status = open_file(run);
    if (status == TW_OK) {
        *out = run;
        return TW_OK;
    }
    tw_run_close(run);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

void tw_run_close(tw_run *run)
{
    if (!run) return;
    tw_context *ctx = run->ctx;
    tw_nc_close(&run->file);
    tw_facts_release(ctx, &run->facts);
    tw_evidence_release(ctx, &run->evidence);
    tw_theta_release(ctx, &run->theta);
    tw_release(ctx, run);
}

const tw_run_facts *tw_run_describe(const tw_run *run)
{
    return &run->facts.facts;
}

const tw_run_evidence *tw_run_read_evidence(const tw_run *run)
{
    return &run->evidence.evidence;
}

tw_status tw_run_problem_by(tw_run *run, tw_model_maker *make_model, tw_problem **out)
{
    *out = NULL;
    tw_status status = tw_problem_get(&run->file, run->facts.facts.n, make_model, out);
    return status == TW_OK ? TW_OK : tw_fail_within(run->ctx, status, "%.1000s: ", run->path);
}

tw_status tw_run_problem(tw_run *run, tw_problem **out)
{
    return tw_run_problem_by(run, NULL, out);
}

/* ---- draws ---- */

static tw_status find_x(tw_run *run, int *group, int *variable)
{
    const tw_run_facts *f = &run->facts.facts;
    if (f->draws == 0)
        return tw_fail(run->ctx, TW_BAD_ARGUMENT, "%.1000s has no draws: use the file of a sampling run",
                       run->path);
    if (!f->has_x)
        return tw_fail(run->ctx, TW_BAD_ARGUMENT,
                       "%.1000s has only a summary of the draws: sample again and keep the draws", run->path);
    if (nc_inq_ncid(run->file.file, "posterior", group) == NC_NOERR &&
        nc_inq_varid(*group, "x", variable) == NC_NOERR)
        return TW_OK;
    return tw_fail(run->ctx, TW_BAD_DATA, "%.1000s: posterior/x is missing", run->path);
}

static tw_status fail_reading(const tw_run *run, int group, const char *name, int code)
{
    if (code == NC_NOERR) return TW_OK;
    tw_status status = tw_nc_fail(&run->file, group, name, code);
    return tw_fail_within(run->ctx, status, "%.1000s: ", run->path);
}

static tw_status check_range(const tw_run *run, const char *what, size_t first, size_t count, size_t all)
{
    if (first <= all && count <= all - first) return TW_OK;
    return tw_fail(run->ctx, TW_BAD_ARGUMENT, "%.1000s has %zu %s, but %zu from number %zu were requested",
                   run->path, all, what, count, first);
}

/* Draws i .. i + rows - 1 of one chain are contiguous in the file; in memory, the draws of each latent are. */
static int read_rows(int group, int variable, const size_t start[3], const size_t edge[3], size_t draws,
                     size_t chains, double *buffer, double *x)
{
    int code = nc_get_vara_double(group, variable, start, edge, buffer);
    for (size_t i = 0; code == NC_NOERR && i < edge[1]; i++)
        for (size_t k = 0; k < edge[2]; k++)
            x[start[1] + i + draws * (start[0] + chains * k)] = buffer[i * edge[2] + k];
    return code;
}

tw_status tw_run_read_latents(tw_run *run, size_t first, size_t count, double *x)
{
    const tw_run_facts *f = &run->facts.facts;
    int group = -1, variable = -1, code = NC_NOERR;
    double *buffer = NULL;
    TW_TRY(find_x(run, &group, &variable));
    TW_TRY(check_range(run, "latents", first, count, f->n));
    if (count == 0) return TW_OK;
    size_t most = ROWS_BUFFER / count > 0 ? ROWS_BUFFER / count : 1;
    if (most > f->draws) most = f->draws;
    TW_TRY(tw_allocate_doubles(run->ctx, most, count, "a buffer of draws", &buffer));
    for (size_t c = 0; c < f->chains; c++)
        for (size_t i = 0; code == NC_NOERR && i < f->draws; i += most) {
            size_t rows = f->draws - i < most ? f->draws - i : most;
            const size_t start[3] = {c, i, first}, edge[3] = {1, rows, count};
            code = read_rows(group, variable, start, edge, f->draws, f->chains, buffer, x);
        }
    tw_release(run->ctx, buffer);
    return fail_reading(run, group, "x", code);
}

tw_status tw_run_read_draws(tw_run *run, size_t chain, size_t first, size_t count, double *x)
{
    const tw_run_facts *f = &run->facts.facts;
    int group = -1, variable = -1;
    const size_t start[3] = {chain, first, 0}, edge[3] = {1, count, f->n};
    TW_TRY(find_x(run, &group, &variable));
    TW_TRY(check_range(run, "chains", chain, 1, f->chains));
    TW_TRY(check_range(run, "draws of each chain", first, count, f->draws));
    if (count == 0) return TW_OK;
    return fail_reading(run, group, "x", nc_get_vara_double(group, variable, start, edge, x));
}

static tw_status read_source(void *user, size_t chain, size_t first, size_t count, double *x)
{
    return tw_run_read_draws(user, chain, first, count, x);
}

tw_draw_source tw_run_source(tw_run *run)
{
    const tw_run_facts *f = &run->facts.facts;
    return (tw_draw_source){f->n, f->chains, f->draws, run, read_source, NULL};
}

tw_status tw_run_read_statistic(tw_run *run, const char *name, double *out)
{
    const tw_run_facts *f = &run->facts.facts;
    const size_t lengths[2] = {f->chains, f->draws};
    int group = -1;
    bool known = false;
    for (size_t k = 0; k < TW_STATISTIC_COUNT; k++) known = known || strcmp(tw_statistics[k].name, name) == 0;
    if (!known) return tw_fail(run->ctx, TW_BAD_ARGUMENT, "draws have no statistic \"%.60s\"", name);
    tw_status status = tw_nc_find_group(&run->file, "sample_stats", &group);
    if (status == TW_OK) status = tw_nc_read_doubles(&run->file, group, name, 2, lengths, out);
    return status == TW_OK ? TW_OK : tw_fail_within(run->ctx, status, "%.1000s: ", run->path);
}
