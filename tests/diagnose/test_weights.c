/* Importance weights: exact small cases, numbers that would overflow, and the coverage of standard errors.
 *
 * Coverage: log weights are N(-s^2/2, s^2), so the mean weight is 1 and its log 0. Over REPEATS data sets of
 * N weights the error is within 1.96 standard errors in a fraction c of them; for a nearly normal estimate
 * c = 0.95. Its deviation from normality (s = 0.5 and N = 400: weights with skewness 1.75) changes c by order
 * 1/N, less than 0.006; the fraction of 2000 has a standard deviation of 0.0049. The band 0.95 +- 0.030 is
 * 4.9 of these plus 0.006, a false-alarm rate of 1e-6. Standard errors of 3/4 or 4/3 of the right size give
 * 0.856 or 0.990, 8 and 4 standard deviations outside.
 */
#include <math.h>
#include <string.h>

#include "math/random.h"
#include "support/support.h"
#include "talweg/diagnose.h"

enum { SEED = 2001, N = 400, REPEATS = 2000, REPLICATES = 50 };

static const double spread = 0.5;

static void simulate(uint64_t repeat, double *log_weight)
{
    tw_stream stream = tw_stream_at(SEED, TW_STREAM_DATA, repeat, 0);
    tw_stream_normals(&stream, N, log_weight);
    for (int i = 0; i < N; i++) log_weight[i] = spread * log_weight[i] - 0.5 * spread * spread;
}

/* Weights 1, 2, 3, 6: sum 12, sum of squares 50, mean 3, sum of squared deviations 14. */
static void small_cases_are_exact(void **state)
{
    (void)state;
    const double log_weight[] = {0.0, log(2.0), log(3.0), log(6.0)};
    double se;
    assert_close(tw_weights_ess(4, log_weight), 144.0 / 50.0, 1e-14, "ESS");
    assert_close(tw_log_mean_exp(4, log_weight, &se), log(3.0), 1e-15, "log mean");
    assert_close(se, sqrt(14.0 / (4.0 * 3.0 * 9.0)), 1e-15, "standard error");
    assert_close(tw_log_mean_exp(4, log_weight, NULL), log(3.0), 1e-15, "log mean");
}

/* n^n equally likely resamples: of weights 1 and 2 the mean is 1, 3/2, 3/2 or 2, so the bootstrap's standard
 * deviation is known. Its estimate from R replicates is off by sqrt((kurtosis - 1)/(4 R)) < 1/sqrt(2 R),
 * here 4.9 of them. */
static void the_bootstrap_has_the_known_limit(void **state)
{
    (void)state;
    const double log_weight[] = {0.0, log(2.0)}, replicates = 20000.0;
    const double value[] = {0.0, log(1.5), log(1.5), log(2.0)};
    double mean = 0.0, variance = 0.0;
    for (int i = 0; i < 4; i++) mean += value[i] / 4.0;
    for (int i = 0; i < 4; i++) variance += (value[i] - mean) * (value[i] - mean) / 4.0;
    double se = tw_log_mean_exp_bootstrap(2, log_weight, SEED, (size_t)replicates);
    assert_close(se / sqrt(variance), 1.0, 4.9 / sqrt(2.0 * replicates), "bootstrap");
}

/* Of two replicates the standard deviation is their difference over sqrt(2), and log means are log 1, log 3/2 or log 2. */
static void two_replicates_have_a_standard_deviation(void **state)
{
    (void)state;
    const double log_weight[] = {0.0, log(2.0)}, difference[] = {0.0, log(1.5), log(2.0), log(2.0 / 1.5)};
    size_t seen = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        double is = sqrt(2.0) * tw_log_mean_exp_bootstrap(2, log_weight, seed, 2), nearest = INFINITY;
        for (int i = 0; i < 4; i++) nearest = fmin(nearest, fabs(is - difference[i]));
        assert_close(nearest, 0.0, 1e-14, "difference of two log means");
        seen += is > 0.0;
    }
    assert_true(seen > 5);
}

static void the_bootstrap_depends_on_its_arguments_alone(void **state)
{
    (void)state;
    double log_weight[N];
    simulate(1, log_weight);
    double once = tw_log_mean_exp_bootstrap(N, log_weight, 7, REPLICATES);
    assert_true(once == tw_log_mean_exp_bootstrap(N, log_weight, 7, REPLICATES));
    assert_true(once != tw_log_mean_exp_bootstrap(N, log_weight, 8, REPLICATES));
}

