/* All methods of talweg evidence with their defaults, where EP is poor: 100 equal labels under the prior
 * (a, b) = (25000, 900), with known log Z, which EP underestimates by 0.30; 2 % of EP's mass is where the
 * likelihood is negligible. z = (estimate - exact) / se over 100 seeds: for all but reverse AIS the mean is
 * within 0.3 of 0 and the standard deviation in [0.7, 1.4], limits of 3 and 4 of their own errors. Reverse
 * AIS is biased by the part that its way down cannot reach, and its error accounts for that: the root mean
 * square is below 1.6; an error from its weights alone would give 2 or more. */
#include <math.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/diagnose.h"
#include "talweg/evidence.h"

enum { N = 100, SEEDS = 100, STEPS = 50, PARTICLES = 256 };

typedef struct scores {
    const char *name;
    double z[SEEDS], error, se; /* error and se: means */
} scores;

static void note(scores *s, size_t i, const tw_estimate *e, double exact)
{
    s->z[i] = (e->log_z - exact) / e->se;
    s->error += (e->log_z - exact) / SEEDS;
    s->se += e->se / SEEDS;
}

static sample_moments tell(const scores *s)
{
    sample_moments m = moments_of(SEEDS, s->z);
    print_message("%-15s z: mean %+.2f, sd %.2f; error %+.4f, se %.4f on average\n", s->name, m.mean, m.sd,
                  s->error, s->se);
    return m;
}

static void assert_calibrated(const scores *s)
{
    sample_moments m = tell(s);
    assert_true(fabs(m.mean) < 0.3 && m.sd > 0.7 && m.sd < 1.4);
}

static tw_sampler_options kernel_of(const posed *p)
{
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    kernel.metric = TW_METRIC_EP;
    kernel.gaussian = p->ep->reference;
    kernel.threads = 2;
    return kernel;
}

static tw_ais_options ais_options(const posed *p, double beta[STEPS + 1])
{
    tw_ais_options o = TW_AIS_DEFAULTS;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    o.kernel = kernel_of(p);
    o.beta = beta;
    o.temperatures = STEPS;
    o.particles = PARTICLES;
    o.burn_in = 30;
    return o;
}

static void annealing(void **state)
{
    (void)state;
    double exact, beta[STEPS + 1];
    posed p = pose_same_labels(N, 25000.0, 900.0, &exact);
    tw_ais_options o = ais_options(&p, beta);
    static scores up = {.name = "ais"};
    for (size_t i = 0; i < SEEDS; i++) {
        tw_estimate e;
        o.seed = 1 + i;
        assert_int_equal(tw_ais_run(p.model, p.ep->reference, &o, NULL, NULL, NULL, &e), TW_OK);
        note(&up, i, &e, exact);
    }
    assert_calibrated(&up);
    posed_free(&p);
}

static void annealing_in_reverse(void **state)
{
    (void)state;
    double exact, beta[STEPS + 1], weights[PARTICLES], alone = 0.0;
    posed p = pose_same_labels(N, 25000.0, 900.0, &exact);
    tw_ais_options o = ais_options(&p, beta);
    static scores down = {.name = "ais-reverse"};
    o.reverse = true;
    for (size_t i = 0; i < SEEDS; i++) {
        tw_estimate e;
        double se;
        o.seed = 1 + i;
        assert_int_equal(tw_ais_run(p.model, p.ep->reference, &o, NULL, NULL, weights, &e), TW_OK);
        note(&down, i, &e, exact);
        (void)tw_log_mean_exp(PARTICLES, weights, &se);
        alone += pow((e.log_z - exact) / se, 2.0) / SEEDS;
    }
    sample_moments m = tell(&down);
    double square = m.mean * m.mean + m.sd * m.sd;
    print_message("root of the mean square %.2f; by the weights alone %.2f\n", sqrt(square), sqrt(alone));
    assert_true(sqrt(square) < 1.6 && square < alone && m.mean > 0.0);
    posed_free(&p);
}

static void tempering(void **state)
{
    (void)state;
    double exact;
    posed p = pose_same_labels(N, 25000.0, 900.0, &exact);
    tw_pt_options o = TW_PT_DEFAULTS;
    static scores stones = {.name = "stepping-stone"}, integral = {.name = "thermodynamic"};
    o.kernel = kernel_of(&p);
    for (size_t i = 0; i < SEEDS; i++) {
        tw_estimate e[2];
        o.seed = 1 + i;
        assert_int_equal(tw_pt_run(p.model, p.ep->reference, &o, NULL, NULL, e, NULL), TW_OK);
        note(&stones, i, &e[0], exact);
        note(&integral, i, &e[1], exact);
    }
    assert_calibrated(&stones);
    assert_calibrated(&integral);
    posed_free(&p);
}

static void resampling(void **state)
{
    (void)state;
    double exact;
    posed p = pose_same_labels(N, 25000.0, 900.0, &exact);
    tw_rm_options o = TW_RM_DEFAULTS;
    static scores moved = {.name = "resample-move"};
    o.kernel = kernel_of(&p);
    o.particles = PARTICLES;
    for (size_t i = 0; i < SEEDS; i++) {
        tw_estimate e;
        o.seed = 1 + i;
        assert_int_equal(tw_rm_run(p.model, p.ep->reference, &o, NULL, NULL, &e), TW_OK);
        note(&moved, i, &e, exact);
    }
    assert_calibrated(&moved);
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(annealing), cmocka_unit_test(resampling),
                                       cmocka_unit_test(annealing_in_reverse), cmocka_unit_test(tempering)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
