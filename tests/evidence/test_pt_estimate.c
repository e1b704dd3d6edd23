/* The estimators of parallel tempering on a few draws against their definitions: sums, bisection for the
 * bridge, and a jackknife that recomputes each estimate without one group. */
#include <math.h>
#include <string.h>

#include "evidence/pt.h"
#include "support/problem.h"
#include "support/support.h"

enum { LEVELS = 4, GROUPS = 6, LENGTH = 5, DRAWS = GROUPS * LENGTH };

static const double beta[LEVELS] = {0.0, 0.2, 0.5, 1.0};

typedef struct draws {
    size_t groups;
    double ratio[LEVELS * DRAWS];
} draws;

/* R grows with b and is skewed to the right; with a first draw of q that has no weight at all, where wanted. */
static draws make_draws(bool worthless)
{
    draws d = {.groups = GROUPS};
    test_random random = {12};
    for (size_t i = 0; i < LEVELS * DRAWS; i++)
        d.ratio[i] = -12.0 + 6.0 * beta[i / DRAWS] + exp(0.8 * test_normal(&random));
    if (worthless) d.ratio[0] = -INFINITY;
    return d;
}

static draws without_group(const draws *d, size_t omitted)
{
    draws rest = {.groups = d->groups - 1};
    size_t to = 0;
    for (size_t i = 0; i < LEVELS * DRAWS; i++)
        if (i / LENGTH % GROUPS != omitted) rest.ratio[to++] = d->ratio[i];
    return rest;
}

/* Each group is a copy of its own. */
static tw_ladder_draws all_draws(const draws *d)
{
    return (tw_ladder_draws){.levels = LEVELS,
                             .copies = d->groups,
                             .rounds = LENGTH,
                             .used = LENGTH,
                             .batches = 1,
                             .beta = beta,
                             .ratio = d->ratio};
}

static const double *at_level(const draws *d, size_t level)
{
    return d->ratio + level * d->groups * LENGTH;
}

/* log E_level[exp(h R)]. */
static double log_mean(const draws *d, size_t level, double h)
{
    double sum = 0.0;
    for (size_t i = 0; i < d->groups * LENGTH; i++) sum += exp(h * at_level(d, level)[i]);
    return log(sum / (double)(d->groups * LENGTH));
}

static double forward(const draws *d)
{
    double sum = 0.0;
    for (size_t k = 1; k < LEVELS; k++) sum += log_mean(d, k - 1, beta[k] - beta[k - 1]);
    return sum;
}

static double reverse(const draws *d)
{
    double sum = 0.0;
    for (size_t k = 1; k < LEVELS; k++) sum -= log_mean(d, k, beta[k - 1] - beta[k]);
    return sum;
}

/* E_{k-1}[s(h R - l)] - E_k[s(l - h R)], falling in l. */
static double imbalance(const draws *d, size_t k, double l)
{
    double h = beta[k] - beta[k - 1], sum = 0.0;
    for (size_t i = 0; i < d->groups * LENGTH; i++)
        sum +=
            1.0 / (1.0 + exp(l - h * at_level(d, k - 1)[i])) - 1.0 / (1.0 + exp(h * at_level(d, k)[i] - l));
    return sum;
}

static double bridge(const draws *d)
{
    double sum = 0.0;
    for (size_t k = 1; k < LEVELS; k++) {
        double low = -100.0, high = 100.0;
        for (int i = 0; i < 100; i++) {
            double middle = 0.5 * (low + high);
            *(imbalance(d, k, middle) > 0.0 ? &low : &high) = middle;
        }
        sum += low;
    }
    return sum;
}

/* The variance of Student's t with nu degrees of freedom, which the error from so many groups is widened by, is
 * nu / (nu - 2). */
static double jackknife(const draws *d, double (*estimate)(const draws *))
{
    double value[GROUPS], mean = 0.0, square = 0.0;
    for (size_t g = 0; g < GROUPS; g++) {
        draws rest = without_group(d, g);
        value[g] = estimate(&rest);
        mean += value[g] / GROUPS;
    }
    for (size_t g = 0; g < GROUPS; g++) square += (value[g] - mean) * (value[g] - mean);
    double nu = GROUPS - 1;
    return sqrt(nu / (nu - 2.0) * square * (GROUPS - 1) / GROUPS);
}

/* The bridge without a group is found by a Newton step where that is small, which leaves a few hundredths of the
 * difference. */
static void stepping_stones_follow_their_definitions(void **state)
{
    (void)state;
    for (int worthless = 0; worthless < 2; worthless++) {
        draws d = make_draws(worthless);
        double work[5 * GROUPS], without[GROUPS];
        tw_ladder_draws all = all_draws(&d);
        tw_log_z up = tw_stepping_stone_forward(&all, work), down = tw_stepping_stone_reverse(&all, work);
        tw_log_z both = tw_stepping_stone_bridge(&all, work, without);
        assert_close(up.value, forward(&d), 1e-12, "forward");
        assert_close(down.value, reverse(&d), 1e-12, "reverse");
        assert_close(both.value, bridge(&d), 1e-9, "bridge");
        assert_close(up.se, jackknife(&d, forward), 1e-12, "error of forward");
        assert_close(down.se, jackknife(&d, reverse), 1e-12, "error of reverse");
        assert_close(both.se / jackknife(&d, bridge), 1.0, 0.05, "error of the bridge");
    }
}

/* Where q has mass that the posterior excludes, R spreads over millions: means of it say nothing about the root of
 * the bridge's equation, and half of what a level has may be without weight. */
