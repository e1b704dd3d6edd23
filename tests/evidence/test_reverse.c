/* The part that a way down may miss. If q has a tail that the posterior excludes, the weights of a way down
 * look good, but log Z is too high by the tail's mass; the run upwards detects it. Exact small cases, and a
 * posed one with known log Z. */
#include <math.h>
#include <string.h>

#include "evidence/ais.h"
#include "math/random.h"
#include "support/posed.h"
#include "support/support.h"
#include "talweg/diagnose.h"

/* A tail of mass 1/8 has no weight on the way up, the rest 5: Z = 7/8 5. All ways down weigh 1/5, which gives log 5:
 * 1/8 was missed. Where the tail's weight is 1 instead, c = 1/5 still: 1/8 (1 - 1/5). */
static void a_tail_without_weight_is_missed(void **state)
{
    (void)state;
    enum { N = 64 };
    double up[N], down[N];
    for (size_t j = 0; j < N; j++) {
        up[j] = j % 8 == 0 ? -INFINITY : log(5.0);
        down[j] = -log(5.0);
    }
    assert_close(tw_ais_missed(N, up, down, NULL), 0.125, 1e-14, "a tail of no weight");
    for (size_t j = 0; j < N; j += 8) up[j] = 0.0;
    assert_close(tw_ais_missed(N, up, down, NULL), 0.125 * 0.8, 1e-14, "a tail of some weight");
}

/* Of 16 weights two are at or above c, the second largest: the definition, term by term, and its error, which is that of
 * the expected share beside what was missed. The order of the weights does not matter. */
static void what_is_missed_follows_its_definition(void **state)
{
    (void)state;
    enum { N = 16 };
    const double v[N] = {0.3,  0.1,  0.9, 0.2,  0.5,  0.4,  0.7, 0.6,
                         0.15, 0.25, 1.6, 0.35, 0.45, 0.55, 1.1, 0.05},
                 c = 1.1;
    double up[N], down[N], expected = 0.0, square = 0.0, all = 0.0, error;
    for (size_t j = 0; j < N; j++) {
        double w = 0.1 + 0.1 * (double)j, less = fmax(1.0 - c * w, 0.0);
        up[j] = log(w);
        expected += less / N;
        square += less * less / N;
        all += v[j];
    }
    double missed = expected - (1.6 - c) / all;
    assert_true(missed > 0.01);
    for (size_t turn = 0; turn < N; turn++) {
        for (size_t j = 0; j < N; j++) down[j] = log(v[(j + turn) % N]);
        assert_close(tw_ais_missed(N, up, down, &error), missed, 1e-14, "missed");
        assert_close(error, sqrt(missed * missed + (square - expected * expected) / N), 1e-14, "its error");
    }
}

/* Ways with normal log weights of variance s^2 = 1 are each other's reversal when the log weights have the means
 * log Z - s^2/2 upwards and -log Z - s^2/2 downwards. Of 4096 weights the 32nd largest is exp(2.4 s) above the
 * median; a share Phi(1 - 2.4) of the mean is beyond the point, half of it known from either side to 10 %. So
 * what is missed is below 0.02 (and 0.1 where all that is above the point is cut off). */
static void a_tail_that_was_met_is_not_missed(void **state)
{
    (void)state;
    enum { N = 4096 };
    static double up[N], down[N];
    tw_stream stream = tw_stream_at(5, TW_STREAM_DATA, 0, 0), other = tw_stream_at(5, TW_STREAM_DATA, 1, 0);
    tw_stream_normals(&stream, N, up);
    tw_stream_normals(&other, N, down);
    for (size_t j = 0; j < N; j++) up[j] += 3.0 - 0.5, down[j] += -3.0 - 0.5;
    double met = tw_ais_missed(N, up, down, NULL);
    for (size_t j = 0; j < N; j++) down[j] = fmin(down[j], -3.5 + 1.5);
    double cut = tw_ais_missed(N, up, down, NULL);
    print_message("missed: %.4f of weights that are there, %.4f of those cut off\n", met, cut);
    assert_true(met < 0.02);
    /* E[max(v - c, 0)] / E[v] = Phi(s - 1.5) - c Phi(-1.5) / E[v], log c = 1.5 above the median */
    assert_close(cut, 0.30854 - exp(1.5 - 0.5) * 0.06681, 0.03, "cut off");
}

