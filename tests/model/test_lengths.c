/* A warning for length scales far from all distances between inputs, leaf by leaf. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/support.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

typedef struct heard {
    size_t count;
    tw_warning_code code[4];
    double number[4];
    char name[4][32];
} heard;

static void listen(void *user, const tw_warning *warning)
{
    heard *h = user;
    assert_true(h->count < 4);
    h->code[h->count] = warning->code;
    h->number[h->count] = warning->number[0];
    snprintf(h->name[h->count++], 32, "%s", warning->name);
}

/* 200 cases on a line, 1 apart, and a second input 1000 apart; two of the cases are at one place. */
static heard warn(const char *expression)
{
    enum { N = 200 };
    static double x[2 * N], y[N];
    heard h = {0};
    tw_context *ctx = new_context();
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("gaussian")};
    tw_problem *problem = NULL;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)(i == 1 ? 0 : i);
        x[i + N] = 1000.0 * x[i];
        y[i] = (double)(i % 2);
    }
    tw_context_set_warn(ctx, listen, &h);
    assert_int_equal(tw_data_new(ctx, N, 2, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, expression, 2, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    tw_problem_warn_lengths(problem);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
    return h;
}

static void lengths_of_the_size_of_distances_are_fine(void **state)
{
    (void)state;
    static const char *const fine[] = {"se(1, ell=2)",      "se(1, ell=0.21)",   "matern32(2, ell=200000)",
                                       "se(ell=(1, 1000))", "linear + constant", "periodic(period=1e9)",
                                       "se(1, ell=19000)"};
    for (size_t k = 0; k < sizeof fine / sizeof *fine; k++) {
        heard h = warn(fine[k]);
        if (h.count != 0) fail_msg("%s: %s", fine[k], h.name[0]);
    }
}

static void others_are_named_with_the_distance(void **state)
{
    (void)state;
    heard h = warn("se(1, ell=0.1) + matern32(2, ell=1e8) + rq(ell=(1, 2e4))");
    assert_int_equal(h.count, 2);
    assert_int_equal(h.code[0], TW_WARN_LENGTH_SHORT);
    assert_string_equal(h.name[0], "se");
    assert_close(h.number[0], 10.0, 1e-12, "the nearest cases, in length scales");
    assert_int_equal(h.code[1], TW_WARN_LENGTH_LONG);
    assert_string_equal(h.name[1], "matern32");
    assert_close(h.number[1], 199e3 / 1e8, 1e-15, "the cases furthest apart, in length scales");
}

static void distances_are_those_of_all_inputs(void **state)
{
    (void)state;
    heard h = warn("se(ell=(0.1, 100))"); /* 1 / 0.1 and 1000 / 100 apart */
    assert_int_equal(h.count, 1);
    assert_int_equal(h.code[0], TW_WARN_LENGTH_SHORT);
    assert_close(h.number[0], sqrt(200.0), 1e-12, "the nearest cases, in length scales");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_of_the_size_of_distances_are_fine),
        cmocka_unit_test(others_are_named_with_the_distance),
        cmocka_unit_test(distances_are_those_of_all_inputs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
