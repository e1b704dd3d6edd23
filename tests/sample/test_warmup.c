/* Tuning: dual averaging finds the step size of a known acceptance curve, the ladder finds the length of a
 * known orbit, and the jitter stays in its range. */
#include <math.h>

#include "sample/warmup.h"
#include "support/problem.h"
#include "support/support.h"

/* A chain whose acceptance is exp(-eps^2 / 2), with uniform noise of +-0.2 around it. */
static double tuned_eps(double start, double target, size_t iterations)
{
    tw_step_tuner t = tw_step_tuner_at(start, target, INFINITY);
    test_random random = {17};
    for (size_t i = 0; i < iterations; i++) {
        double eps = tw_step_tuner_eps(&t), noise = 0.4 * (test_uniform(&random) - 0.5);
        tw_step_tuner_learn(&t, fmin(1.0, fmax(0.0, exp(-0.5 * eps * eps) + noise)));
    }
    tw_step_tuner_freeze(&t);
    return tw_step_tuner_eps(&t);
}

/* acceptance = target at eps = sqrt(-2 log target): 0.668 for 0.8, 0.928 for 0.65. Noise that is cut off at 1
 * and the curve's bend leave a few percent; starts a thousand times too long or too short are forgotten. */
static void dual_averaging_finds_the_step_size(void **state)
{
    (void)state;
    assert_close(tuned_eps(1.0, 0.8, 500), sqrt(-2.0 * log(0.8)), 0.07, "target 0.8");
    assert_close(tuned_eps(1.0, 0.65, 500), sqrt(-2.0 * log(0.65)), 0.07, "target 0.65");
    assert_close(tuned_eps(1e-3, 0.8, 500), sqrt(-2.0 * log(0.8)), 0.15, "from far below");
    assert_close(tuned_eps(1e3, 0.8, 500), sqrt(-2.0 * log(0.8)), 0.15, "from far above");
}

/* The pilots' use: the acceptance curve exp(-(eps / s_k)^2 / 2) is another at every temperature, two transitions at each,
 * s_k rising by 7 % from one to the next, tenfold in all, after 30 at the first. The step size follows: it is never
 * more than a fifth from that of the target, sqrt(-2 log 0.8) s_k. */
static void the_last_value_follows_a_moving_target(void **state)
{
    (void)state;
    tw_step_tuner t = tw_step_tuner_at(TW_STEP_FIRST, 0.8, INFINITY);
    double scale = 0.3;
    for (size_t k = 0; k < 34; k++, scale *= 1.07) {
        tw_step_tuner_begin(&t);
        for (size_t m = 0; m < (k ? 2 : 30); m++) {
            double turn = tw_step_tuner_eps(&t) / scale;
            tw_step_tuner_learn(&t, exp(-0.5 * turn * turn));
        }
        assert_close(tw_step_tuner_eps(&t) / scale / sqrt(-2.0 * log(0.8)), 1.0, 0.2, "the step size");
    }
}

static void the_largest_is_never_exceeded(void **state)
{
    (void)state;
    tw_step_tuner t = tw_step_tuner_at(TW_STEP_FIRST, 0.8, TW_STEP_LARGEST);
    for (size_t i = 0; i < 100; i++) {
        tw_step_tuner_learn(&t, 1.0);
        assert_true(tw_step_tuner_eps(&t) <= TW_STEP_LARGEST * (1.0 + 1e-15));
    }
    assert_close(tw_step_tuner_eps(&t), TW_STEP_LARGEST, 1e-15, "reached");
    tw_step_tuner_begin(&t); /* and what was learnt there does not keep it there */
    tw_step_tuner_learn(&t, 0.0);
    assert_true(tw_step_tuner_eps(&t) < 0.8 * TW_STEP_LARGEST);
}

/* One window of a Gaussian of standard deviation `scale`: a length between t/2 and 3t/2, in units of it, leaves the
 * correlations cos and cos^2 in the mean of those lengths, E|x' - x|^2 = 2 scale^2 (1 - E cos) and E(d'^2 - d^2)^2 =
 * 4 scale^4 (1 - E cos^2). Of both, `kept` is left where the others are rejected. It takes t / eps steps. */
static double climbed(double start, double scale, double kept, bool round)
{
    tw_ladder ladder;
    tw_ladder_begin(&ladder, start, round);
    double v = scale * scale;
    ladder.variance = (tw_spread){v, 2.0 * v * v};
    for (size_t window = 0; window < 40; window++) {
        double t = ladder.length / scale, c = (sin(1.5 * t) - sin(0.5 * t)) / t;
        double c_2 = 0.5 + (sin(3.0 * t) - sin(t)) / (4.0 * t);
        ladder.moves = 100;
        ladder.sum = (tw_jumps){200.0 * kept * v * (1.0 - c), 400.0 * kept * v * v * (1.0 - c_2),
                                100.0 * ladder.length / 0.1};
        tw_ladder_step(&ladder);
    }
    assert_true(ladder.done);
    assert_close(ladder.length, ladder.best, 0.0, "the best length stays");
    return ladder.length;
}

