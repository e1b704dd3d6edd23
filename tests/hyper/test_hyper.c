/* Importance sampling squared on three labels, where quadrature over theta is exact: the evidence is unbiased and its error is what it
 * says, over 100 seeds; means and standard deviations of theta are right; wrong starts and wrong proposals cost accuracy only; a
 * prior without its Jacobian and weights without their proposal are caught; any number of threads and members gives the same bits. */
#include "talweg/hyper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/orthants.h"
#include "support/support.h"
#include "support/thread_team.h"

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

static tw_priors *read_priors(tw_problem *problem, const char *first, const char *second)
{
    tw_priors *priors = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    if (first) assert_int_equal(tw_priors_read(priors, problem, first), TW_OK);
    if (second) assert_int_equal(tw_priors_read(priors, problem, second), TW_OK);
    return priors;
}

static const char *const ell_normal = "log_ell ~ normal(0.3, 0.8)", *const ell_gamma = "ell ~ gamma(3, 2)",
                         *const sigma_normal = "log_sigma ~ normal(0.5, 1)";

static tw_hyper_options small(uint64_t seed)
{
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.points = 128;
    o.starts = 1;
    o.joint_particles = 64;
    o.joint_temperatures = 6;
    o.seed = seed;
    o.threads = 1;
    return o;
}

/* A run in a context of its own; the result is handed to `look`, with `user`. */
static void with_run(const char *ell, const tw_hyper_options *o,
                     void (*look)(const tw_problem *problem, const tw_hyper_result *r, void *user),
                     void *user)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = read_priors(problem, ell, sigma_normal);
    tw_hyper_result *r = NULL;
    assert_int_equal(tw_hyper_run(problem, priors, o, &r), TW_OK);
    look(problem, r, user);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

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
        tw_hyper_options o = small(seed);
        with_run(ell_normal, &o, score_both, both);
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
    bool as_log = ell == ell_normal;
    expected e = {
        .answer = orthants_solve(as_log ? normal_priors : gamma_priors), .start = start, .as_log = as_log};
    with_run(ell, &o, compare, &e);
    if (start == TW_HYPER_EP && mistake == TW_FAULT_NONE) assert_true(e.joint < limit);
    return e.worst;
}

static void means_and_evidence_are_right(void **state)
{
    (void)state;
    tw_hyper_options o = small(4);
    o.points = 2048;
    assert_true(worst_of(ell_normal, o, TW_HYPER_EP) < limit);
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
    tw_hyper_options o = small(5);
    o.points = 2048;
    with_run(ell_normal, &o, spreads_are_right, &a);
}

/* ---- starts and proposals that are wrong, and mistakes ---- */

static void other_starts_are_right_too(void **state)
{
    (void)state;
    tw_hyper_options o = small(6);
    o.points = 512;
    ask_for_fault(TW_FAULT_NO_EP);
    double laplace = worst_of(ell_normal, o, TW_HYPER_LAPLACE);
    ask_for_fault(TW_FAULT_NO_FIT);
    double prior = worst_of(ell_normal, o, TW_HYPER_PRIOR);
    ask_for_fault(TW_FAULT_PROPOSAL);
    double far = worst_of(ell_normal, o, TW_HYPER_EP);
    ask_for_fault(TW_FAULT_NONE);
    assert_true(laplace < limit && prior < limit && far < limit);
}

static void mistakes_are_caught(void **state)
{
    (void)state;
    tw_hyper_options o = small(7);
    o.points =
        8192; /* the proposal has a part of the prior, whose density lacks the Jacobian too, which hides some of it */
    ask_for_fault(mistake = TW_FAULT_JACOBIAN);
    double jacobian = worst_of(ell_gamma, o, TW_HYPER_EP);
    o.points = 2048;
    ask_for_fault(mistake = TW_FAULT_NO_PROPOSAL);
    double proposal = worst_of(ell_normal, o, TW_HYPER_EP);
    ask_for_fault(mistake = TW_FAULT_NONE);
    assert_true(jacobian > 2.0 * limit && proposal > 2.0 * limit);
}

/* ---- verdicts ---- */

static bool has_warning(const tw_hyper_result *r, tw_warning_code code)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == code) return true;
    return false;
}

/* Twelve observations that are a ten-thousandth of sigma precise, and one particle from the prior at each point: log Zhat is off by millions, so that
 * one point has all the weight. */
