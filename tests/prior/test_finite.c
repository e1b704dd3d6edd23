/* Models whose evidence is infinite are refused, and models next to them are not. */
#include <math.h>
#include <string.h>

#include "support/problem.h"
#include "support/support.h"
#include "talweg/prior.h"

enum { N = 8 };

/* What becomes of the evidence. */
static tw_status check(const char *kernel, const char *likelihood, const double *y, const char *first,
                       const char *second)
{
    tw_context *ctx = new_context();
    double x[N];
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood)};
    tw_problem *problem = NULL;
    tw_priors *priors = NULL;
    for (size_t i = 0; i < N; i++) x[i] = floor((double)i / 2.0); /* each place twice */
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, kernel, 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, first), TW_OK);
    if (second) assert_int_equal(tw_priors_read(priors, problem, second), TW_OK);
    tw_status status = tw_priors_check_finite(priors, problem);
    if (status != TW_OK) assert_non_null(strstr(tw_context_message(ctx), "infinite"));
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return status;
}

/* With 4 surplus cases p(y | noise) grows like noise^-4. */
static void duplicates_need_a_prior_that_vanishes(void **state)
{
    (void)state;
    const double same[N] = {1, 1, -1, -1, 0.5, 0.5, 2, 2}, differ[N] = {1, 1, -1, -1, 0.5, 0.5, 2, 2.1};
    const char *infinite[] = {"noise ~ half_normal(1)", "noise ~ gamma(4, 1)",
                              "noise ~ uniform(0, 2)",  "log_noise ~ student_t(4, 0, 1)",
                              "noise ~ pc(1, 0.1)",     "noise ~ normal(1, 1)"};
    const char *finite[] = {"log_noise ~ normal(0, 1)", "noise ~ gamma(4.1, 1)", "noise ~ uniform(0.1, 2)",
                            "noise ~ inv_gamma(1, 1)"};
    for (size_t k = 0; k < sizeof infinite / sizeof *infinite; k++) {
        assert_int_equal(check("se", "gaussian", same, infinite[k], NULL), TW_NUMERICAL_FAILURE);
        assert_int_equal(check("se", "gaussian", differ, infinite[k], NULL), TW_OK);
        assert_int_equal(check("se + white", "gaussian", same, infinite[k], NULL), TW_OK);
    }
    for (size_t k = 0; k < sizeof finite / sizeof *finite; k++)
        assert_int_equal(check("se", "gaussian", same, finite[k], NULL), TW_OK);
    assert_int_equal(check("se", "student_t", same, "scale ~ half_t(3, 1)", NULL), TW_NUMERICAL_FAILURE);
}

/* y = 0, or y = c beside a constant: noise and amplitude vanish together, like r^-8 or r^-7 in the plane. */
static void equal_observations_need_priors_that_vanish(void **state)
{
    (void)state;
    const double none[N] = {0}, twos[N] = {2, 2, 2, 2, 2, 2, 2, 2};
    assert_int_equal(check("se + white", "gaussian", none, "noise ~ half_normal(1)", NULL), TW_OK);
    assert_int_equal(check("se", "gaussian", none, "noise ~ gamma(6, 1)", "sigma ~ gamma(2, 1)"),
                     TW_NUMERICAL_FAILURE);
    assert_int_equal(check("se", "gaussian", none, "noise ~ gamma(6, 1)", "sigma ~ gamma(2.1, 1)"), TW_OK);
    assert_int_equal(check("se", "gaussian", twos, "noise ~ gamma(6, 1)", "sigma ~ gamma(1, 1)"), TW_OK);
    assert_int_equal(
        check("se + constant", "gaussian", twos, "noise ~ gamma(6, 1)", "se.sigma ~ gamma(1, 1)"),
        TW_NUMERICAL_FAILURE);
}

/* E[exp(-x/2)] = exp(v/8): with all y = 0 the integrand grows at least like exp(n sigma^2/8), n = 8. */
static void zeros_need_an_amplitude_that_is_bounded(void **state)
{
    (void)state;
    const double none[N] = {0}, some[N] = {0, 1, 1, -1, 0.5, 0.5, 2, 2},
                 all[N] = {1, 1, 1, -1, 0.5, 0.5, 2, 2};
    const char *sv = "stochastic_volatility", *bounded = "sigma ~ uniform(0, 3)",
               *log_normal = "log_sigma ~ normal(0, 1)";
    assert_int_equal(check("se", sv, none, log_normal, NULL), TW_NUMERICAL_FAILURE);
    assert_int_equal(check("se", sv, none, "sigma ~ half_normal(0.8)", NULL), TW_NUMERICAL_FAILURE);
    assert_int_equal(check("se", sv, none, "sigma ~ half_normal(0.2)", NULL), TW_OK);
    assert_int_equal(check("se", sv, none, bounded, NULL), TW_OK);
    assert_int_equal(check("se", sv, none, bounded, "scale ~ half_normal(1)"), TW_NUMERICAL_FAILURE);
    assert_int_equal(check("constant", sv, none, "variance ~ gamma(1, 0.9)", NULL), TW_NUMERICAL_FAILURE);
    assert_int_equal(check("se", sv, some, "scale ~ half_normal(1)", NULL), TW_OK);
    assert_int_equal(check("constant", sv, some, "log_variance ~ normal(0, 1)", NULL), TW_OK);
    assert_int_equal(check("se", sv, all, log_normal, NULL), TW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(duplicates_need_a_prior_that_vanishes),
        cmocka_unit_test(equal_observations_need_priors_that_vanish),
        cmocka_unit_test(zeros_need_an_amplitude_that_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
