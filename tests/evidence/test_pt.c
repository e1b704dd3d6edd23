/* Parallel tempering against exact log Z (TALWEG_SHARED/oracles and Gaussian models). An estimate must be
 * within 4 of its standard errors: with 32 copies the false-alarm rate is 4e-4, and seeds are fixed. */
#include <math.h>
#include <stdlib.h>

#include "evidence/pt.h"
#include "support/dense.h"
#include "support/fault.h"
#include "support/oracle.h"
#include "support/problem.h"
#include "support/pt_case.h"
#include "support/support.h"

static const double se_wanted = 0.0125;

/* Both estimates and both one-sided ones are within 4 standard errors of the exact value, and the first
 * two are precise enough. */
static void assert_exact(const tw_estimate out[2], const tw_pt_report *report, double exact, const char *name)
{
    print_message("%-28s %10.5f: bridge %+.5f +- %.5f, integral %+.5f +- %.5f, forward %+.5f, reverse %+.5f, "
                  "barrier %.2f, round trips %zu, acceptance %.2f\n",
                  name, exact, out[0].log_z - exact, out[0].se, out[1].log_z - exact, out[1].se,
                  report->forward - exact, report->reverse - exact, report->barrier, report->round_trips,
                  out[0].acceptance);
    for (int i = 0; i < 2; i++) {
        assert_close(out[i].log_z, exact, 4.0 * out[i].se, out[i].method);
        assert_true(out[i].se <= se_wanted);
        assert_false(out[i].unbiased);
    }
    assert_close(report->forward, exact, 4.0 * report->forward_se, "forward");
    assert_close(report->reverse, exact, 4.0 * report->reverse_se, "reverse");
}

static void try_case(const oracle_case *c, size_t steps, size_t warmup, size_t rounds)
{
    pt_case f = pt_case_new(c->n, c->k, c->likelihood, c->y, NULL);
    tw_pt_options o = pt_case_options(&f, steps, warmup, rounds);
    tw_estimate out[2];
    tw_pt_report report = {0};
    pt_case_run(&f, f.ep->reference, &o, out, &report);
    assert_exact(out, &report, c->log_z, c->name);
    pt_case_free(&f);
}

static void orthants(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_orthant3(&count);
    for (size_t i = 0; i < count; i++) try_case(&cases[i], 6, 50, 100);
    oracle_free(cases, count);
}

/* The mild ones: 50 probit, 100 logit, 30 Poisson and 200 probit sites. The last has the largest error, about 0.0095
 * with 100 rounds; 32 copies tell it to an eighth, so that se_wanted is three of those away. */
static void equicorrelated(void **state)
{
    (void)state;
    size_t count;
    oracle_case *cases = oracle_equicorrelated(&count);
    for (size_t i = 0; i < count; i++)
        if (cases[i].k[0] < 1e4) try_case(&cases[i], 4, 24, 100);
    oracle_free(cases, count);
}

/* log N(y; 0, K + w^2 I), with K's own sites: the Gaussian model is N(0, K) prod N(y; x, w^2). */
static double gaussian_log_z(size_t n, const double *k, const double *y, double w)
{
    const double log_two_pi = 1.8378770664093454836;
    double *tau = malloc(2 * n * sizeof *tau), *nu = tau + n, constant = 0.0;
    assert_non_null(tau);
    for (size_t i = 0; i < n; i++) {
        tau[i] = 1.0 / (w * w);
        nu[i] = y[i] / (w * w);
        constant -= 0.5 * (log_two_pi + 2.0 * log(w) + y[i] * y[i] / (w * w));
    }
    dense_gaussian g = dense_posterior(n, k, tau, nu);
    constant += g.log_z;
    dense_free(&g);
    free(tau);
    return constant;
}

/* From EP, which is then the posterior itself, R is log Z everywhere: both estimates are exact and all
 * swaps are accepted, so that every replica goes up and down without a stop: a round trip in 2 (steps + 1)
 * rounds. From the prior, the estimates are within their errors. */
