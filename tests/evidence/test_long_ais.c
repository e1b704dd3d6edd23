/* The calibration of annealed importance sampling. Over 200 seeded repetitions on a small case,
 * z = (estimate - exact) / se must have a mean within 0.3 of 0 and a standard deviation in [0.7, 1.4]: for
 * honest normal z these limits are more than 4 of their own standard errors (0.07 and 0.05) away. The same
 * with the weight computed after the move, on a coarse schedule, must fail. Then the hard oracle: 767 equal
 * labels, where EP is off by a third of a nat. */
#include <math.h>

#include "evidence/ais.h"
#include "support/fault.h"
#include "support/posed.h"
#include "support/support.h"

enum { REPETITIONS = 200 };

static sample_moments repeat(const posed *p, const tw_reference *q, double exact, tw_ais_options o,
                             tw_fault fault)
{
    double z[REPETITIONS];
    ask_for_fault(fault);
    for (size_t i = 0; i < REPETITIONS; i++) {
        tw_estimate e;
        o.seed = 1000 + i;
        assert_int_equal(tw_ais_run(p->model, q, &o, NULL, NULL, NULL, &e), TW_OK);
        z[i] = (e.log_z - exact) / e.se;
    }
    ask_for_fault(TW_FAULT_NONE);
    sample_moments m = moments_of(REPETITIONS, z);
    print_message("z over %d repetitions: mean %.3f, sd %.3f\n", REPETITIONS, m.mean, m.sd);
    return m;
}

static bool calibrated(sample_moments z)
{
    return fabs(z.mean) < 0.3 && z.sd > 0.7 && z.sd < 1.4;
}

static void errors_are_honest(void **state)
{
    (void)state;
    size_t count;
    double fine[21], coarse[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    oracle_case *cases = oracle_orthant3(&count);
    for (size_t i = 0; i < 5; i += 4) {
        posed p = pose_oracle(&cases[i]);
        tw_ais_options o = TW_AIS_DEFAULTS;
        assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 20, 0.0, fine), TW_OK);
        o.beta = fine;
        o.temperatures = 20;
        assert_true(calibrated(repeat(&p, p.prior, cases[i].log_z, o, TW_FAULT_NONE)));
        assert_true(calibrated(repeat(&p, p.ep->reference, cases[i].log_z, o, TW_FAULT_NONE)));
        o.beta = coarse;
        o.temperatures = 4;
        o.particles = 1024;
        assert_true(calibrated(repeat(&p, p.prior, cases[i].log_z, o, TW_FAULT_NONE)));
        assert_false(calibrated(repeat(&p, p.prior, cases[i].log_z, o, TW_FAULT_LATE_WEIGHT)));
        posed_free(&p);
    }
    oracle_free(cases, count);
}

/* In reverse too, also from the prior on twenty geometric steps, which are far too long for a way down: the way up
 * puts temperatures between, and knows what was missed. As they are given, those steps fail. */
static void errors_are_honest_in_reverse(void **state)
{
    (void)state;
    size_t count;
    double linear[21], geometric[21];
    oracle_case *cases = oracle_orthant3(&count);
    for (size_t i = 0; i < 5; i += 4) {
        posed p = pose_oracle(&cases[i]);
        tw_ais_options o = TW_AIS_DEFAULTS;
        assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 20, 0.0, linear), TW_OK);
        assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_GEOMETRIC, 20, 1e-7, geometric), TW_OK);
        o.reverse = true;
        o.burn_in = 30;
        o.temperatures = 20;
        o.beta = linear;
        assert_true(calibrated(repeat(&p, p.ep->reference, cases[i].log_z, o, TW_FAULT_NONE)));
        o.beta = geometric;
        assert_true(calibrated(repeat(&p, p.prior, cases[i].log_z, o, TW_FAULT_NONE)));
        o.refine = 0.0;
        assert_false(calibrated(repeat(&p, p.prior, cases[i].log_z, o, TW_FAULT_NONE)));
        posed_free(&p);
    }
    oracle_free(cases, count);
}

/* 1536 particles, 20 linear steps from EP: se <= 0.0125 as elsewhere. */
static void the_hard_oracle_is_met(void **state)
{
    (void)state;
    size_t count;
    double beta[21];
    tw_estimate e;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t i = 0; i < count; i++) {
        if (cases[i].n < 500) continue;
        posed p = pose_oracle(&cases[i]);
        tw_ais_options o = TW_AIS_DEFAULTS;
        assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 20, 0.0, beta), TW_OK);
        o.beta = beta;
        o.temperatures = 20;
        o.particles = 1536;
        o.kernel.metric = TW_METRIC_EP;
        o.kernel.gaussian = p.ep->reference;
        o.kernel.threads = 2;
        double start = cpu_seconds();
        assert_int_equal(tw_ais_run(p.model, p.ep->reference, &o, NULL, NULL, NULL, &e), TW_OK);
        print_message("%s: exact %.5f, EP %.5f, ais %.5f +- %.5f, %.0f s of processor time\n", cases[i].name,
                      cases[i].log_z, p.ep->log_z, e.log_z, e.se, cpu_seconds() - start);
        assert_true(e.se <= 0.0125 && fabs(e.log_z - cases[i].log_z) <= 4.0 * e.se);
        /* In reverse, a particle of q that is stuck on the wrong side would take all the weight. */
        o.reverse = true;
        o.particles = 1024;
        o.burn_in = 5;
        o.seed = 3;
        start = cpu_seconds();
        assert_int_equal(tw_ais_run(p.model, p.ep->reference, &o, NULL, NULL, NULL, &e), TW_OK);
        print_message("reverse: %.5f +- %.5f, weight ESS %.0f, %.0f s\n", e.log_z, e.se, e.weight_ess,
                      cpu_seconds() - start);
        assert_true(e.weight_ess > 512.0 && e.se <= 0.0125);
        assert_true(fabs(e.log_z - cases[i].log_z) <= 4.0 * e.se);
        posed_free(&p);
    }
    oracle_free(cases, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_honest),
        cmocka_unit_test(errors_are_honest_in_reverse),
        cmocka_unit_test(the_hard_oracle_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