/* Far beyond what exp can hold; a common factor of the weights moves the log mean and nothing else. */
static void a_common_factor_changes_nothing_else(void **state)
{
    (void)state;
    double log_weight[N], moved[N], se, moved_se;
    const double shifts[] = {-1e5, -745.0, 800.0, 1e5};
    simulate(2, log_weight);
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < N; i++) moved[i] = log_weight[i] + shifts[k];
        double mean = tw_log_mean_exp(N, log_weight, &se), moved_mean = tw_log_mean_exp(N, moved, &moved_se);
        assert_close(moved_mean - shifts[k], mean, 1e-10, "log mean");
        assert_close(moved_se, se, 1e-11, "standard error");
        assert_close(tw_weights_ess(N, moved), tw_weights_ess(N, log_weight), 1e-7, "ESS");
        assert_close(tw_log_mean_exp_bootstrap(N, moved, 3, REPLICATES),
                     tw_log_mean_exp_bootstrap(N, log_weight, 3, REPLICATES), 1e-10, "bootstrap");
    }
}

static void equal_weights_count_fully_and_one_counts_once(void **state)
{
    (void)state;
    double equal[N], one[N], se;
    for (int i = 0; i < N; i++) {
        equal[i] = -1234.5;
        one[i] = i == 17 ? 300.0 : -INFINITY;
    }
    assert_close(tw_weights_ess(N, equal), N, 1e-10, "ESS");
    assert_close(tw_log_mean_exp(N, equal, &se), -1234.5, 1e-12, "log mean");
    assert_close(se, 0.0, 1e-15, "standard error");
    assert_close(tw_log_mean_exp_bootstrap(N, equal, 1, REPLICATES), 0.0, 1e-12, "bootstrap");
    assert_close(tw_weights_ess(N, one), 1.0, 1e-15, "ESS");
    assert_close(tw_log_mean_exp(N, one, &se), 300.0 - log(N), 1e-12, "log mean");
    assert_close(se, 1.0, 1e-14, "standard error"); /* the mean is as uncertain as it is large */
    assert_true(tw_log_mean_exp_bootstrap(N, one, 1, REPLICATES) == INFINITY);
}

static void no_weight_and_bad_weights(void **state)
{
    (void)state;
    const double none[] = {-INFINITY, -INFINITY}, nan[] = {0.0, NAN}, infinite[] = {INFINITY, 0.0},
                 good[] = {0.0, 1.0};
    double se = 0.0;
    assert_true(tw_weights_ess(2, none) == 0.0);
    assert_true(tw_log_mean_exp(2, none, &se) == -INFINITY && isnan(se));
    assert_true(isnan(tw_log_mean_exp_bootstrap(2, none, 1, REPLICATES)));
    assert_true(isnan(tw_weights_ess(2, nan)) && isnan(tw_weights_ess(2, infinite)) &&
                isnan(tw_weights_ess(0, good)));
    assert_true(isnan(tw_log_mean_exp(2, nan, &se)) && isnan(se));
    assert_true(isnan(tw_log_mean_exp(2, infinite, NULL)) && isnan(tw_log_mean_exp(0, good, NULL)));
    assert_true(isnan(tw_log_mean_exp_bootstrap(2, infinite, 1, REPLICATES)));
    assert_true(isnan(tw_log_mean_exp_bootstrap(2, good, 1, 1)));
    assert_close(tw_log_mean_exp(1, good + 1, &se), 1.0, 1e-15, "log mean of one");
    assert_true(isnan(se));
}

typedef double error_function(const double *log_weight);

static double delta_error(const double *log_weight)
{
    double se;
    (void)tw_log_mean_exp(N, log_weight, &se);
    return se;
}

static double bootstrap_error(const double *log_weight)
{
    return tw_log_mean_exp_bootstrap(N, log_weight, SEED, REPLICATES);
}

static double coverage(error_function *error, double factor)
{
    double log_weight[N];
    int covered = 0;
    for (uint64_t r = 0; r < REPEATS; r++) {
        simulate(r, log_weight);
        covered += fabs(tw_log_mean_exp(N, log_weight, NULL)) < 1.96 * factor * error(log_weight);
    }
    return (double)covered / REPEATS;
}

/* Also the check itself: errors off by a third are noticed. */
static void standard_errors_cover(void **state)
{
    (void)state;
    const double band = 0.030;
    assert_close(coverage(delta_error, 1.0), 0.95, band, "coverage, delta method");
    assert_true(coverage(delta_error, 0.75) < 0.95 - band);
    assert_true(coverage(delta_error, 4.0 / 3.0) > 0.95 + band);
    /* 50 replicates know the error to a tenth, which widens the law of the ratio like Student's with 49
     * degrees. */
    assert_close(coverage(bootstrap_error, 1.0), 0.944, band, "coverage, bootstrap");
}