static void gaussian_model(void **state)
{
    (void)state;
    enum { SIZE = 8, STEPS = 3, ROUNDS = 80 };
    test_problem *p = test_problem_new(SIZE, 4, 50.0);
    double w[SIZE];
    for (size_t i = 0; i < SIZE; i++) w[i] = 1.5;
    double exact = gaussian_log_z(SIZE, p->k, p->nu, 1.5);
    pt_case f = pt_case_new(SIZE, p->k, tw_likelihood_find("gaussian"), p->nu, w);
    tw_pt_options o = pt_case_options(&f, STEPS, 16, ROUNDS);
    tw_estimate out[2];
    tw_pt_report report = {0};
    pt_case_run(&f, f.ep->reference, &o, out, &report);
    for (int i = 0; i < 2; i++) {
        assert_close(out[i].log_z, exact, 1e-8, "log Z from the posterior");
        assert_true(out[i].se < 1e-8);
    }
    assert_true(report.barrier < 1e-8);
    size_t trips = ROUNDS / (2 * (STEPS + 1)); /* of each replica, but for one */
    assert_in_range(report.round_trips, (trips - 1) * (STEPS + 1) * o.copies,
                    (trips + 1) * (STEPS + 1) * o.copies);
    o = pt_case_options(&f, 10, 100, 200);
    pt_case_run(&f, f.prior, &o, out, &report);
    assert_exact(out, &report, exact, "gaussian, from the prior");
    test_problem_free(p);
    pt_case_free(&f);
}

/* Twenty probit sites from the prior and from EP, by three samplers: all agree. */
static void starts_and_samplers_agree(void **state)
{
    (void)state;
    pt_case f = pt_case_of(20);
    tw_estimate best[2], out[2];
    tw_pt_options o = pt_case_options(&f, 6, 50, 100);
    pt_case_run(&f, f.ep->reference, &o, best, NULL);
    for (int i = 0; i < 4; i++) {
        o = pt_case_options(&f, 8, 48, i == 3 ? 24 : 100);
        if (i == 1) o.kernel.metric = TW_METRIC_PRIOR;
        if (i == 2) o.kernel.method = TW_METHOD_SLICE;
        if (i == 3) o.kernel.method = TW_METHOD_RMHMC;
        if (i == 3) o.kernel.metric = TW_METRIC_HESSIAN;
        if (i == 3) o.kernel.reverse_check = 1.0;
        if (i == 3) o.copies = 8;
        pt_case_run(&f, f.prior, &o, out, NULL);
        for (int j = 0; j < 2; j++) {
            print_message("%d %-15s %.4f +- %.4f (%.4f +- %.4f), acceptance %.2f\n", i, out[j].method,
                          out[j].log_z, out[j].se, best[0].log_z, best[0].se, out[j].acceptance);
            assert_close(out[j].log_z, best[0].log_z, 4.0 * hypot(out[j].se, best[0].se), out[j].method);
            assert_true(out[j].se < 0.3);
        }
    }
    pt_case_free(&f);
}

/* N(mu, Sigma) as start: a base of its own at every temperature, so that coordinates differ between
 * levels. */
static void dense_start_agrees(void **state)
{
    (void)state;
    enum { SIZE = 6 };
    pt_case f = pt_case_of(SIZE);
    tw_reference *q = NULL;
    double covariance[SIZE * SIZE] = {0.0};
    for (size_t i = 0; i < SIZE; i++) covariance[i * (SIZE + 1)] = f.ep->variance[i];
    assert_int_equal(tw_reference_gaussian(f.model, f.ep->mean, covariance, SIZE, &q), TW_OK);
    tw_estimate best[2], out[2];
    tw_pt_options o = pt_case_options(&f, 6, 50, 100);
    pt_case_run(&f, f.ep->reference, &o, best, NULL);
    o.kernel.metric = TW_METRIC_PRIOR;
    pt_case_run(&f, q, &o, out, NULL);
    for (int j = 0; j < 2; j++)
        assert_close(out[j].log_z, best[0].log_z, 4.0 * hypot(out[j].se, best[0].se), out[j].method);
    assert_true(out[0].se <= se_wanted);
    tw_reference_free(q);
    pt_case_free(&f);
}

static double odds_without_temperatures(double step, double lower, double upper)
{
    (void)step;
    return lower - upper;
}

/* Swaps with the wrong odds spoil the marginal distributions: the estimates miss by eight standard errors
 * or more what they meet with the right ones. Short trajectories, so that transitions do not mend at once
 * what swaps do. */
