/* pool.c: several run files of one problem, as one set of chains. */
#include <string.h>

#include "base/context.h"
#include "model/problem.h"
#include "talweg/report.h"

enum { BLOCK_BYTES = 1 << 25 };

/* ---- opening ---- */

static void add_totals(tw_totals *to, const tw_totals *from)
{
    to->transitions += from->transitions;
    to->leapfrog_steps += from->leapfrog_steps;
    to->acceptance += from->acceptance;
    to->energy_divergence += from->energy_divergence;
    to->implicit_failure += from->implicit_failure;
    to->irreversible += from->irreversible;
    to->factorisation += from->factorisation;
}

/* Draws at b = 1 are from the posterior for any q. */
static const char *target_difference(const tw_run_facts *a, const tw_run_facts *b)
{
    if (a->beta != b->beta) return "the inverse temperature of their draws";
    return a->beta != 1.0 && strcmp(a->from, b->from) != 0 ? "the start q of their paths" : NULL;
}

static tw_status fail_difference(const tw_pool *pool, size_t k, const char *what)
{
    return tw_fail(pool->ctx, TW_BAD_DATA,
                   "%.500s and %.500s differ in %s. Files combined in one command must be runs of the same "
                   "problem: use them one at a time",
                   pool->path[0], pool->path[k], what);
}

/* Messages about the covariance are muted: they were given when the run was made. */
static tw_status load_problem(tw_pool *pool, size_t k, tw_problem **problem)
{
    tw_log_mute(pool->ctx, true);
    tw_status status = tw_run_problem(pool->run[k], problem);
    tw_log_mute(pool->ctx, false);
    return status;
}

static tw_status check_problem(tw_pool *pool, size_t k)
{
    tw_problem *problem = NULL;
    if (k == 0) return load_problem(pool, 0, &pool->problem);
    TW_TRY(load_problem(pool, k, &problem));
    const char *difference = tw_problem_difference(pool->problem, problem);
    tw_problem_free(problem);
    return difference ? fail_difference(pool, k, difference) : TW_OK;
}

/* The facts of the first file with draws, with which the others are compared. */
static const tw_run_facts *first_chained(const tw_pool *pool)
{
    size_t k = 0;
    while (tw_run_describe(pool->run[k])->draws == 0) k++;
    return tw_run_describe(pool->run[k]);
}

/* Chains of one sampler with the same seed use the same random numbers, so they are copies. */
static tw_status check_seed(const tw_pool *pool, size_t k)
{
    const tw_run_facts *b = tw_run_describe(pool->run[k]);
    for (size_t i = 0; i < k; i++) {
        const tw_run_facts *a = tw_run_describe(pool->run[i]);
        if (a->draws > 0 && a->seed == b->seed && strcmp(a->method, b->method) == 0 &&
            strcmp(a->metric, b->metric) == 0)
            return tw_fail(pool->ctx, TW_BAD_DATA,
                           "%.500s and %.500s have the same seed %llu, so their chains are the same: use one "
                           "of them, or sample again with another seed",
                           pool->path[i], pool->path[k], (unsigned long long)b->seed);
    }
    return TW_OK;
}

static tw_status add_chains(tw_pool *pool, size_t k)
{
    const tw_run_facts *facts = tw_run_describe(pool->run[k]);
    if (facts->draws == 0) return TW_OK;
    TW_TRY(check_seed(pool, k));
    const char *difference = target_difference(first_chained(pool), facts);
    if (difference) return fail_difference(pool, k, difference);
    pool->draws = pool->chained == 0 || facts->draws < pool->draws ? facts->draws : pool->draws;
    pool->has_x = facts->has_x && (pool->chained == 0 || pool->has_x);
    pool->interrupted = pool->interrupted || facts->interrupted;
    pool->chained++;
    pool->chains += facts->chains;
    pool->warmup_seconds += facts->warmup_seconds;
    pool->sampling_seconds += facts->sampling_seconds;
    add_totals(&pool->warmup, &facts->warmup_totals);
    add_totals(&pool->sampling, &facts->sampling);
    if (pool->chained < 2 || pool->has_x) return TW_OK;
    return tw_fail(
        pool->ctx, TW_BAD_DATA,
        "%.500s has only a summary of its draws and cannot be combined with other files: use it alone",
        pool->path[k]);
}

static void note_lengths(const tw_pool *pool)
{
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *facts = tw_run_describe(pool->run[k]);
        if (facts->draws > pool->draws)
            tw_warn(pool->ctx, &(tw_warning){.code = TW_WARN_LENGTHS,
                                             .number = {(double)facts->draws, (double)pool->draws},
                                             .file = pool->path[k]});
    }
}

/* Weighted points are not chains, so they cannot be pooled with others. */
static tw_status check_theta(tw_pool *pool, size_t k)
{
    const tw_run_theta *theta = tw_run_read_theta(pool->run[k]);
    if (pool->chained > 0 && tw_run_describe(pool->run[k])->draws > 0 && (theta || pool->theta))
        return tw_fail(pool->ctx, TW_BAD_DATA,
                       "%.500s: draws of unknown parameters come from weighted points, not chains, and "
                       "cannot be combined with other draws: use the file alone, or sample with more points",
                       pool->path[theta ? k : 0]);
    if (theta) pool->theta = theta;
    return TW_OK;
}

