/* Adaptive resample-move against exact log Z, and its refusals.
 *
 * Every run is a function of its seed. With 16 islands, an honest estimate is off by more than 4 errors with
 * probability 1/1000 (Student's t with 15 degrees of freedom). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/rm_plan.h"
#include "support/posed.h"
#include "support/support.h"

static tw_rm_options rm_from_ep(const posed *p)
{
    tw_rm_options o = TW_RM_DEFAULTS;
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = p->ep->reference;
    return o;
}

static tw_estimate run(const posed *p, const tw_reference *q, const tw_rm_options *o)
{
    tw_estimate e;
    tw_status status = tw_rm_run(p->model, q, o, NULL, NULL, &e);
    if (status != TW_OK) print_message("%s\n", tw_context_message(p->ctx));
    assert_int_equal(status, TW_OK);
    return e;
}

static void assert_oracle(const oracle_case *c)
{
    posed p = pose_oracle(c);
    tw_rm_options o = rm_from_ep(&p);
    o.particles = 4096;
    tw_estimate e = run(&p, p.ep->reference, &o);
    print_message("%-24s exact %11.5f resample-move %11.5f +- %.5f (bootstrap %.5f), %zu temperatures\n",
                  c->name, c->log_z, e.log_z, e.se, e.se_bootstrap, e.temperatures);
    assert_true(fabs(e.log_z - c->log_z) <= 4.0 * e.se);
    assert_true(e.se <= 0.0125 && e.unbiased);
    assert_true(fabs(e.se_bootstrap / e.se - 1.0) < 0.3);
    posed_free(&p);
}

/* All oracles but the hard one (N = 767, in test_long_rm.c): 4096 particles from EP. */
static void oracles_are_met_within_four_errors(void **state)
{
    (void)state;
    for (int orthant = 0; orthant < 2; orthant++) {
        size_t count;
        oracle_case *cases = orthant ? oracle_orthant3(&count) : oracle_equicorrelated(&count);
        for (size_t i = 0; i < count; i++)
            if (cases[i].n < 500) assert_oracle(&cases[i]);
        oracle_free(cases, count);
    }
}

static void gaussian_likelihood_is_exact(void **state)
{
    (void)state;
    enum { N = 12 };
    double k[N * N], y[N];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("gaussian"), y);
    tw_rm_options o = rm_from_ep(&p);
    tw_estimate e = run(&p, p.ep->reference, &o);
    assert_close(e.log_z, p.ep->log_z, 1e-8, "log Z from the posterior itself");
    assert_true(e.se < 1e-8 && e.temperatures == 1);
    e = run(&p, p.prior, &o);
    print_message("from the prior: %.4f +- %.4f, exactly %.4f\n", e.log_z, e.se, p.ep->log_z);
    assert_true(e.se < 0.2 && fabs(e.log_z - p.ep->log_z) <= 4.0 * e.se);
    posed_free(&p);
}

/* N = 100 from the prior, where the path is long, and from EP and from N(mu, Sigma): same log Z. */
static void starts_and_kernels_agree(void **state)
{
    (void)state;
    enum { N = 100 };
    double *k = calloc(N * N, sizeof *k), *sigma = calloc(N * N, sizeof *sigma), y[N];
    assert_true(k && sigma);
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_reference *q = NULL;
    for (size_t i = 0; i < N; i++) sigma[i + i * N] = 1.2 * p.ep->variance[i];
    assert_int_equal(tw_reference_gaussian(p.model, p.ep->mean, sigma, N, &q), TW_OK);
    const tw_reference *starts[] = {p.ep->reference, p.prior, q, p.prior};
    tw_estimate e[4];
    for (size_t i = 0; i < 4; i++) {
        tw_rm_options o = rm_from_ep(&p);
        if (i > 0) o.kernel.metric = TW_METRIC_PRIOR;
        if (i == 3) o.kernel.method = TW_METHOD_SLICE;
        o.fraction = 0.9;
        o.seed = 20 + i;
        e[i] = run(&p, starts[i], &o);
        print_message("start %zu: %.4f +- %.4f, %zu temperatures, weight ESS %.0f\n", i, e[i].log_z, e[i].se,
                      e[i].temperatures, e[i].weight_ess);
        assert_true(e[i].se < 0.4);
        assert_true(fabs(e[i].log_z - e[0].log_z) <= 4.0 * hypot(e[i].se, e[0].se));
    }
    tw_reference_free(q);
    posed_free(&p);
    free(sigma);
    free(k);
}

