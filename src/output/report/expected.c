/* expected.c: expected observations from draws; see expected.h. */
#include "output/report/expected.h"

#include "base/context.h"
#include <math.h>

#include "likelihood/likelihood.h"
#include "talweg/diagnose.h"

/* NaN if the mean rests on a few of the values, or does not exist. */
static double mean_of(const tw_observations *at, size_t i, size_t count, const double *values, double *work)
{
    double sum = 0.0, k = tw_mean_pareto_k(count, values, work);
    for (size_t s = 0; s < count; s++) sum += values[s];
    bool bounded = k <= TW_PARETO_LIMIT || tw_expect_is_bounded(at, i);
    return bounded && tw_likelihood_has_mean(at) ? sum / (double)count : NAN;
}

/* Use each draw's parameters of the likelihood if they are unknown. */
static tw_status expect(const tw_pool *pool, const tw_observations *observed, size_t i, size_t total,
                        const double *x, double *work)
{
    const tw_run_theta *t = pool->theta;
    size_t kernel = tw_kernel_count(pool->problem->kernel), own = tw_problem_count(pool->problem) - kernel;
    double phi[TW_LEVELS + TW_HYPER_MOST];
    bool unknown = false;
    for (size_t k = 0; t && k < t->unknown; k++) unknown |= t->index[k] >= kernel;
    if (!unknown || own > sizeof phi / sizeof *phi)
        return tw_expect_many(observed, i, 0.0, total, x, work, NULL);
    tw_observations at = *observed;
    for (size_t j = 0; j < own; j++) phi[j] = observed->phi[j];
    at.phi = phi;
    for (size_t s = 0; s < total; s++) {
        for (size_t k = 0; k < t->unknown; k++)
            if (t->index[k] >= kernel) phi[t->index[k] - kernel] = t->theta[k + t->point[s] * t->unknown];
        TW_TRY(tw_expect_many(&at, i, 0.0, 1, x + s, work + s, NULL));
    }
    return TW_OK;
}

/* x and work hold a block of latents, and two latents. */
static tw_status average(tw_pool *pool, double *x, double *work, double *expected)
{
    tw_observations observed = tw_problem_observed(pool->problem);
    size_t most = tw_pool_block(pool), total = pool->draws * pool->chains;
    for (size_t first = 0; first < pool->n; first += most) {
        size_t count = pool->n - first < most ? pool->n - first : most;
        TW_TRY(tw_pool_read_latents(pool, first, count, x));
        for (size_t k = 0; k < count; k++) {
            if (expect(pool, &observed, first + k, total, x + k * total, work) != TW_OK)
                return tw_fail(pool->ctx, TW_NUMERICAL_FAILURE,
                               "the %s expectation of case %zu is not finite at some draw",
                               observed.likelihood->name, first + k + 1);
            expected[first + k] = mean_of(&observed, first + k, total, work, work + total);
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
    if (status == TW_OK) status = tw_allocate_doubles(pool->ctx, total, 2, "the draws of a latent", &work);
    if (status == TW_OK) status = average(pool, x, work, *out);
    tw_release(pool->ctx, x);
    tw_release(pool->ctx, work);
    return status;
}
