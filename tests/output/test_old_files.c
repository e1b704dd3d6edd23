/* Files of older versions: tests/output/files has a run of format 1 and an approximation of version 1, which
 * the program of that time made from
 *
 *   first,second,area,count
 *   0.5,1.5,0.5,1
 *   -0.3,0.2,1,0
 *   1.2,-0.7,2,4
 *   0.1,0.9,1.5,2
 *
 * with --likelihood poisson --exposure-column area --kernel matern32 --log-ell 0.25,-0.5 --log-sigma 0.3
 * --constant 0.1 --white 0.05 --standardise --jitter 1e-9. */
#include <string.h>

#include "model/problem.h"
#include "support/scratch_file.h"
#include "support/support.h"
#include "talweg/output.h"
#include "talweg/run.h"

static const char run_file[] = "tests/output/files/run_1.nc";
static const char approximation_file[] = "tests/output/files/approximation_1.json";

/* The same to the bit as a problem made now, but for inputs, whose scaling may round differently elsewhere. */
static void assert_problem(tw_context *ctx, const tw_problem *problem)
{
    const double x[8] = {0.5, -0.3, 1.2, 0.1, 1.5, 0.2, -0.7, 0.9}, y[4] = {1, 0, 4, 2},
                 w[4] = {0.5, 1, 2, 1.5};
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("poisson"), .jitter = 1e-9};
    tw_problem *expected = NULL;
    assert_int_equal(tw_data_new(ctx, 4, 2, x, 4, y, &parts.data), TW_OK);
    assert_int_equal(tw_data_set_column(parts.data, "exposure", w), TW_OK); /* then called w */
    assert_int_equal(tw_scaling_fit(parts.data, &parts.scaling), TW_OK);
    assert_int_equal(tw_scaling_apply(parts.scaling, parts.data), TW_OK);
    for (size_t i = 0; i < 8; i++) {
        assert_close(problem->data->x[i], parts.data->x[i], 1e-14, "an input");
        parts.data->x[i] = problem->data->x[i];
    }
    parts.kernel = new_kernel(ctx, "matern32(log_ell=(0.25, -0.5), log_sigma=0.3) + constant(variance=0.1) + "
                                   "white(variance=0.05)");
    assert_int_equal(tw_problem_new(ctx, &parts, &expected), TW_OK);
    const char *difference = tw_problem_difference(expected, problem);
    if (difference) fail_msg("%s differ", difference);
    assert_string_equal(problem->data->names[1], "second");
    tw_problem_free(expected);
}

static void a_run_of_format_1(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_run *run = NULL;
    tw_problem *problem = NULL;
    assert_int_equal(tw_run_open(ctx, run_file, &run), TW_OK);
    assert_int_equal(tw_run_describe(run)->draws, 3);
    assert_int_equal(tw_run_problem(run, &problem), TW_OK);
    assert_problem(ctx, problem);
    tw_problem_free(problem);
    tw_run_close(run);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* It is saved in the present version, which says the same. */
static void an_approximation_of_version_1(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *problem = NULL, *again = NULL;
    tw_approximation *ep = NULL, *saved = NULL;
    scratch_file file = scratch_write_text(".json", "");
    assert_int_equal(tw_approximation_load(ctx, approximation_file, &problem, &ep), TW_OK);
    assert_problem(ctx, problem);
    assert_true(ep->converged && ep->kind == TW_EP);
    assert_int_equal(tw_approximation_save(problem, ep, file.path, true), TW_OK);
    assert_int_equal(tw_approximation_load(ctx, file.path, &again, &saved), TW_OK);
    assert_problem(ctx, again);
    assert_true(saved->log_z == ep->log_z);
    assert_memory_equal(saved->tau, ep->tau, 4 * sizeof(double));
    tw_approximation_free(saved);
    tw_approximation_free(ep);
    tw_problem_free(again);
    tw_problem_free(problem);
    scratch_remove(&file);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_of_format_1),
        cmocka_unit_test(an_approximation_of_version_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