static void riemannian_kernels_agree(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_orthant3(&count);
    posed p = pose_oracle(&cases[2]);
    static const tw_metric metrics[] = {TW_METRIC_HESSIAN, TW_METRIC_SMOOTHED};
    for (size_t i = 0; i < 2; i++) {
        tw_rm_options o = rm_from_ep(&p);
        o.kernel.method = TW_METHOD_RMHMC;
        o.kernel.metric = metrics[i];
        o.kernel.smoothing = p.ep->variance;
        o.eps = 0.2;
        tw_estimate e = run(&p, p.ep->reference, &o);
        assert_true(e.se < 0.06 && fabs(e.log_z - cases[2].log_z) <= 4.0 * e.se);
    }
    posed_free(&p);
    oracle_free(cases, count);
}

/* ---- temperatures ---- */

/* With an uneven schedule given, the set is grown at its widest gap, and the estimate stays right. */
static void uneven_schedules_are_made_up_for(void **state)
{
    (void)state;
    size_t count;
    double beta[] = {0.0, 0.01, 0.02, 0.04, 0.3, 1.0};
    oracle_case *cases = oracle_orthant3(&count);
    posed p = pose_oracle(&cases[4]);
    tw_rm_options o = TW_RM_DEFAULTS;
    tw_rm_plan *plan = NULL;
    tw_watch nobody = {.ctx = p.ctx};
    o.beta = beta;
    o.temperatures = 5;
    o.resample = 1.0; /* everywhere, so that the number may change everywhere */
    assert_int_equal(tw_rm_plan_make(p.model, p.prior, &o, &nobody, &plan), TW_OK);
    tw_rm_plan_share(plan, o.particles, o.islands, o.spread);
    assert_true(plan->step[4].particles > 2 * plan->step[3].particles);
    tw_rm_plan_free(plan);
    tw_estimate e = run(&p, p.prior, &o);
    print_message("uneven: %.4f +- %.4f, exactly %.4f\n", e.log_z, e.se, cases[4].log_z);
    assert_int_equal(e.temperatures, 5);
    assert_true(e.se < 0.2 && fabs(e.log_z - cases[4].log_z) <= 4.0 * e.se);
    posed_free(&p);
    oracle_free(cases, count);
}

/* Nearly all of the way at once, and the rest: the weights that count are those of the first step, the fewest. */
static void the_fewest_weights_that_count_are_told(void **state)
{
    (void)state;
    enum { N = 8 };
    double k[N * N], y[N], beta[] = {0.0, 0.99, 1.0};
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_rm_options o = TW_RM_DEFAULTS;
    o.beta = beta;
    o.temperatures = 2;
    o.particles = 320;
    o.spread = 1.0;
    tw_estimate e = run(&p, p.prior, &o);
    assert_true(e.weight_ess >= 1.0 && e.weight_ess < 0.5 * 320.0);
    posed_free(&p);
}

/* AIS on a schedule that the pilot found. Each step keeps the fraction wanted (the last one at least that). */
static void a_schedule_is_found_for_ais(void **state)
{
    (void)state;
    size_t count, steps;
    double beta[101];
    oracle_case *cases = oracle_orthant3(&count);
    posed p = pose_oracle(&cases[4]);
    tw_rm_options o = TW_RM_DEFAULTS;
    tw_estimate e;
    o.fraction = 0.95;
    o.max_temperatures = 100;
    assert_int_equal(tw_schedule_adapt(p.model, p.prior, &o, &steps, beta), TW_OK);
    assert_int_equal(tw_schedule_check(p.ctx, steps, beta), TW_OK);
    assert_in_range(steps, 4, 40);
    assert_true(beta[1] < 0.5 * (1.0 - beta[steps - 2])); /* short steps where weights vary most: near q */
    tw_ais_options a = TW_AIS_DEFAULTS;
    a.beta = beta;
    a.temperatures = steps;
    a.particles = 1024;
    assert_int_equal(tw_ais_run(p.model, p.prior, &a, NULL, NULL, NULL, &e), TW_OK);
    print_message("ais on %zu steps: %.4f +- %.4f, exactly %.4f\n", steps, e.log_z, e.se, cases[4].log_z);
    assert_true(e.se < 0.1 && fabs(e.log_z - cases[4].log_z) <= 4.0 * e.se);
    o.max_temperatures = 3;
    assert_int_equal(tw_schedule_adapt(p.model, p.prior, &o, &steps, beta), TW_NOT_CONVERGED);
    assert_non_null(strstr(tw_context_message(p.ctx), "3 temperatures"));
    posed_free(&p);
    oracle_free(cases, count);
}

/* ---- conduct ---- */

