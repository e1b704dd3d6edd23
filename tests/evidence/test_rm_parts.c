/* The parts of resample-move against their definitions: resampling, the next temperature, the distribution of
 * particles. */
#include <math.h>
#include <string.h>

#include "evidence/resample.h"
#include "evidence/rm_plan.h"
#include "math/random.h"
#include "support/support.h"

/* ---- resampling ---- */

/* floor or ceiling of count W_j copies, for any number of descendants; none of a weight of 0; in order. */
static void systematic_counts_are_exact(void **state)
{
    (void)state;
    const double weight[] = {0.0, 3.0, 0.5, 0.0, 1.25, 2.0, 0.25, 1.0, 0.0}; /* 8 in all */
    enum { N = sizeof weight / sizeof *weight, MOST = 64 };
    double log_weight[N];
    size_t ancestor[MOST], copies[N];
    for (size_t j = 0; j < N; j++) log_weight[j] = log(weight[j]) + 800.0; /* exp would overflow */
    for (size_t count = 1; count <= MOST; count++)
        for (double u = 0.01; u < 1.0; u += 0.07) {
            memset(copies, 0, sizeof copies);
            tw_resample_systematic(N, log_weight, u, count, ancestor);
            for (size_t i = 0; i < count; i++) copies[ancestor[i]]++;
            for (size_t i = 1; i < count; i++) assert_true(ancestor[i] >= ancestor[i - 1]);
            for (size_t j = 0; j < N; j++) {
                double expected = (double)count * weight[j] / 8.0;
                assert_true((double)copies[j] > expected - 1.0 - 1e-9);
                assert_true((double)copies[j] < expected + 1.0 + 1e-9);
                assert_true(weight[j] > 0.0 || copies[j] == 0);
            }
        }
    for (size_t j = 0; j < N; j++) log_weight[j] = -3.0;
    tw_resample_systematic(N, log_weight, 0.5, 3 * N, ancestor);
    for (size_t i = 0; i < 3 * N; i++) assert_int_equal(ancestor[i], i / 3);
    /* The last point may round up to the end: what is left over goes to a weight above 0. */
    log_weight[1] = -INFINITY;
    tw_resample_systematic(2, log_weight, nextafter(1.0, 0.0), 2, ancestor);
    assert_true(ancestor[0] == 0 && ancestor[1] == 0);
}

/* Over u uniform the mean number of copies is count W_j: 20,000 draws, each mean within 5 standard errors
 * (false alarm once in 10^5), for more and for fewer descendants than ancestors. */
static void systematic_resampling_is_unbiased(void **state)
{
    (void)state;
    enum { N = 7, DRAWS = 20000 };
    const size_t counts[] = {3, 7, 20};
    double log_weight[N] = {-1.0, 0.3, -2.0, 0.9, -0.2, -4.0, 0.1}, total = 0.0;
    size_t ancestor[20];
    for (size_t j = 0; j < N; j++) total += exp(log_weight[j]);
    for (size_t c = 0; c < 3; c++) {
        double sum[N] = {0.0};
        tw_stream stream = tw_stream_at(5, TW_STREAM_RESAMPLE, c, 0);
        for (size_t d = 0; d < DRAWS; d++) {
            tw_resample_systematic(N, log_weight, tw_stream_uniform(&stream), counts[c], ancestor);
            for (size_t i = 0; i < counts[c]; i++) sum[ancestor[i]] += 1.0;
        }
        for (size_t j = 0; j < N; j++) {
            double expected = (double)counts[c] * exp(log_weight[j]) / total,
                   part = expected - floor(expected);
            assert_close(sum[j] / DRAWS, expected, 5.0 * sqrt(part * (1.0 - part) / DRAWS) + 1e-12, "copies");
        }
    }
}

/* ---- the plan ---- */

static void the_next_temperature_keeps_the_fraction(void **state)
{
    (void)state;
    enum { N = 500 };
    double ratio[N], equal[N] = {0.0};
    tw_stream stream = tw_stream_at(6, TW_STREAM_DATA, 0, 0);
    for (size_t j = 0; j < N; j++) ratio[j] = -300.0 + 40.0 * tw_stream_normal(&stream);
    for (double fraction = 0.3; fraction < 0.99; fraction += 0.15) {
        double next = tw_next_temperature(N, equal, ratio, 0.2, fraction);
        assert_true(next > 0.2 && next < 1.0);
        assert_close(tw_conditional_ess(N, equal, ratio, next - 0.2), fraction, 1e-9, "conditional ESS");
        /* lognormal weights: ESS = exp(-step^2 var R) */
        assert_true(fabs((next - 0.2) * 40.0 / sqrt(-log(fraction)) - 1.0) < 0.2);
    }
    assert_true(tw_next_temperature(N, equal, ratio, 0.9999, 0.5) == 1.0);
}

