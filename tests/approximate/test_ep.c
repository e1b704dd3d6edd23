/* Expectation propagation: exact in exact cases, and at a fixed point when it reports convergence, for both
 * kinds of sweeps. */
#include <math.h>

#include "support/cloglog.h"
#include "support/dense.h"
#include "support/fitted.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

static void a_gaussian_likelihood_is_exact(void **state)
{
    (void)state;
    enum { N = 70 }; /* more than one block of delayed updates */
    test_problem *p = test_problem_new(N, 22, 1e5);
    test_random random = {8};
    double y[N], w[N], tau[N], nu[N], log_z = 0.0;
    for (size_t i = 0; i < N; i++) {
        y[i] = 3.0 * test_normal(&random);
        w[i] = 0.1 + test_uniform(&random);
        tau[i] = 1.0 / (w[i] * w[i]);
        nu[i] = y[i] * tau[i];
        log_z -= 0.5 * y[i] * nu[i] + log(w[i]) + HALF_LOG_TWO_PI;
    }
    dense_gaussian q = dense_posterior(N, p->k, tau, nu);
    fitted f = fit_ep(N, p->k, tw_likelihood_find("gaussian"), y, w, NULL);
    assert_true(f.q->converged);
    assert_in_range(f.q->iterations, 1, 3);
    assert_close(f.q->log_z, log_z + q.log_z, 1e-9, "log Z"); /* nu' mu is 1e4 */
    for (size_t i = 0; i < N; i++) {
        assert_close(f.q->tau[i] / tau[i], 1.0, 1e-10, "tau");
        assert_close(f.q->mean[i], q.mean[i], 1e-10, "mean");
        assert_close(f.q->variance[i], q.sigma[i + i * N], 1e-10, "variance");
    }
    fitted_free(&f);
    dense_free(&q);
    test_problem_free(p);
}

/* Moments of p(y | x) N(x; 0, k) by the trapezoidal rule over +-12 standard deviations. */
static void grid_moments(const tw_likelihood *likelihood, double y, double k, double *log_z, double *mean,
                         double *variance)
{
    enum { POINTS = 40001 };
    double sums[3] = {0.0, 0.0, 0.0}, sd = sqrt(k), h = 24.0 * sd / (POINTS - 1);
    for (size_t i = 0; i < POINTS; i++) {
        double x = -12.0 * sd + h * (double)i, value;
        likelihood->terms(OBSERVED(likelihood, 1, &y, NULL), &x, &value, NULL, NULL, NULL);
        double p = exp(value - 0.5 * x * x / k);
        sums[0] += p;
        sums[1] += x * p;
        sums[2] += x * x * p;
    }
    *mean = sums[1] / sums[0];
    *variance = sums[2] / sums[0] - *mean * *mean;
    *log_z = log(sums[0] * h / sd) - HALF_LOG_TWO_PI;
}

/* One site: EP is exact. */
static void one_site_equals_quadrature(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double y, k;
    } cases[] = {{"probit", 1.0, 2.5},   {"probit", -1.0, 900.0}, {"logit", -1.0, 0.3},
                 {"logit", 1.0, 400.0},  {"poisson", 0.0, 1.0},   {"poisson", 9.0, 3.0},
                 {"poisson", 300.0, 4.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tw_likelihood *likelihood = tw_likelihood_find(cases[i].name);
        double log_z, mean, variance;
        grid_moments(likelihood, cases[i].y, cases[i].k, &log_z, &mean, &variance);
        for (int method = TW_EP_AUTO; method <= TW_EP_PARALLEL; method++) {
            tw_ep_options options = TW_EP_DEFAULTS;
            options.method = (tw_ep_method)method;
            options.max_sweeps = 2000;
            options.site_tolerance = 1e-9; /* the double loop stops at its tolerance, not beyond */
            fitted f = fit_ep(1, &cases[i].k, likelihood, &cases[i].y, NULL, &options);
            assert_true(f.q->converged);
            assert_close(f.q->log_z, log_z, 1e-8, "log Z");
            assert_close(f.q->mean[0], mean, 1e-8 * sqrt(variance), "mean");
            assert_close(f.q->variance[0] / variance, 1.0, 1e-8, "variance");
            fitted_free(&f);
        }
    }
}

static void every_likelihood_ends_in_a_fixed_point(void **state)
{
    (void)state;
    enum { N = 80 };
    test_problem *p = test_problem_new(N, 12, 1e4);
    test_random random = {9};
    double count[N], exposure[N];
    for (size_t i = 0; i < N; i++) {
        count[i] = floor(30.0 * pow(test_uniform(&random), 4.0));
        exposure[i] = 0.2 + 2.0 * test_uniform(&random);
    }
    const tw_likelihood *likelihood[] = {tw_likelihood_find("probit"), tw_likelihood_find("logit"),
                                         tw_likelihood_find("poisson"), &cloglog_likelihood};
    const double *y[] = {p->y, p->y, count, p->y}, *w[] = {NULL, NULL, exposure, NULL};
    for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) {
        fitted f = fit_ep(N, p->k, likelihood[i], y[i], w[i], NULL);
        assert_fixed_point(&f);
        fitted_free(&f);
    }
    test_problem_free(p);
}

