/* The verdict on draws: every warning appears on its side of its threshold and not on the other, and says what to
 * do. */
#include <math.h>
#include <string.h>

#include "support/support.h"
#include "talweg/report.h"

enum { CHAINS = 4, DRAWS = 500 };

/* Nothing is wrong with these. */
static tw_chains_summary good_summary(void)
{
    return (tw_chains_summary){.ess_bulk_min = 400.0,
                               .ess_bulk_median = 900.0,
                               .ess_tail_min = 400.0,
                               .rhat_max = 1.01,
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

static void assert_one(const tw_warnings *warnings, const char *finding, const char *advice)
{
    assert_int_equal(warnings->count, 1);
    if (!strstr(warnings->words[0], finding) || !strstr(warnings->words[0], advice))
        fail_msg("\"%s\" lacks \"%s\" or \"%s\"", warnings->words[0], finding, advice);
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
    assert_one(&w, "R-hat is 1.0101, a little above 1.01", "Raise --draws");
    s.rhat_max = 1.051;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "R-hat is 1.051, above 1.01", "Raise --draws and --warmup");
    s.rhat_max = INFINITY; /* every chain stands still, at a place of its own */
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "R-hat is inf", "do not use the draws");
    s = good_summary();
    s.ess_bulk_min = 399.0;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "(x.7) has a bulk ESS of 399", "Raise --draws");
    s.ess_tail_min = 399.0; /* goes without saying */
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "(x.7) has a bulk ESS of 399", "Raise --draws");
    s.ess_bulk_min = 400.0;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "has a tail ESS of 399; its 5% and 95% quantiles", "Raise --draws");
    s = good_summary();
    s.ebfmi_min = 0.299;
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "E-BFMI is 0.30, below 0.3", "another --metric");
    s = good_summary();
    w = judge(DRAWS, true, &s, &totals);
    assert_one(&w, "interrupted: there are 500 draws", "of each chain");
}

static void each_failure_has_its_warning(void **state)
{
    (void)state;
    tw_chains_summary s = good_summary();
    tw_totals t = {.transitions = 2000, .energy_divergence = 20};
    tw_warnings w = judge(DRAWS, false, &s, &t);
    assert_one(&w, "the energy diverged in 1% of trajectories (20 of 2000)", "--target-accept");
    t = (tw_totals){.transitions = 2000, .implicit_failure = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, "implicit solve failed in 0.05%", "--metric smoothed");
    t = (tw_totals){.transitions = 2000, .irreversible = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, "the way back did not lead back", "--solver-tol");
    t = (tw_totals){.transitions = 2000, .factorisation = 1};
    w = judge(DRAWS, false, &s, &t);
    assert_one(&w, "could not be factored", "smaller --eps");
}

static void one_chain_cannot_be_compared(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = DRAWS};
    tw_chains_summary s = good_summary();
    tw_warnings w;
    tw_chains_judge(1, DRAWS, false, &s, &totals, &w);
    assert_one(&w, "there is one chain", "Use --chains 4");
}

/* What cannot be judged is not good. */
static void unknown_is_not_good(void **state)
{
    (void)state;
    tw_totals totals = {.transitions = CHAINS * DRAWS};
    tw_chains_summary s = {NAN, NAN, NAN, NAN, 0, 0.9, NAN};
    tw_warnings w = judge(5, false, &s, &totals);
    assert_one(&w, "only 5 draws of each chain", "raise --draws");
    w = judge(1, false, &s, &totals);
    assert_one(&w, "there is only 1 draw of each chain", "raise --draws");
    w = judge(DRAWS, false, &s, &totals);
    assert_one(&w, "a latent stood still or was not finite", "smaller --eps");
}

static void all_at_once(void **state)
{
    (void)state;
    tw_totals totals = {2000, 0, 0.0, 2000, 2000, 2000, 2000};
    tw_chains_summary s = {1.0, 1.0, 1.0, 9.0, 0, 0.0, 0.01};
    tw_warnings w = judge(DRAWS, true, &s, &totals);
    assert_int_equal(w.count, 8);
    for (size_t k = 0; k < w.count; k++) assert_true(strlen(w.words[k]) < TW_WARNING_BYTES - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_draws_have_no_warnings),  cmocka_unit_test(each_diagnostic_has_its_warning),
        cmocka_unit_test(each_failure_has_its_warning), cmocka_unit_test(one_chain_cannot_be_compared),
        cmocka_unit_test(unknown_is_not_good),          cmocka_unit_test(all_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