static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { N = 20 };
    double k[N * N], y[N];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("logit"), y);
    static const tw_method methods[] = {TW_METHOD_HMC, TW_METHOD_RMHMC, TW_METHOD_SLICE};
    for (size_t i = 0; i < 3; i++) {
        tw_rm_options o = TW_RM_DEFAULTS;
        o.kernel.method = methods[i];
        o.particles = 100;
        o.islands = 5;
        o.pilot_particles = 33;
        if (methods[i] == TW_METHOD_RMHMC) o.kernel.metric = TW_METRIC_HESSIAN;
        if (methods[i] == TW_METHOD_RMHMC) o.eps = 0.5;
        tw_estimate one = run(&p, p.prior, &o);
        o.kernel.threads = 3;
        tw_estimate many = run(&p, p.prior, &o);
        assert_true(one.log_z == many.log_z && one.se == many.se && one.weight_ess == many.weight_ess);
        assert_true(one.acceptance == many.acceptance && one.temperatures == many.temperatures);
        o.seed = 2;
        assert_true(run(&p, p.prior, &o).log_z != one.log_z);
    }
    posed_free(&p);
}

static void expect_words(const posed *p, const tw_rm_options *o, const char *words)
{
    tw_estimate e;
    assert_int_equal(tw_rm_run(p->model, p->prior, o, NULL, NULL, &e), TW_BAD_ARGUMENT);
    if (!strstr(tw_context_message(p->ctx), words))
        fail_msg("\"%s\" does not say \"%s\"", tw_context_message(p->ctx), words);
}

#define REFUSED(field, value, words)      \
    do {                                  \
        tw_rm_options o = TW_RM_DEFAULTS; \
        o.field = value;                  \
        expect_words(&p, &o, words);      \
    } while (0)

static void bad_options_are_refused_with_words(void **state)
{
    (void)state;
    enum { N = 4 };
    double k[N * N], y[N], late[] = {0.1, 1.0};
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    REFUSED(islands, 1, "cannot give a standard error");
    REFUSED(particles, 20, "each island needs at least two");
    REFUSED(spread, 0.5, "spread");
    REFUSED(spread, NAN, "spread");
    REFUSED(pilot_particles, 2, "pilot");
    REFUSED(fraction, 1.0, "fraction");
    REFUSED(fraction, NAN, "fraction");
    REFUSED(largest_step, 0.0, "largest step");
    REFUSED(resample, NAN, "resampled");
    REFUSED(resample, 1.5, "resampled");
    REFUSED(max_moves, 0, "at least one move");
    REFUSED(max_temperatures, 0, "one temperature");
    REFUSED(eps, -1.0, "eps");
    tw_rm_options o = TW_RM_DEFAULTS;
    o.beta = late;
    o.temperatures = 1;
    expect_words(&p, &o, "from 0 to 1");
    posed_free(&p);
}

/* The first allocation fails, the second, and so on until none does; nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 4 };
    double k[N * N], y[N], beta[] = {0.0, 0.1, 0.5, 1.0};
    failing_allocator allocator = {.fail_at = 0};
    pose_line(N, k, y);
    posed p = pose_in(failing_context(&allocator), N, k, tw_likelihood_find("probit"), y);
    size_t before = tw_context_bytes_in_use(p.ctx), at = 0;
    tw_rm_options o = TW_RM_DEFAULTS;
    o.beta = beta;
    o.temperatures = 3;
    o.particles = 16;
    o.islands = 2;
    o.pilot_particles = 8;
    tw_status status = TW_NO_MEMORY;
    while (status != TW_OK) {
        tw_estimate e;
        allocator = (failing_allocator){.fail_at = ++at};
        status = tw_rm_run(p.model, p.prior, &o, NULL, NULL, &e);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        assert_int_equal(tw_context_bytes_in_use(p.ctx), before);
    }
    assert_in_range(at, 20, 400);
    allocator = (failing_allocator){.fail_at = 0};
    posed_free(&p);
}

/* A particle of a constant metric costs O(n): position, saved position, whitened ones, gradients: 24 vectors at
 * most, of both the run and its pilot, with the largest set as measure. */
static void memory_is_linear_in_the_particles(void **state)
{
    (void)state;
    enum { N = 100, VECTORS = 24 };
    double *k = calloc(N * N, sizeof *k), y[N];
    assert_non_null(k);
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_rm_options o = rm_from_ep(&p);
    o.particles = 1024;
    o.spread = 1.0;
    size_t before = tw_context_bytes_in_use(p.ctx);
    run(&p, p.ep->reference, &o);
    assert_in_range(tw_context_bytes_peak(p.ctx) - before, 1,
                    (o.particles * VECTORS * N + 4 * N * N) * sizeof(double));
    posed_free(&p);
    free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_are_met_within_four_errors),
        cmocka_unit_test(gaussian_likelihood_is_exact),
        cmocka_unit_test(starts_and_kernels_agree),
        cmocka_unit_test(riemannian_kernels_agree),
        cmocka_unit_test(uneven_schedules_are_made_up_for),
        cmocka_unit_test(the_fewest_weights_that_count_are_told),
        cmocka_unit_test(a_schedule_is_found_for_ais),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(bad_options_are_refused_with_words),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(memory_is_linear_in_the_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
