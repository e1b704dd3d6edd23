/* The calibration of resample-move. Over 200 seeded repetitions on a small case, z = (estimate - exact) / se
 * must have a mean within 0.3 of 0 and a standard deviation in [0.7, 1.4]. With 16 islands z is at best
 * Student's t with 15 degrees of freedom, with standard deviation 1.07; the limits are at least 4 standard
 * errors of an honest z away. Then the hard oracle: 767 equal labels, where EP is off by a third of a nat. */
#include <math.h>

#include "support/posed.h"
#include "support/support.h"
#include "talweg/evidence.h"

enum { REPETITIONS = 200 };

static void assert_calibrated(const posed *p, const tw_reference *q, double exact, tw_rm_options o,
                              size_t repetitions)
{
    double z[REPETITIONS];
    double temperatures = 0.0, se = 0.0;
    for (size_t i = 0; i < repetitions; i++) {
        tw_estimate e;
        o.seed = 5000 + i;
        assert_int_equal(tw_rm_run(p->model, q, &o, NULL, NULL, &e), TW_OK);
        z[i] = (e.log_z - exact) / e.se;
        temperatures += (double)e.temperatures / (double)repetitions;
        se += e.se / (double)repetitions;
    }
    sample_moments m = moments_of(repetitions, z);
    print_message("z over %zu repetitions: mean %.3f, sd %.3f; %.1f temperatures, se %.4f on average\n",
                  repetitions, m.mean, m.sd, temperatures, se);
    assert_true(fabs(m.mean) < 0.3 && m.sd > 0.7 && m.sd < 1.4);
}

static void errors_are_honest(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_orthant3(&count);
    for (size_t i = 0; i < 5; i += 4) {
        posed p = pose_oracle(&cases[i]);
        tw_rm_options o = TW_RM_DEFAULTS;
        assert_calibrated(&p, p.prior, cases[i].log_z, o, REPETITIONS);
        assert_calibrated(&p, p.ep->reference, cases[i].log_z, o, REPETITIONS);
        posed_free(&p);
    }
    oracle_free(cases, count);
}

/* 100 repetitions where more than three sites take part: N = 200, from EP. */
static void errors_are_honest_on_two_hundred_sites(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    posed p = pose_oracle(&cases[1]);
    tw_rm_options o = TW_RM_DEFAULTS;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = p.ep->reference;
    assert_calibrated(&p, p.ep->reference, cases[1].log_z, o, 100);
    posed_free(&p);
    oracle_free(cases, count);
}

static void the_hard_oracle_is_met(void **state)
{
    (void)state;
    size_t count;
    tw_estimate e;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t i = 0; i < count; i++) {
        if (cases[i].n < 500) continue;
        posed p = pose_oracle(&cases[i]);
        tw_rm_options o = TW_RM_DEFAULTS;
        o.particles = 8192;
        o.kernel.metric = TW_METRIC_EP;
        o.kernel.gaussian = p.ep->reference;
        o.kernel.threads = 2;
        double start = cpu_seconds();
        tw_status status = tw_rm_run(p.model, p.ep->reference, &o, NULL, NULL, &e);
        if (status != TW_OK) print_message("%s\n", tw_context_message(p.ctx));
        assert_int_equal(status, TW_OK);
        print_message("%s: exact %.5f, EP %.5f, resample-move %.5f +- %.5f, %zu temperatures, acceptance "
                      "%.2f, %.0f s\n",
                      cases[i].name, cases[i].log_z, p.ep->log_z, e.log_z, e.se, e.temperatures, e.acceptance,
                      cpu_seconds() - start);
        assert_true(e.se <= 0.0125 && fabs(e.log_z - cases[i].log_z) <= 4.0 * e.se);
        posed_free(&p);
    }
    oracle_free(cases, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_are_honest),
        cmocka_unit_test(errors_are_honest_on_two_hundred_sites),
        cmocka_unit_test(the_hard_oracle_is_met),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
