/* Importance sampling squared on three labels, where quadrature over theta is exact: over 100 seeds the
 * evidence is unbiased and its error is calibrated; means and standard deviations of theta are right; wrong
 * starts and wrong proposals only cost accuracy; a prior without its Jacobian and weights without their
 * proposal are detected. test_conduct.c tests the behaviour. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/hyper_case.h"
#include "support/orthants.h"
#include "support/support.h"

enum { SEEDS = 100 };

static double log_normal(double x, double mean, double sd)
{
    double z = (x - mean) / sd;
    return -0.5 * z * z - log(sd) - 0.5 * log(2.0 * acos(-1.0));
}

static double normal_priors(double log_ell, double log_sigma)
{
    return log_normal(log_ell, 0.3, 0.8) + log_normal(log_sigma, 0.5, 1.0);
}

/* ell ~ gamma(3, 2): 4 ell^2 exp(-2 ell), times ell. */
static double gamma_priors(double log_ell, double log_sigma)
{
    return 3.0 * log_ell - 2.0 * exp(log_ell) + log(4.0) + log_normal(log_sigma, 0.5, 1.0);
}

static const char *const ell_gamma = "ell ~ gamma(3, 2)";

/* ---- the truth ---- */

typedef struct scores {
    bool joint; /* of the second estimate */
    double exact;
    double sum, squares;  /* of z-scores of p(y) */
    double ratio, ratio2; /* of its estimates over the truth */
} scores;

static void score(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    scores *s = user;
    (void)problem;
    const tw_estimate *e = s->joint ? &r->joint : &r->estimate;
    double ratio = exp(e->log_z - s->exact), z = (ratio - 1.0) / (ratio * e->se);
    s->sum += z;
    s->squares += z * z;
    s->ratio += ratio;
    s->ratio2 += (ratio - 1.0) * (ratio - 1.0);
}

static void score_both(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    scores *both = user;
    score(problem, r, &both[0]);
    score(problem, r, &both[1]);
}

/* z is about t with 31 degrees of freedom, made to have mean 0 and variance 1, so that the mean over 100 seeds is within 0.45 of 0 (4.5
 * sigma) and their mean square within 0.5 and 1.7 (3.5 sigma and more; joint annealing, with 64 independent weights, has tails: up to 2.1). The mean of unbiased estimates is within 4.5 of its errors
 * (1e-5). */
static void the_evidence_is_unbiased_and_its_error_honest(void **state)
{
    (void)state;
    double exact = orthants_solve(normal_priors).log_z;
    scores both[2] = {{.exact = exact}, {.exact = exact, .joint = true}};
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        tw_hyper_options o = hyper_small(seed);
        o.round_points =
            96; /* exploring this simple posterior with more points would take most of the time */
        hyper_with_run(HYPER_ELL, &o, score_both, both);
    }
    for (int k = 0; k < 2; k++) {
        const scores *s = &both[k];
        assert_true(fabs(s->sum / SEEDS) < 0.45);
        assert_true(s->squares / SEEDS > 0.5 && s->squares / SEEDS < (k == 0 ? 1.7 : 2.1));
        assert_true(fabs(s->ratio / SEEDS - 1.0) < 4.5 * sqrt(s->ratio2) / SEEDS);
    }
}

typedef struct expected {
    orthants_answer answer;
    tw_hyper_start start;
    double worst, joint; /* in errors; set by compare; of the second estimate */
    bool as_log;
} expected;

/* The largest distance from the truth in errors, over log p(y) and the means of theta. */
static void compare(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    expected *e = user;
    (void)problem;
    assert_int_equal(r->unknown, 2);
    assert_int_equal(r->started[e->start], r->points);
    e->worst = fabs(r->estimate.log_z - e->answer.log_z) / r->estimate.se;
    e->joint = fabs(r->joint.log_z - e->answer.log_z) / r->joint.se;
    for (size_t k = e->as_log ? 0 : 1; k < 2; k++)
        e->worst = fmax(e->worst, fabs(r->row[k].mean - e->answer.mean[k]) / r->row[k].mcse);
}

/* Errors from 32 scrambles: t with 31 degrees of freedom is beyond 6 once in 500,000. */
static const double limit = 6.0;

static tw_fault mistake = TW_FAULT_NONE; /* that was asked for, where it is one */

