/* Annealed importance sampling with every kernel against exact log Z, and its refusals.
 *
 * Every run is a function of its seed, so the result of the test is fixed; for other seeds an honest estimate
 * is off by more than 4 standard errors with probability 1/16,000, and by more than 5 with probability
 * 1/2,000,000. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "evidence/ais.h"
#include "support/fault.h"
#include "support/observe.h"
#include "support/posed.h"
#include "support/support.h"

enum { STEPS = 16 };

static tw_ais_options ais_with(const double *beta, size_t steps, size_t particles)
{
    tw_ais_options o = TW_AIS_DEFAULTS;
    o.beta = beta;
    o.temperatures = steps;
    o.particles = particles;
    return o;
}

static void use_ep_metric(const posed *p, tw_ais_options *o)
{
    o->kernel.metric = TW_METRIC_EP;
    o->kernel.gaussian = p->ep->reference;
}

static tw_estimate run(const posed *p, const tw_reference *q, const tw_ais_options *o)
{
    tw_estimate e;
    tw_status status = tw_ais_run(p->model, q, o, NULL, NULL, NULL, &e);
    if (status != TW_OK) print_message("%s\n", tw_context_message(p->ctx));
    assert_int_equal(status, TW_OK);
    return e;
}

static void assert_within(const tw_estimate *e, double exact, double errors)
{
    if (!(fabs(e->log_z - exact) <= errors * e->se))
        fail_msg("%s: %.6f +- %.6f, exactly %.6f", e->method, e->log_z, e->se, exact);
}

static void meet(const oracle_case *c, const posed *p, const tw_ais_options *o)
{
    tw_estimate e = run(p, p->ep->reference, o);
    print_message("%-24s exact %11.5f %-11s %11.5f +- %.5f\n", c->name, c->log_z, e.method, e.log_z, e.se);
    assert_within(&e, c->log_z, 4.0);
    assert_true(e.se <= 0.0125);
    assert_true(fabs(e.se_bootstrap / e.se - 1.0) < 0.25);
    assert_true(e.weight_ess > 0.5 * (double)o->particles && e.unbiased == !o->reverse);
}

/* All oracles but the hard one (N = 767, in test_long_ais.c), both ways: 16 linear steps from EP, one HMC
 * transition at each temperature, at most 768 particles forward and 1536 in reverse. */
static void oracles_are_met_within_four_errors(void **state)
{
    (void)state;
    double beta[STEPS + 1];
    for (int orthant = 0; orthant < 2; orthant++) {
        size_t count;
        oracle_case *cases = orthant ? oracle_orthant3(&count) : oracle_equicorrelated(&count);
        for (size_t i = 0; i < count; i++) {
            if (cases[i].n > 500) continue;
            posed p = pose_oracle(&cases[i]);
            assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
            tw_ais_options o = ais_with(beta, STEPS, 768);
            use_ep_metric(&p, &o);
            meet(&cases[i], &p, &o);
            o.reverse = true;
            o.burn_in = 20;
            o.particles = orthant ? 1536 : 768;
            meet(&cases[i], &p, &o);
            posed_free(&p);
        }
        oracle_free(cases, count);
    }
}

/* With the Gaussian likelihood log Z is a formula: EP finds it, and every weight is Z itself. */
static void gaussian_likelihood_is_exact(void **state)
{
    (void)state;
    enum { N = 12 };
    double k[N * N], y[N], beta[] = {0.0, 0.3, 1.0};
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("gaussian"), y);
    tw_ais_options o = ais_with(beta, 2, 8);
    for (int reverse = 0; reverse < 2; reverse++) {
        o.reverse = reverse == 1;
        tw_estimate e = run(&p, p.ep->reference, &o);
        assert_close(e.log_z, p.ep->log_z, 1e-8, "log Z from the posterior itself");
        assert_true(e.se < 1e-8);
    }
    double fine[STEPS + 1];
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_GEOMETRIC, STEPS, 0.01, fine), TW_OK);
    o = ais_with(fine, STEPS, 256);
    tw_estimate e = run(&p, p.prior, &o);
    assert_true(e.se < 0.2);
    assert_within(&e, p.ep->log_z, 4.0);
    posed_free(&p);
}

/* Forward is a lower bound in expectation and reverse an upper one; on a coarse schedule the gap shows: here
 * the means of 20 runs stand on either side of what a fine schedule finds. */
