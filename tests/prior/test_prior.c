/* Every density is normalised over theta, and its derivative and quantiles are correct; a wrong Jacobian is
 * detected. */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "prior/family.h"
#include "support/fault.h"
#include "support/support.h"
#include "talweg/prior.h"

static const tw_parameter value = {.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0},
                          plain = {.name = "cut", .transform = TW_TRANSFORM_NONE, .initial = 0.0};

typedef struct density {
    tw_prior prior;
    const char *words; /* of ell */
    double low, high;  /* theta beyond which is less than 1e-12, of the value; of the logarithm */
} density;

static const density all[] = {
    {{TW_PRIOR_NORMAL, .a = {2.0, 0.7}}, "ell ~ normal(2, 0.7)", -40.0, 3.0},
    {{TW_PRIOR_NORMAL, true, .a = {-1.0, 0.5}}, "log_ell ~ normal(-1, 0.5)", -6.0, 4.0},
    {{TW_PRIOR_STUDENT_T, .a = {4.0, 1.0, 0.5}}, "ell ~ student_t(4, 1, 0.5)", -40.0, 12.0},
    {{TW_PRIOR_STUDENT_T, true, .a = {7.0, 0.3, 0.5}}, "log_ell ~ student_t(7, 0.3, 0.5)", -60.0, 60.0},
    {{TW_PRIOR_GAMMA, .a = {25.0, 4.0}}, "ell ~ gamma(25, 4)", -3.0, 4.0},
    {{TW_PRIOR_GAMMA, .a = {0.7, 2.0}}, "ell ~ gamma(0.7, 2)", -60.0, 4.0},
    {{TW_PRIOR_INV_GAMMA, .a = {3.0, 5.0}}, "ell ~ inv_gamma(3, 5)", -3.0, 14.0},
    {{TW_PRIOR_LOGNORMAL, .a = {0.5, 0.8}}, "ell ~ lognormal(0.5, 0.8)", -8.0, 9.0},
    {{TW_PRIOR_HALF_NORMAL, .a = {3.0}}, "ell ~ half_normal(3)", -40.0, 5.0},
    {{TW_PRIOR_HALF_T, .a = {5.0, 2.0}}, "ell ~ half_t(5, 2)", -40.0, 12.0},
    {{TW_PRIOR_UNIFORM, .a = {0.5, 4.0}}, "ell ~ uniform(0.5, 4)", -0.6931471, 1.3862943},
    {{TW_PRIOR_UNIFORM, .a = {-1.0, 4.0}}, "ell ~ uniform(-1, 4)", -40.0, 1.3862943},
    {{TW_PRIOR_PC, .a = {0.5, 0.05, 0.0}}, "ell ~ pc(0.5, 0.05)", -40.0, 4.0},
    {{TW_PRIOR_PC, .a = {0.5, 0.05, 1.5}}, "ell ~ pc(0.5, 0.05)", -5.0, 25.0},
};
enum { DENSITIES = sizeof all / sizeof *all, NODES = 200001 };

/* Simpson's rule of exp(log density) from low to high. */
static double integral(const tw_prior *prior, double low, double high)
{
    double h = (high - low) / (NODES - 1), sum = 0.0;
    for (size_t i = 0; i < NODES; i++) {
        double weight = i == 0 || i == NODES - 1 ? 1.0 : i % 2 ? 4.0 : 2.0;
        double theta = i == NODES - 1 ? high : low + h * (double)i;
        sum += weight * exp(tw_prior_log_density(prior, &value, theta, NULL));
    }
    return sum * h / 3.0;
}

/* 1e-6: Simpson's rule has 1e-12 on smooth ones, and the ends of the uniform ones are 1e-7 inside. */
static void densities_of_theta_are_normalised(void **state)
{
    (void)state;
    for (size_t k = 0; k < DENSITIES; k++)
        assert_close(integral(&all[k].prior, all[k].low, all[k].high), 1.0, 1e-6, all[k].words);
}

static void a_wrong_jacobian_is_found(void **state)
{
    (void)state;
    size_t found = 0, of_value = 0;
    ask_for_fault(TW_FAULT_JACOBIAN);
    for (size_t k = 0; k < DENSITIES; k++) {
        of_value += !all[k].prior.of_log;
        found += fabs(integral(&all[k].prior, all[k].low, all[k].high) - 1.0) > 0.01;
    }
    ask_for_fault(TW_FAULT_NONE);
    assert_int_equal(found, of_value);
}

static void slopes_are_those_of_the_log_density(void **state)
{
    (void)state;
    const double h = 1e-5;
    for (size_t k = 0; k < DENSITIES; k++)
        for (double p = 0.05; p < 1.0; p += 0.1) {
            double theta = tw_prior_quantile(&all[k].prior, &value, p), slope = NAN;
            tw_prior_log_density(&all[k].prior, &value, theta, &slope);
            double up = tw_prior_log_density(&all[k].prior, &value, theta + h, NULL);
            double down = tw_prior_log_density(&all[k].prior, &value, theta - h, NULL);
            assert_close(slope, (up - down) / (2.0 * h), 1e-7 * (1.0 + fabs(slope)), all[k].words);
        }
}

