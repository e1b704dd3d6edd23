/* Every sampler on the small exact posteriors: means and sds within 4 standard errors, from 4 chains.
 * test_long_posterior.c has the large ones.
 *
 * False alarms: 8 samplers on Poisson (4 kinds, 2 comparisons each) and 4 on probit (2 kinds): 80 comparisons
 * at 6.3e-5 each, 0.5 % for the file, with a fixed seed. */
#include "support/chain_case.h"
#include "support/support.h"

enum { PROBIT_50 = 0, POISSON_30 = 4 };

static void check(size_t which, tw_method method, tw_metric metric, size_t warmup, size_t draws, size_t thin)
{
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    chain_case c = chain_case_new(&cases[which]);
    tw_chains_options o = TW_CHAINS_DEFAULTS;
    o.warmup = warmup;
    o.draws = draws;
    o.thin = thin;
    o.seed = 1;
    print_message("%s: %s/%s\n", c.oracle->name, tw_method_name(method), tw_metric_name(metric));
    tw_draws *run = chain_case_run(&c, method, metric, &o);
    chain_case_compare(&c, run);
    tw_draws_free(run);
    chain_case_free(&c);
    oracle_free(cases, count);
}

static void hmc_meets_the_oracles(void **state)
{
    (void)state;
    static const tw_metric metrics[] = {TW_METRIC_EP, TW_METRIC_PRIOR, TW_METRIC_IDENTITY};
    for (size_t k = 0; k < 3; k++) {
        check(PROBIT_50, TW_METHOD_HMC, metrics[k], 300, 1000, 1);
        check(POISSON_30, TW_METHOD_HMC, metrics[k], 300, 1000, 1);
    }
}

/* From the prior the slice sampler needs some forty iterations for an effective draw. */
static void the_slice_sampler_meets_the_oracles(void **state)
{
    (void)state;
    check(PROBIT_50, TW_METHOD_SLICE, TW_METRIC_EP, 300, 1000, 1);
    check(POISSON_30, TW_METHOD_SLICE, TW_METRIC_EP, 300, 1000, 1);
    check(POISSON_30, TW_METHOD_SLICE, TW_METRIC_PRIOR, 1000, 1000, 20);
}

static void rmhmc_meets_the_oracles(void **state)
{
    (void)state;
    check(POISSON_30, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 100, 200, 1);
    check(POISSON_30, TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 100, 200, 1);
    check(POISSON_30, TW_METHOD_RMHMC, TW_METRIC_FISHER, 100, 200, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hmc_meets_the_oracles),
        cmocka_unit_test(the_slice_sampler_meets_the_oracles),
        cmocka_unit_test(rmhmc_meets_the_oracles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
