/* The log of the integral of p(y | x) N(x; m, v) as a function of m, against one quadrature for every m. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/cloglog.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { MEANS = 500 };

static double one_by_one(const tw_likelihood *likelihood, double y, double w, double m, double v)
{
    tw_tilted t;
    double value;
    if (v > 0.0) {
        assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(likelihood, y, w), 0, m, v, &t), TW_OK);
        return t.log_z;
    }
    likelihood->terms(OBSERVED(likelihood, 1, &y, &w), &m, &value, NULL, NULL, NULL);
    return value;
}

/* The second call asks for more than the first was fitted to, the third for less. */
static void compare(const tw_likelihood *likelihood, double y, double w, double v, double centre,
                    double scale)
{
    test_random random = {41};
    tw_marginal marginal = tw_marginal_of(OBSERVED_ONE(likelihood, y, w), 0, v);
    double m[MEANS], log_p[MEANS];
    const double spread[] = {1.0, 2.5, 0.3};
    for (size_t call = 0; call < 3; call++) {
        test_normals(&random, MEANS, m);
        for (size_t i = 0; i < MEANS; i++) m[i] = centre + spread[call] * scale * m[i];
        assert_int_equal(tw_marginal_log(&marginal, MEANS, m, log_p), TW_OK);
        for (size_t i = 0; i < MEANS; i++) {
            double exact = one_by_one(likelihood, y, w, m[i], v);
            assert_close(log_p[i], exact, 1e-10 + 1e-13 * fabs(exact), likelihood->name);
        }
    }
}

static void interpolation_agrees_with_quadrature(void **state)
{
    (void)state;
    const tw_likelihood *all[] = {tw_likelihood_find("probit"), tw_likelihood_find("logit"),
                                  &cloglog_likelihood};
    const double variances[] = {0.0, 1e-12, 1e-3, 0.4, 7.0, 3000.0}, scales[] = {0.01, 1.0, 4.0};
    for (size_t l = 0; l < 3; l++)
        for (size_t v = 0; v < 6; v++)
            for (size_t s = 0; s < 3; s++)
                for (int y = -1; y <= 1; y += 2)
                    compare(all[l], y, 1.0, variances[v], 0.4 - 0.2 * (double)l, scales[s]);
    compare(tw_likelihood_find("logit"), -1.0, 1.0, 50.0, 30.0, 120.0);
    for (size_t v = 0; v < 5; v++) {
        compare(tw_likelihood_find("poisson"), 3.0, 2.5, variances[v], 0.3, 0.8);
        compare(tw_likelihood_find("poisson"), 0.0, 0.1, variances[v], 0.3, 0.8);
        compare(tw_likelihood_find("gaussian"), 1.3, 0.2, variances[v], 0.3, 2.0);
    }
}

/* Each call leaves what was fitted before at one end only: the interval must follow it there. */
static void the_interval_grows_to_either_side(void **state)
{
    (void)state;
    const tw_likelihood *logit = tw_likelihood_find("logit");
    tw_marginal marginal = tw_marginal_of(OBSERVED_ONE(logit, 1.0, 1.0), 0, 2.0);
    const double low[] = {-1.0, -0.5, -8.0}, high[] = {1.0, 7.0, 0.5};
    double m[MEANS], log_p[MEANS];
    for (size_t call = 0; call < 3; call++) {
        for (size_t i = 0; i < MEANS; i++)
            m[i] = low[call] + (high[call] - low[call]) * (double)i / (MEANS - 1);
        assert_int_equal(tw_marginal_log(&marginal, MEANS, m, log_p), TW_OK);
        for (size_t i = 0; i < MEANS; i++)
            assert_close(log_p[i], one_by_one(logit, 1.0, 1.0, m[i], 2.0), 1e-10, "log p");
    }
}

/* One mean, and many that are all the same, need no interval. */
static void equal_means_are_no_interval(void **state)
{
    (void)state;
    tw_marginal marginal = tw_marginal_of(OBSERVED_ONE(tw_likelihood_find("logit"), 1.0, 1.0), 0, 2.0);
    double m[MEANS], log_p[MEANS];
    for (size_t i = 0; i < MEANS; i++) m[i] = 0.7;
    for (size_t n = 1; n <= MEANS; n += MEANS - 1) {
        assert_int_equal(tw_marginal_log(&marginal, n, m, log_p), TW_OK);
        assert_close(log_p[n - 1], one_by_one(tw_likelihood_find("logit"), 1.0, 1.0, 0.7, 2.0), 1e-12,
                     "log p");
    }
}

static void what_is_not_finite_is_a_failure(void **state)
{
    (void)state;
    tw_marginal marginal = tw_marginal_of(OBSERVED_ONE(tw_likelihood_find("logit"), 1.0, 1.0), 0, 2.0);
    double m[3] = {0.1, NAN, 0.2}, log_p[3];
    assert_int_equal(tw_marginal_log(&marginal, 3, m, log_p), TW_NUMERICAL_FAILURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolation_agrees_with_quadrature),
        cmocka_unit_test(the_interval_grows_to_either_side),
        cmocka_unit_test(equal_means_are_no_interval),
        cmocka_unit_test(what_is_not_finite_is_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
