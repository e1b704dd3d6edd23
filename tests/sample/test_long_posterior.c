/* Every sampler on every exact posterior, the hard one (N = 767, all labels alike, prior sd 161) included:
 * means and sds within 4 standard errors, from 4 chains. Takes minutes: make test-long.
 *
 * False alarms: 2 comparisons for each kind of site, 6.3e-5 each: 168 comparisons in all, 1 % for the file
 * with its fixed seed.
 *
 * Left out: RMHMC on the hard case. With the smoothed metric R-hat is still above 1.05 after 400 draws of each
 * chain, a quarter of an hour on two cores. With hessian and fisher the curvature vanishes deep inside the
 * orthant, momenta have the prior's scale and fly through the wall: tuned, the steps are 0.0044, and 355 of them
 * make a trajectory (docs/samplers.md).
 *
 * Left out too: hmc/identity there. The wall is about 1 wide and the posterior 85 sqrt(767) = 2,400 long, so a
 * quarter of the orbit takes several thousand steps, beyond the cap of 1,000; R-hat stays above 1.05.
 *
 * Elliptical slice sampling from the prior is the best sampler of the hard case, whose posterior is a good
 * quarter of the prior, and hopeless elsewhere: an effective draw in 3,600 iterations at N = 200.
 */
#include "support/chain_case.h"
#include "support/support.h"

enum { PROBIT_50, PROBIT_200, HARD_767, LOGIT_100, POISSON_30 };

typedef struct plan {
    size_t which;
    tw_method method;
    tw_metric metric;
    size_t warmup, draws, thin;
} plan;

static void check_all(size_t plans, const plan *list)
{
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t k = 0; k < plans; k++) {
        const plan *p = &list[k];
        chain_case c = chain_case_new(&cases[p->which]);
        tw_chains_options o = TW_CHAINS_DEFAULTS;
        o.warmup = p->warmup;
        o.draws = p->draws;
        o.thin = p->thin;
        o.seed = 1;
        print_message("%s: %s/%s\n", c.oracle->name, tw_method_name(p->method), tw_metric_name(p->metric));
        tw_draws *run = chain_case_run(&c, p->method, p->metric, &o);
        chain_case_compare(&c, run);
        tw_draws_free(run);
        chain_case_free(&c);
    }
    oracle_free(cases, count);
}

#define CHECK_ALL(list) check_all(sizeof(list) / sizeof *(list), list)

static void test_hmc(void **state)
{
    (void)state;
    static const plan list[] = {
        {PROBIT_50, TW_METHOD_HMC, TW_METRIC_EP, 500, 5000, 1},
        {PROBIT_200, TW_METHOD_HMC, TW_METRIC_EP, 500, 2000, 1},
        {HARD_767, TW_METHOD_HMC, TW_METRIC_EP, 300, 500, 1},
        {LOGIT_100, TW_METHOD_HMC, TW_METRIC_EP, 500, 5000, 1},
        {POISSON_30, TW_METHOD_HMC, TW_METRIC_EP, 500, 5000, 1},
        {PROBIT_50, TW_METHOD_HMC, TW_METRIC_PRIOR, 500, 2000, 1},
        {PROBIT_200, TW_METHOD_HMC, TW_METRIC_PRIOR, 300, 500, 1},
        {HARD_767, TW_METHOD_HMC, TW_METRIC_PRIOR, 200, 300, 1},
        {LOGIT_100, TW_METHOD_HMC, TW_METRIC_PRIOR, 500, 2000, 1},
        {POISSON_30, TW_METHOD_HMC, TW_METRIC_PRIOR, 500, 5000, 1},
        {PROBIT_50, TW_METHOD_HMC, TW_METRIC_IDENTITY, 500, 2000, 1},
        {PROBIT_200, TW_METHOD_HMC, TW_METRIC_IDENTITY, 500, 1000, 1},
        {LOGIT_100, TW_METHOD_HMC, TW_METRIC_IDENTITY, 500, 2000, 1},
        {POISSON_30, TW_METHOD_HMC, TW_METRIC_IDENTITY, 500, 5000, 1},
    };
    CHECK_ALL(list);
}

static void test_slice(void **state)
{
    (void)state;
    static const plan list[] = {
        {PROBIT_50, TW_METHOD_SLICE, TW_METRIC_EP, 500, 5000, 1},
        {PROBIT_200, TW_METHOD_SLICE, TW_METRIC_EP, 500, 2000, 2},
        {HARD_767, TW_METHOD_SLICE, TW_METRIC_EP, 3000, 500, 100},
        {LOGIT_100, TW_METHOD_SLICE, TW_METRIC_EP, 500, 5000, 1},
        {POISSON_30, TW_METHOD_SLICE, TW_METRIC_EP, 500, 5000, 1},
        {PROBIT_50, TW_METHOD_SLICE, TW_METRIC_PRIOR, 5000, 1000, 50},
        {PROBIT_200, TW_METHOD_SLICE, TW_METRIC_PRIOR, 10000, 500, 500},
        {HARD_767, TW_METHOD_SLICE, TW_METRIC_PRIOR, 300, 1000, 1},
        {LOGIT_100, TW_METHOD_SLICE, TW_METRIC_PRIOR, 10000, 1000, 200},
        {POISSON_30, TW_METHOD_SLICE, TW_METRIC_PRIOR, 5000, 1000, 100},
    };
    CHECK_ALL(list);
}

static void test_rmhmc(void **state)
{
    (void)state;
    static const plan list[] = {
        {PROBIT_50, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 150, 500, 1},
        {PROBIT_200, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 100, 150, 1},
        {LOGIT_100, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 100, 200, 1},
        {POISSON_30, TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 150, 1000, 1},
        {PROBIT_50, TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 150, 500, 1},
        {PROBIT_200, TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 100, 150, 1},
        {LOGIT_100, TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 100, 200, 1},
        {POISSON_30, TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 150, 1000, 1},
        {PROBIT_50, TW_METHOD_RMHMC, TW_METRIC_FISHER, 150, 500, 1},
        {PROBIT_200, TW_METHOD_RMHMC, TW_METRIC_FISHER, 100, 150, 1},
        {LOGIT_100, TW_METHOD_RMHMC, TW_METRIC_FISHER, 100, 200, 1},
        {POISSON_30, TW_METHOD_RMHMC, TW_METRIC_FISHER, 150, 1000, 1},
    };
    CHECK_ALL(list);
}

/* An argument is the name of the one test to run. */
int main(int count, char **arguments)
{
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hmc),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_rmhmc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