/* The double loop, which provably converges, against sequential sweeps: one fixed point. */
static void sequential_sweeps_and_the_double_loop_agree(void **state)
{
    (void)state;
    const char *names[] = {"probit", "logit", "poisson"};
    for (size_t i = 0; i < 3; i++) {
        enum { N = 24 };
        test_problem *p = test_problem_new(N, 100 + i, 50.0);
        double w[N];
        for (size_t j = 0; j < N; j++) w[j] = i == 2 ? 0.5 + 0.4 * (double)(j % 3) : 1.0;
        for (size_t j = 0; j < N && i == 2; j++) p->y[j] = (double)(j % 5);
        tw_ep_options options = TW_EP_DEFAULTS;
        options.method = TW_EP_SEQUENTIAL;
        fitted one = fit_ep(N, p->k, tw_likelihood_find(names[i]), p->y, w, &options);
        options.method = TW_EP_DOUBLE_LOOP;
        options.max_sweeps = 3000;
        fitted two = fit_ep(N, p->k, tw_likelihood_find(names[i]), p->y, w, &options);
        assert_fixed_point(&one);
        assert_fixed_point(&two);
        assert_true(two.q->iterations > one.q->iterations);
        assert_close(two.q->log_z, one.q->log_z, 1e-5, "log Z");
        for (size_t j = 0; j < N; j++) {
            double sd = sqrt(one.q->variance[j]);
            assert_close((two.q->mean[j] - one.q->mean[j]) / sd, 0.0, 1e-4, "mean");
            assert_close(two.q->variance[j] / one.q->variance[j], 1.0, 1e-4, "variance");
        }
        fitted_free(&one);
        fitted_free(&two);
        test_problem_free(p);
    }
}

/* Parallel updates with damping, whose q is exact after every sweep, beside sequential sweeps, whose Sigma may be behind its
 * sites: the same fixed point, for a K that couples the sites strongly, the last one all with all. At a residual of 1e-9
 * log Z, which is flat there, agrees to rounding, and the moments to the residual times what the coupling makes of it. */
static void parallel_updates_find_the_same_fixed_point(void **state)
{
    (void)state;
    enum { N = 60 };
    const char *names[] = {"probit", "logit", "poisson", "probit"};
    for (size_t i = 0; i < 4; i++) {
        test_problem *p = test_problem_new(N, 200 + i, 1e5);
        for (size_t j = 0; j < (size_t)N * N; j++) p->k[j] *= i == 2 ? 1.0 : 40.0;
        for (size_t j = 0; j < N && i == 2; j++) p->y[j] = (double)(j % 7);
        for (size_t j = 0; j < (size_t)N * N && i == 3; j++) p->k[j] = j % (N + 1) == 0 ? 500.0 : 400.0;
        tw_ep_options options = TW_EP_DEFAULTS;
        options.site_tolerance = 1e-9;
        fitted one = fit_ep(N, p->k, tw_likelihood_find(names[i]), p->y, NULL, &options);
        options.method = TW_EP_PARALLEL;
        options.max_sweeps = 1000;
        fitted two = fit_ep(N, p->k, tw_likelihood_find(names[i]), p->y, NULL, &options);
        print_message("%s: %zu sequential sweeps, %zu parallel ones\n", names[i], one.q->iterations,
                      two.q->iterations);
        assert_true(one.q->converged && two.q->converged);
        assert_fixed_point(&two);
        assert_close(two.q->log_z, one.q->log_z, 1e-8, "log Z");
        for (size_t j = 0; j < N; j++) {
            assert_close((two.q->mean[j] - one.q->mean[j]) / sqrt(one.q->variance[j]), 0.0, 1e-6, "mean");
            assert_close(two.q->variance[j] / one.q->variance[j], 1.0, 1e-6, "variance");
        }
        fitted_free(&one);
        fitted_free(&two);
        test_problem_free(p);
    }
}

/* Given sites are where parallel updates begin: those of the fixed point need no more than it takes to see that. */
static void parallel_updates_begin_with_given_sites(void **state)
{
    (void)state;
    enum { N = 40 };
    test_problem *p = test_problem_new(N, 31, 1e3);
    tw_ep_options options = TW_EP_DEFAULTS;
    options.method = TW_EP_PARALLEL;
    options.site_tolerance = 1e-9;
    fitted first = fit_ep(N, p->k, tw_likelihood_find("probit"), p->y, NULL, &options);
    options.site_tolerance = 1e-6;
    options.tau = first.q->tau;
    options.nu = first.q->nu;
    fitted second = fit_ep(N, p->k, tw_likelihood_find("probit"), p->y, NULL, &options);
    assert_true(first.q->iterations > 4 && second.q->converged);
    assert_in_range(second.q->iterations, 1, 2);
    fitted_free(&first);
    fitted_free(&second);
    test_problem_free(p);
}

