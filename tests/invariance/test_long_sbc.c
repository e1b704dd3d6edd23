/* Simulation-based calibration of HMC and RMHMC on a Gaussian process classifier of ten cases.
 *
 * x* ~ N(0, K), y given x* from the probit likelihood: then x* is an exact draw from p(x | y). The
 * transition, which is reversible, runs from x* in both directions, m draws in one and L - m in the other,
 * with m uniform (Gandy & Scott 2020, Unit testing for MCMC and other Monte Carlo methods). However slowly it
 * mixes, the rank of x* among the L + 1 is uniform, for every function of x. Ties, which come from
 * rejections, are broken at random.
 *
 * Pearson's chi^2 of the ranks (L = 15 degrees of freedom) may reach 51, with a false-alarm rate of 1e-5
 * each; 4 kernels and 5 functions: 2e-4 for the file. A broken kernel must exceed twice that.
 */
#include <math.h>
#include <string.h>

#include "linalg/factor.h"
#include "sample/sampler.h"
#include "support/fault.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 10, L = 15, THIN = 2, REPLICATES = 640, FUNCTIONS = 5 };

static const double limit = 51.0;

typedef struct kernel {
    const char *name;
    tw_method method;
    tw_metric metric;
    double eps;
    size_t steps;
    tw_fault fault;
} kernel;

typedef struct replicate {
    tw_context *ctx;
    tw_model *model;
    tw_approximation *ep;
    tw_reference *prior;
    tw_target *target;
    double truth[N];
} replicate;

/* x* = L z by a Cholesky factor of K, and labels with P(y = +1) = Phi(x*). */
static replicate simulate(const double *k, const tw_factor *factor, test_random *random)
{
    replicate r = {.ctx = new_context()};
    double z[N], y[N];
    test_normals(random, N, z);
    tw_factor_multiply(factor, 1, z, N, r.truth, N);
    for (size_t i = 0; i < N; i++) y[i] = test_normal(random) < r.truth[i] ? 1.0 : -1.0;
    assert_int_equal(
        tw_model_new(r.ctx, k, N, OBSERVED(tw_likelihood_find("probit"), N, y, NULL), 0.0, &r.model), TW_OK);
    assert_int_equal(tw_ep_fit(r.model, NULL, &r.ep), TW_OK);
    assert_true(r.ep->converged);
    assert_int_equal(tw_reference_prior(r.model, &r.prior), TW_OK);
    assert_int_equal(tw_target_new(r.model, r.prior, TW_FORM_OPEN, &r.target), TW_OK);
    return r;
}

static void forget(replicate *r)
{
    tw_target_free(r->target);
    tw_reference_free(r->prior);
    tw_approximation_free(r->ep);
    tw_model_free(r->model);
    tw_context_free(r->ctx);
}

/* x_1, x_N, the mean, log p(y | x), and L_b. */
static void look(tw_sampler *s, double out[FUNCTIONS])
{
    const double *x = tw_sampler_positions(s);
    double mean = 0.0;
    for (size_t i = 0; i < N; i++) mean += x[i] / N;
    double value[FUNCTIONS] = {x[0], x[N - 1], mean, tw_sampler_log_likelihood(s)[0],
                               tw_sampler_log_density(s)[0]};
    memcpy(out, value, sizeof value);
}

/* `count` draws to one side of the truth. */
static void run(tw_sampler *s, const kernel *k, const replicate *r, uint64_t seed, size_t count,
                double (*out)[FUNCTIONS])
{
    tw_record record;
    assert_int_equal(tw_sampler_set_positions(s, r->truth), TW_OK);
    for (size_t t = 0; t < count * THIN; t++) {
        tw_move move = {.eps = k->eps, .steps = k->steps, .seed = seed, .iteration = t};
        tw_sampler_advance(s, &move, &record);
        if ((t + 1) % THIN == 0) look(s, out[t / THIN]);
    }
}

static tw_sampler *make_sampler(const replicate *r, const kernel *k)
{
    tw_sampler_options o = TW_SAMPLER_DEFAULTS;
    tw_sampler *s;
    o.method = k->method;
    o.metric = k->metric;
    o.gaussian = r->ep->reference;
    o.smoothing = r->ep->variance;
    assert_int_equal(tw_sampler_new(r->target, &o, 1, &s), TW_OK);
    return s;
}

