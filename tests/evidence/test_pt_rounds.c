/* Rounds of parallel tempering, observed through a swap rule that records its arguments and returns given
 * answers: the random numbers they use, when and how often states are exchanged, and what counts as a round
 * trip. */
#include <math.h>
#include <string.h>

#include "evidence/pt.h"
#include "math/random.h"
#include "support/fault.h"
#include "support/pt_case.h"
#include "support/support.h"

enum { N = 4, COPIES = 8, ROUNDS = 40, SEED = 3, SKIPPED = 40 };

/* The chain of column 0 of the lowest level. */
static const uint64_t FIRST = ((uint64_t)2 << 40) + SKIPPED;

/* A swap rule has no user: what it notes lies here. R at the two levels of the only pair, copy by copy. */
static double lower_ratio[ROUNDS][COPIES], upper_ratio[ROUNDS][COPIES], answer;
static size_t asked;

static double noting_rule(double step, double lower, double upper)
{
    (void)step;
    if (asked < ROUNDS * COPIES) {
        lower_ratio[asked / COPIES][asked % COPIES] = lower;
        upper_ratio[asked / COPIES][asked % COPIES] = upper;
    }
    asked++;
    return answer;
}

/* A run without warm-up; step sizes are given. */
static tw_pt_report run(const pt_case *f, size_t steps, size_t warmup, size_t rounds, size_t moves,
                        double eps, double odds)
{
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_pt_report report = {0};
    tw_estimate out[2];
    o.temperatures = steps;
    o.tune_ladder = false;
    o.copies = COPIES;
    o.warmup = warmup;
    o.rounds = rounds;
    o.moves = moves;
    o.eps = eps;
    o.steps = 2;
    o.seed = SEED;
    o.first_chain = SKIPPED;
    asked = 0;
    answer = odds;
    ask_for_swap_rule(noting_rule);
    assert_int_equal(tw_pt_run(f->model, f->prior, &o, NULL, NULL, out, &report), TW_OK);
    ask_for_swap_rule(NULL);
    return report;
}

/* log p(y | x), which is R for a path from the prior. */
static double log_likelihood(const tw_model *model, const double *x)
{
    double value[N], sum = 0.0;
    model->observed.likelihood->terms(&model->observed, x, value, NULL, NULL, NULL);
    for (size_t i = 0; i < N; i++) sum += value[i];
    return sum;
}

/* Without swaps the upper level is a walk of its own, transition m of round r of three having number 3 r + m and chains
 * beginning after those of the level below; the lowest is drawn anew in every round. */
static void every_transition_has_a_number_of_its_own(void **state)
{
    (void)state;
    enum { MOVES = 3, SHORT = 5 };
    pt_case f = pt_case_of(N);
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    tw_walk *walk = NULL;
    double normals[N * COPIES], x[N * COPIES];
    run(&f, 1, 0, SHORT, MOVES, 0.3, -INFINITY);
    assert_int_equal(tw_walk_new_as(f.model, f.prior, &kernel, TW_FORM_OPEN, COPIES, &walk), TW_OK);
    assert_int_equal(tw_walk_start(walk, SEED, FIRST + COPIES), TW_OK);
    assert_int_equal(tw_walk_temper(walk, 1.0), TW_OK);
    for (uint64_t round = 1; round <= SHORT; round++) {
        for (uint64_t m = 0; m < MOVES; m++) {
            tw_move move = {0.3, 2, SEED, MOVES * round + m, FIRST + COPIES};
            tw_walk_move(walk, &move);
        }
        tw_walk_measure(walk);
        tw_reference_draw(f.prior, SEED, FIRST, round, COPIES, normals, x);
        for (size_t c = 0; c < COPIES; c++) {
            assert_close(upper_ratio[round - 1][c], walk->log_ratio[c], 1e-12, "upper level");
            assert_close(lower_ratio[round - 1][c], log_likelihood(f.model, x + c * N), 1e-12,
                         "lowest level");
        }
    }
    tw_walk_free(walk);
    pt_case_free(&f);
}

/* With steps of next to nothing the upper state changes only where it was exchanged for that below. */
static bool exchanged_after(size_t round, size_t copy)
{
    double change = upper_ratio[round][copy] - upper_ratio[round - 1][copy];
    bool swapped = fabs(change) > 1e-6;
    assert_true(!swapped || fabs(upper_ratio[round][copy] - lower_ratio[round - 1][copy]) < 1e-6);
    return swapped;
}

/* The pair (0, 1) has its turn in even rounds, and every copy a uniform of its own in each. */
static void swaps_follow_their_streams(void **state)
{
    (void)state;
    pt_case f = pt_case_of(N);
    run(&f, 1, 0, ROUNDS, 1, 1e-9, log(0.5));
    for (size_t round = 1; round < ROUNDS; round++)
        for (size_t c = 0; c < COPIES; c++) {
            tw_stream stream = tw_stream_at(SEED, TW_STREAM_SWAP, FIRST + c, round);
            bool expected = round % 2 == 0 && tw_stream_uniform(&stream) < 0.5;
            assert_true(exchanged_after(round, c) == expected);
        }
    pt_case_free(&f);
}

