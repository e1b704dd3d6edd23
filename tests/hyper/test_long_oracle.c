/* Real data against an oracle (support/hyper_oracle.h), with many points: standard deviations and quantiles
 * of the parameters within 0.03 sd.
 *
 * Of 32,768 points about 28,000 are effective. With independent points the standard error would be 0.004 sd
 * for a standard deviation, 0.007 sd for a median and 0.013 sd for a 5 % quantile; with scrambled Sobol
 * points it is smaller. Chains take longer: of 4,096 draws about 2,500 are effective, with a standard error
 * of 0.042 sd for a 5 % quantile. Therefore chains may differ by 0.03 sd plus 2.5 of their standard errors. */
#include <stdio.h>

#include "support/hyper_oracle.h"
#include "support/support.h"

enum { POINTS = 32768, DRAWS = 4096 };

static void print(const json_t *item, const tw_hyper_result *r)
{
    printf("%s, %s: %.0f of %zu effective, %.0f s of processor time\n",
           json_string_value(json_object_get(item, "name")), r->estimate.method, r->estimate.weight_ess,
           r->points, r->cpu_points);
    hyper_oracle_print_rows(item, r);
}

static void compare_points(const json_t *item, const tw_hyper_result *r)
{
    print(item, r);
    printf("  log p(y) %.4f +- %.4f\n", r->estimate.log_z, r->estimate.se);
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
    o.points = DRAWS;
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