static double worst_of(const char *ell, tw_hyper_options o, tw_hyper_start start)
{
    bool as_log = strcmp(ell, HYPER_ELL) == 0;
    expected e = {
        .answer = orthants_solve(as_log ? normal_priors : gamma_priors), .start = start, .as_log = as_log};
    hyper_with_run(ell, &o, compare, &e);
    if (start == TW_HYPER_EP && mistake == TW_FAULT_NONE) assert_true(e.joint < limit);
    return e.worst;
}

static void means_and_evidence_are_right(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(4);
    o.points = 2048;
    assert_true(worst_of(HYPER_ELL, o, TW_HYPER_EP) < limit);
    assert_true(worst_of(ell_gamma, o, TW_HYPER_EP) < limit);
}

static void spreads_are_right(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    const orthants_answer *a = user;
    (void)problem;
    assert_close(r->row[0].sd, a->sd[0], 0.03 * a->sd[0], "sd of log ell");
    assert_close(r->row[1].sd, a->sd[1], 0.03 * a->sd[1], "sd of log sigma");
    assert_string_equal(r->row[0].name, "log_ell");
    assert_true(r->row[0].q05 < r->row[0].q50 && r->row[0].q50 < r->row[0].q95);
}

static void standard_deviations_are_right(void **state)
{
    (void)state;
    orthants_answer a = orthants_solve(normal_priors);
    tw_hyper_options o = hyper_small(5);
    o.points = 2048;
    hyper_with_run(HYPER_ELL, &o, spreads_are_right, &a);
}

/* ---- starts and proposals that are wrong, and mistakes ---- */

static void other_starts_are_right_too(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(6);
    o.points = 512;
    ask_for_fault(TW_FAULT_NO_EP);
    double laplace = worst_of(HYPER_ELL, o, TW_HYPER_LAPLACE);
    ask_for_fault(TW_FAULT_NO_FIT);
    double prior = worst_of(HYPER_ELL, o, TW_HYPER_PRIOR);
    ask_for_fault(TW_FAULT_PROPOSAL);
    double far = worst_of(HYPER_ELL, o, TW_HYPER_EP);
    ask_for_fault(TW_FAULT_NONE);
    assert_true(laplace < limit && prior < limit && far < limit);
}

static void mistakes_are_caught(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(7);
    o.points =
        8192; /* the proposal has a part of the prior, whose density lacks the Jacobian too, which hides some of it */
    ask_for_fault(mistake = TW_FAULT_JACOBIAN);
    double jacobian = worst_of(ell_gamma, o, TW_HYPER_EP);
    o.points = 2048;
    ask_for_fault(mistake = TW_FAULT_NO_PROPOSAL);
    double proposal = worst_of(HYPER_ELL, o, TW_HYPER_EP);
    ask_for_fault(mistake = TW_FAULT_NONE);
    assert_true(jacobian > 2.0 * limit && proposal > 2.0 * limit);
}

/* ---- draws ---- */

/* Draws have the mean of the weighted points to within what resampling 4,096 of them adds, and no order. */
static void draw(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    enum { DRAWS = 4096 };
    static size_t point[DRAWS], copy[DRAWS];
    double mean = 0.0, lag = 0.0;
    (void)problem;
    (void)user;
    assert_int_equal(tw_hyper_draw(r, 3, DRAWS, point, copy), TW_OK);
    for (size_t i = 0; i < DRAWS; i++) {
        assert_true(point[i] < r->points && copy[i] < r->kept && r->log_weight[point[i]] > -INFINITY);
        mean += r->theta[2 * point[i]] / DRAWS;
    }
    for (size_t i = 1; i < DRAWS; i++)
        lag += (r->theta[2 * point[i]] - mean) * (r->theta[2 * point[i - 1]] - mean) / DRAWS;
    assert_close(mean, r->row[0].mean, 0.05 * r->row[0].sd, "the mean of the draws");
    assert_true(fabs(lag) < 5.0 / 64.0 * r->row[0].sd * r->row[0].sd);
    for (size_t i = 0; i < r->n * r->kept * r->points; i++) assert_true(isfinite(r->x[i]));
}

static void draws_are_of_the_posterior(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(8);
    hyper_with_run(HYPER_ELL, &o, draw, NULL);
}

