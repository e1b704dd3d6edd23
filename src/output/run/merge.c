/* merge.c: merge the chains of several runs into one file, through a journal as for a new run, so that the
 * file appears complete or not at all. The records of all draws are in memory, the positions in blocks. */
#include <math.h>
#include <string.h>

#include "output/run/file.h"
#include "talweg/report.h"

/* One of the runs, with the records of its draws. */
typedef struct part {
    tw_run *run;
    size_t chains, first;   /* its chains are first, first + 1, ... of the file */
    tw_record *records;     /* [c + chains d] */
    double *log_likelihood; /* the same */
} part;

typedef struct merge {
    tw_context *ctx;
    const tw_pool *pool;
    part *parts;
    size_t n, rows;         /* rows: draws of each chain in memory at a time */
    double *block;          /* n x rows x chains */
    double *x;              /* n x chains: one draw */
    tw_record *records;     /* chains */
    double *log_likelihood; /* chains */
    double eps;             /* the common step size; NaN: they differ */
} merge;

static void release(merge *m)
{
    for (size_t k = 0; m->parts && k < m->pool->files; k++) {
        tw_release(m->ctx, m->parts[k].records);
        tw_release(m->ctx, m->parts[k].log_likelihood);
    }
    tw_release(m->ctx, m->parts);
    tw_release(m->ctx, m->block);
    tw_release(m->ctx, m->x);
    tw_release(m->ctx, m->records);
    tw_release(m->ctx, m->log_likelihood);
}

static tw_status read_part(merge *m, size_t k, size_t first)
{
    part *p = &m->parts[k];
    const tw_run_facts *facts = tw_run_describe(m->pool->run[k]);
    void *memory = NULL;
    *p = (part){.run = m->pool->run[k], .chains = facts->draws > 0 ? facts->chains : 0, .first = first};
    if (p->chains == 0) return TW_OK;
    if (first > 0 && facts->tuning.eps != m->eps) m->eps = NAN;
    if (first == 0) m->eps = facts->tuning.eps;
    TW_TRY(tw_allocate(m->ctx, p->chains * facts->draws, sizeof *p->records, "the records of the draws",
                       &memory));
    p->records = memory;
    TW_TRY(tw_allocate_doubles(m->ctx, p->chains, facts->draws, "the log likelihoods of the draws",
                               &p->log_likelihood));
    return tw_run_read_records(p->run, p->records, p->log_likelihood);
}

static tw_status prepare(merge *m)
{
    void *memory = NULL;
    size_t first = 0, chains = m->pool->chains;
    TW_TRY(tw_allocate(m->ctx, m->pool->files, sizeof *m->parts, "the runs", &memory));
    m->parts = memory;
    memset(m->parts, 0, m->pool->files * sizeof *m->parts);
    for (size_t k = 0; k < m->pool->files; k++) {
        TW_TRY(read_part(m, k, first));
        first += m->parts[k].chains;
    }
    m->rows = TW_RUN_BLOCK / (m->n * chains * sizeof(double)) + 1;
    TW_TRY(tw_allocate_doubles(m->ctx, m->n * chains, m->rows, "a buffer of draws", &m->block));
    TW_TRY(tw_allocate_doubles(m->ctx, m->n, chains, "a draw", &m->x));
    TW_TRY(tw_allocate(m->ctx, chains, sizeof *m->records, "the records of a draw", &memory));
    m->records = memory;
    return tw_allocate_doubles(m->ctx, chains, 1, "the log likelihoods of a draw", &m->log_likelihood);
}

/* Append draw first + i of all chains from the block. */
static tw_status append(merge *m, size_t first, size_t i, tw_run_writer *to)
{
    for (size_t k = 0; k < m->pool->files; k++) {
        const part *p = &m->parts[k];
        size_t at = p->chains * (first + i);
        for (size_t c = 0; c < p->chains; c++) {
            const double *from = m->block + ((p->first + c) * m->rows + i) * m->n;
            memcpy(m->x + (p->first + c) * m->n, from, m->n * sizeof *from);
            m->records[p->first + c] = p->records[at + c];
            m->log_likelihood[p->first + c] = p->log_likelihood[at + c];
        }
    }
    const tw_draw draw = {first + i, m->n, m->pool->chains, m->x, m->log_likelihood, m->records, m->eps};
    return tw_run_append(to, &draw);
}

/* Read draws first .. first + count - 1 of all chains into the block. */
static tw_status read_block(merge *m, size_t first, size_t count)
{
    for (size_t k = 0; k < m->pool->files; k++)
        for (size_t c = 0; c < m->parts[k].chains; c++)
            TW_TRY(tw_run_read_draws(m->parts[k].run, c, first, count,
                                     m->block + (m->parts[k].first + c) * m->rows * m->n));
    return TW_OK;
}

static tw_status copy(merge *m, tw_run_writer *to)
{
    for (size_t first = 0; first < m->pool->draws; first += m->rows) {
        size_t left = m->pool->draws - first, count = left < m->rows ? left : m->rows;
        TW_TRY(tw_poll(m->ctx));
        TW_TRY(read_block(m, first, count));
        for (size_t i = 0; i < count; i++) TW_TRY(append(m, first, i, to));
    }
    return TW_OK;
}

/* The facts of the first run with draws, with sums and common values over all runs. */
static tw_run_facts facts_of(const tw_pool *pool, double eps)
{
    size_t k = 0;
    while (tw_run_describe(pool->run[k])->draws == 0) k++;
    tw_run_facts facts = *tw_run_describe(pool->run[k]);
    facts.chains = pool->chains;
    facts.draws = pool->draws;
    facts.tuning.eps = eps;
    facts.warmup_totals = pool->warmup;
    facts.sampling = pool->sampling;
    facts.warmup_seconds = pool->warmup_seconds;
    facts.sampling_seconds = pool->sampling_seconds;
    facts.interrupted = pool->interrupted;
    return facts;
}

tw_status tw_pool_save(tw_pool *pool, const char *path, const tw_run_options *options)
{
    merge m = {.ctx = pool->ctx, .pool = pool, .n = pool->n};
    tw_run_writer *writer = NULL;
    if (pool->chained == 0)
        return tw_fail(pool->ctx, TW_BAD_DATA, "none of these files has draws: there is nothing to merge");
    if (!pool->has_x)
        return tw_fail(pool->ctx, TW_BAD_DATA, "%.500s has only a summary of its draws and cannot be merged",
                       pool->path[0]);
    tw_status status = prepare(&m);
    const tw_run_facts facts = facts_of(pool, m.eps);
    if (status == TW_OK) status = tw_run_create(pool->ctx, path, options, pool->problem, &facts, &writer);
    if (status == TW_OK) status = copy(&m, writer);
    if (status == TW_OK) {
        status = tw_run_finish(writer, &facts);
    } else if (writer) {
        tw_journal_remove(&writer->journal);
        tw_run_writer_free(writer);
    }
    release(&m);
    return status;
}