/* The file that contains chain c of the pool. */
static size_t file_of(const tw_pool *pool, size_t c)
{
    for (size_t k = 0;; k++) {
        const tw_run_facts *facts = tw_run_describe(pool->run[k]);
        size_t chains = facts->draws > 0 ? facts->chains : 0;
        if (c < chains) return k;
        c -= chains;
    }
}

/* Whether all draws of two chains have the same log density, and the density changes. */
static bool repeats(size_t draws, const double *a, const double *b)
{
    bool moves = false;
    for (size_t d = 0; d < draws; d++) {
        if (a[d] != b[d]) return false;
        moves = moves || a[d] != a[0];
    }
    return moves;
}

/* A merged file has the seed of only one of its parts, so repeated chains are found by comparing draws. */
static tw_status check_repeats(tw_pool *pool)
{
    double *lp = NULL;
    size_t draws = pool->draws;
    if (pool->chained < 2) return TW_OK;
    TW_TRY(tw_allocate_doubles(pool->ctx, draws, pool->chains, "the log densities of the draws", &lp));
    tw_status status = tw_pool_read_statistic(pool, "lp", lp);
    for (size_t b = 1; status == TW_OK && b < pool->chains; b++)
        for (size_t a = 0; status == TW_OK && a < b; a++)
            if (repeats(draws, lp + a * draws, lp + b * draws) && file_of(pool, a) != file_of(pool, b))
                status = tw_fail(pool->ctx, TW_BAD_DATA,
                                 "%.500s and %.500s have a chain in common: give one of them",
                                 pool->path[file_of(pool, a)], pool->path[file_of(pool, b)]);
    tw_release(pool->ctx, lp);
    return status;
}

static tw_status fill(tw_pool *pool, size_t count, const char *const *paths)
{
    for (size_t k = 0; k < count; k++) {
        pool->path[k] = paths[k];
        TW_TRY(tw_run_open(pool->ctx, paths[k], &pool->run[k]));
        pool->files++;
        TW_TRY(check_theta(pool, k));
        TW_TRY(check_problem(pool, k));
        TW_TRY(add_chains(pool, k));
    }
    pool->n = pool->problem->data->n;
    note_lengths(pool);
    return check_repeats(pool);
}

tw_status tw_pool_open(tw_context *ctx, size_t count, const char *const *paths, tw_pool **out)
{
    void *memory = NULL;
    *out = NULL;
    if (count == 0 || count > TW_POOL_MOST_FILES)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu files were given, not 1 to %d", count, TW_POOL_MOST_FILES);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_pool), "the files", &memory));
    tw_pool *pool = memory;
    pool->ctx = ctx;
    tw_status status = fill(pool, count, paths);
    if (status == TW_OK)
        *out = pool;
    else
        tw_pool_close(pool);
    return status;
}

void tw_pool_close(tw_pool *pool)
{
    if (!pool) return;
    tw_problem_free(pool->problem);
    for (size_t k = 0; k < pool->files; k++) tw_run_close(pool->run[k]);
    tw_release(pool->ctx, pool);
}

/* ---- reading ---- */

size_t tw_pool_block(const tw_pool *pool)
{
    size_t latent = sizeof(double) * pool->draws * pool->chains;
    size_t count = latent ? BLOCK_BYTES / latent : pool->n;
    return count < 1 ? 1 : count > pool->n ? pool->n : count;
}

/* Copy the chains of one file, facts->draws long, to their positions among those of all files. */
static void place(const tw_pool *pool, const tw_run_facts *facts, size_t before, size_t count,
                  const double *from, double *to)
{
    for (size_t k = 0; k < count; k++)
        for (size_t c = 0; c < facts->chains; c++)
            memcpy(to + pool->draws * (before + c + pool->chains * k),
                   from + facts->draws * (c + facts->chains * k), pool->draws * sizeof *to);
}

/* What to read from every file: a block of latents, or a statistic if name is not NULL. */
typedef struct wanted {
    const char *name;
    size_t first, count;
} wanted;

static tw_status read_one(tw_run *run, const wanted *w, double *out)
{
    return w->name ? tw_run_read_statistic(run, w->name, out)
                   : tw_run_read_latents(run, w->first, w->count, out);
}

static tw_status read_all(tw_pool *pool, const wanted *w, double *out)
{
    size_t before = 0;
    tw_status status = TW_OK;
    for (size_t k = 0; k < pool->files && status == TW_OK; k++) {
        const tw_run_facts *facts = tw_run_describe(pool->run[k]);
        double *own = NULL;
        if (facts->draws == 0) continue;
        if (pool->chained == 1) return read_one(pool->run[k], w, out);
        TW_TRY(tw_allocate_doubles(pool->ctx, facts->draws * facts->chains, w->count, "the draws of a file",
                                   &own));
        status = read_one(pool->run[k], w, own);
        if (status == TW_OK) place(pool, facts, before, w->count, own, out);
        tw_release(pool->ctx, own);
        before += facts->chains;
    }
    return status;
}

tw_status tw_pool_read_latents(tw_pool *pool, size_t first, size_t count, double *x)
{
    return read_all(pool, &(wanted){NULL, first, count}, x);
}

tw_status tw_pool_read_statistic(tw_pool *pool, const char *name, double *out)
{
    return read_all(pool, &(wanted){name, 0, 1}, out);
}
