/* Simulation-based calibration of unknown parameters: theta* from the priors, x* ~ N(0, K(theta*)), y given
 * x* from the likelihood. Then (theta*, x*) is an exact draw from the posterior given y, and for every
 * function f the posterior probability of values below f(theta*, x*) is uniform over replications (Talts et
 * al. 2018). That probability comes from the weighted points with their particles.
 *
 * 200 replications of 30 cases, 10 bins: Pearson's chi^2 (9 degrees of freedom) may reach 39, with a
 * false-alarm rate of 1e-5 each; 5 functions of two models, with 2 and with 6 parameters: 1e-4 for the file.
 * TALWEG_FIRST sets the seed. The weights of a finite number of points blur the probabilities by about 0.03,
 * much less than a bin. Priors without their Jacobian must exceed the limit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gaussian/gaussian.h"
#include "model/model.h"
#include "support/fault.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/hyper.h"

enum { N = 30, MOST_INPUTS = 5, REPLICATES = 200, BINS = 10, FUNCTIONS = 5, POINTS = 128 };

static const double limit = 39.0;
static const char *const ell_prior = "ell ~ gamma(3, 2)", *const sigma_prior = "log_sigma ~ normal(0.5, 1)";

/* The problem of labels y, at parameters that were not given, with a length scale for each of `inputs` inputs. */
static tw_problem *pose(tw_context *ctx, size_t inputs, const double *y)
{
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    double x[N * MOST_INPUTS];
    for (size_t k = 0; k < inputs; k++)
        for (size_t i = 0; i < N; i++)
            x[i + k * N] = 4.0 / sqrt((double)inputs) * sin((1.7 + 0.9 * (double)k) * (double)i);
    assert_int_equal(tw_data_new(ctx, N, inputs, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, inputs == 1 ? "se" : "se(ard)", inputs, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static tw_priors *read_priors(const tw_problem *problem)
{
    tw_priors *priors = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, ell_prior), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, sigma_prior), TW_OK);
    return priors;
}

/* The first length scale, sigma, x_1, the mean of x, and the sum of squares of x. */
static void look(size_t inputs, const double *theta, const double *x, double f[FUNCTIONS])
{
    double sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < N; i++) {
        sum += x[i];
        squares += x[i] * x[i];
    }
    const double values[FUNCTIONS] = {theta[0], theta[inputs], x[0], sum, squares};
    memcpy(f, values, sizeof values);
}

/* A draw of everything from the model; the truth is what its functions are. */
static void simulate(test_random *random, size_t inputs, double y[N], double truth[FUNCTIONS])
{
    tw_context *ctx = new_context();
    double ones[N], theta[MOST_INPUTS + 1], z[N], x[N];
    for (size_t i = 0; i < N; i++) ones[i] = i % 2 ? 1.0 : -1.0;
    tw_problem *problem = pose(ctx, inputs, ones);
    tw_priors *priors = read_priors(problem);
    for (size_t k = 0; k <= inputs; k++)
        theta[k] =
            tw_prior_quantile(&priors->prior[k], tw_problem_parameter(problem, k), test_uniform(random));
    assert_int_equal(tw_problem_set_theta(problem, theta), TW_OK);
    test_normals(random, N, z);
    tw_gaussian_spread(problem->model->prior, 1, z, x);
    for (size_t i = 0; i < N; i++) y[i] = test_normal(random) < x[i] ? 1.0 : -1.0;
    look(inputs, theta, x, truth);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* The shares of the posterior below the truth. */
static void rank(const tw_hyper_result *r, const double truth[FUNCTIONS], double share[FUNCTIONS])
{
    double largest = -INFINITY, total = 0.0;
    memset(share, 0, FUNCTIONS * sizeof *share);
    for (size_t s = 0; s < r->points; s++) largest = fmax(largest, r->log_weight[s]);
    for (size_t s = 0; s < r->points; s++)
        for (size_t c = 0; c < r->kept && r->log_weight[s] > -INFINITY; c++) {
            double f[FUNCTIONS], w = exp(r->log_weight[s] - largest);
            look(r->unknown - 1, r->theta + r->unknown * s, r->x + (s * r->kept + c) * N, f);
            for (size_t k = 0; k < FUNCTIONS; k++) share[k] += f[k] < truth[k] ? w : 0.0;
            total += w;
        }
    for (size_t k = 0; k < FUNCTIONS; k++) share[k] /= total;
}

static void replicate(test_random *random, size_t inputs, uint64_t seed, tw_fault fault,
                      double share[FUNCTIONS])
{
    double y[N], truth[FUNCTIONS];
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_hyper_result *r = NULL;
    simulate(random, inputs, y, truth);
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, inputs, y);
    tw_priors *priors = read_priors(problem);
    o.points = POINTS;
    o.starts = 1;
    o.seed = seed;
    ask_for_fault(fault);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    ask_for_fault(TW_FAULT_NONE);
    rank(r, truth, share);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* chi^2 of each function. */
static void calibrate(size_t inputs, uint64_t seed, tw_fault fault, double chi2[FUNCTIONS])
{
    test_random random = {seed};
    double count[FUNCTIONS][BINS] = {{0.0}}, expected = (double)REPLICATES / BINS;
    for (uint64_t i = 0; i < REPLICATES; i++) {
        double share[FUNCTIONS];
        replicate(&random, inputs, 1000 * seed + i, fault, share);
        for (size_t k = 0; k < FUNCTIONS; k++) count[k][(size_t)fmin(share[k] * BINS, BINS - 1)]++;
    }
    for (size_t k = 0; k < FUNCTIONS; k++) {
        chi2[k] = 0.0;
        for (size_t b = 0; b < BINS; b++) chi2[k] += pow(count[k][b] - expected, 2.0) / expected;
        printf("%s%.1f", k ? ", " : "chi^2 ", chi2[k]);
    }
    printf("\n");
}

static uint64_t setting(uint64_t otherwise)
{
    const char *text = getenv("TALWEG_FIRST");
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void ranks_are_uniform(void **state)
{
    (void)state;
    double chi2[FUNCTIONS];
    calibrate(1, setting(1), TW_FAULT_NONE, chi2);
    for (size_t k = 0; k < FUNCTIONS; k++) assert_true(chi2[k] < limit);
}

static void ranks_of_six_parameters_are_uniform(void **state)
{
    (void)state;
    double chi2[FUNCTIONS];
    calibrate(MOST_INPUTS, setting(3), TW_FAULT_NONE, chi2);
    for (size_t k = 0; k < FUNCTIONS; k++) assert_true(chi2[k] < limit);
}

static void a_missing_jacobian_is_caught(void **state)
{
    (void)state;
    double chi2[FUNCTIONS];
    calibrate(1, 2, TW_FAULT_JACOBIAN, chi2);
    assert_true(chi2[0] > limit);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranks_are_uniform),
        cmocka_unit_test(ranks_of_six_parameters_are_uniform),
        cmocka_unit_test(a_missing_jacobian_is_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