static void weights_on_one_point_are_no_result(void **state)
{
    (void)state;
    enum { N = 12 };
    tw_context *ctx = new_context();
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian")};
    tw_problem *problem = NULL;
    tw_hyper_result *r = NULL;
    tw_hyper_options o = small(9);
    double x[N], y[N];
    for (size_t i = 0; i < N; i++) y[i] = sin(x[i] = (double)i);
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    tw_priors *priors = read_priors(problem, ell_normal, sigma_normal);
    assert_int_equal(tw_priors_fix(priors, problem, "noise=1e-4"), TW_OK);
    o.particles = o.temperatures = o.kept = 1;
    o.joint_particles = 0;
    ask_for_fault(TW_FAULT_NO_FIT);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    ask_for_fault(TW_FAULT_NONE);
    assert_int_equal(r->verdict, TW_NUMERICAL_FAILURE);
    assert_true(r->estimate.weight_ess < 1.1 && has_warning(r, TW_WARN_THETA_COLLAPSED));
    assert_int_equal(r->started[TW_HYPER_PRIOR], r->points);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void note_mean(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    (void)problem;
    *(bool *)user = has_warning(r, TW_WARN_THETA_MEAN);
}

/* Three labels leave the tails of ell's prior as they are: with 1 degree of freedom the mean does not exist, with 5 it does. */
static void a_mean_that_does_not_exist_is_warned_of(void **state)
{
    (void)state;
    tw_hyper_options o = small(10);
    bool none = false, some = true;
    o.joint_particles = 0;
    o.points = 512;
    with_run("log_ell ~ student_t(1, 0, 1)", &o, note_mean, &none);
    with_run("log_ell ~ student_t(5, 0, 1)", &o, note_mean, &some);
    assert_true(none && !some);
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
    tw_hyper_options o = small(8);
    with_run(ell_normal, &o, draw, NULL);
}

/* ---- the same bits ---- */

typedef struct bits {
    size_t count;
    double number[4096];
} bits;

static void note(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    bits *b = user;
    (void)problem;
    b->count = 0;
    for (size_t s = 0; s < r->points; s++) b->number[b->count++] = r->log_weight[s];
    for (size_t i = 0; i < r->n * r->kept * r->points; i++) b->number[b->count++] = r->x[i];
    b->number[b->count++] = r->estimate.log_z;
    b->number[b->count++] = r->joint.log_z;
    b->number[b->count++] = r->row[1].mean;
}

static void take_part(void *user, const tw_team *team)
{
    bits *all = user;
    tw_hyper_options o = small(9);
    tw_context *ctx = NULL;
    tw_hyper_result *r = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) abort();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = read_priors(problem, ell_normal, sigma_normal);
    if (tw_context_set_team(ctx, team) != TW_OK || tw_hyper_run(problem, priors, &o, &r) != TW_OK) abort();
    note(problem, r, &all[team->rank]);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void threads_and_members_change_nothing(void **state)
{
    (void)state;
    static bits one, other, members[3];
    tw_hyper_options o = small(9);
    with_run(ell_normal, &o, note, &one);
    for (size_t threads = 2; threads <= 3; threads++) {
        o.threads = threads;
        with_run(ell_normal, &o, note, &other);
        assert_memory_equal(one.number, other.number, one.count * sizeof(double));
    }
    run_team(3, take_part, members);
    for (size_t r = 0; r < 3; r++)
        assert_memory_equal(one.number, members[r].number, one.count * sizeof(double));
}

/* ---- ends, refusals and memory ---- */

static bool stop_at_half(void *user, const tw_progress *p)
{
    (void)user;
    return strcmp(p->stage, "run") == 0 && p->done >= 64;
}

static void see_half(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    (void)problem;
    (void)user;
    assert_true(r->stopped && r->points == 64 && isfinite(r->estimate.log_z));
    assert_int_equal(r->warnings.warning[r->warnings.count - 1].code, TW_WARN_THETA_STOPPED);
}

static void a_run_that_is_stopped_has_what_is_complete(void **state)
{
    (void)state;
    tw_hyper_options o = small(10);
    o.on_progress = stop_at_half;
    with_run(ell_normal, &o, see_half, NULL);
}

static void assert_refused(const char *ell, const char *fix, tw_hyper_options o, const char *words)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = read_priors(problem, ell, NULL);
    tw_hyper_result *r = NULL;
    if (fix) assert_int_equal(tw_priors_fix(priors, problem, fix), TW_OK);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_BAD_ARGUMENT);
    assert_null(r);
    assert_non_null(strstr(tw_context_message(ctx), words));
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

static void what_cannot_be_is_refused(void **state)
{
    (void)state;
    tw_hyper_options o = small(1), few = small(1), still = small(1);
    few.points = 32;
    still.eps = 0.0;
    assert_refused("log_ell ~ uniform", NULL, o, "the prior of ell is flat");
    assert_refused(NULL, NULL, o, "no parameter is unknown");
    assert_refused(NULL, "ell=2", o, "no parameter is unknown");
    assert_refused(ell_normal, NULL, few, "32 with 32 points");
    assert_refused(ell_normal, NULL, still, "eps");
}

/* A parameter without a prior stays where it is. */
static void one_unknown_parameter_is_enough(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = read_priors(problem, ell_normal, NULL);
    tw_hyper_options o = small(2);
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

/* Of a small run, the k-th allocation fails; 0: none. Returns how many there were. */
static size_t run_with_little(size_t k)
{
    failing_allocator failing = {0, 0};
    tw_context *ctx = failing_context(&failing);
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = read_priors(problem, ell_normal, sigma_normal);
    tw_hyper_options o = small(3);
    tw_hyper_result *r = NULL;
    size_t before = failing.calls;
    o.points = 64;
    o.rounds = 1;
    o.joint_particles = 3;
    failing.fail_at = k > 0 ? before + k : 0;
    tw_status status = tw_hyper_run(problem, priors, &o, &r);
    size_t calls = failing.calls - before;
    failing.fail_at = 0;
    assert_int_equal(status, k > 0 ? TW_NO_MEMORY : TW_OK);
    assert_true((status == TW_OK) == (r != NULL));
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return calls;
}

/* An error, wherever it happens, and nothing is left behind. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    size_t calls = run_with_little(0);
    for (size_t k = 1; k < calls; k += 1 + k / 8) run_with_little(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_evidence_is_unbiased_and_its_error_honest),
        cmocka_unit_test(means_and_evidence_are_right),
        cmocka_unit_test(standard_deviations_are_right),
        cmocka_unit_test(other_starts_are_right_too),
        cmocka_unit_test(mistakes_are_caught),
        cmocka_unit_test(weights_on_one_point_are_no_result),
        cmocka_unit_test(a_mean_that_does_not_exist_is_warned_of),
        cmocka_unit_test(draws_are_of_the_posterior),
        cmocka_unit_test(threads_and_members_change_nothing),
        cmocka_unit_test(a_run_that_is_stopped_has_what_is_complete),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(one_unknown_parameter_is_enough),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
