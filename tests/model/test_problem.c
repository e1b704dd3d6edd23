/* A problem takes ownership of all its parts, also if a call fails. */
#include "talweg/problem.h"

#include <math.h>
#include <string.h>

#include "model/problem.h"
#include "support/support.h"

enum { N = 6 };

/* Parts with everything, or as much as memory allows. */
static tw_status make_parts(tw_context *ctx, const char *expression, tw_problem_parts *parts)
{
    static const double w[N] = {0.5, 1.0, 1.5, 2.0, 2.5, 3.0};
    double x[2 * N], y[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = sin(1.7 * (double)i);
        x[i + N] = 3.0 * cos((double)i);
        y[i] = (double)(i % 3);
    }
    *parts = (tw_problem_parts){.likelihood = tw_likelihood_find("poisson"), .jitter = 1e-9};
    tw_status status = tw_data_new(ctx, N, 2, x, N, y, &parts->data);
    if (status == TW_OK) status = tw_data_set_column(parts->data, "exposure", w);
    if (status == TW_OK) status = tw_scaling_fit(parts->data, &parts->scaling);
    if (status == TW_OK) status = tw_scaling_apply(parts->scaling, parts->data);
    if (status == TW_OK) status = tw_kernel_parse(ctx, expression, 2, &parts->kernel);
    if (status != TW_OK) tw_problem_parts_free(parts);
    return status;
}

static tw_status make_problem(tw_context *ctx, const char *expression, tw_problem **out)
{
    tw_problem_parts parts;
    tw_status status = make_parts(ctx, expression, &parts);
    return status == TW_OK ? tw_problem_new(ctx, &parts, out) : status;
}

static void a_problem_owns_its_parts(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem_parts parts;
    tw_problem *problem = NULL;
    assert_int_equal(make_parts(ctx, "se + white", &parts), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    assert_ptr_equal(problem->data, parts.data);
    assert_ptr_equal(problem->scaling, parts.scaling);
    assert_ptr_equal(problem->kernel, parts.kernel);
    tw_observations observed = tw_problem_observed(problem);
    assert_ptr_equal(observed.column[0], tw_data_column(problem->data, "exposure"));
    assert_true(observed.column[0][5] == 3.0 && observed.y == problem->data->y && observed.n == N);
    assert_int_equal(tw_model_describe(problem->model).n, N);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A kernel of another number of inputs, data that the likelihood refuses, a part that is not there. */
static void what_fails_is_freed(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (int fault = 0; fault < 4; fault++) {
        tw_problem_parts parts;
        tw_problem *problem = NULL;
        assert_int_equal(make_parts(ctx, "se(ard)", &parts), TW_OK);
        if (fault == 0) parts.data->d = 1;
        if (fault == 1) parts.data->y[2] = -1.0;
        if (fault == 2) parts.likelihood = NULL;
        if (fault == 3) {
            tw_kernel_free(parts.kernel);
            parts.kernel = NULL;
        }
        assert_true(tw_problem_new(ctx, &parts, &problem) != TW_OK);
        assert_null(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    }
    assert_non_null(strstr(tw_context_message(ctx), "a problem needs a kernel"));
    tw_context_free(ctx);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    tw_status status = TW_NO_MEMORY;
    size_t failures = 0;
    for (size_t n = 1; status != TW_OK; n++) {
        failing_allocator allocator = {0, n};
        tw_context *ctx = failing_context(&allocator);
        tw_problem *problem = NULL;
        status = make_problem(ctx, "se(ard) + constant", &problem);
        assert_true(status == TW_OK || status == TW_NO_MEMORY);
        assert_true((problem != NULL) == (status == TW_OK));
        tw_problem_free(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
        failures += status != TW_OK;
    }
    assert_true(failures > 20);
}

static void differences_are_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_problem *a = NULL, *b = NULL;
    assert_int_equal(make_problem(ctx, "se(ell=2)", &a), TW_OK);
    assert_int_equal(make_problem(ctx, "se(log_ell=0.69314718055994529)", &b), TW_OK);
    assert_null(tw_problem_difference(a, b)); /* log 2, to the bit */
    tw_problem_free(b);
    assert_int_equal(make_problem(ctx, "matern12(ell=2)", &b), TW_OK);
    assert_string_equal(tw_problem_difference(a, b), "the kernel or its parameters");
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): made above */
    b->jitter = 0.0;
    assert_string_equal(tw_problem_difference(a, b), "the jitter");
    tw_problem_free(b);
    assert_int_equal(make_problem(ctx, "se(ell=2)", &b), TW_OK);
    b->data->x[3] += 1.0;
    assert_string_equal(tw_problem_difference(a, b), "the inputs");
    tw_problem_free(b);
    tw_problem_free(a);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_owns_its_parts),
        cmocka_unit_test(what_fails_is_freed),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(differences_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
