/* pool_source.c: the draws of a pool as a source of predictions; see pool_source.h. */
#include "output/run/pool_source.h"

#include "base/context.h"

static tw_status read_draws(void *user, size_t chain, size_t first, size_t count, double *x)
{
    const tw_pool_draws *draws = user;
    size_t k = 0;
    for (;; k++) { /* find the file with the chain; files of estimates have no draws */
        const tw_run_facts *facts = tw_run_describe(draws->pool->run[k]);
        size_t chains = facts->draws > 0 ? facts->chains : 0;
        if (chain < chains) break;
        chain -= chains;
    }
    if (draws->stride == 1) return tw_run_read_draws(draws->pool->run[k], chain, first, count, x);
    for (size_t i = 0; i < count; i++)
        TW_TRY(tw_run_read_draws(draws->pool->run[k], chain, (first + i) * draws->stride, 1,
                                 x + i * draws->pool->n));
    return TW_OK;
}

tw_draw_source tw_pool_source(tw_pool_draws *draws)
{
    const tw_pool *pool = draws->pool;
    return (tw_draw_source){.n = pool->n,
                            .chains = pool->chains,
                            .draws = (pool->draws + draws->stride - 1) / draws->stride,
                            .user = draws,
                            .read = read_draws};
}

tw_status tw_pool_places(const tw_pool_draws *draws, tw_theta_places **out)
{
    const tw_pool *pool = draws->pool;
    *out = NULL;
    for (size_t k = 0; k < pool->files; k++)
        if (tw_run_read_theta(pool->run[k]))
            return tw_run_places(pool->problem, tw_run_read_theta(pool->run[k]), draws->stride, out);
    return TW_OK;
}
