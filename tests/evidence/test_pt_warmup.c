/* The warm-up of parallel tempering: it has the given length if replicas travel; otherwise it continues,
 * removes temperatures if it may, and reports what it could not correct. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/exact.h"
#include "support/support.h"
#include "talweg/evidence.h"

enum { LONG = 40, LEAST = 8, COPIES = 8, WARMUP = 40, ROUNDS = 40 };

/* From the prior on a ladder that nobody can travel in so few rounds. */
static tw_pt_options long_ladder(const posed *p, double beta[LONG + 1])
{
    tw_pt_options o = TW_PT_DEFAULTS;
    assert_int_equal(tw_schedule_fill(p->ctx, TW_SCHEDULE_GEOMETRIC, LONG, 1e-7, beta), TW_OK);
    o.kernel.method = TW_METHOD_SLICE;
    o.beta = beta;
    o.temperatures = LONG;
    o.least_temperatures = LEAST;
    o.copies = COPIES;
    o.warmup = WARMUP;
    o.rounds = ROUNDS;
    return o;
}

static void run(const posed *p, const tw_reference *q, const tw_pt_options *o, tw_estimate e[2],
                tw_pt_report *report)
{
    if (tw_pt_run(p->model, q, o, NULL, NULL, e, report) != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
}

/* From EP they travel: nothing is added, to the bit. */
static void a_run_whose_replicas_travel_is_left_alone(void **state)
{
    (void)state;
    exact_case c = exact_counts(1.0);
    posed p = exact_pose(&c);
    tw_pt_options o = TW_PT_DEFAULTS;
    tw_estimate patient[2], hasty[2];
    tw_pt_report report = {0};
    o.kernel.metric = TW_METRIC_EP;
    o.kernel.gaussian = p.ep->reference;
    o.least_temperatures = LEAST;
    o.copies = COPIES;
    run(&p, p.ep->reference, &o, patient, &report);
    assert_true(report.temperatures == o.temperatures && report.warmup == o.warmup &&
                report.rounds == o.rounds);
    assert_true(patient[0].trips >= 1.0 && patient[0].drift == 0.0);
    o.patience = 1;
    o.least_temperatures = 0;
    run(&p, p.ep->reference, &o, hasty, NULL);
    assert_true(patient[0].log_z == hasty[0].log_z && patient[1].se == hasty[1].se);
    posed_free(&p);
}

/* 15 and 5 labels under a broad prior, by elliptical slice sampling. With patience the warm-up goes on, temperatures are
 * left out, replicas travel, and the estimates are right (within 4.5 errors, one seed in 150,000 is not). */
static void a_warm_up_goes_on_until_replicas_travel(void **state)
{
    (void)state;
    posed p = exact_pose(&exact_labels);
    double beta[LONG + 1], exact = exact_log_z(&exact_labels);
    assert_close(exact, -13.194420, 1e-6, "log Z");
    tw_pt_options o = long_ladder(&p, beta);
    tw_estimate e[2];
    tw_pt_report report = {0};
    o.warmup = o.rounds = 100;
    run(&p, p.prior, &o, e, &report);
    print_message("%zu steps, %zu rounds after %zu, %.2f trips: %.3f +- %.3f, exactly %.3f\n",
                  report.temperatures, report.rounds, report.warmup, e[0].trips, e[0].log_z, e[0].se, exact);
    assert_true(report.temperatures < LONG && report.temperatures >= LEAST);
    assert_true(report.warmup > o.warmup && report.warmup <= o.patience * o.warmup);
    assert_int_equal(report.rounds, o.rounds * (LONG + 1) / (report.temperatures + 1));
    assert_true(e[0].trips >= 1.0 && e[0].temperatures == report.temperatures);
    for (int i = 0; i < 2; i++) assert_close(e[i].log_z, exact, 4.5 * e[i].se, e[i].method);
    posed_free(&p);
}

/* Without patience the start is not forgotten, and without leave the ladder is kept: that is said, and the error is wider
 * by what is seen of it. */
static void what_patience_does_not_mend_is_said(void **state)
{
    (void)state;
    posed p = exact_pose(&exact_labels);
    double beta[LONG + 1];
    tw_pt_options o = long_ladder(&p, beta);
    o.least_temperatures = 0;
    for (o.patience = 1; o.patience <= 3; o.patience += 2) {
        tw_estimate e[2];
        tw_pt_report report = {0};
        tw_warning doubt;
        run(&p, p.prior, &o, e, &report);
        assert_true(report.temperatures == LONG && report.warmup == o.patience * o.warmup);
        assert_true(e[0].trips < 1.0);
        print_message("%.3f +- %.3f\n", e[0].log_z, e[0].se);
        for (int i = 0; i < 2; i++) {
            assert_true(tw_evidence_doubt(&e[i], &doubt));
            assert_int_equal(doubt.code, isnan(e[i].log_z) ? TW_WARN_WITHHELD : TW_WARN_TRIPS);
        }
        if (isfinite(e[0].log_z))
            assert_true(e[0].se >= hypot(report.drift, report.forward - report.reverse));
    }
    posed_free(&p);
}

/* ---- going on later ---- */

typedef struct keeper {
    size_t at, levels; /* after which round; levels at that time */
    tw_pt_state state;
    double *numbers;
} keeper;

enum { MOMENTS = 8 };

static bool wants(void *user)
{
    (void)user;
    return true;
}

static void keep_at(keeper *k, const tw_pt_state *state)
{
    if (state->round != k->at) return;
    k->levels = state->levels;
    k->state = *state;
    k->numbers = malloc(state->count * sizeof *k->numbers);
    assert_non_null(k->numbers);
    memcpy(k->numbers, state->numbers, state->count * sizeof *k->numbers);
    k->state.numbers = k->numbers;
}

static void keep(void *user, const tw_pt_state *state)
{
    keeper *kept = user;
    for (size_t i = 0; i < MOMENTS; i++) keep_at(&kept[i], state);
}

/* Kept in the first stages, at the ends of stages, in those that are added, and in the rounds that count, on a ladder
 * that has lost some of its temperatures by then. */
static void a_warm_up_that_goes_on_goes_on_later(void **state)
{
    (void)state;
    posed p = exact_pose(&exact_labels);
    double beta[LONG + 1];
    keeper kept[MOMENTS] = {{.at = 3},           {.at = WARMUP},         {.at = WARMUP + 1},
                            {.at = WARMUP + 30}, {.at = 2 * WARMUP},     {.at = 3 * WARMUP},
                            {.at = 8 * WARMUP},  {.at = 8 * WARMUP + 50}};
    tw_pt_options o = long_ladder(&p, beta);
    tw_estimate whole[2], later[2];
    tw_pt_report report = {0}, again = {0};
    o.wants_state = wants;
    o.on_state = keep;
    o.user = kept;
    run(&p, p.prior, &o, whole, &report);
    assert_true(report.warmup == 8 * WARMUP && report.temperatures < LONG);
    o.wants_state = NULL;
    o.kernel.threads = 2;
    for (size_t i = 0; i < MOMENTS; i++) {
        const keeper *k = &kept[i];
        assert_non_null(k->numbers);
        assert_true(k->levels == (k->at <= WARMUP ? LONG : report.temperatures) + 1 || k->at < 8 * WARMUP);
        o.resume = &k->state;
        o.least_temperatures = LEAST;
        run(&p, p.prior, &o, later, &again);
        for (int j = 0; j < 2; j++)
            assert_true(whole[j].log_z == later[j].log_z && whole[j].se == later[j].se &&
                        whole[j].trips == later[j].trips);
        assert_true(report.temperatures == again.temperatures && report.rounds == again.rounds &&
                    report.warmup == again.warmup && report.barrier == again.barrier);
        o.least_temperatures = 0; /* a state with fewer levels is none of a run that keeps them */
        if (k->levels <= LONG)
            assert_int_equal(tw_pt_run(p.model, p.prior, &o, NULL, NULL, later, NULL), TW_BAD_ARGUMENT);
        free(k->numbers);
    }
    posed_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_whose_replicas_travel_is_left_alone),
        cmocka_unit_test(a_warm_up_goes_on_until_replicas_travel),
        cmocka_unit_test(what_patience_does_not_mend_is_said),
        cmocka_unit_test(a_warm_up_that_goes_on_goes_on_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
