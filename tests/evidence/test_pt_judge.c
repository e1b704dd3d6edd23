/* The self-assessment of parallel tempering: errors that include what all copies share, and doubts. The draws
 * are synthetic: R ~ N(m + b v, v) at b, as for a Gaussian R under q, with log Z = m + v/2; then they are
 * altered. */
#include <math.h>
#include <stdlib.h>

#include "evidence/pt.h"
#include "support/problem.h"
#include "support/support.h"

enum { LEVELS = 6, COPIES = 32, ROUNDS = 40, COUNT = LEVELS * COPIES * ROUNDS };
static const double mean = -40.0, variance = 9.0, log_z = -35.5;

typedef struct made_up {
    double beta[LEVELS], ratio[COUNT];
    tw_estimate out[2];
    tw_pt_report report;
    bool doubted[2];
    tw_warning doubt[2];
} made_up;

static double *at(made_up *d, size_t level, size_t copy, size_t round)
{
    return &d->ratio[(level * COPIES + copy) * ROUNDS + round];
}

/* Independent draws; each is kept for `repeats` rounds. */
static void fill(made_up *d, test_random *random, size_t repeats)
{
    double r = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t level = i / (COPIES * ROUNDS);
        d->beta[level] = (double)level / (LEVELS - 1);
        if (i % repeats == 0) r = test_normal(random);
        d->ratio[i] = mean + d->beta[level] * variance + sqrt(variance) * r;
    }
}

static void estimate(made_up *d, tw_context *ctx, double trips, size_t batches)
{
    tw_pt pt = {.ctx = ctx,
                .levels = LEVELS,
                .copies = COPIES,
                .rounds = ROUNDS,
                .batches = batches,
                .beta = d->beta,
                .ratio = d->ratio};
    d->report = (tw_pt_report){0};
    for (int i = 0; i < 2; i++)
        d->out[i] = (tw_estimate){.method = i == 0 ? "stepping-stone" : "thermodynamic", .trips = trips};
    assert_int_equal(tw_pt_estimate(&pt, d->out, &d->report), TW_OK);
    for (int i = 0; i < 2; i++) d->doubted[i] = tw_evidence_doubt(&d->out[i], &d->doubt[i]);
}

static made_up *make(void)
{
    made_up *d = calloc(1, sizeof *d);
    assert_non_null(d);
    return d;
}

/* 200 runs of independent draws, and of chains that stand still for five rounds: scores of standard deviation 1 (within
 * 0.2, four of its errors), none above 4.5, and few doubts: one in 700 is expected for the drift and fewer for the
 * integral, so that five or more in 200 are one case in 10,000. */
static void healthy_runs_are_not_doubted(void **state)
{
    (void)state;
    enum { RUNS = 200 };
    tw_context *ctx = new_context();
    made_up *d = make();
    test_random random = {3};
    for (size_t repeats = 1; repeats <= 5; repeats += 4) {
        double square[2] = {0.0, 0.0}, worst = 0.0;
        size_t doubted = 0;
        for (size_t i = 0; i < RUNS; i++) {
            fill(d, &random, repeats);
            estimate(d, ctx, 2.0, 4);
            doubted += d->doubted[0] || d->doubted[1];
            for (int j = 0; j < 2; j++) {
                double z = (d->out[j].log_z - log_z) / d->out[j].se;
                square[j] += z * z / RUNS;
                worst = fmax(worst, fabs(z));
            }
        }
        print_message("kept for %zu rounds: scores %.3f and %.3f, %.2f at most; %zu of %d doubted\n", repeats,
                      sqrt(square[0]), sqrt(square[1]), worst, doubted, RUNS);
        assert_true(doubted <= 4);
        for (int j = 0; j < 2; j++) assert_close(sqrt(square[j]), 1.0, 0.2, "scores");
        assert_true(worst < 4.5);
    }
    free(d);
    tw_context_free(ctx);
}

/* The first half is off by 5 nats in E_b[R] at all levels above 0: the error covers what is wrong, and a doubt says it. */
static void a_drift_is_seen(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    made_up *d = make();
    test_random random = {5};
    fill(d, &random, 1);
    estimate(d, ctx, 2.0, 4);
    double before = d->out[0].se;
    assert_true(d->out[0].drift == 0.0 && d->out[1].drift == 0.0 && !d->doubted[0]);
    for (size_t level = 1; level < LEVELS; level++)
        for (size_t copy = 0; copy < COPIES; copy++)
            for (size_t round = 0; round < ROUNDS / 2; round++) *at(d, level, copy, round) -= 5.0;
    estimate(d, ctx, 2.0, 4);
    assert_true(d->out[0].drift > 2.0 && d->out[0].se >= d->out[0].drift && d->out[0].se > 10.0 * before);
    assert_true(fabs(d->out[0].log_z - log_z) < 2.0 * d->out[0].se);
    assert_true(d->report.drift == d->out[0].drift && d->report.drift > 3.5 * d->report.drift_se);
    for (int i = 0; i < 2; i++) assert_int_equal(d->doubt[i].code, TW_WARN_DRIFT);
    free(d);
    tw_context_free(ctx);
}

