/* expected.c: see expected.h. */
#include "output/report/expected.h"

#include "base/context.h"
#include "likelihood/likelihood.h"

static double mean_of(size_t count, const double *values)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* x and work hold a block of latents and one latent. */
static tw_status average(tw_pool *pool, double *x, double *work, double *expected)
{
    tw_observations observed = tw_problem_observed(pool->problem);
    size_t most = tw_pool_block(pool), total = pool->draws * pool->chains;
    for (size_t first = 0; first < pool->n; first += most) {
        size_t count = pool->n - first < most ? pool->n - first : most;
        TW_TRY(tw_pool_read_latents(pool, first, count, x));
        for (size_t k = 0; k < count; k++) {
            if (tw_expect_many(&observed, first + k, 0.0, total, x + k * total, work, NULL) != TW_OK)
                return tw_fail(pool->ctx, TW_NUMERICAL_FAILURE,
                               "the %s expectation of case %zu is not a number at some draw",
                               observed.likelihood->name, first + k + 1);
            expected[first + k] = mean_of(total, work);
        }
    }
    return TW_OK;
}

tw_status tw_expected_observations(tw_pool *pool, double **out)
{
    size_t total = pool->draws * pool->chains;
    double *x = NULL, *work = NULL;
    TW_TRY(tw_likelihood_check_expect(pool->ctx, pool->problem->likelihood));
    TW_TRY(tw_allocate_doubles(pool->ctx, pool->n, 1, "the expected observations", out));
    tw_status status = tw_allocate_doubles(pool->ctx, total, tw_pool_block(pool), "a block of the draws", &x);
    if (status == TW_OK) status = tw_allocate_doubles(pool->ctx, total, 1, "the draws of a latent", &work);
    if (status == TW_OK) status = average(pool, x, work, *out);
    tw_release(pool->ctx, x);
    tw_release(pool->ctx, work);
    return status;
}