static void count_ranks(const kernel *k, const replicate *r, uint64_t seed, test_random *random,
                        size_t histogram[FUNCTIONS][L + 1])
{
    double draws[L][FUNCTIONS] = {{0.0}}, truth[FUNCTIONS];
    ask_for_fault(k->fault);
    tw_sampler *s = make_sampler(r, k);
    size_t before = (size_t)((L + 1) * test_uniform(random));
    run(s, k, r, 2 * seed, before, draws);
    run(s, k, r, 2 * seed + 1, L - before, draws + before);
    assert_int_equal(tw_sampler_set_positions(s, r->truth), TW_OK);
    look(s, truth);
    for (size_t f = 0; f < FUNCTIONS; f++) {
        size_t below = 0, equal = 0;
        for (size_t t = 0; t < L; t++) {
            double tie = 1e-9 * (1.0 + fabs(truth[f])); /* a rejected draw is the truth up to rounding */
            below += draws[t][f] < truth[f] - tie;
            equal += fabs(draws[t][f] - truth[f]) <= tie;
        }
        histogram[f][below + (size_t)((double)(equal + 1) * test_uniform(random))]++;
    }
    tw_sampler_free(s);
    ask_for_fault(TW_FAULT_NONE);
}

/* The largest chi^2 over the functions. */
static double largest_chi2(size_t histogram[FUNCTIONS][L + 1])
{
    const double expected = (double)REPLICATES / (L + 1);
    double largest = 0.0;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double sum = 0.0;
        for (size_t i = 0; i <= L; i++)
            sum += ((double)histogram[f][i] - expected) * ((double)histogram[f][i] - expected) / expected;
        largest = fmax(largest, sum);
    }
    return largest;
}

static double calibrate(const kernel *k)
{
    size_t histogram[FUNCTIONS][L + 1] = {{0}};
    test_random random = {2024};
    tw_context *ctx = new_context();
    tw_factor *factor;
    tw_factor_report report;
    test_problem *problem = test_problem_new(N, 8, 200);
    for (size_t i = 0; i < N * N; i++) problem->k[i] *= 4.0;
    assert_int_equal(tw_factor_new(ctx, N, problem->k, N, 0.0, &factor, &report), TW_OK);
    for (size_t j = 0; j < REPLICATES; j++) {
        replicate r = simulate(problem->k, factor, &random);
        count_ranks(k, &r, j, &random, histogram);
        forget(&r);
    }
    tw_factor_free(factor);
    test_problem_free(problem);
    tw_context_free(ctx);
    double chi2 = largest_chi2(histogram);
    print_message("%s: largest chi^2 %.1f (limit %.0f)\n", k->name, chi2, limit);
    return chi2;
}

static void hmc_is_calibrated(void **state)
{
    (void)state;
    const kernel ep = {"hmc/ep", TW_METHOD_HMC, TW_METRIC_EP, 0.8, 4, TW_FAULT_NONE};
    const kernel prior = {"hmc/prior", TW_METHOD_HMC, TW_METRIC_PRIOR, 0.25, 8, TW_FAULT_NONE};
    assert_true(calibrate(&ep) < limit);
    assert_true(calibrate(&prior) < limit);
}

static void rmhmc_is_calibrated(void **state)
{
    (void)state;
    const kernel hessian = {"rmhmc/hessian", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 0.3, 4, TW_FAULT_NONE};
    const kernel smoothed = {"rmhmc/smoothed", TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 0.5, 4, TW_FAULT_NONE};
    assert_true(calibrate(&hessian) < limit);
    assert_true(calibrate(&smoothed) < limit);
}

static void broken_kernels_are_not_calibrated(void **state)
{
    (void)state;
    kernel broken = {"stale momentum", TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 0.3, 4, TW_FAULT_STALE_MOMENTUM};
    assert_true(calibrate(&broken) > 2.0 * limit);
    broken.name = "H without log|B|";
    broken.fault = TW_FAULT_NO_LOG_DET;
    assert_true(calibrate(&broken) > 2.0 * limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hmc_is_calibrated),
        cmocka_unit_test(rmhmc_is_calibrated),
        cmocka_unit_test(broken_kernels_are_not_calibrated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
