/* pool_summarise.c: summaries of all latents over the chains of all files, in blocks of latents, and their
 * order from the worst. */
#include <math.h>
#include <stdlib.h>

#include "sample/summarise.h"
#include "talweg/report.h"

static tw_status summarise_blocks(tw_pool *pool, size_t threads, double *x, tw_summary *rows)
{
    size_t most = tw_pool_block(pool);
    tw_strides strides = {.draw = 1, .chain = pool->draws, .variable = pool->draws * pool->chains};
    for (size_t first = 0; first < pool->n; first += most) {
        size_t count = pool->n - first < most ? pool->n - first : most;
        tw_draw_block block = {pool->draws, pool->chains, count, x, strides};
        TW_TRY(tw_pool_read_latents(pool, first, count, x));
        TW_TRY(tw_summarise_block(pool->ctx, &block, threads, rows + first));
    }
    return TW_OK;
}

/* The smallest E-BFMI of the files that have energies. */
static tw_status smallest_ebfmi(tw_pool *pool, double *out)
{
    for (size_t k = 0; k < pool->files; k++) {
        const tw_run_facts *facts = tw_run_describe(pool->run[k]);
        double *energy = NULL;
        if (facts->draws == 0 || !tw_run_has_energy(facts)) continue;
        TW_TRY(tw_allocate_doubles(pool->ctx, facts->draws, facts->chains, "the energies", &energy));
        tw_status status = tw_run_read_statistic(pool->run[k], "energy", energy);
        if (status == TW_OK) *out = fmin(*out, tw_summarise_energies(facts->draws, facts->chains, energy));
        tw_release(pool->ctx, energy);
        TW_TRY(status);
    }
    return TW_OK;
}

static tw_status summarise_files(tw_pool *pool, size_t threads, tw_summary *rows, tw_chains_summary *out)
{
    double *x = NULL;
    *out = tw_summarise_totals(&pool->sampling);
    TW_TRY(smallest_ebfmi(pool, &out->ebfmi_min));
    TW_TRY(tw_allocate_doubles(pool->ctx, pool->draws * pool->chains, tw_pool_block(pool),
                               "a block of the draws", &x));
    tw_status status = summarise_blocks(pool, threads, x, rows);
    if (status == TW_OK) status = tw_summarise_rows(pool->ctx, pool->n, rows, out);
    tw_release(pool->ctx, x);
    return status;
}

tw_status tw_pool_summarise(tw_pool *pool, size_t threads, tw_summary *rows, tw_chains_summary *out)
{
    for (size_t k = 0; k < pool->files; k++)
        if (pool->chained == 1 && tw_run_describe(pool->run[k])->draws > 0)
            return tw_run_summarise(pool->run[k], threads, rows, out);
    if (pool->chained == 0)
        return tw_fail(
            pool->ctx, TW_BAD_DATA,
            "%.500s has no draws: the run ended during warm-up, or the file has only estimates of log Z",
            pool->path[0]);
    return summarise_files(pool, threads, rows, out);
}

void tw_pool_judge(const tw_pool *pool, const tw_chains_summary *summary, tw_warnings *out)
{
    const tw_run_theta *t = pool->theta;
    double points = t ? (double)t->points : 0.0;
    if (!t) {
        tw_chains_judge(pool->chains, pool->draws, pool->interrupted, summary, &pool->sampling, out);
        return;
    }
    double limit = tw_pareto_limit(t->points);
    if (t->pareto_k > limit)
        tw_warnings_add(
            out, &(tw_warning){.code = TW_WARN_THETA_TAIL, .number = {t->pareto_k, limit}, .name = "is2"});
    if (pool->interrupted)
        tw_warnings_add(out, &(tw_warning){.code = TW_WARN_THETA_STOPPED, .number = {points}, .name = "is2"});
}

typedef struct ranked {
    double ess;
    size_t latent;
} ranked;

/* In increasing order. Latents without an effective size come first, except constant ones, which are known
 * exactly. */
static int by_ess(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    bool known = !isnan(x->ess), other_known = !isnan(y->ess);
    if (known != other_known) return known ? 1 : -1;
    if (known && x->ess != y->ess) return x->ess > y->ess ? 1 : -1;
    return (x->latent > y->latent) - (x->latent < y->latent);
}

tw_status tw_pool_order(const tw_pool *pool, const tw_summary *rows, size_t *order)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(pool->ctx, pool->n, sizeof(ranked), "the order of the latents", &memory));
    ranked *list = memory;
    for (size_t i = 0; i < pool->n; i++) list[i] = (ranked){rows[i].sd == 0.0 ? INFINITY : rows[i].ess, i};
    qsort(list, pool->n, sizeof *list, by_ess);
    for (size_t i = 0; i < pool->n; i++) order[i] = list[i].latent;
    tw_release(pool->ctx, list);
    return TW_OK;
}
