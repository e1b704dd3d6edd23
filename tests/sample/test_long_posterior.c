/* Every sampler on every exact posterior, including the hard one (N = 767, equal labels, prior sd 161): means
 * and sds within 4 standard errors, from 4 chains. It takes minutes: make test-long.
 *
 * False alarms: 2 comparisons for each kind of site at 6.3e-5 each, 176 comparisons in all: 1 % for the file,
 * with a fixed seed.
 *
 * On the hard case, a prior truncated by a wall of width about 1, the step sizes and lengths of RMHMC and of
 * hmc/identity are given, since tuning would take most of the time:
 *  - hessian and fisher: the curvature vanishes deep inside the orthant. Momenta have the prior's scale, 30 to
 *    160, and reach the wall at that speed: eps = 0.01, and a fifth of the trajectories, whose implicit equations
 *    have no solution, are rejected. Few sites are active, so a step takes 1.7 ms.
 *  - smoothed over EP's sd of 51: every site is active, and in the metric the posterior is ten units long: 44 ms per
 *    step and hundreds of steps for an independent draw. Smoothed over a sd of 10, which is wide relative to the
 *    wall and narrow relative to the posterior, it is the best of the three.
 *  - identity: the wall's frequency is 1, and the posterior is 85 sqrt(767) = 2,400 long: a quarter of the orbit
 *    takes 2,500 steps of eps = 1, beyond the tuner's limit of 1,000, but only 0.15 ms each.
 *
 * Elliptical slice sampling from the prior is the best sampler of the hard case, whose posterior is about a
 * quarter of the prior, and hopeless elsewhere: at N = 200 an effective draw takes 3,600 iterations.
 */
#include <stdlib.h>

#include "support/chain_case.h"
#include "support/support.h"

enum { PROBIT_50, PROBIT_200, HARD_767, LOGIT_100, POISSON_30 };

typedef struct plan {
    size_t which;
    tw_method method;
    tw_metric metric;
    size_t warmup, draws, thin;
} plan;

static void check(const oracle_case *oracle, tw_method method, tw_metric metric, const double *smoothing,
                  const tw_chains_options *o)
{
    chain_case c = chain_case_new(oracle);
    c.smoothing = smoothing;
    double start = cpu_seconds();
    tw_draws *run = chain_case_run(&c, method, metric, o);
    print_message("%s: %s/%s, %.0f s of processor time\n", oracle->name, tw_method_name(method),
                  tw_metric_name(metric), cpu_seconds() - start);
    chain_case_compare(&c, run);
    tw_draws_free(run);
    chain_case_free(&c);
}

static void check_all(size_t plans, const plan *list)
{
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t k = 0; k < plans; k++) {
        const plan *p = &list[k];
        tw_chains_options o = TW_CHAINS_DEFAULTS;
        o.warmup = p->warmup;
        o.draws = p->draws;
        o.thin = p->thin;
        o.seed = 1;
        check(&cases[p->which], p->method, p->metric, NULL, &o);
    }
    oracle_free(cases, count);
}

#define CHECK_ALL(list) check_all(sizeof(list) / sizeof *(list), list)

static void hmc_meets_the_oracles(void **state)
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

static void the_slice_sampler_meets_the_oracles(void **state)
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

static void rmhmc_meets_the_oracles(void **state)
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

/* The hard case with step sizes and numbers of steps of one's own, after ten iterations of burn-in. */
typedef struct given {
    tw_method method;
    tw_metric metric;
    size_t draws;
    double eps;
    size_t steps;
} given;

static void the_hard_case_is_met_with_given_steps(void **state)
{
    (void)state;
    static const given list[] = {
        {TW_METHOD_HMC, TW_METRIC_IDENTITY, 100, 1.0, 2500},
        {TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 150, 0.01, 150},
        {TW_METHOD_RMHMC, TW_METRIC_FISHER, 150, 0.01, 150},
        {TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 150, 0.03, 70},
    };
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    double *smoothing = malloc(cases[HARD_767].n * sizeof *smoothing);
    assert_non_null(smoothing);
    for (size_t i = 0; i < cases[HARD_767].n; i++) smoothing[i] = 10.0 * 10.0;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        const given *g = &list[k];
        tw_chains_options o = TW_CHAINS_DEFAULTS;
        o.warmup = 10;
        o.draws = g->draws;
        o.eps = g->eps;
        o.steps = g->steps;
        o.seed = 1;
        check(&cases[HARD_767], g->method, g->metric, smoothing, &o);
    }
    free(smoothing);
    oracle_free(cases, count);
}

/* An argument is the name of the one test to run. */
int main(int count, char **arguments)
{
    if (count > 1) cmocka_set_test_filter(arguments[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hmc_meets_the_oracles),
        cmocka_unit_test(the_slice_sampler_meets_the_oracles),
        cmocka_unit_test(rmhmc_meets_the_oracles),
        cmocka_unit_test(the_hard_case_is_met_with_given_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
