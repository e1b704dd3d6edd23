/* Derivatives of EP's and Laplace's log Z with respect to all of theta, against central differences of log
 * Z. */
#include <math.h>
#include <string.h>

#include "support/log_z_slope.h"
#include "support/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { MODELS = 20, N = 30, D = 3 };

static const char *const kernels[] = {
    "se(ell=1.5, sigma=1.2)", "matern52(ell=(0.8, 1.5, 3), sigma=1.5)",
    "se(ell=2, sigma=1.5) + matern32(ell=0.7, sigma=0.8) + constant(variance=0.5)",
    "se(ard, sigma=1.3) * matern52(ell=3) + white(variance=0.2)",
    "matern12(ell=2, sigma=1) + white(variance=0.3)"};
static const char *const likelihoods[] = {"probit", "logit", "poisson", "gaussian"};

static double observe(const char *likelihood, test_random *random, double x)
{
    double f = sin(2.0 * x) + 0.3 * test_normal(random);
    if (strcmp(likelihood, "poisson") == 0) return floor(2.0 * exp(f) * test_uniform(random) + 0.5);
    if (strcmp(likelihood, "gaussian") == 0) return f;
    return f > 0.0 ? 1.0 : -1.0;
}

/* Each kernel with each likelihood. */
static tw_problem *pose(tw_context *ctx, size_t number)
{
    test_random random = {31 * number + 7};
    const char *likelihood = likelihoods[number % 4];
    double x[N * D], y[N];
    const double phi = log(0.4);
    test_normals(&random, N * D, x);
    for (size_t i = 0; i < N; i++) y[i] = observe(likelihood, &random, x[i]);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood), .phi = &phi};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, N, D, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, kernels[number % 5], D, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* Fourth order: the error is h^4 f^(5)/30, about 1e-10 here, and rounding 1e-12/h. */
static const double TOLERANCE = 1e-11, STEP = 3e-3;

static void check(tw_problem *problem, size_t number, tw_approximation_kind kind)
{
    double theta[LOG_Z_PARAMETERS], gradient[LOG_Z_PARAMETERS];
    size_t count = tw_problem_count(problem);
    tw_problem_get_theta(problem, theta);
    tw_approximation *a = log_z_fit(problem, kind, TOLERANCE);
    assert_int_equal(tw_approximation_gradient(problem, a, gradient), TW_OK);
    tw_approximation_free(a);
    for (size_t j = 0; j < count; j++) {
        double expected = log_z_difference(problem, kind, TOLERANCE, STEP, theta, j);
        if (!(fabs(gradient[j] - expected) <= 1e-6 * fmax(1.0, fabs(expected))))
            fail_msg("%s of %s with %s: d/d %s is %.10g and not %.10g", kind == TW_EP ? "EP" : "Laplace",
                     likelihoods[number % 4], kernels[number % 5], tw_problem_parameter(problem, j)->name,
                     gradient[j], expected);
    }
    assert_int_equal(tw_problem_set_theta(problem, theta), TW_OK);
}

static void derivatives_are_those_of_log_z(void **state)
{
    (void)state;
    for (size_t number = 0; number < MODELS; number++) {
        tw_context *ctx = new_context();
        tw_problem *problem = pose(ctx, number);
        check(problem, number, TW_EP);
        check(problem, number, TW_LAPLACE);
        tw_problem_free(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

/* gaussian: EP is exact, and d log N(y; 0, K + s^2 I) / d log s = s^2 (|a|^2 - tr (K + s^2 I)^-1) at N = 1. */
static void one_gaussian_observation_has_a_closed_form(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double x = 0.3, y = 1.7, phi = log(0.6), sigma2 = 2.25, noise2 = 0.36, v = sigma2 + noise2;
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian"), .phi = &phi};
    tw_problem *problem = NULL;
    tw_approximation *a = NULL;
    double gradient[3];
    assert_int_equal(tw_data_new(ctx, 1, 1, &x, 1, &y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se(ell=2, sigma=1.5)", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    for (tw_approximation_kind kind = TW_LAPLACE; kind <= TW_EP; kind++) {
        a = log_z_fit(problem, kind, TOLERANCE);
        assert_int_equal(tw_approximation_gradient(problem, a, gradient), TW_OK);
        tw_approximation_free(a);
        double slope = y * y / (v * v) - 1.0 / v; /* twice d log N(y; 0, v)/dv */
        assert_close(gradient[0], 0.0, 1e-14, "ell");
        assert_close(gradient[1], sigma2 * slope, 1e-10, "sigma");
        assert_close(gradient[2], noise2 * slope, 1e-9, "noise");
    }
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void what_did_not_converge_is_refused(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, 0);
    tw_ep_options options = TW_EP_DEFAULTS;
    tw_approximation *a = NULL;
    double gradient[LOG_Z_PARAMETERS];
    options.max_sweeps = 1;
    assert_int_equal(tw_ep_fit(problem->model, &options, &a), TW_OK);
    assert_int_equal(tw_approximation_gradient(problem, a, gradient), TW_NOT_CONVERGED);
    tw_approximation_free(a);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_are_those_of_log_z),
        cmocka_unit_test(one_gaussian_observation_has_a_closed_form),
        cmocka_unit_test(what_did_not_converge_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