/* The best length is a quarter of the orbit, and rungs are 1.5 apart: within a factor of 1.5. */
static void the_ladder_finds_the_length(void **state)
{
    (void)state;
    static const double scales[] = {0.3, 1.0, 8.0}, starts[] = {0.02, 0.2, 1.0, 1.5, 3.0};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 5; j++) {
            double quarter = 1.5707963267948966 * scales[i], start = starts[j] * scales[i];
            assert_in_range((uintmax_t)(1000.0 * climbed(start, scales[i], 1.0, true) / quarter), 666, 1500);
            assert_in_range((uintmax_t)(1000.0 * climbed(start, scales[i], 1.0, false) / quarter), 666, 1500);
        }
}

/* With three tenths of the moves rejected the jump of x alone is best a rung above pi/2 (rates 0.42 and 0.34): there x is
 * antithetic and x^2 hardly renewed. The length stays at pi/2. */
static void squares_hold_the_length_back(void **state)
{
    (void)state;
    const double quarter = 1.5707963267948966;
    assert_close(climbed(quarter, 1.0, 0.7, true), quarter, 1e-12, "with squares");
    assert_close(climbed(quarter, 1.0, 0.7, false), 1.5 * quarter, 1e-12, "without");
}

static void jittered_steps_are_uniform(void **state)
{
    (void)state;
    size_t seen[13] = {0};
    double sum = 0.0;
    for (uint64_t i = 0; i < 9000; i++) {
        size_t steps = tw_jittered_steps(8, 1000, 5, i);
        assert_in_range(steps, 4, 12);
        seen[steps]++;
        sum += (double)steps;
    }
    /* 9 values, 1000 times each: sd 30, and sd 2.58 / sqrt(9000) = 0.027 of the mean; 5 sd: 6e-7 * 10. */
    for (size_t k = 4; k <= 12; k++) assert_in_range(seen[k], 850, 1150);
    assert_close(sum / 9000.0, 8.0, 5 * 0.0272, "mean steps");
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(tw_jittered_steps(1, 1000, 5, i), 1);
        assert_in_range(tw_jittered_steps(2, 1000, 5, i), 1, 3);
        assert_in_range(tw_jittered_steps(8, 6, 5, i), 4, 6);
    }
}

/* Random numbers of warm-up, sampling and pilots never meet. */
static void numbers_of_the_stages_never_meet(void **state)
{
    (void)state;
    tw_chains_options run = TW_CHAINS_DEFAULTS, pilot = TW_CHAINS_DEFAULTS;
    pilot.pilot = 1;
    assert_int_equal(tw_iteration_number(&run, TW_STAGE_SAMPLING, 17), 17);
    assert_true(tw_iteration_number(&run, TW_STAGE_WARMUP, 17) > (uint64_t)1 << 54);
    assert_true(tw_iteration_number(&pilot, TW_STAGE_SAMPLING, 17) >
                tw_iteration_number(&run, TW_STAGE_WARMUP, SIZE_MAX >> 10));
    assert_true(tw_iteration_number(&pilot, TW_STAGE_SAMPLING, 17) !=
                tw_iteration_number(&pilot, TW_STAGE_WARMUP, 17));
}

/* Moves of so many steps with that acceptance, in an iteration whose quarters have q->steps. */
static void learn(tw_quarters *q, size_t moves, size_t steps, double acceptance)
{
    const tw_record record = {.steps = steps, .acceptance_rate = acceptance};
    for (size_t i = 0; i < moves; i++) tw_quarters_learn(q, 1, &record);
}

/* Three steps have too few acceptances, four have enough: the answer is four wherever the step size lies. */
static void quarters_have_the_acceptance_that_is_wanted(void **state)
{
    (void)state;
    tw_quarters q = {.steps = 3};
    learn(&q, 19, 3, 0.7);
    assert_int_equal(tw_quarters_enough(&q, 0.8, 3, 100), 3); /* too few to know */
    learn(&q, 40, 6, 0.9);                                    /* twice as many steps: not of this kind */
    learn(&q, 1, 3, 0.7);
    assert_int_equal(tw_quarters_enough(&q, 0.8, 3, 100), 4);
    q.steps = 4;
    learn(&q, 30, 4, 0.86);
    assert_int_equal(tw_quarters_enough(&q, 0.8, 3, 100), 4);
    assert_int_equal(tw_quarters_enough(&q, 0.8, 4, 100), 4);
    assert_int_equal(tw_quarters_enough(&q, 0.9, 4, 100), 4); /* nearly enough */
    assert_int_equal(tw_quarters_enough(&q, 0.95, 3, 100), 5);
    assert_int_equal(tw_quarters_enough(&q, 0.8, 3, 3), 3);
    q.steps = TW_FEW_STEPS + 1;
    learn(&q, 30, TW_FEW_STEPS + 1, 0.1);
    assert_int_equal(tw_quarters_enough(&q, 0.8, TW_FEW_STEPS + 1, 100), TW_FEW_STEPS + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dual_averaging_finds_the_step_size),
        cmocka_unit_test(the_last_value_follows_a_moving_target),
        cmocka_unit_test(the_largest_is_never_exceeded),
        cmocka_unit_test(the_ladder_finds_the_length),
        cmocka_unit_test(squares_hold_the_length_back),
        cmocka_unit_test(jittered_steps_are_uniform),
        cmocka_unit_test(numbers_of_the_stages_never_meet),
        cmocka_unit_test(quarters_have_the_acceptance_that_is_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
