/* Which parameters were given: the kernel records it, files keep it, and a warning names those that were not
 * given. */
#include <stdio.h>

#include "covariance/kernel.h"
#include "support/support.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

enum { N = 3 };

static tw_problem *pose(tw_context *ctx, const char *expression)
{
    const double x[2 * N] = {0.0, 1.0, 2.0, 0.5, -1.0, 0.3}, y[N] = {-1.0, 1.0, 1.0};
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("probit")};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, N, 2, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, expression, 2, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static void receive(void *user, const tw_warning *warning)
{
    assert_int_equal(warning->code, TW_WARN_DEFAULTS);
    snprintf(user, 200, "%s", warning->name);
}

/* expression: what is warned of, and what a file keeps. */
static void check(const char *expression, const char *defaults, const char *kept)
{
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, expression);
    char warned[200] = "";
    char *text = NULL;
    tw_kernel *again = NULL;
    tw_context_set_warn(ctx, receive, warned);
    tw_problem_warn_defaults(problem);
    assert_string_equal(warned, defaults);
    assert_int_equal(tw_kernel_print_given(problem->kernel, &text), TW_OK);
    assert_string_equal(text, kept);
    assert_int_equal(tw_kernel_restore(ctx, text, problem->data, tw_kernel_count(problem->kernel),
                                       tw_kernel_theta(problem->kernel), &again),
                     TW_OK);
    assert_true(tw_kernel_same(again, problem->kernel));
    for (size_t j = 0; j < tw_kernel_count(again); j++)
        assert_true(tw_kernel_is_given(again, j) == tw_kernel_is_given(problem->kernel, j));
    tw_release(ctx, text);
    tw_kernel_free(again);
    tw_problem_free(problem);
    tw_context_free(ctx);
}

static void parameters_that_nobody_gave_are_named(void **state)
{
    (void)state;
    check("se", "ell = 1, sigma = 1", "se");
    check("se(ell=1)", "sigma = 1", "se(ell=1)");
    check("se(ell=2, log_sigma=0)", "", "se(ell=2, log_sigma=0)");
    check("se(ard, sigma=2)", "ell.1 = 1, ell.2 = 1", "se(ard, sigma=2)");
    check("se(ell=(1, 2)) + constant", "se.sigma = 1, constant.variance = 1", "se(ell=(1, 2)) + constant");
    check("se(ard) + matern32(ard) + white",
          "se.ell.1 = 1, se.ell.2 = 1, se.sigma = 1, matern32.ell.1 = 1, "
          "matern32.ell.2 = 1, matern32.sigma = 1, ...",
          "se(ard) + matern32(ard) + white");
}

static void a_parameter_that_is_moved_is_given(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double theta[2] = {0.0, 0.5}, log_ell = 0.0;
    tw_kernel *kernel = NULL, *copy = NULL;
    assert_int_equal(tw_kernel_parse(ctx, "se", 1, &kernel), TW_OK);
    assert_int_equal(tw_kernel_set_theta(kernel, theta), TW_OK);
    assert_false(tw_kernel_is_given(kernel, 0));
    assert_true(tw_kernel_is_given(kernel, 1));
    assert_int_equal(tw_kernel_copy(kernel, &copy), TW_OK);
    assert_true(!tw_kernel_is_given(copy, 0) && tw_kernel_is_given(copy, 1));
    tw_kernel_free(copy);
    tw_kernel_free(kernel);
    assert_int_equal(tw_kernel_simple(ctx, "se", 1, &log_ell, 0.0, 0.5, 0.0, &kernel), TW_OK);
    for (size_t j = 0; j < 3; j++) assert_true(tw_kernel_is_given(kernel, j));
    tw_kernel_set_given(kernel, 1, false);
    assert_false(tw_kernel_is_given(kernel, 1));
    tw_kernel_free(kernel);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_that_nobody_gave_are_named),
        cmocka_unit_test(a_parameter_that_is_moved_is_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