static void forward_and_reverse_bracket(void **state)
{
    (void)state;
    enum { N = 20, RUNS = 20 };
    double k[N * N], y[N], coarse[4], fine[61], up[RUNS], down[RUNS];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 3, 0.0, coarse), TW_OK);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 60, 0.0, fine), TW_OK);
    tw_ais_options o = ais_with(fine, 60, 512);
    use_ep_metric(&p, &o);
    tw_estimate best = run(&p, p.ep->reference, &o);
    o = ais_with(coarse, 3, 8);
    o.refine = 0.0; /* else a reverse run puts temperatures in, and there is no gap to see */
    for (size_t i = 0; i < RUNS; i++) {
        o.seed = 100 + i;
        o.reverse = false;
        up[i] = run(&p, p.prior, &o).log_z;
        o.reverse = true;
        tw_estimate e = run(&p, p.prior, &o);
        assert_false(e.unbiased);
        down[i] = e.log_z;
    }
    sample_moments low = moments_of(RUNS, up), high = moments_of(RUNS, down);
    print_message("bracket: %.3f < %.4f +- %.4f < %.3f\n", low.mean, best.log_z, best.se, high.mean);
    assert_true(low.mean < best.log_z - 4.0 * best.se);
    assert_true(high.mean > best.log_z + 4.0 * best.se);
    posed_free(&p);
}

/* N = 60: the prior and EP, whose paths have nothing in common but their end, agree within their errors; so
 * does a q given as N(mu, Sigma). */
static void starts_agree(void **state)
{
    (void)state;
    enum { N = 60 };
    double *k = calloc(N * N, sizeof *k), *sigma = calloc(N * N, sizeof *sigma), y[N], beta[201],
           few[STEPS + 1];
    assert_true(k && sigma);
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_reference *q = NULL;
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_GEOMETRIC, 200, 0.002, beta), TW_OK);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, few), TW_OK); /* EP is near */
    for (size_t i = 0; i < N; i++) sigma[i + i * N] = 1.2 * p.ep->variance[i];
    assert_int_equal(tw_reference_gaussian(p.model, p.ep->mean, sigma, N, &q), TW_OK);
    const tw_reference *starts[] = {p.ep->reference, p.prior, q};
    tw_estimate e[3];
    for (size_t i = 0; i < 3; i++) {
        tw_ais_options o =
            i == 0 ? ais_with(few, STEPS, 256) : ais_with(beta, 200, 256); /* errors of 0.01, 0.15 */
        o.seed = 10 + i;
        if (i == 0) use_ep_metric(&p, &o);
        e[i] = run(&p, starts[i], &o);
        print_message("start %zu: %.4f +- %.4f\n", i, e[i].log_z, e[i].se);
        assert_true(e[i].se < 0.25);
        assert_true(fabs(e[i].log_z - e[0].log_z) <= 4.0 * hypot(e[i].se, e[0].se));
    }
    tw_reference_free(q);
    posed_free(&p);
    free(sigma);
    free(k);
}

/* Every kernel leaves its target invariant, so every one is right; eps is given where a metric changes. */
static void every_kernel_is_right(void **state)
{
    (void)state;
    static const struct {
        tw_method method;
        tw_metric metric;
        double eps;
    } kernels[] = {{TW_METHOD_HMC, TW_METRIC_EP, 0.0},         {TW_METHOD_HMC, TW_METRIC_PRIOR, 0.0},
                   {TW_METHOD_HMC, TW_METRIC_IDENTITY, 0.0},   {TW_METHOD_RMHMC, TW_METRIC_HESSIAN, 0.1},
                   {TW_METHOD_RMHMC, TW_METRIC_SMOOTHED, 0.2}, {TW_METHOD_SLICE, TW_METRIC_PRIOR, 0.0},
                   {TW_METHOD_SLICE, TW_METRIC_EP, 0.0}};
    size_t count;
    double beta[STEPS + 1];
    oracle_case *cases = oracle_orthant3(&count);
    posed p = pose_oracle(&cases[2]);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        for (int from_ep = 0; from_ep < 2; from_ep++) {
            tw_ais_options o = ais_with(beta, STEPS, 256);
            use_ep_metric(&p, &o);
            o.kernel.method = kernels[i].method;
            o.kernel.metric = kernels[i].metric;
            o.kernel.smoothing = p.ep->variance;
            o.eps = kernels[i].eps;
            tw_estimate e = run(&p, from_ep ? p.ep->reference : p.prior, &o);
            print_message("kernel %zu from %s: %.4f +- %.4f, exactly %.4f, acceptance %.2f\n", i,
                          from_ep ? "ep" : "prior", e.log_z, e.se, cases[2].log_z, e.acceptance);
            assert_within(&e, cases[2].log_z, 4.0);
            assert_true(e.se < 0.1 && e.acceptance > 0.6 && e.failures < 0.05);
        }
    posed_free(&p);
    oracle_free(cases, count);
}

