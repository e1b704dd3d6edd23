/* reopen.c: continue a run from the journal of a killed one, or from the file of an interrupted one, whose
 * draws are copied to a new journal. That journal is filled under another name (RUN.nc.resume.journal), so
 * that a crash meanwhile leaves the file as it was. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "output/run/file.h"

/* ---- checks ---- */

static tw_status fail_draws(const tw_run_writer *w, size_t found, size_t wanted)
{
    return tw_fail(w->ctx, TW_BAD_DATA,
                   "%.1000s: the run resumes after %zu draws of each chain, but the file has %zu", w->path,
                   wanted, found);
}

static tw_status check_shape(const tw_run_writer *w, const tw_run_facts *facts, size_t n, size_t chains)
{
    if (n == facts->n && chains == facts->chains) return TW_OK;
    return tw_fail(w->ctx, TW_BAD_DATA,
                   "%.1000s: the file has %zu chains of %zu latents, but the run to resume has %zu of %zu",
                   w->path, chains, n, facts->chains, facts->n);
}

/* Check that the last draw in the journal is x. */
static tw_status check_last(const tw_run_writer *w, size_t draws, const double *x)
{
    const tw_journal *j = &w->journal;
    void *draw = NULL;
    if (!x || draws == 0) return TW_OK;
    TW_TRY(tw_allocate(w->ctx, j->stride, 1, "a draw of all chains", &draw));
    tw_status status = tw_journal_read(j, draws - 1, 1, draw);
    const double *last = tw_journal_x_of(j, tw_journal_draw_at(j, draw, 0));
    size_t bytes = (size_t)(j->settings.n * j->settings.chains) * sizeof *x;
    bool same = status == TW_OK && memcmp(last, x, bytes) == 0;
    tw_release(w->ctx, draw);
    if (same || status != TW_OK) return status;
    return tw_fail(w->ctx, TW_BAD_DATA, "%.1000s does not have the draws of the run to resume", w->path);
}

/* ---- from the file ---- */

/* The copy of draws from a file to a journal. The records of all draws are in memory, and x of `rows` draws
 * at a time. */
typedef struct copier {
    tw_context *ctx;
    tw_run *run;
    size_t n, chains, draws, rows; /* draws: those in the file */
    tw_record *records;            /* [c + chains d] */
    double *log_likelihood;        /* the same */
    double *eps;                   /* [d + draws c] */
    double *block;                 /* n x rows x chains */
    double *x;
} copier;

static void release_copier(copier *c)
{
    tw_release(c->ctx, c->records);
    tw_release(c->ctx, c->log_likelihood);
    tw_release(c->ctx, c->eps);
    tw_release(c->ctx, c->block);
    tw_release(c->ctx, c->x);
}

static tw_status fill_copier(copier *c)
{
    void *records = NULL;
    size_t all = c->draws * c->chains;
    TW_TRY(tw_allocate(c->ctx, all, sizeof *c->records, "the records of the draws", &records));
    c->records = records;
    TW_TRY(tw_allocate_doubles(c->ctx, all, 1, "the log likelihoods of the draws", &c->log_likelihood));
    TW_TRY(tw_run_read_records(c->run, c->records, c->log_likelihood));
    TW_TRY(tw_allocate_doubles(c->ctx, all, 1, "the step sizes of the draws", &c->eps));
    TW_TRY(tw_run_read_statistic(c->run, "step_size", c->eps));
    c->rows = TW_RUN_BLOCK / 4 / (c->n * c->chains * sizeof(double)) + 1;
    TW_TRY(tw_allocate_doubles(c->ctx, c->n * c->chains, c->rows, "a buffer of draws", &c->block));
    return tw_allocate_doubles(c->ctx, c->n, c->chains, "a draw", &c->x);
}

static tw_status copy_draw(copier *c, size_t first, size_t i, tw_journal *to)
{
    for (size_t chain = 0; chain < c->chains; chain++) {
        const double *from = c->block + (chain * c->rows + i - first) * c->n;
        memcpy(c->x + chain * c->n, from, c->n * sizeof *from);
    }
    size_t at = c->chains * i;
    const tw_draw draw = {i, c->n, c->chains, c->x, c->log_likelihood + at, c->records + at, c->eps[i]};
    return tw_journal_append(to, &draw);
}

