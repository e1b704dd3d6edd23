/* Claims from files: CSV and JSON, by name and in order; invalid claims are refused with the reason; no
 * memory is lost if an allocation fails. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/posed.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/check.h"

enum { N = 3 };

static posed pose_in_context(tw_context *ctx)
{
    static double k[N * N], y[N];
    pose_line(N, k, y);
    return pose_in(ctx, N, k, tw_likelihood_find("probit"), y);
}

static tw_status read_text(const posed *p, const char *ending, const char *text, tw_claim **claim)
{
    scratch_file file = scratch_write_text(ending, text);
    tw_status status = tw_claim_read(p->model, file.path, claim);
    scratch_remove(&file);
    return status;
}

static tw_claim *read_claim(const posed *p, const char *ending, const char *text)
{
    tw_claim *claim = NULL;
    if (read_text(p, ending, text, &claim) != TW_OK) fail_msg("%s", tw_context_message(p->ctx));
    return claim;
}

static void assert_values(const tw_claim *claim, tw_check_quantity q, double a, double b, double c)
{
    const double expected[N] = {a, b, c};
    for (size_t i = 0; i < N; i++) {
        if (isnan(expected[i]))
            assert_true(isnan(claim->value[q][i]));
        else
            assert_true(claim->value[q][i] == expected[i]);
    }
}

/* ---- good files ---- */

static void names_decide_which_latent(void **state)
{
    (void)state;
    posed p = pose_in_context(NULL);
    const char *const files[] = {
        "name,mean,sd\nx.3,3,0.3\nx.1,1,0.1\n", "sd;name;mean\n0.3;x[3];3\n0.1;x[1];1\n",
        "name,other,Mean,SD\n3,9,3,0.3\n1,9,1,0.1\n", "name,mean,sd\nPredictor:03,3,0.3\nx1,1,0.1\n"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        tw_claim *claim = read_claim(&p, ".csv", files[k]);
        assert_values(claim, TW_CHECK_MEAN, 1.0, NAN, 3.0);
        assert_values(claim, TW_CHECK_SD, 0.1, NAN, 0.3);
        assert_values(claim, TW_CHECK_Q50, NAN, NAN, NAN);
        assert_true(isnan(claim->log_z));
        tw_claim_free(claim);
    }
    posed_free(&p);
}

static void without_names_the_order_decides(void **state)
{
    (void)state;
    posed p = pose_in_context(NULL);
    tw_claim *claim = read_claim(&p, ".csv", "q05,q50,q95\n-1,0,1\n-2,0,2\n-3,0,3\n");
    assert_values(claim, TW_CHECK_Q05, -1.0, -2.0, -3.0);
    assert_values(claim, TW_CHECK_Q95, 1.0, 2.0, 3.0);
    tw_claim_free(claim);
    posed_free(&p);
}

static void json_has_log_z_and_what_it_omits(void **state)
{
    (void)state;
    posed p = pose_in_context(NULL);
    tw_claim *claim =
        read_claim(&p, ".json", "{\"log_z\": -5, \"log_z_omits\": -1.5, \"program\": \"INLA\"}");
    assert_true(claim->log_z == -6.5);
    assert_values(claim, TW_CHECK_MEAN, NAN, NAN, NAN);
    tw_claim_free(claim);
    claim = read_claim(&p, ".json",
                       "{\"name\": [\"x.2\", 3], \"mean\": [2, 3], \"sd\": [0.2, 0.3], \"log_z\": null}");
    assert_values(claim, TW_CHECK_MEAN, NAN, 2.0, 3.0);
    assert_true(isnan(claim->log_z));
    tw_claim_free(claim);
    posed_free(&p);
}

/* ---- bad ones ---- */

