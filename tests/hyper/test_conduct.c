/* The behaviour of importance sampling squared: warnings about unreliable weights and means, the same bits
 * for any number of threads and members, stopped runs, refusals, and failing allocations. test_hyper.c tests
 * the results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/fault.h"
#include "support/hyper_case.h"
#include "support/orthants.h"
#include "support/support.h"
#include "support/thread_team.h"

/* ---- verdicts ---- */

static bool has_code(const tw_warnings *warnings, tw_warning_code code)
{
    for (size_t k = 0; k < warnings->count; k++)
        if (warnings->warning[k].code == code) return true;
    return false;
}

static bool has_warning(const tw_hyper_result *r, tw_warning_code code)
{
    return has_code(&r->warnings, code);
}

/* Twelve observations that are a ten-thousandth of sigma precise, and one particle from the prior at each point: log Zhat is off by millions, so that
 * one point has all the weight. */
static void weights_on_one_point_are_no_result(void **state)
{
    (void)state;
    enum { N = 12 };
    tw_context *ctx = new_context();
    tw_hyper_result *r = NULL;
    tw_hyper_options o = hyper_small(9);
    double x[N], y[N];
    for (size_t i = 0; i < N; i++) y[i] = sin(x[i] = (double)i);
    tw_problem *problem = hyper_pose_gaussian(ctx, "se", N, x, y);
    tw_priors *priors = hyper_priors(problem, HYPER_ELL, HYPER_SIGMA);
    assert_int_equal(tw_priors_fix(priors, problem, "noise=1e-4"), TW_OK);
    o.particles = o.temperatures = o.kept = 1;
    o.joint_particles = 0;
    ask_for_fault(TW_FAULT_NO_FIT);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    ask_for_fault(TW_FAULT_NONE);
    assert_int_equal(r->verdict, TW_NUMERICAL_FAILURE);
    assert_true(r->estimate.weight_ess < 1.1 && has_warning(r, TW_WARN_THETA_COLLAPSED));
    assert_int_equal(r->started[TW_HYPER_PRIOR], r->points);
    assert_true(isfinite(r->row[0].q05) && r->row[0].q05 == r->row[0].q50 && r->row[0].q95 == r->row[0].q50);
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
    tw_hyper_options o = hyper_small(10);
    bool none = false, some = true;
    o.joint_particles = 0;
    o.points = 512;
    hyper_with_run("log_ell ~ student_t(1, 0, 1)", &o, note_mean, &none);
    hyper_with_run("log_ell ~ student_t(5, 0, 1)", &o, note_mean, &some);
    assert_true(none && !some);
}

