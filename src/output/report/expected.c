/* expected.c: see expected.h.
 *
 *   binary    P(y = +1 | x) = exp of the likelihood's own log p(+1 | x)
 *   poisson   E[y | x] = w exp(x)
 *   gaussian  E[y | x] = x
 */
#include "output/report/expected.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

enum { CHUNK = 256 }; /* as many values as the likelihood gets at a time */

static void expected_binary(const tw_likelihood *likelihood, double w, size_t count, const double *x,
                            double *expected)
{
    double y[CHUNK], constant[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) {
        y[i] = 1.0;
        constant[i] = w;
    }
    for (size_t i = 0; i < count; i += CHUNK) {
        size_t part = count - i < CHUNK ? count - i : CHUNK;
        likelihood->terms(likelihood->user, part, y, constant, x + i, expected + i, NULL, NULL, NULL);
        for (size_t k = i; k < i + part; k++) expected[k] = exp(expected[k]);
    }
}

void tw_expected_at(const tw_likelihood *likelihood, double w, size_t count, const double *x,
                    double *expected)
{
    if (tw_likelihood_is_binary(likelihood)) {
        expected_binary(likelihood, w, count, x, expected);
    } else if (strcmp(likelihood->name, "poisson") == 0) {
        for (size_t i = 0; i < count; i++) expected[i] = w * exp(x[i]);
    } else {
        memcpy(expected, x, count * sizeof *x);
    }
}

static double mean_of(size_t count, const double *values)
{
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* x and work hold a block of latents and one latent. */
static tw_status average(tw_pool *pool, double *x, double *work, double *expected)
{
    const tw_problem *problem = pool->problem;
    size_t most = tw_pool_block(pool), total = pool->draws * pool->chains;
    for (size_t first = 0; first < pool->n; first += most) {
        size_t count = pool->n - first < most ? pool->n - first : most;
        TW_TRY(tw_pool_read_latents(pool, first, count, x));
        for (size_t k = 0; k < count; k++) {
            double w = problem->w ? problem->w[first + k] : 1.0;
            tw_expected_at(problem->likelihood, w, total, x + k * total, work);
            expected[first + k] = mean_of(total, work);
        }
    }
    return TW_OK;
}

tw_status tw_expected_observations(tw_pool *pool, double **out)
{
    size_t total = pool->draws * pool->chains;
    double *x = NULL, *work = NULL;
    TW_TRY(tw_allocate_doubles(pool->ctx, pool->n, 1, "the expected observations", out));
    tw_status status = tw_allocate_doubles(pool->ctx, total, tw_pool_block(pool), "a block of the draws", &x);
    if (status == TW_OK) status = tw_allocate_doubles(pool->ctx, total, 1, "the draws of a latent", &work);
    if (status == TW_OK) status = average(pool, x, work, *out);
    tw_release(pool->ctx, x);
    tw_release(pool->ctx, work);
    return status;
}
