/* Real data against an oracle (support/hyper_oracle.h), with enough points: standard deviations and quantiles of the parameters within 0.03 sd.
 *
 * With 16,384 points about 14,000 are effective: independent ones would leave a standard error of 0.006 sd to a standard deviation, of 0.011 sd to a median and of 0.018 sd
 * to a 5 % quantile; scrambled Sobol points leave less. Chains have about 13,000 effective draws, which are no better than independent ones: 0.03 sd is 1.6
 * standard errors of a 5 % quantile, and 12 of them may go beyond by chance. So chains may be 0.03 sd and 2.5 of their standard errors away. */
#include <stdio.h>

#include "support/hyper_oracle.h"
#include "support/support.h"

enum { POINTS = 16384 };

static void print(const json_t *item, const tw_hyper_result *r)
{
    printf("%s, %s: log p(y) %.4f +- %.4f, %.0f of %zu effective, %.0f s of processor time\n",
           json_string_value(json_object_get(item, "name")), r->estimate.method, r->estimate.log_z,
           r->estimate.se, r->estimate.weight_ess, r->points, r->cpu_points);
}

static void compare_points(const json_t *item, const tw_hyper_result *r)
{
    print(item, r);
    hyper_oracle_check_evidence(item, &r->estimate);
    hyper_oracle_check_rows(item, r, 0.0);
}

static void compare_chains(const json_t *item, const tw_hyper_result *r)
{
    print(item, r);
    hyper_oracle_check_rows(item, r, 2.5);
}

static void points_have_the_posterior_of_the_oracle(void **state)
{
    (void)state;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.points = POINTS;
    o.kept = 0;
    hyper_oracle_run(&o, compare_points);
}

static void chains_have_the_posterior_of_the_oracle(void **state)
{
    (void)state;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    o.method = TW_HYPER_CHAIN;
    o.points = POINTS;
    o.kept = 0;
    hyper_oracle_run(&o, compare_chains);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_the_posterior_of_the_oracle),
        cmocka_unit_test(chains_have_the_posterior_of_the_oracle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