/* The i-th of n quantiles of three laws: Pareto with k = 0.8, uniform (k = -1), exponential (k = 0). */
static void quantiles(int law, size_t n, double *log_weight)
{
    for (size_t i = 0; i < n; i++) {
        double p = ((double)i + 0.5) / (double)n;
        log_weight[i] = law == 0 ? -0.8 * log(p) : law == 1 ? log(p) : log(-log(p));
    }
}

/* Numbers of a transcription, in Python with numpy, of the fit as R's package loo states it. */
static void the_shape_of_a_tail_is_that_of_the_reference(void **state)
{
    (void)state;
    enum { MOST = 5000 };
    static const size_t n[] = {25, 200, MOST};
    static const double k[3][3] = {{0.5787354636153768, 0.12653389959211303, 0.37512615451927256},
                                   {0.7145657269524106, -0.6360133060563337, 0.1284932927889296},
                                   {0.7799869670165531, -0.9033452856454293, 0.029989275661791697}};
    static double x[MOST], turned[MOST];
    for (int i = 0; i < 3; i++)
        for (int law = 0; law < 3; law++) {
            quantiles(law, n[i], x);
            for (size_t j = 0; j < n[i]; j++) turned[j] = 700.0 + x[(j * 7 + 3) % n[i]];
            assert_close(tw_weights_pareto_k(n[i], x), k[i][law], 1e-9, "k");
            /* neither the order nor a common factor matters */
            assert_close(tw_weights_pareto_k(n[i], turned), k[i][law], 1e-9, "k");
        }
}

static void a_tail_that_is_none_has_no_shape(void **state)
{
    (void)state;
    double x[N];
    quantiles(0, N, x);
    assert_true(isnan(tw_weights_pareto_k(24, x)) && isnan(tw_weights_pareto_k(0, x)));
    for (int i = 3; i < N; i += N - 4) { /* among the first and the last */
        double kept = x[i];
        x[i] = NAN;
        assert_true(isnan(tw_weights_pareto_k(N, x)));
        x[i] = kept;
    }
    for (int i = 0; i < N; i++) x[i] = 5.0 + 1e-13 * i;
    assert_true(isnan(tw_weights_pareto_k(N, x)));
    for (int i = 0; i < N; i++) x[i] = i == 17 ? 0.0 : -INFINITY;
    assert_true(tw_weights_pareto_k(N, x) == INFINITY);
    x[17] = -INFINITY;
    assert_true(isnan(tw_weights_pareto_k(N, x)));
}

/* Smoothing keeps k, the order and the largest weight as a bound, and changes quantiles of a Pareto law little; what has no tail stays. */
static void smoothing_follows_the_tail(void **state)
{
    (void)state;
    enum { MANY = 5000, TAIL = 213 };
    static double x[MANY], smooth[MANY];
    double before = 0.0, after = 0.0;
    quantiles(0, MANY, x);
    memcpy(smooth, x, sizeof x);
    assert_true(tw_weights_smooth(MANY, smooth) == tw_weights_pareto_k(MANY, x));
    for (int i = 0; i < MANY; i++) {
        assert_true(smooth[i] <= x[0] + 1e-12 && (i == 0 || smooth[i] <= smooth[i - 1]));
        if (i >= TAIL) assert_true(smooth[i] == x[i]);
        before += exp(x[i]);
        after += exp(smooth[i]);
    }
    assert_close(after / before, 1.0, 0.03, "the mean weight");
    for (int i = 0; i < N; i++) smooth[i] = 2.0;
    assert_true(isnan(tw_weights_smooth(N, smooth)) && smooth[3] == 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_cases_are_exact),
        cmocka_unit_test(the_bootstrap_has_the_known_limit),
        cmocka_unit_test(two_replicates_have_a_standard_deviation),
        cmocka_unit_test(the_bootstrap_depends_on_its_arguments_alone),
        cmocka_unit_test(a_common_factor_changes_nothing_else),
        cmocka_unit_test(equal_weights_count_fully_and_one_counts_once),
        cmocka_unit_test(no_weight_and_bad_weights),
        cmocka_unit_test(standard_errors_cover),
        cmocka_unit_test(the_shape_of_a_tail_is_that_of_the_reference),
        cmocka_unit_test(a_tail_that_is_none_has_no_shape),
        cmocka_unit_test(smoothing_follows_the_tail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