static void a_broken_swap_is_seen(void **state)
{
    (void)state;
    pt_case f = pt_case_of(20);
    tw_estimate best[2], right[2], wrong[2];
    tw_pt_options o = pt_case_options(&f, 6, 50, 100);
    pt_case_run(&f, f.ep->reference, &o, best, NULL);
    o = pt_case_options(&f, 12, 50, 500);
    o.steps = 1;
    pt_case_run(&f, f.prior, &o, right, NULL);
    ask_for_swap_rule(odds_without_temperatures);
    pt_case_run(&f, f.prior, &o, wrong, NULL);
    ask_for_swap_rule(NULL);
    for (int i = 0; i < 2; i++) {
        print_message("best %.4f, right %.4f +- %.4f, wrong %.4f +- %.4f\n", best[i].log_z, right[i].log_z,
                      right[i].se, wrong[i].log_z, wrong[i].se);
        assert_close(right[i].log_z, best[i].log_z, 4.0 * hypot(right[i].se, best[i].se), "right odds");
        assert_true(fabs(wrong[i].log_z - best[i].log_z) > 8.0 * hypot(wrong[i].se, best[i].se));
    }
    pt_case_free(&f);
}

/* From the prior on a ladder that is far too dense at its beginning: tuned, all pairs exchange at nearly
 * the same rate, and the ladder still runs from 0 to 1. */
static void ladder_is_tuned(void **state)
{
    (void)state;
    enum { STEPS = 8 };
    pt_case f = pt_case_of(20);
    double start[STEPS + 1], beta[STEPS + 1], eps[STEPS + 1], rate[STEPS], low = 1.0, high = 0.0;
    assert_int_equal(tw_schedule_fill(f.ctx, TW_SCHEDULE_GEOMETRIC, STEPS, 1e-4, start), TW_OK);
    tw_pt_options o = pt_case_options(&f, STEPS, 160, 100);
    o.beta = start;
    tw_estimate out[2];
    tw_pt_report report = {.beta = beta, .eps = eps, .swap_rate = rate};
    pt_case_run(&f, f.prior, &o, out, &report);
    assert_int_equal(tw_schedule_check(f.ctx, STEPS, beta), TW_OK);
    for (size_t k = 0; k < STEPS; k++) {
        low = fmin(low, rate[k]);
        high = fmax(high, rate[k]);
        assert_true(eps[k + 1] > 0.05 && eps[k + 1] <= 1.5);
    }
    assert_true(high - low < 0.1);
    assert_true(fabs(out[0].acceptance - o.target_accept) < 0.1);
    assert_true(report.round_trips > 0);
    o.tune_ladder = false;
    pt_case_run(&f, f.prior, &o, out, &report);
    assert_memory_equal(beta, start, sizeof beta);
    assert_true(rate[0] - rate[STEPS - 1] > 0.3);
    pt_case_free(&f);
}

/* Few copies are cut into batches, and the report says so. */
static void few_copies_give_batch_means(void **state)
{
    (void)state;
    pt_case f = pt_case_of(6);
    tw_pt_options o = pt_case_options(&f, 3, 50, 401);
    tw_estimate few[2], many[2];
    tw_pt_report report = {0};
    pt_case_run(&f, f.ep->reference, &o, many, &report);
    assert_int_equal(report.batches, 4);
    o.copies = 3;
    pt_case_run(&f, f.ep->reference, &o, few, &report);
    assert_int_equal(report.batches, 6);
    assert_close(few[0].log_z, many[0].log_z, 4.0 * hypot(few[0].se, many[0].se), "log Z");
    double expected = sqrt(32.0 / 3.0);
    assert_true(few[0].se / many[0].se > 0.5 * expected && few[0].se / many[0].se < 2.0 * expected);
    pt_case_free(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orthants),           cmocka_unit_test(equicorrelated),
        cmocka_unit_test(gaussian_model),     cmocka_unit_test(starts_and_samplers_agree),
        cmocka_unit_test(dense_start_agrees), cmocka_unit_test(a_broken_swap_is_seen),
        cmocka_unit_test(ladder_is_tuned),    cmocka_unit_test(few_copies_give_batch_means),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
