/* The verdict on draws: every warning appears on one side of its threshold and not on the other, with its
 * numbers. */
#include <math.h>

#include "support/support.h"
#include "talweg/chains.h"

enum { CHAINS = 4, DRAWS = 500 };

/* Nothing is wrong with these. */
static tw_chains_summary good_summary(void)
{
    return (tw_chains_summary){.ess_min = 400.0,
                               .ess_median = 800.0,
                               .ess_bulk_min = 500.0,
                               .ess_bulk_median = 900.0,
                               .ess_tail_min = 400.0,
                               .ess_fold_min = 450.0,
                               .rhat_max = 1.01,
                               .rhat_chance = 1e-9,
                               .worst = 6,
                               .acceptance = 0.8,
                               .ebfmi_min = 0.3};
}

static tw_warnings judge(size_t draws, bool interrupted, const tw_chains_summary *summary,
                         const tw_totals *totals)
{
    tw_warnings warnings;
    tw_chains_judge(CHAINS, draws, interrupted, summary, totals, &warnings);
    return warnings;
}

static void assert_one(const tw_warnings *w, tw_warning_code code, double first, double second)
{
    assert_int_equal(w->count, 1);
    assert_string_equal(tw_warning_name(w->warning[0].code), tw_warning_name(code));
    assert_true(w->warning[0].number[0] == first && w->warning[0].number[1] == second);
}

static void good_draws_have_no_warnings(void **state)
{
    (void)state;
    tw_chains_summary s = good_summary();
    tw_totals totals = {.transitions = CHAINS * DRAWS};
    tw_warnings w = judge(DRAWS, false, &s, &totals);
    assert_int_equal(w.count, 0);
    s.ebfmi_min = NAN; /* slice sampling */
    w = judge(DRAWS, false, &s, &totals);
    assert_int_equal(w.count, 0);
}

static void each_diagnostic_has_its_warning(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = CHAINS * DRAWS};
    tw_chains_summary s = good_summary();
    s.rhat_max = 1.0101;
    tw_warnings w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_RHAT_SLIGHT, 1.0101, 0.0);
    s.rhat_max = 1.051;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_RHAT, 1.051, 0.0);
    s.rhat_max = INFINITY; /* every chain stands still, at a place of its own */
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_RHAT, INFINITY, 0.0);
    s = good_summary();
    s.ess_min = s.ess_bulk_min = 399.0;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_ESS_BULK, 399.0, 400.0);
    assert_int_equal(w.warning[0].index, 6);
    s.ess_bulk_min = 500.0;
    s.ess_tail_min = 399.0;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_ESS_TAIL, 399.0, 400.0);
    s.ess_tail_min = 399.5;
    s.ess_fold_min = 399.0; /* the smallest speaks */
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_ESS_FOLD, 399.0, 400.0);
    s = good_summary();
    s.ebfmi_min = 0.299;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_EBFMI, 0.299, 0.0);
    s = good_summary();
    w = judge(DRAWS, true, &s, &totals);
    assert_one(&w, TW_WARN_INTERRUPTED, 500.0, 0.0);
}

/* An R-hat that chance explains is no finding; where nobody knows what chance gives, it is. */
static void chance_excuses_rhat(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = CHAINS * DRAWS};
    tw_chains_summary s = good_summary();
    s.rhat_max = 1.03;
    s.rhat_chance = 0.0101;
    tw_warnings w = judge(DRAWS, false, &s, &totals);
    assert_int_equal(w.count, 0);
    s.rhat_chance = 0.0099;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_RHAT_SLIGHT, 1.03, 0.0);
    s.rhat_chance = NAN;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_RHAT_SLIGHT, 1.03, 0.0);
}

static void each_failure_has_its_warning(void **state)
{
    (void)state;
    tw_chains_summary s = good_summary();
    tw_totals t = {.transitions = 2000, .energy_divergence = 20};
    tw_warnings w = judge(DRAWS, false, &s, &t);
    assert_one(&w, TW_WARN_ENERGY, 1.0, 20.0);
    t = (tw_totals){.transitions = 2000, .implicit_failure = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, TW_WARN_IMPLICIT, 0.05, 1.0);
    t = (tw_totals){.transitions = 2000, .irreversible = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, TW_WARN_IRREVERSIBLE, 0.05, 1.0);
    t = (tw_totals){.transitions = 2000, .factorisation = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, TW_WARN_FACTORISATION, 0.05, 1.0);
}

static void one_chain_cannot_be_compared(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = DRAWS};
    tw_chains_summary s = good_summary();
    tw_warnings w;
    tw_chains_judge(1, DRAWS, false, &s, &totals, &w);
    assert_one(&w, TW_WARN_ONE_CHAIN, 0.0, 0.0);
}

/* What cannot be judged is not good. */
static void unknown_is_not_good(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = CHAINS * DRAWS};
    tw_chains_summary s = {NAN, NAN, NAN, NAN, NAN, NAN, 0, NAN, NAN, 0.9, NAN};
    tw_warnings w = judge(5, false, &s, &totals);
    assert_one(&w, TW_WARN_FEW_DRAWS, 5.0, 0.0);
    w = judge(1, false, &s, &totals);
    assert_one(&w, TW_WARN_ONE_DRAW, 1.0, 0.0);
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, TW_WARN_STUCK, DRAWS, 0.0);
}

static void all_at_once(void **state)
{
    (void)state;
    tw_totals totals = {2000, 0, 0.0, 2000, 2000, 2000, 2000};
    tw_chains_summary s = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0, 9.0, 0.0, 0.0, 0.01};
    tw_warnings w = judge(DRAWS, true, &s, &totals);
    assert_int_equal(w.count, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_draws_have_no_warnings),  cmocka_unit_test(each_diagnostic_has_its_warning),
        cmocka_unit_test(each_failure_has_its_warning), cmocka_unit_test(one_chain_cannot_be_compared),
        cmocka_unit_test(unknown_is_not_good),          cmocka_unit_test(all_at_once),
        cmocka_unit_test(chance_excuses_rhat),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