static void quantiles_are_those_of_the_integral(void **state)
{
    (void)state;
    for (size_t k = 0; k < DENSITIES; k++)
        for (double p = 0.01; p < 1.0; p += 0.245) {
            double theta = tw_prior_quantile(&all[k].prior, &value, p);
            assert_close(integral(&all[k].prior, all[k].low, theta), p, 1e-6, all[k].words);
        }
}

/* Also far out. The quantile of Student's t is found to 1e-14 of its logarithm, and a share near 1 is rounded to 1e-16. */
static void shares_are_those_of_the_quantiles(void **state)
{
    (void)state;
    const double shares[] = {1e-9, 1e-6, 1e-3, 0.1, 0.4, 0.5, 0.7, 0.99, 1.0 - 1e-6, 1.0 - 1e-9};
    for (size_t k = 0; k < DENSITIES; k++)
        for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
            double p = shares[i], theta = tw_prior_quantile(&all[k].prior, &value, p);
            assert_close(tw_prior_cdf(&all[k].prior, &value, theta), p, 1e-15 + 1e-9 * fmin(p, 1.0 - p),
                         all[k].words);
        }
    const tw_prior uniform = {TW_PRIOR_UNIFORM, .a = {0.5, 4.0}}, flat = {TW_PRIOR_UNIFORM, .flat = true};
    assert_true(tw_prior_cdf(&uniform, &value, -5.0) == 0.0 && tw_prior_cdf(&uniform, &value, 5.0) == 1.0);
    assert_true(isnan(tw_prior_cdf(&flat, &value, 0.0)));
}

/* pc: a length is below u, anything else above u, with probability alpha. */
static void penalised_complexity_keeps_its_word(void **state)
{
    (void)state;
    const tw_prior amplitude = {TW_PRIOR_PC, .a = {2.0, 0.1, 0.0}},
                   length = {TW_PRIOR_PC, .a = {2.0, 0.1, 1.0}};
    assert_close(tw_prior_quantile(&amplitude, &value, 0.9), log(2.0), 1e-14, "amplitude");
    assert_close(tw_prior_quantile(&length, &value, 0.1), log(2.0), 1e-14, "length");
}

static void outside_the_range_there_is_nothing(void **state)
{
    (void)state;
    const tw_prior uniform = {TW_PRIOR_UNIFORM, .a = {0.5, 4.0}},
                   log_gamma = {TW_PRIOR_GAMMA, true, .a = {2.0, 1.0}},
                   flat = {TW_PRIOR_UNIFORM, true, .flat = true},
                   flat_value = {TW_PRIOR_UNIFORM, .flat = true};
    double slope = NAN;
    assert_true(tw_prior_log_density(&uniform, &value, 3.0, &slope) == -INFINITY && slope == 0.0);
    assert_true(tw_prior_log_density(&log_gamma, &value, -1.0, &slope) == -INFINITY && slope == 0.0);
    assert_true(tw_prior_log_density(&flat, &value, 7.0, &slope) == 0.0 && slope == 0.0);
    assert_true(tw_prior_log_density(&flat_value, &value, 7.0, &slope) == 7.0 && slope == 1.0);
    assert_true(isnan(tw_prior_quantile(&flat, &value, 0.5)));
    const tw_prior normal = {TW_PRIOR_NORMAL, .a = {-3.0, 1.0}};
    assert_close(tw_prior_log_density(&normal, &plain, -3.0, NULL), -0.91893853320467267, 1e-15, "plain");
}

static void priors_are_written_as_they_are_read(void **state)
{
    (void)state;
    char words[200];
    for (size_t k = 0; k < DENSITIES; k++) {
        tw_prior_print(&all[k].prior, &value, words, sizeof words);
        assert_string_equal(words, all[k].words);
    }
    tw_prior_print(&(tw_prior){TW_PRIOR_UNIFORM, .flat = true}, &value, words, sizeof words);
    assert_string_equal(words, "ell ~ uniform");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(densities_of_theta_are_normalised),
        cmocka_unit_test(a_wrong_jacobian_is_found),
        cmocka_unit_test(slopes_are_those_of_the_log_density),
        cmocka_unit_test(quantiles_are_those_of_the_integral),
        cmocka_unit_test(shares_are_those_of_the_quantiles),
        cmocka_unit_test(penalised_complexity_keeps_its_word),
        cmocka_unit_test(outside_the_range_there_is_nothing),
        cmocka_unit_test(priors_are_written_as_they_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
