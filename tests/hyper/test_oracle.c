/* Real data against an oracle (support/hyper_oracle.h), with few points: standard deviations and quantiles
 * may differ by 0.03 sd plus 2.5 of their own standard errors. test_long_oracle.c has enough points for 0.03
 * sd alone. */
#include <stdio.h>

#include "support/hyper_oracle.h"
#include "support/support.h"

static void compare(const json_t *item, const tw_hyper_result *r)
{
    printf("%s: log p(y) %.4f +- %.4f (%.4f), %.0f of %zu points count, %.1f ms each\n",
           json_string_value(json_object_get(item, "name")), r->estimate.log_z, r->estimate.se,
           hyper_oracle_number(item, "log_evidence"), r->estimate.weight_ess, r->points,
           1e3 * r->cpu_points / (double)r->points);
    hyper_oracle_print_rows(item, r);
    hyper_oracle_check_evidence(item, &r->estimate);
    hyper_oracle_check_evidence(item, &r->joint);
    assert_true(r->estimate.weight_ess > 0.6 * (double)r->points && r->estimate.pareto_k < 0.7);
    hyper_oracle_check_rows(item, r, 2.5);
}

static void posteriors_and_evidence_are_those_of_the_oracle(void **state)
{
    (void)state;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.points = 256;
    o.starts = 1;
    o.kept = 0;
    o.joint_particles = 48;
    hyper_oracle_run(&o, compare);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_and_evidence_are_those_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