/* Copies of a point use its particles in turn: each as often as the others, but for one. */
static void use_in_turn(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    enum { DRAWS = 4096, MOST = 1024 };
    static size_t point[DRAWS], copy[DRAWS], used[MOST];
    (void)problem;
    (void)user;
    assert_true(r->kept == 4 && r->points * r->kept <= MOST);
    assert_int_equal(tw_hyper_draw(r, 3, DRAWS, point, copy), TW_OK);
    for (size_t i = 0; i < DRAWS; i++) used[point[i] * r->kept + copy[i]]++;
    for (size_t i = 0; i < r->points * r->kept; i++)
        assert_true(used[i] <= used[i - i % r->kept] && used[i] + 1 >= used[i - i % r->kept]);
}

/* Of particles and of draws: log p(y, x | theta), and lp = log p(theta) + log p(y, x | theta), by the formula. */
static void recompute_lp(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    tw_problem *same = orthants_pose(problem->ctx);
    tw_priors *priors = hyper_priors(same, HYPER_ELL, HYPER_SIGMA);
    size_t point[1024], seen = 0;
    tw_draws *draws = NULL;
    (void)user;
    for (size_t i = 0; i < r->points * r->kept; i++) {
        const double *theta = r->theta + 2 * (i / r->kept);
        if (fabs(theta[0]) > 1.0 || fabs(theta[1]) > 2.0) continue; /* K is far from singular */
        assert_close(r->log_density[i], orthants_log_joint(theta, r->x + 3 * i), 1e-5, "of a particle");
    }
    assert_int_equal(tw_hyper_draws(problem, priors, r, 5, point, &draws), TW_OK);
    for (size_t i = 0; i < draws->draws; i++) {
        const double *theta = r->theta + 2 * point[i];
        if (fabs(theta[0]) > 1.0 || fabs(theta[1]) > 2.0) continue;
        double lp = normal_priors(theta[0], theta[1]) + orthants_log_joint(theta, draws->x + 3 * i);
        assert_close(draws->records[i].log_density, lp, 1e-5, "lp of a draw");
        seen++;
    }
    assert_true(seen > draws->draws / 4);
    tw_draws_free(draws);
    tw_priors_free(priors);
    tw_problem_free(same);
}

static void draws_have_their_own_particles_and_densities(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(12);
    o.joint_particles = 0;
    hyper_with_run(HYPER_ELL, &o, use_in_turn, NULL);
    hyper_with_run(HYPER_ELL, &o, recompute_lp, NULL);
}

/* ---- sums, errors and quantiles, each by its definition ---- */

/* Of numbers f with log weights: their mean over point s of scramble s % scrambles, and its error,
 * sqrt(sum_k (sum_s w (f - mean))^2 / (R (R - 1))) / mean scramble's sum w, times sqrt((R - 1)/(R - 3)), or sqrt(3) where t with R - 1 degrees
 * of freedom has no standard deviation. */
static double mean_by_definition(const tw_hyper_result *r, const double *f, double *mcse)
{
    double total = 0.0, mean = 0.0, squares = 0.0, count = (double)r->scrambles;
    for (size_t s = 0; s < r->points; s++) {
        total += exp(r->log_weight[s]);
        mean += exp(r->log_weight[s]) * f[s];
    }
    mean /= total;
    for (size_t k = 0; k < r->scrambles; k++) {
        double e = 0.0;
        for (size_t s = k; s < r->points; s += r->scrambles) e += exp(r->log_weight[s]) * (f[s] - mean);
        squares += e * e;
    }
    *mcse = sqrt(squares / (count * (count - 1.0)) * (count > 3.0 ? (count - 1.0) / (count - 3.0) : 3.0)) *
            count / total;
    return mean;
}

static void the_error_of_a_mean_is_that_of_its_scrambles(void **state)
{
    (void)state;
    double f[15] = {1.0, 4.0, -2.0, 7.0, 3.0, 2.0, 5.0, -1.0, 6.0, 0.5, -3.0, 2.5, 8.0, 1.5, -0.5},
           log_weight[15];
    for (size_t s = 0; s < 15; s++) log_weight[s] = sin(3.0 * (double)s);
    tw_hyper_result r = {.unknown = 1, .points = 15, .scrambles = 5, .log_weight = log_weight};
    double mcse, error, mean = mean_by_definition(&r, f, &error);
    assert_close(tw_hyper_mean(&r, f, &mcse), mean, 1e-14, "mean");
    assert_close(mcse, error, 1e-14, "its error");
    r.points = 6;
    r.scrambles = 3;
    mean = mean_by_definition(&r, f, &error);
    assert_close(tw_hyper_mean(&r, f, &mcse), mean, 1e-14, "mean of three");
    assert_close(mcse, error, 1e-14, "its error");
}