static tw_status copy_draws(copier *c, size_t draws, tw_journal *to)
{
    for (size_t first = 0; first < draws; first += c->rows) {
        size_t count = draws - first < c->rows ? draws - first : c->rows;
        for (size_t chain = 0; chain < c->chains; chain++)
            TW_TRY(tw_run_read_draws(c->run, chain, first, count, c->block + chain * c->rows * c->n));
        for (size_t i = first; i < first + count; i++) TW_TRY(copy_draw(c, first, i, to));
    }
    return tw_journal_sync(to);
}

/* Rename the journal of RUN.nc.resume to that of RUN.nc. */
static tw_status take_name(tw_run_writer *w)
{
    char own[PATH_MAX];
    if (snprintf(own, sizeof own, "%s.journal", w->path) >= (int)sizeof own ||
        rename(w->journal.path, own) != 0)
        return tw_fail(w->ctx, TW_WRITE_FAILED, "%.1000s: cannot be written: %s", own, strerror(errno));
    strcpy(w->journal.path, own);
    return TW_OK;
}

static tw_status copy_file(tw_run_writer *w, const tw_run_options *options, const tw_run_facts *facts,
                           size_t draws, const double *x, tw_run *run)
{
    char path[PATH_MAX];
    const tw_run_facts *there = tw_run_describe(run);
    copier c = {.ctx = w->ctx, .run = run, .n = there->n, .chains = there->chains, .draws = there->draws};
    strcpy(path, w->path);
    TW_TRY(check_shape(w, facts, there->n, there->chains));
    if (there->draws < draws) return fail_draws(w, there->draws, draws);
    if (strlen(path) + sizeof ".resume" > sizeof w->path)
        return tw_fail(w->ctx, TW_BAD_ARGUMENT, "%.100s...: this name is too long", path);
    strcat(w->path, ".resume");
    tw_status status = tw_run_writer_begin(w, options, facts);
    bool begun = status == TW_OK;
    if (status == TW_OK) status = fill_copier(&c);
    if (status == TW_OK) status = copy_draws(&c, draws, &w->journal);
    strcpy(w->path, path);
    if (status == TW_OK) status = check_last(w, draws, x);
    if (status == TW_OK) status = take_name(w);
    release_copier(&c);
    if (status != TW_OK && begun) tw_journal_remove(&w->journal);
    return status;
}

static tw_status take_file(tw_run_writer *w, const tw_run_options *options, const tw_run_facts *facts,
                           size_t draws, const double *x)
{
    tw_run *run = NULL;
    TW_TRY(tw_run_open(w->ctx, w->path, &run));
    tw_status status = copy_file(w, options, facts, draws, x, run);
    tw_run_close(run);
    return status;
}

/* ---- from the journal ---- */

static tw_status take_journal(tw_run_writer *w, const tw_run_facts *facts, size_t draws, const double *x)
{
    tw_journal *j = &w->journal;
    TW_TRY(check_shape(w, facts, (size_t)j->settings.n, (size_t)j->settings.chains));
    if (j->draws < draws) return fail_draws(w, j->draws, draws);
    TW_TRY(check_last(w, draws, x));
    return tw_journal_go_on(j, draws);
}

tw_status tw_run_reopen(tw_context *ctx, const char *path, const tw_run_options *options,
                        const tw_problem *problem, const tw_run_facts *facts, size_t draws, const double *x,
                        tw_run_writer **out)
{
    tw_run_options o = options ? *options : (tw_run_options){0};
    tw_run_writer *w = NULL;
    bool found = false;
    *out = NULL;
    o.overwrite = true;
    TW_TRY(tw_run_writer_new(ctx, path, &o, problem, facts, &w));
    tw_status status = w->writes ? tw_journal_open(&w->journal, ctx, path, &found) : TW_OK;
    if (status == TW_OK && w->writes)
        status = found ? take_journal(w, facts, draws, x) : take_file(w, &o, facts, draws, x);
    if (status == TW_OK)
        *out = w;
    else
        tw_run_writer_free(w);
    return status;
}