/* Five observations of a function on a line, with normal noise of standard deviation 1. */
static void note_warnings(const char *kernel, const double *y, const char *prior, size_t *failed,
                          tw_warnings *warnings)
{
    static const double x[5] = {0.0, 1.0, 2.0, 3.0, 4.0};
    tw_context *ctx = new_context();
    tw_problem *problem = hyper_pose_gaussian(ctx, kernel, 5, x, y);
    tw_priors *priors = hyper_priors(problem, prior, NULL);
    tw_hyper_options o = hyper_small(11);
    tw_hyper_result *r = NULL;
    o.joint_particles = 0;
    o.points = 1024; /* a tail with a probability of 0.01 has some of them */
    assert_int_equal(tw_priors_fix(priors, problem, "noise=1"), TW_OK);
    assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
    *failed = r->started[TW_HYPER_FAILED];
    *warnings = r->warnings;
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

/* Observations that alternate leave the lower tail of ell's prior alone, and those on a curve the upper one: either has no mean. */
static void either_tail_is_enough(void **state)
{
    (void)state;
    static const double y[2][5] = {{4.0, -4.0, 4.0, -4.0, 4.0}, {4.0, 4.2, 4.3, 4.2, 4.0}};
    tw_warnings warnings;
    size_t failed;
    for (size_t k = 0; k < 2; k++) {
        note_warnings("se(sigma=4)", y[k], "log_ell ~ student_t(1, 0, 1)", &failed, &warnings);
        assert_true(has_code(&warnings, TW_WARN_THETA_MEAN));
    }
}

/* A kernel's sigma above 1e154 has a square that overflows, so that Z cannot be computed there. A prior that has a fifth of its
 * probability there says so, and one that cannot reach it does not. */
static void points_that_fail_are_warned_of_where_they_matter(void **state)
{
    (void)state;
    static const double y[5] = {0.5, -0.3, 0.8, 0.2, -0.4};
    tw_warnings warnings;
    size_t failed = 0;
    note_warnings("se(ell=1)", y, "log_sigma ~ normal(0, 420)", &failed, &warnings);
    assert_true(failed > 0 && has_code(&warnings, TW_WARN_THETA_FAILED));
    note_warnings("se(ell=1)", y, "log_sigma ~ normal(0, 1)", &failed, &warnings);
    assert_true(failed == 0 && !has_code(&warnings, TW_WARN_THETA_FAILED));
}

/* ---- streams ---- */

/* Every observation is a normal, so that EP is exact, all particles have the same weight, and systematic resampling of all of them keeps their order. Of one particle
 * kept, the number is then uniform on 16, and independent of that of other points: of 128 points each number has 8, and none has over 25 with probability 1e-5. */
static void points_resample_by_streams_of_their_own(void **state)
{
    (void)state;
    enum { N = 3, PARTICLES = 16 };
    static const double x[N] = {0.0, 1.0, 2.5}, y[N] = {0.5, -0.3, 0.8};
    tw_context *ctx = new_context();
    tw_hyper_options o = hyper_small(14);
    tw_hyper_result *all = NULL, *one = NULL;
    size_t count[PARTICLES] = {0}, found = 0;
    o.joint_particles = 0;
    for (int k = 0; k < 2; k++) {
        tw_problem *problem = hyper_pose_gaussian(ctx, "se(ell=1)", N, x, y);
        tw_priors *priors = hyper_priors(problem, "log_sigma ~ normal(0, 0.5)", NULL);
        o.kept = k ? 1 : PARTICLES;
        assert_int_equal(tw_hyper_run(problem, priors, &o, k ? &one : &all), TW_OK);
        tw_priors_free(priors);
        tw_problem_free(problem);
    }
    for (size_t s = 0; s < one->points; s++)
        for (size_t j = 0; j < PARTICLES; j++)
            if (one->x[N * s] == all->x[N * (j + PARTICLES * s)]) {
                found++;
                count[j]++;
            }
    assert_int_equal(found, one->points);
    for (size_t j = 0; j < PARTICLES; j++) assert_true(count[j] <= 25);
    tw_hyper_free(all);
    tw_hyper_free(one);
    tw_context_free(ctx);
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

static void run_member(const tw_team *team, const tw_hyper_options *o,
                       void (*use)(const tw_problem *problem, const tw_hyper_result *r, void *user),
                       void *user)
{
    tw_context *ctx = NULL;
    tw_hyper_result *r = NULL;
    if (tw_context_new(NULL, &ctx) != TW_OK) abort();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, HYPER_ELL, HYPER_SIGMA);
    if (tw_context_set_team(ctx, team) != TW_OK || tw_hyper_run(problem, priors, o, &r) != TW_OK) abort();
    use(problem, r, user);
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void take_part(void *user, const tw_team *team)
{
    bits *all = user;
    tw_hyper_options o = hyper_small(9);
    run_member(team, &o, note, &all[team->rank]);
}

static void threads_and_members_change_nothing(void **state)
{
    (void)state;
    static bits one, other, members[3];
    tw_hyper_options o = hyper_small(9);
    hyper_with_run(HYPER_ELL, &o, note, &one);
    for (size_t threads = 2; threads <= 3; threads++) {
        o.threads = threads;
        hyper_with_run(HYPER_ELL, &o, note, &other);
        assert_memory_equal(one.number, other.number, one.count * sizeof(double));
    }
    run_team(3, take_part, members);
    for (size_t r = 0; r < 3; r++)
        assert_memory_equal(one.number, members[r].number, one.count * sizeof(double));
}

/* Chains of unknown parameters, a few each. */
static tw_hyper_options few_draws(void)
{
    tw_hyper_options o = hyper_small(9);
    o.method = TW_HYPER_CHAIN;
    o.joint_particles = 0;
    o.points = 40;
    return o;
}

static void note_draws(const tw_problem *problem, const tw_hyper_result *r, void *user)
{
    bits *b = user;
    (void)problem;
    b->count = 0;
    for (size_t i = 0; i < r->unknown * r->points; i++) b->number[b->count++] = r->theta[i];
    for (size_t i = 0; i < r->n * r->kept * r->points; i++) b->number[b->count++] = r->x[i];
    for (size_t s = 0; s < r->points; s++) b->number[b->count++] = r->log_density[s];
}

static void draw_together(void *user, const tw_team *team)
{
    bits *all = user;
    tw_hyper_options o = few_draws();
    run_member(team, &o, note_draws, &all[team->rank]);
}

static void members_draw_the_same_chains(void **state)
{
    (void)state;
    static bits one, members[3];
    tw_hyper_options o = few_draws();
    hyper_with_run(HYPER_ELL, &o, note_draws, &one);
    assert_true(one.count >= 40 * (2 + 3 + 1));
    for (size_t size = 2; size <= 3; size++) {
        run_team(size, draw_together, members);
        for (size_t r = 0; r < size; r++)
            assert_memory_equal(one.number, members[r].number, one.count * sizeof(double));
    }
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
    tw_hyper_options o = hyper_small(10);
    o.on_progress = stop_at_half;
    hyper_with_run(HYPER_ELL, &o, see_half, NULL);
}

static void assert_refused(const char *ell, const char *fix, tw_hyper_options o, const char *words)
{
    tw_context *ctx = new_context();
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, ell, NULL);
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
    tw_hyper_options o = hyper_small(1), few = hyper_small(1), still = hyper_small(1);
    few.points = 32;
    still.eps = 0.0;
    assert_refused("log_ell ~ uniform", NULL, o, "the prior of ell is flat");
    assert_refused(NULL, NULL, o, "no parameter is unknown");
    assert_refused(NULL, "ell=2", o, "no parameter is unknown");
    assert_refused(HYPER_ELL, NULL, few, "32 with 32 points");
    assert_refused(HYPER_ELL, NULL, still, "eps");
}

/* Of a small run, the k-th allocation fails; 0: none. Returns how many there were. */
static size_t run_with_little(size_t k)
{
    failing_allocator failing = {0, 0};
    tw_context *ctx = failing_context(&failing);
    tw_problem *problem = orthants_pose(ctx);
    tw_priors *priors = hyper_priors(problem, HYPER_ELL, HYPER_SIGMA);
    tw_hyper_options o = hyper_small(3);
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
        cmocka_unit_test(weights_on_one_point_are_no_result),
        cmocka_unit_test(a_mean_that_does_not_exist_is_warned_of),
        cmocka_unit_test(either_tail_is_enough),
        cmocka_unit_test(points_that_fail_are_warned_of_where_they_matter),
        cmocka_unit_test(points_resample_by_streams_of_their_own),
        cmocka_unit_test(threads_and_members_change_nothing),
        cmocka_unit_test(members_draw_the_same_chains),
        cmocka_unit_test(a_run_that_is_stopped_has_what_is_complete),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