/* The first half is off by 8 nats and by 20: the error of either estimate takes that in, and above 10 it is withheld. */
static void an_estimate_that_may_be_far_off_is_withheld(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    made_up *d = make();
    for (int far = 0; far < 2; far++) {
        test_random random = {13};
        fill(d, &random, 1);
        for (size_t level = 1; level < LEVELS; level++)
            for (size_t copy = 0; copy < COPIES; copy++)
                for (size_t round = 0; round < ROUNDS / 2; round++)
                    *at(d, level, copy, round) -= far ? 20.0 : 8.0;
        estimate(d, ctx, 2.0, 4);
        for (int i = 0; i < 2; i++) {
            assert_true(isnan(d->out[i].log_z) == (far == 1) && isnan(d->out[i].se) == (far == 1));
            assert_int_equal(d->doubt[i].code, far ? TW_WARN_WITHHELD : TW_WARN_DRIFT);
        }
    }
    free(d);
    tw_context_free(ctx);
}

/* Nothing vouches for a run without round trips. */
static void replicas_that_stay_are_a_doubt(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    made_up *d = make();
    test_random random = {7};
    fill(d, &random, 1);
    estimate(d, ctx, 2.0, 4);
    double before = d->out[0].se;
    estimate(d, ctx, 0.9, 4);
    double gap = hypot(d->report.drift, d->report.forward - d->report.reverse);
    for (int i = 0; i < 2; i++) assert_int_equal(d->doubt[i].code, TW_WARN_TRIPS);
    assert_close(d->out[0].se, hypot(before, gap), 1e-12, "its error");
    free(d);
    tw_context_free(ctx);
}

/* All draws at b_1 are too low. The bridges to its two neighbours take that in by halves of 0.2; the integral begins at
 * b_1 and takes in one: they contradict each other, and the error of the integral covers that. One draw far out: the
 * bridges bear it, and there is no integral. */
static void an_integral_that_its_draws_contradict_is_seen(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    made_up *d = make();
    test_random random = {9};
    fill(d, &random, 1);
    for (size_t copy = 0; copy < COPIES; copy++)
        for (size_t round = 0; round < ROUNDS; round++) *at(d, 1, copy, round) -= 3.0;
    estimate(d, ctx, 2.0, 4);
    print_message("integral %+.3f +- %.3f, bridge %+.3f +- %.3f\n", d->out[1].log_z - log_z, d->out[1].se,
                  d->out[0].log_z - log_z, d->out[0].se);
    assert_true(fabs(d->out[1].apart) > 0.0 && d->out[1].se >= fabs(d->out[1].apart));
    assert_int_equal(d->doubt[1].code, TW_WARN_APART);
    assert_true(d->out[0].apart == 0.0 && !d->doubted[0]);
    fill(d, &random, 1);
    *at(d, 3, 4, 5) = -1e9;
    estimate(d, ctx, 2.0, 4);
    assert_true(isnan(d->out[1].log_z) && isnan(d->out[1].se));
    assert_int_equal(d->doubt[1].code, TW_WARN_WITHHELD);
    assert_true(isfinite(d->out[0].log_z) && d->out[0].se < 0.2);
    free(d);
    tw_context_free(ctx);
}

/* Chains that stand still for as long as a batch: batches are independent no more, copies are. */
static void the_larger_of_two_errors_is_taken(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    made_up *d = make();
    test_random random = {11};
    double alone = 0.0, together = 0.0;
    for (int i = 0; i < 20; i++) {
        fill(d, &random, ROUNDS);
        estimate(d, ctx, 2.0, 1);
        alone += d->out[0].se / 20.0;
        estimate(d, ctx, 2.0, 4);
        together += d->out[0].se / 20.0;
    }
    assert_close(together / alone, 1.0, 0.02, "errors of copies");
    free(d);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(healthy_runs_are_not_doubted),
        cmocka_unit_test(a_drift_is_seen),
        cmocka_unit_test(an_estimate_that_may_be_far_off_is_withheld),
        cmocka_unit_test(replicas_that_stay_are_a_doubt),
        cmocka_unit_test(an_integral_that_its_draws_contradict_is_seen),
        cmocka_unit_test(the_larger_of_two_errors_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