/* ---- verdicts */

static void one_sweep_is_not_enough(void **state)
{
    (void)state;
    test_problem *p = test_problem_new(40, 14, 1e4);
    tw_ep_options options = TW_EP_DEFAULTS;
    options.max_sweeps = 1;
    fitted f = fit_ep(40, p->k, tw_likelihood_find("probit"), p->y, NULL, &options);
    assert_false(f.q->converged);
    assert_int_equal(f.q->iterations, 1);
    assert_true(f.q->residual > 1e-3);
    tw_correction correction;
    assert_int_equal(tw_ep_correct(f.model, f.q, 4, &correction), TW_NOT_CONVERGED);
    fitted_free(&f);
    test_problem_free(p);
}

static void options_outside_their_range_are_refused(void **state)
{
    (void)state;
    double k = 1.0, y = 1.0;
    fitted f = fit_ep(1, &k, tw_likelihood_find("probit"), &y, NULL, NULL);
    const tw_ep_options bad[] = {
        {.max_sweeps = 0, .tolerance = 1e-8, .site_tolerance = 1e-6},
        {.max_sweeps = 9, .tolerance = 0.0, .site_tolerance = 1e-6},
        {.max_sweeps = 9, .tolerance = 1e-8, .site_tolerance = NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_approximation *q = NULL;
        assert_int_equal(tw_ep_fit(f.model, &bad[i], &q), TW_BAD_ARGUMENT);
        assert_null(q);
    }
    fitted_free(&f);
}

/* Stored sites give back the same q. */
static void sites_alone_restore_the_approximation(void **state)
{
    (void)state;
    enum { N = 33 };
    test_problem *p = test_problem_new(N, 15, 1e4);
    fitted f = fit_ep(N, p->k, tw_likelihood_find("logit"), p->y, NULL, NULL);
    tw_approximation *again = NULL;
    assert_int_equal(tw_approximation_from_sites(f.model, TW_EP, f.q->tau, f.q->nu, &again), TW_OK);
    assert_memory_equal(again->mean, f.q->mean, N * sizeof(double));
    assert_memory_equal(again->variance, f.q->variance, N * sizeof(double));
    assert_true(tw_reference_log_z(again->reference) == tw_reference_log_z(f.q->reference));
    assert_false(again->converged); /* the caller's word */
    tw_approximation_free(again);
    p->tau[5] = -1.0;
    assert_int_equal(tw_approximation_from_sites(f.model, TW_EP, p->tau, p->nu, &again), TW_BAD_ARGUMENT);
    assert_null(again);
    fitted_free(&f);
    test_problem_free(p);
}

/* A prior variance of 0, as a linear kernel has at 0: p(y | 0) is a factor of Z, and the site says nothing of the others. */
static void a_latent_that_is_known(void **state)
{
    (void)state;
    static const char *const likelihoods[] = {"probit", "logit", "poisson", "gaussian"};
    const double k[9] = {0.0, 0.0, 0.0, 0.0, 2.0, 0.7, 0.0, 0.7, 1.0}, y[3] = {1.0, 1.0, 1.0};
    const double rest[4] = {2.0, 0.7, 0.7, 1.0}, zero = 0.0, w[3] = {0.5, 0.5, 0.5};
    for (size_t i = 0; i < sizeof likelihoods / sizeof *likelihoods; i++) {
        const tw_likelihood *likelihood = tw_likelihood_find(likelihoods[i]);
        fitted all = fit_ep(3, k, likelihood, y, w, NULL), others = fit_ep(2, rest, likelihood, y, w, NULL);
        tw_observations one = observations_of(likelihood, 1, y, w);
        double value;
        likelihood->terms(&one, &zero, &value, NULL, NULL, NULL);
        assert_true(all.q->converged && others.q->converged);
        assert_close(all.q->log_z, others.q->log_z + value, 1e-7, likelihoods[i]);
        assert_true(all.q->mean[0] == 0.0 && all.q->variance[0] == 0.0);
        for (size_t j = 0; j < 2; j++) assert_close(all.q->mean[j + 1], others.q->mean[j], 1e-6, "mean");
        fitted_free(&all);
        fitted_free(&others);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gaussian_likelihood_is_exact),
        cmocka_unit_test(one_site_equals_quadrature),
        cmocka_unit_test(every_likelihood_ends_in_a_fixed_point),
        cmocka_unit_test(sequential_sweeps_and_the_double_loop_agree),
        cmocka_unit_test(parallel_updates_find_the_same_fixed_point),
        cmocka_unit_test(parallel_updates_begin_with_given_sites),
        cmocka_unit_test(a_latent_that_is_known),
        cmocka_unit_test(one_sweep_is_not_enough),
        cmocka_unit_test(options_outside_their_range_are_refused),
        cmocka_unit_test(sites_alone_restore_the_approximation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