/* Two values of R, 0 and -g, with masses 1 - m and m: E[exp(hR)] E[exp(-hR)] = 1 + m (1 - m) (exp(hg/2) -
 * exp(-hg/2))^2, so that the longest step is known. */
static void the_longest_step_is_known(void **state)
{
    (void)state;
    enum { N = 50 };
    const double m = 1.0 / N, g = 1e4, fraction = 0.99;
    double weight[N] = {0.0}, ratio[N] = {0.0};
    ratio[7] = -g;
    double longest = 2.0 / g * asinh(0.5 * sqrt((1.0 / fraction - 1.0) / (m * (1.0 - m))));
    assert_close(tw_two_sided_step(N, weight, ratio, 0.02, fraction) / longest, 1.0, 1e-9,
                 "the longest step");
    assert_true(tw_two_sided_step(N, weight, ratio, 0.9 * longest, fraction) == 0.9 * longest);
    ratio[9] = -INFINITY; /* one that cannot be reached hides none that can: m is then of one less */
    double rest = 1.0 / (N - 1);
    assert_close(tw_two_sided_step(N, weight, ratio, 0.02, fraction),
                 2.0 / g * asinh(0.5 * sqrt((1.0 / fraction - 1.0) / (rest * (1.0 - rest)))), 1e-12,
                 "beside it");
    ratio[9] = 0.0;
    weight[7] = -50.0; /* of no weight */
    assert_true(tw_two_sided_step(N, weight, ratio, 1e-3, fraction) == 1e-3);
    weight[7] = 0.0;
    ratio[7] = -INFINITY; /* never to be reached, by no number of steps */
    assert_true(tw_two_sided_step(N, weight, ratio, 0.02, fraction) == 0.02);
}

typedef struct scores {
    double weights_alone, mean, square, missed, temperatures; /* means over the repetitions */
} scores;

static scores repeat(const posed *p, double exact, double refine, size_t repetitions)
{
    enum { STEPS = 50, PARTICLES = 256 };
    double beta[STEPS + 1], weights[PARTICLES];
    scores s = {0.0, 0.0, 0.0, 0.0, 0.0};
    tw_ais_options o = TW_AIS_DEFAULTS;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = p->ep->reference;
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = PARTICLES;
    o.reverse = true;
    o.burn_in = 30;
    o.refine = refine;
    for (size_t i = 0; i < repetitions; i++) {
        tw_estimate e;
        double se, count = (double)repetitions;
        o.seed = 300 + i;
        assert_int_equal(tw_ais_run(p->model, p->ep->reference, &o, NULL, NULL, weights, &e), TW_OK);
        (void)tw_log_mean_exp(PARTICLES, weights, &se);
        double z = (e.log_z - exact) / e.se;
        s.weights_alone += (e.log_z - exact) / se / count;
        s.mean += z / count;
        s.square += z * z / count;
        s.missed += e.missed / count;
        s.temperatures += (double)e.temperatures / count;
        assert_true(e.se >= hypot(se, e.missed));
    }
    print_message(
        "refined to %g: z %.2f by the weights alone, %.2f (root of the mean square %.2f) with what was "
        "missed, %.4f; %.0f temperatures\n",
        refine, s.weights_alone, s.mean, sqrt(s.square), s.missed, s.temperatures);
    return s;
}

/* Ten equal labels, (a, b) = (25000, 900): 2 % of EP has R below -100. Without the temperatures that the way down
 * needs, log Z is too high by more than three errors made of its weights alone, in the mean of the repetitions; the
 * error that is given covers it: the root of the mean square of z is below 1.6 (it stays above 1, as the
 * estimate errs to one side). With them less is missed. */
