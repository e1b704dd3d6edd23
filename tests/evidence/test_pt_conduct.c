/* The behaviour of parallel tempering: threads, bad options, warnings, stopping a run, failing allocations. */
#include <math.h>
#include <string.h>

#include "support/observe.h"
#include "support/problem.h"
#include "support/pt_case.h"
#include "support/support.h"

static void assert_same_for_threads(const pt_case *f, tw_pt_options o)
{
    enum { MOST = 16 };
    double numbers[2][4][MOST] = {{{0.0}}};
    tw_estimate out[2][2];
    tw_pt_report report[2] = {{0}, {0}};
    for (size_t i = 0; i < 2; i++) {
        report[i] = (tw_pt_report){.beta = numbers[i][0],
                                   .eps = numbers[i][1],
                                   .mean_log_ratio = numbers[i][2],
                                   .swap_rate = numbers[i][3]};
        o.kernel.threads = i == 0 ? 1 : 3;
        pt_case_run(f, f->ep->reference, &o, out[i], &report[i]);
    }
    assert_memory_equal(numbers[0], numbers[1], sizeof numbers[0]);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(&out[0][i].log_z, &out[1][i].log_z, sizeof(double));
        assert_memory_equal(&out[0][i].se, &out[1][i].se, sizeof(double));
        assert_memory_equal(&out[0][i].acceptance, &out[1][i].acceptance, sizeof(double));
    }
    assert_int_equal(report[0].round_trips, report[1].round_trips);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    pt_case f = pt_case_of(12);
    tw_pt_options o = pt_case_options(&f, 5, 20, 20);
    o.copies = 37; /* more than a tile */
    assert_same_for_threads(&f, o);
    o.kernel.method = TW_METHOD_SLICE;
    assert_same_for_threads(&f, o);
    o.kernel.method = TW_METHOD_RMHMC;
    o.kernel.metric = TW_METRIC_HESSIAN;
    o.copies = 8;
    o.rounds = 5;
    assert_same_for_threads(&f, o);
    pt_case_free(&f);
}

static void assert_refused(const pt_case *f, const tw_pt_options *o, const char *words)
{
    tw_estimate out[2];
    assert_int_equal(tw_pt_run(f->model, f->ep->reference, o, NULL, NULL, out, NULL), TW_BAD_ARGUMENT);
    if (!strstr(tw_context_message(f->ctx), words)) fail_msg("\"%s\"", tw_context_message(f->ctx));
}

#define REFUSED(field, value, words)                      \
    do {                                                  \
        tw_pt_options o = pt_case_options(&f, 2, 16, 16); \
        o.field = value;                                  \
        assert_refused(&f, &o, words);                    \
    } while (0)

static void bad_options_are_refused(void **state)
{
    (void)state;
    pt_case f = pt_case_of(4);
    const double unfinished[3] = {0.0, 0.5, 0.9};
    REFUSED(copies, 1, "cannot give a standard error");
    REFUSED(copies, 2, "at least 80 rounds");
    REFUSED(temperatures, 0, "two temperatures");
    REFUSED(beta, unfinished, "from 0 to 1");
    REFUSED(rounds, 1, "two rounds");
    REFUSED(moves, 0, "one transition");
    REFUSED(warmup, 3, "warm-up");
    REFUSED(eps, NAN, "eps");
    REFUSED(target_accept, 1.0, "target acceptance");
    REFUSED(kernel.metric, TW_METRIC_HESSIAN, "constant metric");
    pt_case_free(&f);
}

static void keep_words(void *user, tw_log_level level, const char *text)
{
    char *words = user;
    assert_int_equal(level, TW_LOG_WARNING);
    strncat(words, text, 1000 - strlen(words) - 1);
}

/* One step from the prior to the posterior, which is too far; RMHMC with steps beyond what its equations
 * bear. */
static void warnings_are_given(void **state)
{
    (void)state;
    pt_case f = pt_case_of(20);
    char words[1000] = "";
    tw_estimate out[2];
    tw_context_set_log(f.ctx, keep_words, words);
    tw_pt_options o = pt_case_options(&f, 6, 16, 16);
    pt_case_run(&f, f.ep->reference, &o, out, NULL);
    assert_string_equal(words, "");
    o.temperatures = 1;
    pt_case_run(&f, f.prior, &o, out, NULL);
    assert_non_null(strstr(words, "some neighbouring temperatures swap"));
    assert_null(strstr(words, "RMHMC"));
    o.kernel.method = TW_METHOD_RMHMC;
    o.kernel.metric = TW_METRIC_HESSIAN;
    o.kernel.reverse_check = 0.02;
    o.copies = 8;
    o.eps = 3.0;
    pt_case_run(&f, f.prior, &o, out, NULL);
    assert_non_null(strstr(words, "check all trajectories for reversibility"));
    pt_case_free(&f);
}

/* The n-th allocation fails, for every n: the run says so, and nothing leaks. */
static void failing_allocations_are_survived(void **state)
{
    (void)state;
    enum { SIZE = 3, LIMIT = 1000 };
    test_problem *p = test_problem_new(SIZE, 8, 50.0);
    for (int method = TW_METHOD_HMC; method <= TW_METHOD_SLICE; method++) {
        tw_status status = TW_NO_MEMORY;
        size_t failed = 0;
        for (size_t i = 1; status != TW_OK && i < LIMIT; i++) {
            failing_allocator allocator = {0, 0};
            tw_context *ctx = failing_context(&allocator);
            tw_model *model = NULL;
            tw_reference *prior = NULL;
            tw_estimate out[2];
            tw_pt_options o = TW_PT_DEFAULTS;
            o.kernel.method = (tw_method)method;
            if (method == TW_METHOD_RMHMC) o.kernel.metric = TW_METRIC_HESSIAN;
            o.temperatures = o.copies = 2;
            o.warmup = 16;
            o.rounds = 80;
            assert_int_equal(tw_model_new(ctx, p->k, SIZE,
                                          OBSERVED(tw_likelihood_find("probit"), SIZE, p->y, NULL), 0.0,
                                          &model),
                             TW_OK);
            assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
            allocator.fail_at = allocator.calls + i;
            status = tw_pt_run(model, prior, &o, NULL, NULL, out, NULL);
            assert_true(status == TW_OK || status == TW_NO_MEMORY);
            failed += status != TW_OK;
            tw_reference_free(prior);
            tw_model_free(model);
            assert_int_equal(tw_context_bytes_in_use(ctx), 0);
            tw_context_free(ctx);
        }
        assert_int_equal(status, TW_OK);
        assert_true(failed > 20);
    }
    test_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(warnings_are_given),
        cmocka_unit_test(failing_allocations_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