/* The quantile between the midpoints of the steps of the weighted distribution function. */
static double quantile_by_definition(const tw_hyper_result *r, const double *f, double p)
{
    double total = 0.0, low = -INFINITY, high = INFINITY, low_level = 0.0, high_level = 1.0;
    for (size_t s = 0; s < r->points; s++) total += exp(r->log_weight[s]);
    for (size_t s = 0; s < r->points; s++) {
        double level = 0.5 * exp(r->log_weight[s]) / total;
        for (size_t t = 0; t < r->points; t++)
            if (f[t] < f[s]) level += exp(r->log_weight[t]) / total;
        if (level < p && f[s] > low) {
            low = f[s];
            low_level = level;
        }
        if (level >= p && f[s] < high) {
            high = f[s];
            high_level = level;
        }
    }
    return low + (high - low) * (p - low_level) / (high_level - low_level);
}

static void recompute_rows(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    double f[1024], square[1024], level[64], mcse, sum = 0.0, squares = 0.0, count = (double)r->scrambles;
    (void)user;
    for (size_t k = 0; k < r->unknown; k++) {
        const tw_hyper_row *row = &r->row[k];
        for (size_t s = 0; s < r->points; s++) f[s] = tw_hyper_reported(problem, r, k, s);
        double mean = mean_by_definition(r, f, &mcse);
        assert_close(row->mean, mean, 1e-10, "mean");
        assert_close(row->mcse, mcse, 1e-10, "its error");
        for (size_t s = 0; s < r->points; s++) square[s] = (f[s] - mean) * (f[s] - mean);
        assert_close(row->sd, sqrt(mean_by_definition(r, square, &mcse)), 1e-10, "sd");
        assert_close(row->q05, quantile_by_definition(r, f, 0.05), 1e-8, "5 % quantile");
        assert_close(row->q50, quantile_by_definition(r, f, 0.50), 1e-8, "median");
        assert_close(row->q95, quantile_by_definition(r, f, 0.95), 1e-8, "95 % quantile");
    }
    for (size_t k = 0; k < r->scrambles; k++) {
        level[k] = 0.0;
        for (size_t s = k; s < r->points; s += r->scrambles)
            level[k] += exp(r->log_weight[s]) * count / (double)r->points;
        sum += level[k] / count;
    }
    for (size_t k = 0; k < r->scrambles; k++) squares += (level[k] / sum - 1.0) * (level[k] / sum - 1.0);
    assert_close(r->estimate.log_z, log(sum), 1e-10, "log p(y)");
    assert_close(r->estimate.se, sqrt(squares / (count * (count - 3.0))), 1e-10, "its error");
}

static void rows_are_what_their_points_say(void **state)
{
    (void)state;
    tw_hyper_options o = hyper_small(13);
    o.scrambles = 8;
    hyper_with_run(HYPER_ELL, &o, recompute_rows, NULL);
}

/* A parameter without a prior stays where it is. */
static void one_unknown_parameter_is_enough(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, HYPER_ELL, NULL);
    tw_hyper_options o = hyper_small(2);
    tw_hyper_result *r = NULL;
    double sum = 0.0, theta[2];
    for (int i = -600; i <= 600; i++)
        sum += exp(log_normal(0.01 * i, 0.3, 0.8)) * orthants_z(0.01 * i, 0.0) * 0.01;
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    assert_int_equal(r->unknown, 1);
    assert_true(fabs(r->estimate.log_z - log(sum)) < limit * r->estimate.se);
    tw_problem_get_theta(problem, theta);
    assert_true(theta[1] == 0.0 && theta[0] != 0.0);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_evidence_is_unbiased_and_its_error_honest),
        cmocka_unit_test(means_and_evidence_are_right),
        cmocka_unit_test(standard_deviations_are_right),
        cmocka_unit_test(other_starts_are_right_too),
        cmocka_unit_test(mistakes_are_caught),
        cmocka_unit_test(draws_are_of_the_posterior),
        cmocka_unit_test(draws_have_their_own_particles_and_densities),
        cmocka_unit_test(the_error_of_a_mean_is_that_of_its_scrambles),
        cmocka_unit_test(rows_are_what_their_points_say),
        cmocka_unit_test(one_unknown_parameter_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