static void odds_that_are_no_number_exchange_nothing(void **state)
{
    (void)state;
    pt_case f = pt_case_of(N);
    run(&f, 1, 0, ROUNDS, 1, 1e-9, NAN);
    for (size_t round = 1; round < ROUNDS; round++)
        for (size_t c = 0; c < COPIES; c++) assert_false(exchanged_after(round, c));
    pt_case_free(&f);
}

/* Where every swap is made, replicas go up and down like buckets on a chain. A round trip is a way from b = 0 to 1 and
 * back, whose end is after the warm-up. */
static void round_trips_are_counted_from_end_to_end(void **state)
{
    (void)state;
    enum { TOP = 3, WARMUP = 21, COUNTED = 30 };
    pt_case f = pt_case_of(N);
    size_t level[TOP + 1], trips = 0;
    int been[TOP + 1] = {0}; /* 0: nowhere; 1: at the bottom; 2: then at the top */
    for (size_t replica = 0; replica <= TOP; replica++) level[replica] = replica;
    for (size_t round = 1; round <= WARMUP + COUNTED; round++)
        for (size_t replica = 0; replica <= TOP; replica++) {
            size_t *at = &level[replica];
            if (*at % 2 == round % 2)
                *at += *at < TOP;
            else
                *at -= *at > 0;
            trips += round > WARMUP && *at == 0 && been[replica] == 2;
            if (*at == 0) been[replica] = 1;
            if (*at == TOP && been[replica] == 1) been[replica] = 2;
        }
    tw_pt_report report = run(&f, TOP, WARMUP, COUNTED, 1, 1e-3, INFINITY);
    assert_true(trips > TOP);
    assert_int_equal(report.round_trips, trips * COPIES);
    assert_close(report.barrier, 0.0, 0.0, "nothing is rejected");
    pt_case_free(&f);
}

static void keep_warning(void *user, tw_log_level level, const char *text)
{
    if (level == TW_LOG_WARNING && strstr(text, "some neighbouring temperatures swap")) *(bool *)user = true;
}

/* Half of the swaps are made between neighbours that are close, and next to none between those that are not: here the
 * first ones, of three pairs. */
static double far_apart_rule(double step, double lower, double upper)
{
    (void)lower, (void)upper;
    asked++;
    return step > 0.5 ? -8.0 : log(0.5);
}

static void swap_rates_are_those_of_each_pair(void **state)
{
    (void)state;
    const double beta[] = {0.0, 0.6, 0.8, 1.0};
    double rate[3];
    pt_case f = pt_case_of(N);
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_pt_report report = {.swap_rate = rate};
    tw_estimate out[2];
    bool warned = false;
    tw_context_set_log(f.ctx, keep_warning, &warned);
    o.beta = beta;
    o.temperatures = 3;
    o.tune_ladder = false;
    o.copies = 2; /* eight batches */
    o.warmup = 0;
    o.rounds = 85;
    o.eps = 0.1;
    o.steps = 1;
    asked = 0;
    ask_for_swap_rule(far_apart_rule);
    assert_int_equal(tw_pt_run(f.model, f.prior, &o, NULL, NULL, out, &report), TW_OK);
    ask_for_swap_rule(NULL);
    assert_close(rate[0], exp(-8.0), 1e-14, "far apart");
    assert_close(rate[1], 0.5, 1e-14, "close");
    assert_close(report.barrier, 2.0 - exp(-8.0), 1e-12, "barrier");
    assert_true(warned);
    assert_int_equal(report.batches, 8);
    assert_int_equal(asked, 85 * 2 * 3);
    pt_case_free(&f);
}

/* Steps so long that all energies diverge, which are taken as they are given: every transition is a failure, and none
 * is accepted. */
static void failures_are_a_share_of_the_transitions(void **state)
{
    (void)state;
    pt_case f = pt_case_of(N);
    tw_pt_options o = TW_PT_DEFAULTS;
    double eps[3];
    tw_pt_report report = {.eps = eps};
    tw_estimate out[2];
    o.temperatures = 2;
    o.tune_ladder = false;
    o.copies = COPIES;
    o.warmup = 0;
    o.rounds = 4;
    o.eps = 1e4;
    o.steps = 3;
    assert_int_equal(tw_pt_run(f.model, f.prior, &o, NULL, NULL, out, &report), TW_OK);
    for (int k = 0; k < 3; k++) assert_close(eps[k] / o.eps, 1.0, 1e-12, "the step size given");
    for (int i = 0; i < 2; i++) {
        assert_close(out[i].failures, 1.0, 0.0, "failures");
        assert_close(out[i].acceptance, 0.0, 0.0, "acceptance");
    }
    pt_case_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_transition_has_a_number_of_its_own),
        cmocka_unit_test(swaps_follow_their_streams),
        cmocka_unit_test(odds_that_are_no_number_exchange_nothing),
        cmocka_unit_test(swap_rates_are_those_of_each_pair),
        cmocka_unit_test(failures_are_a_share_of_the_transitions),
        cmocka_unit_test(round_trips_are_counted_from_end_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