static void errors_cover_what_was_missed(void **state)
{
    (void)state;
    double exact;
    posed p = pose_same_labels(10, 25000.0, 900.0, &exact);
    scores kept = repeat(&p, exact, 0.0, 16), refined = repeat(&p, exact, 0.995, 16);
    assert_true(kept.weights_alone > 3.0); /* the check has teeth */
    assert_true(kept.square < 2.56 && refined.square < 2.56);
    assert_true(kept.temperatures == 50.0 && refined.temperatures > 51.0 && refined.temperatures < 70.0);
    assert_true(refined.missed < 0.7 * kept.missed);
    posed_free(&p);
}

typedef struct kept_state {
    size_t count;
    double numbers[16384];
} kept_state;

static bool is_there(void *user)
{
    return user != NULL;
}

static void keep(void *user, const tw_ais_state *state)
{
    kept_state *kept = user;
    assert_true(state->count <= sizeof kept->numbers / sizeof *kept->numbers);
    kept->count = state->count;
    memcpy(kept->numbers, state->numbers, state->count * sizeof *state->numbers);
}

/* A run in few steps, with and without trial steps, which insert no temperature: the states after them. */
static void run_with_and_without_trials(const posed *p, const tw_reference *reference, size_t steps,
                                        kept_state kept[2])
{
    for (int with = 0; with < 2; with++) {
        tw_ais_options o = TW_AIS_DEFAULTS;
        tw_estimate e;
        o.temperatures = steps;
        o.particles = 128;
        o.reverse = true;
        o.burn_in = 2;
        o.refine = with ? 1e-300 : 0.0;
        o.user = &kept[with];
        o.wants_state = is_there;
        o.on_state = keep;
        assert_int_equal(tw_ais_run(p->model, reference, &o, NULL, NULL, NULL, &e), TW_OK);
        assert_int_equal(e.temperatures, steps);
    }
}

/* Trial steps halve the step size, once or more, where the particles that cause the variance of a step are in a steep
 * tail. Where no tail is steep they change nothing, although the steps have variance. */
static void steep_tails_halve_step_sizes_and_gentle_ones_do_not(void **state)
{
    (void)state;
    enum { CASES = 6, STEPS = 8, STEEP_STEPS = 50 };
    static kept_state kept[2];
    double k[CASES * CASES], y[CASES], exact;
    pose_line(CASES, k, y);
    posed gentle = pose_in(NULL, CASES, k, tw_likelihood_find("probit"), y);
    run_with_and_without_trials(&gentle, gentle.prior, STEPS, kept);
    assert_memory_equal(kept[0].numbers, kept[1].numbers, 2 * (STEPS + 1) * sizeof *kept[0].numbers);
    posed_free(&gentle);
    posed steep = pose_same_labels(10, 25000.0, 900.0, &exact);
    run_with_and_without_trials(&steep, steep.ep->reference, STEEP_STEPS, kept);
    size_t halved = 0;
    for (size_t i = STEEP_STEPS + 1; i < 2 * (STEEP_STEPS + 1); i++) {
        double halvings = log2(kept[0].numbers[i] / kept[1].numbers[i]);
        assert_true(halvings >= 0.0 && halvings <= 6.0 && halvings == floor(halvings));
        halved += halvings > 0.0;
    }
    print_message("%zu step sizes were halved\n", halved);
    assert_true(halved > 0);
    posed_free(&steep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tail_without_weight_is_missed),
        cmocka_unit_test(what_is_missed_follows_its_definition),
        cmocka_unit_test(a_tail_that_was_met_is_not_missed),
        cmocka_unit_test(the_longest_step_is_known),
        cmocka_unit_test(errors_cover_what_was_missed),
        cmocka_unit_test(steep_tails_halve_step_sizes_and_gentle_ones_do_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