static void what_is_no_claim_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *ending, *text, *words;
    } bad[] = {
        {".csv", "1,2\n3,4\n5,6\n", "the header is missing"},
        {".csv", "name,mean\nx.4,1\n",
         "row 1: \"x.4\" is not a latent of this model: the names are x.1 to x.3"},
        {".csv", "name,mean\nx.0,1\n", "is not a latent"},
        {".csv", "name,mean\nbeta,1\n", "\"beta\" is not a latent"},
        {".csv", "name,mean\nx.1.2,1\n", "is not a latent"},
        {".csv", "name,mean\nx.-1,1\n", "\"x.-1\" is not a latent"},
        {".csv", "name,mean\nx.c1,1\n", "\"x.c1\" is not a latent"},
        {".csv", "name,mean\nx[1,1\n", "\"x[1\" is not a latent"},
        {".csv", "name,mean\nx.1],1\n", "\"x.1]\" is not a latent"},
        {".csv", "name,mean\n-1,1\n", "\"-1\" is not a latent"},
        {".json", "{\"name\": [-1], \"mean\": [1]}", "\"-1\" is not a latent"},
        {".csv", "name,mean\n1.5,1\n", "is not a latent"},
        {".csv", "name,mean\nx.1,1\nx[1],2\n", "row 2: x.1 has a second row"},
        {".csv", "mean,sd\n1,1\n2,1\n", "there are 2 rows, but the model has 3 latents"},
        {".csv", "name,mean\nx.1,1\nx.2,1\nx.3,1\nx.1,1\n", "there are 4 rows"},
        {".csv", "mean,sd\n1,1\n2,0\n3,1\n", "row 2: the sd is 0, but must be positive"},
        {".csv", "mean,sd\n1,1\n2,NA\n3,1\n", "line 3, column 2"},
        {".csv", "name,mean\nx.1,low\nx.2,high\n", "column \"mean\" must hold numbers, not text"},
        {".csv", "name,median\nx.1,1\n", "nothing to check: no column mean, sd, q05, q50 or q95"},
        {".json", "{}", "nothing to check"},
        {".json", "[1, 2]", "this is not a JSON object"},
        {".json", "{\"log_z\": -5, \"latents\": [{\"mean\": 1}]}", "field \"latents\" is not known"},
        {".json", "{\"mean\": [1, 2, 3], \"logz\": -5}", "field \"logz\" is not known"},
        {".json", "{\"log_z\": ", "line 1, column"},
        {".json", "{\"log_z\": \"-5\"}", "field \"log_z\" is not a number"},
        {".json", "{\"mean\": 5}", "field \"mean\" is not an array"},
        {".json", "{\"mean\": [1, 2]}", "there are 2 rows, but the model has 3 latents"},
        {".json", "{\"name\": [\"x.1\"], \"mean\": [1, 2]}", "as many numbers as there are names"},
        {".json", "{\"name\": \"x.1\", \"mean\": [1]}", "field \"name\" is not an array"},
        {".json", "{\"name\": [null], \"mean\": [1]}", "is not a latent"},
        {".json", "{\"mean\": [1, null, 3]}", "row 2: the mean is not a finite number"},
    };
    posed p = pose_in_context(NULL);
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        tw_claim *claim = NULL;
        assert_int_equal(read_text(&p, bad[k].ending, bad[k].text, &claim), TW_BAD_DATA);
        assert_null(claim);
        if (!strstr(tw_context_message(p.ctx), bad[k].words))
            fail_msg("%s: %s", bad[k].text, tw_context_message(p.ctx));
    }
    tw_claim *claim = NULL;
    assert_int_equal(tw_claim_read(p.model, "/nowhere/inla.json", &claim), TW_BAD_FILE);
    posed_free(&p);
}

static void no_memory_is_lost(void **state)
{
    (void)state;
    const char *const text[] = {"name,mean,sd\nx.3,3,0.3\nx.1,1,0.1\n",
                                "{\"log_z\": -5, \"mean\": [1, 2, 3]}"};
    for (size_t k = 0; k < 2; k++) {
        tw_status status = TW_NO_MEMORY;
        for (size_t at = 1; status != TW_OK; at++) {
            failing_allocator allocator = {0};
            tw_context *ctx = failing_context(&allocator);
            posed p = pose_in_context(ctx);
            tw_claim *claim = NULL;
            allocator.fail_at = allocator.calls + at;
            status = read_text(&p, k ? ".json" : ".csv", text[k], &claim);
            assert_true(status == TW_OK || status == TW_NO_MEMORY);
            allocator.fail_at = 0;
            tw_claim_free(claim);
            posed_free(&p);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_decide_which_latent),
        cmocka_unit_test(without_names_the_order_decides),
        cmocka_unit_test(json_has_log_z_and_what_it_omits),
        cmocka_unit_test(what_is_no_claim_is_refused),
        cmocka_unit_test(no_memory_is_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
