/* theta of a problem: the parameters of kernel and likelihood in one vector, by name, and the same problem at
 * another theta. */
#include <math.h>
#include <string.h>

#include "model/problem.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 7 };

static tw_problem *pose(tw_context *ctx, const char *expression, const char *likelihood, const double *phi,
                        const bool *given)
{
    double x[2 * N], y[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = sin(1.7 * (double)i);
        x[i + N] = cos((double)i);
        y[i] = i % 2 ? 1.0 : -1.0;
    }
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood),
                              .kernel = new_kernel(ctx, expression),
                              .phi = phi,
                              .phi_given = given};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, N, 2, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static void theta_is_the_kernel_s_and_the_likelihood_s(void **state)
{
    (void)state;
    static const char *const names[] = {"se.ell.1", "se.ell.2", "se.sigma", "constant.variance", "noise"};
    tw_context *ctx = new_context();
    const double phi = log(0.5);
    tw_problem *p = pose(ctx, "se(ell=(2, 3)) + constant(variance=4)", "gaussian", &phi, NULL);
    double theta[5];
    assert_int_equal(tw_problem_count(p), 5);
    tw_problem_get_theta(p, theta);
    for (size_t j = 0; j < 5; j++) {
        assert_string_equal(tw_problem_parameter(p, j)->name, names[j]);
        assert_int_equal(tw_problem_find(p, names[j]), j);
        assert_true(tw_problem_is_given(p, j) == (j != 2));
        assert_int_equal(tw_problem_parameter(p, j)->transform, TW_TRANSFORM_LOG);
    }
    assert_int_equal(tw_problem_find(p, "ell"), 5);
    const double expected[5] = {log(2.0), log(3.0), 0.0, log(4.0), log(0.5)};
    for (size_t j = 0; j < 5; j++) assert_close(theta[j], expected[j], 1e-15, names[j]);
    tw_problem_free(p);
    const bool given = false;
    p = pose(ctx, "se", "gaussian", &phi, &given);
    assert_false(tw_problem_is_given(p, 2));
    tw_problem_free(p);
    p = pose(ctx, "se", "gaussian", NULL, NULL);
    assert_false(tw_problem_is_given(p, 2));
    tw_problem_free(p);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* A moved problem is the one that is posed there. */
static void a_problem_moves_to_another_theta(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double theta[4] = {log(0.7), log(0.9), log(1.3), log(0.2)}, phi = log(0.2);
    const double too_large[4] = {1e3, 0.0, 0.0, 0.0}, no_noise[4] = {0.0, 0.0, 0.0, INFINITY};
    tw_problem *moved = pose(ctx, "matern32(ell=(1, 1), sigma=2)", "gaussian", NULL, NULL), *there = NULL;
    assert_int_equal(tw_problem_set_theta(moved, theta), TW_OK);
    there = pose(ctx, "matern32(ell=(1, 1), sigma=1)", "gaussian", &phi, NULL);
    tw_kernel_set_theta(there->kernel, theta);
    assert_null(tw_problem_difference(moved, there));
    for (size_t j = 0; j < 4; j++) assert_true(tw_problem_is_given(moved, j));
    tw_problem_free(there);

    /* what fails leaves it where it was */
    tw_model_info before = tw_model_describe(moved->model);
    assert_int_equal(tw_problem_set_theta(moved, too_large), TW_BAD_ARGUMENT);
    assert_int_not_equal(tw_problem_set_theta(moved, no_noise), TW_OK);
    double now[4];
    tw_problem_get_theta(moved, now);
    for (size_t j = 0; j < 4; j++) assert_true(now[j] == theta[j]);
    assert_true(tw_model_describe(moved->model).log_det == before.log_det);
    tw_problem_free(moved);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* The model that a problem has after a move gives the same numbers as one that is posed there. */
static void the_model_moves_too(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double theta[2] = {log(0.7), log(1.9)};
    tw_problem *moved = pose(ctx, "se", "probit", NULL, NULL);
    tw_problem *there =
        pose(ctx, "se(log_ell=-0.35667494393873245, log_sigma=0.64185388617239469)", "probit", NULL, NULL);
    tw_approximation *a = NULL, *b = NULL;
    assert_int_equal(tw_problem_set_theta(moved, theta), TW_OK);
    assert_int_equal(tw_laplace_fit(moved->model, NULL, &a), TW_OK);
    assert_int_equal(tw_laplace_fit(there->model, NULL, &b), TW_OK);
    assert_close(a->log_z, b->log_z, 1e-13, "log Z");
    tw_approximation_free(a);
    tw_approximation_free(b);
    tw_problem_free(moved);
    tw_problem_free(there);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theta_is_the_kernel_s_and_the_likelihood_s),
        cmocka_unit_test(a_problem_moves_to_another_theta),
        cmocka_unit_test(the_model_moves_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