/* Particles that stand still are draws of q, and only their resampling makes draws of the posterior of them: then the
 * reverse run is the forward one. N(1; x, 4) with x ~ N(0, 1): log Z = log N(1; 0, 5); without resampling it would be
 * -log E_q[1/w], lower by 0.098. */
static void the_way_down_starts_from_resampled_particles(void **state)
{
    (void)state;
    const double k = 1.0, y = 1.0, w = 2.0, beta[3] = {0.0, 0.5, 1.0};
    const double exact = -0.5 * (log(10.0 * acos(-1.0)) + 0.2);
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *prior = NULL;
    tw_estimate e;
    tw_ais_options o = ais_with(beta, 2, 4000);
    o.reverse = true;
    o.burn_in = 0;
    o.eps = 1e-9;
    o.steps = 1;
    assert_int_equal(
        tw_model_new(ctx, &k, 1, OBSERVED(tw_likelihood_find("gaussian"), 1, &y, &w), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
    assert_int_equal(tw_ais_run(model, prior, &o, NULL, NULL, NULL, &e), TW_OK);
    print_message("log Z %.4f +- %.4f, exactly %.4f\n", e.log_z, e.se, exact);
    assert_true(e.se < 0.01);
    assert_within(&e, exact, 4.0);
    tw_reference_free(prior);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* A weight taken after the move is wrong, and a coarse schedule shows it: same case, same seeds, the right
 * order is within 5 errors of the exact value and the wrong one is beyond 10. */
static void a_late_weight_is_found_out(void **state)
{
    (void)state;
    size_t count;
    double beta[] = {0.0, 0.25, 0.5, 0.75, 1.0};
    oracle_case *cases = oracle_orthant3(&count);
    posed p = pose_oracle(&cases[4]);
    for (int late = 0; late <= 1; late++) {
        tw_estimate e;
        tw_ais_options o = ais_with(beta, 4, 2048);
        ask_for_fault(late ? TW_FAULT_LATE_WEIGHT : TW_FAULT_NONE);
        assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e), TW_OK);
        ask_for_fault(TW_FAULT_NONE);
        double z = (e.log_z - cases[4].log_z) / e.se;
        print_message("weight %s the move: z = %.1f\n", late ? "after" : "before", z);
        assert_true(late ? fabs(z) > 10.0 : fabs(z) < 5.0);
    }
    posed_free(&p);
    oracle_free(cases, count);
}

static void schedules_are_what_they_say(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    double b[11];
    assert_int_equal(tw_schedule_fill(ctx, TW_SCHEDULE_GEOMETRIC, 10, 0.02, b), TW_OK);
    assert_true(b[0] == 0.0 && b[10] == 1.0);
    assert_close(b[1], 0.02, 1e-15, "the report's b_min");
    for (size_t k = 1; k <= 10; k++)
        assert_close(b[k], pow(0.02, (10.0 - (double)k) / 9.0), 1e-15, "the report's formula");
    assert_int_equal(tw_schedule_fill(ctx, TW_SCHEDULE_LINEAR, 10, 0.0, b), TW_OK);
    for (size_t k = 0; k <= 10; k++) assert_close(b[k], 0.1 * (double)k, 1e-15, "linear");
    assert_int_equal(tw_schedule_fill(ctx, TW_SCHEDULE_SIGMOID, 10, 0.0, b), TW_OK);
    assert_int_equal(tw_schedule_check(ctx, 10, b), TW_OK);
    for (size_t k = 0; k <= 10; k++) assert_close(b[k] + b[10 - k], 1.0, 1e-14, "sigmoid is symmetric");
    assert_true(b[1] < 0.1 && b[5] - b[4] > 2.0 * (b[1] - b[0]));
    for (size_t k = 0; k <= 10; k++) { /* from 1/50 to 49/50 of a logistic, stretched to reach 0 and 1 */
        double t = log(49.0) * (0.2 * (double)k - 1.0);
        assert_close(b[k], (1.0 / (1.0 + exp(-t)) - 0.02) / 0.96, 1e-14, "sigmoid");
    }
    tw_context_free(ctx);
}

static void expect_words(const posed *p, const tw_ais_options *o, const char *words)
{
    tw_estimate e;
    assert_int_equal(tw_ais_run(p->model, p->prior, o, NULL, NULL, NULL, &e), TW_BAD_ARGUMENT);
    if (!strstr(tw_context_message(p->ctx), words))
        fail_msg("\"%s\" does not say \"%s\"", tw_context_message(p->ctx), words);
}

static void bad_options_are_refused_with_words(void **state)
{
    (void)state;
    enum { N = 4 };
    double k[N * N], y[N], good[] = {0.0, 0.5, 1.0}, short_of_one[] = {0.0, 0.5, 0.9},
                           flat[] = {0.0, 1.0, 1.0}, late[] = {0.1, 0.5, 1.0}, wild[] = {0.0, NAN, 1.0};
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("probit"), y);
    tw_ais_options o = ais_with(short_of_one, 2, 8);
    expect_words(&p, &o, "from 0 to 1");
    o.beta = late;
    expect_words(&p, &o, "from 0 to 1");
    o.beta = flat;
    expect_words(&p, &o, "must increase");
    o.beta = wild;
    expect_words(&p, &o, "must increase");
    o = ais_with(good, 0, 8);
    expect_words(&p, &o, "at least two temperatures");
    o = ais_with(good, 2, 1);
    expect_words(&p, &o, "cannot give a standard error");
    o = ais_with(good, 2, 8);
    o.moves = 0;
    expect_words(&p, &o, "at least one transition");
    o = ais_with(good, 2, 8);
    o.eps = -0.1;
    expect_words(&p, &o, "eps");
    double beta[2];
    const double no_smallest[] = {1.5, 1.0, 0.0, -0.1};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_GEOMETRIC, 1, no_smallest[i], beta),
                         TW_BAD_ARGUMENT);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, 0, 0.1, beta), TW_BAD_ARGUMENT);
    posed_free(&p);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    enum { N = 20, P = 70 };
    double k[N * N], y[N], beta[STEPS + 1], one[P], many[P];
    pose_line(N, k, y);
    posed p = pose_in(NULL, N, k, tw_likelihood_find("logit"), y);
    assert_int_equal(tw_schedule_fill(p.ctx, TW_SCHEDULE_LINEAR, STEPS, 0.0, beta), TW_OK);
    static const tw_method methods[] = {TW_METHOD_HMC, TW_METHOD_RMHMC, TW_METHOD_SLICE};
    for (size_t i = 0; i < 3; i++) {
        tw_estimate e, f;
        tw_ais_options o = ais_with(beta, STEPS, P);
        o.kernel.method = methods[i];
        if (methods[i] == TW_METHOD_RMHMC) o.kernel.metric = TW_METRIC_HESSIAN;
        if (methods[i] == TW_METHOD_RMHMC) o.eps = 0.5;
        assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, one, &e), TW_OK);
        o.kernel.threads = 3;
        assert_int_equal(tw_ais_run(p.model, p.prior, &o, NULL, NULL, many, &f), TW_OK);
        assert_memory_equal(one, many, sizeof one);
        assert_true(e.log_z == f.log_z && e.se_bootstrap == f.se_bootstrap);
    }
    posed_free(&p);
}