static void the_bridge_bears_any_spread(void **state)
{
    (void)state;
    const double far[] = {-1e3, -1e6, -1e12, -1e300};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)
        for (size_t count = 1; count <= DRAWS / 2; count += DRAWS / 2 - 1)
            for (size_t level = 0; level < 2; level++) {
                draws d = make_draws(false);
                double work[5 * GROUPS], without[GROUPS];
                for (size_t t = 0; t < count; t++) d.ratio[t] = far[i];
                for (size_t t = 0; t < level * count / 5; t++) d.ratio[DRAWS + t] = far[i]; /* fewer above */
                tw_ladder_draws all = all_draws(&d);
                tw_log_z is = tw_stepping_stone_bridge(&all, work, without);
                assert_close(is.value, bridge(&d), 1e-9, "bridge");
                assert_close(is.se / jackknife(&d, bridge), 1.0, 0.05, "its error");
            }
}

static double integral(const draws *d)
{
    double mean[LEVELS], work[LEVELS * (3 * GROUPS + 3)], without[GROUPS];
    tw_ladder_draws all = all_draws(d);
    return tw_thermodynamic_estimate(&all, mean, work, without).value;
}

/* Skewed to the right: no boundary layer, and u is linear in b. Then the integral from b_1 on is the cubic Hermite rule,
 * but for 1e-6, and its error has that of the rule in it. */
static void the_integral_follows_its_definition(void **state)
{
    (void)state;
    draws d = make_draws(false);
    double mean[LEVELS], work[LEVELS * (3 * GROUPS + 3)], without[GROUPS], f[LEVELS][3],
        value = log_mean(&d, 0, beta[1]);
    tw_ladder_draws all = all_draws(&d);
    tw_thermodynamic is = tw_thermodynamic_estimate(&all, mean, work, without);
    for (size_t k = 0; k < LEVELS; k++) {
        f[k][0] = f[k][1] = f[k][2] = 0.0;
        for (size_t i = 0; i < DRAWS; i++) f[k][0] += at_level(&d, k)[i] / DRAWS;
        for (size_t i = 0; i < DRAWS; i++) {
            double r = at_level(&d, k)[i] - f[k][0];
            f[k][1] += r * r / DRAWS;
            f[k][2] += r * r * r / DRAWS;
        }
        assert_close(mean[k], f[k][0], 1e-12, "mean");
    }
    assert_true(f[1][2] > 0.0);
    double discretisation = 0.0;
    for (size_t k = 2; k < LEVELS; k++) {
        double h = beta[k] - beta[k - 1], slopes = f[k - 1][1] - f[k][1], bends = f[k - 1][2] + f[k][2];
        value += 0.5 * h * (f[k - 1][0] + f[k][0]) + h * h / 12.0 * slopes;
        discretisation += fabs(h * h / 60.0 * slopes + h * h * h / 120.0 * bends);
    }
    assert_close(is.value, value, 1e-4, "integral");
    assert_close(is.discretisation, discretisation, 1e-4, "error of the rule");
    assert_close(is.se, hypot(jackknife(&d, integral), is.discretisation), 1e-8, "error of both kinds");
    assert_true(is.discretisation > 0.02 * is.se);
}

/* What those see who watch: stepping stones from below over all copies, and the spread between copies. Two rounds of
 * three copies at three levels; the highest one's R is of no use. */
static void the_running_estimate_follows_its_definition(void **state)
{
    (void)state;
    enum { TWO = 2, THREE = 3 };
    const double r[TWO][THREE][THREE] = {{{-3.0, -2.5, -4.0}, {-1.0, -1.2, -0.7}, {9.0, 9.0, 9.0}},
                                         {{-2.0, -3.5, -3.2}, {-1.5, -0.2, -0.9}, {9.0, 9.0, 9.0}}};
    double b[THREE] = {0.0, 0.4, 1.0}, stone[THREE * THREE], ratio[THREE][THREE], copy[THREE], all = 0.0,
           square = 0.0;
    tw_walk walks[THREE], *levels[THREE];
    tw_pt pt = {.levels = THREE, .copies = THREE, .beta = b, .walk = levels, .stone = stone};
    assert_true(isnan(tw_pt_running(&pt).value));
    for (size_t k = 0; k < THREE; k++) {
        walks[k] = (tw_walk){.log_ratio = ratio[k]};
        levels[k] = &walks[k];
    }
    for (size_t t = 0; t < TWO; t++) {
        memcpy(ratio, r[t], sizeof ratio);
        tw_pt_running_add(&pt);
    }
    for (size_t k = 0; k + 1 < THREE; k++) {
        double sum = 0.0;
        for (size_t c = 0; c < THREE; c++)
            sum += exp((b[k + 1] - b[k]) * r[0][k][c]) + exp((b[k + 1] - b[k]) * r[1][k][c]);
        all += log(sum / (TWO * THREE));
    }
    for (size_t c = 0; c < THREE; c++) {
        copy[c] = 0.0;
        for (size_t k = 0; k + 1 < THREE; k++)
            copy[c] += log(0.5 * (exp((b[k + 1] - b[k]) * r[0][k][c]) + exp((b[k + 1] - b[k]) * r[1][k][c])));
    }
    double mean = (copy[0] + copy[1] + copy[2]) / THREE;
    for (size_t c = 0; c < THREE; c++) square += (copy[c] - mean) * (copy[c] - mean);
    tw_log_z is = tw_pt_running(&pt);
    assert_close(is.value, all, 1e-14, "log Z so far");
    assert_close(is.se, sqrt(square / (THREE - 1) / THREE), 1e-12, "its error");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stepping_stones_follow_their_definitions),
        cmocka_unit_test(the_bridge_bears_any_spread),
        cmocka_unit_test(the_integral_follows_its_definition),
        cmocka_unit_test(the_running_estimate_follows_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
