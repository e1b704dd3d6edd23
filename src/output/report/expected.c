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
#include "likelihood/likelihood.h"

enum { CHUNK = 256 }; /* as many values as the likelihood gets at a time */

static void expected_binary(const tw_observations *o, size_t i, size_t count, const double *x,
                            double *expected)
{
    static const double one = 1.0;
    double room[(1 + TW_COLUMNS) * CHUNK];
    tw_observations plus = tw_observations_part(o, i, 1);
    plus.y = &one;
    tw_observations all = tw_observations_repeat(&plus, 0, CHUNK, room);
    for (size_t start = 0; start < count; start += CHUNK) {
        tw_observations part = tw_observations_part(&all, 0, tw_chunk(count, start, CHUNK));
        o->likelihood->terms(&part, x + start, expected + start, NULL, NULL, NULL);
    }
    for (size_t k = 0; k < count; k++) expected[k] = exp(expected[k]);
}

void tw_expected_at(const tw_observations *o, size_t i, size_t count, const double *x, double *expected)
{
    if (tw_likelihood_is_binary(o->likelihood)) {
        expected_binary(o, i, count, x, expected);
    } else if (strcmp(o->likelihood->name, "poisson") == 0) {
        for (size_t k = 0; k < count; k++) expected[k] = tw_column_at(o, 0, i) * exp(x[k]);
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
    tw_observations observed = tw_problem_observed(pool->problem);
    size_t most = tw_pool_block(pool), total = pool->draws * pool->chains;
    for (size_t first = 0; first < pool->n; first += most) {
        size_t count = pool->n - first < most ? pool->n - first : most;
        TW_TRY(tw_pool_read_latents(pool, first, count, x));
        for (size_t k = 0; k < count; k++) {
            tw_expected_at(&observed, first + k, total, x + k * total, work);
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