/* A particle of weight 3 counts as three of weight 1, and one without weight not at all, whatever its R. */
static void weights_count_as_copies(void **state)
{
    (void)state;
    const double weights[] = {800.0, 800.0 + log(3.0), 799.0, -INFINITY, -800.0},
                 ratio[] = {-2.0, -1.0, 0.5, 9e5, 1e3};
    const double copies[] = {0.0, 0.0, 0.0, 0.0, -1.0}, each[] = {-2.0, -1.0, -1.0, -1.0, 0.5};
    for (double step = 0.0; step <= 1.0; step += 0.25)
        assert_close(tw_conditional_ess(5, weights, ratio, step), tw_conditional_ess(5, copies, each, step),
                     1e-14, "weighted");
    double sum = 0.25 * (exp(-1.0) + 3.0 * exp(-0.5)), squares = 0.25 * (exp(-2.0) + 3.0 * exp(-1.0));
    assert_close(tw_conditional_ess(2, weights, ratio, 0.5), sum * sum / squares, 1e-14, "by its definition");
}

/* The shares obey sqrt(v / c) where nothing holds them back, cost what they should, and keep their limits. */
static void particles_go_where_the_weights_need_them(void **state)
{
    (void)state;
    tw_rm_plan_step step[6] = {{.beta = 0.0}};
    tw_rm_plan plan = {.step = step, .steps = 5};
    const double variance[] = {0.0, 0.4, 0.1, 0.9, 0.3, 0.2};
    double cost = 0.0, even = 0.0, scale = 0.0;
    for (size_t k = 1; k <= 5; k++)
        step[k] =
            (tw_rm_plan_step){.variance = variance[k], .resample = k < 5, .moves = k, .leapfrog_steps = 4};
    tw_rm_plan_share(&plan, 10000, 10, 1e3);
    for (size_t k = 1; k <= 5; k++) {
        double wanted = sqrt(variance[k] / tw_rm_plan_cost(&plan, k));
        if (k == 1) scale = (double)step[1].particles / wanted;
        assert_true(fabs((double)step[k].particles / (scale * wanted) - 1.0) < 0.01);
        assert_int_equal(step[k].particles % 10, 0);
        cost += (double)step[k].particles * tw_rm_plan_cost(&plan, k);
        even += 10000.0 * tw_rm_plan_cost(&plan, k);
    }
    assert_true(fabs(cost / even - 1.0) < 0.01);
    tw_rm_plan_share(&plan, 10000, 10, 1.0);
    for (size_t k = 1; k <= 5; k++) assert_int_equal(step[k].particles, 10000);
    tw_rm_plan_share(&plan, 10000, 10, 1.5);
    for (size_t k = 1; k <= 5; k++) assert_in_range(step[k].particles, 6660, 15000);
    step[2].variance = 1e-9; /* as good as none are wanted; two on each island there must be */
    tw_rm_plan_share(&plan, 20, 10, 1e3);
    assert_int_equal(step[2].particles, 20);
}

/* Without resampling the number does not change; the weights at the end of a period and all its moves decide. */
static void a_period_has_one_number_of_particles(void **state)
{
    (void)state;
    tw_rm_plan_step step[6] = {{.beta = 0.0}};
    tw_rm_plan plan = {.step = step, .steps = 5};
    const double variance[] = {0.0, 0.1, 0.4, 0.1, 0.2, 0.9};
    double cost[2] = {0.0, 0.0};
    for (size_t k = 1; k <= 5; k++)
        step[k] =
            (tw_rm_plan_step){.variance = variance[k], .resample = k == 2, .moves = k, .leapfrog_steps = 4};
    tw_rm_plan_share(&plan, 10000, 10, 1e3);
    for (size_t k = 1; k <= 5; k++) {
        cost[k > 2] += tw_rm_plan_cost(&plan, k);
        assert_int_equal(step[k].particles, step[k > 2 ? 3 : 1].particles);
    }
    double ratio = sqrt(0.9 / cost[1]) / sqrt(0.4 / cost[0]);
    assert_true(fabs((double)step[3].particles / ((double)step[1].particles * ratio) - 1.0) < 0.01);
    double total = cost[0] * (double)step[1].particles + cost[1] * (double)step[3].particles;
    assert_true(fabs(total / (10000.0 * (cost[0] + cost[1])) - 1.0) < 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(systematic_counts_are_exact),
        cmocka_unit_test(systematic_resampling_is_unbiased),
        cmocka_unit_test(the_next_temperature_keeps_the_fraction),
        cmocka_unit_test(weights_count_as_copies),
        cmocka_unit_test(particles_go_where_the_weights_need_them),
        cmocka_unit_test(a_period_has_one_number_of_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