/* The first allocation fails, the second, and so on until none does; nothing is left behind. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 4 };
    double k[N * N], y[N], beta[] = {0.0, 0.5, 1.0};
    failing_allocator allocator = {.fail_at = 0};
    pose_line(N, k, y);
    posed p = pose_in(failing_context(&allocator), N, k, tw_likelihood_find("probit"), y);
    size_t before = tw_context_bytes_in_use(p.ctx);
    tw_ais_options o = ais_with(beta, 2, 8);
    for (int reverse = 0; reverse < 2; reverse++) {
        tw_status status = TW_NO_MEMORY;
        size_t at = 0;
        o.reverse = reverse == 1;
        while (status != TW_OK) {
            tw_estimate e;
            allocator = (failing_allocator){.fail_at = ++at};
            status = tw_ais_run(p.model, p.prior, &o, NULL, NULL, NULL, &e);
            assert_true(status == TW_OK || status == TW_NO_MEMORY);
            assert_int_equal(tw_context_bytes_in_use(p.ctx), before);
        }
        assert_in_range(at, 10, 200);
    }
    allocator = (failing_allocator){.fail_at = 0};
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(oracles_are_met_within_four_errors),
        cmocka_unit_test(gaussian_likelihood_is_exact),
        cmocka_unit_test(forward_and_reverse_bracket),
        cmocka_unit_test(starts_agree),
        cmocka_unit_test(every_kernel_is_right),
        cmocka_unit_test(the_way_down_starts_from_resampled_particles),
        cmocka_unit_test(a_late_weight_is_found_out),
        cmocka_unit_test(schedules_are_what_they_say),
        cmocka_unit_test(bad_options_are_refused_with_words),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
