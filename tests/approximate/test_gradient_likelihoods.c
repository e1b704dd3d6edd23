/* Derivatives of EP's and Laplace's log Z with respect to kernel and likelihood parameters, for every
 * built-in likelihood, against central differences of log Z. Student's t has sites of negative precision
 * here. */
#include <math.h>

#include "support/log_z_slope.h"
#include "support/setting.h"
#include "support/support.h"
#include "talweg/approximate.h"

enum { N = 9 };

static tw_problem *pose(tw_context *ctx, const tw_likelihood *likelihood)
{
    setting_room room;
    tw_observations o = setting_observations(likelihood, 3, N, &room);
    double x[N];
    tw_problem_parts parts = {.likelihood = likelihood, .phi = room.phi};
    tw_problem *problem = NULL;
    for (size_t i = 0; i < N; i++) x[i] = 0.4 * (double)i;
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, room.y, &parts.data), TW_OK);
    for (size_t k = 0; k < likelihood->columns; k++)
        if (o.column[k])
            assert_int_equal(tw_data_set_column(parts.data, likelihood->column[k].name, o.column[k]), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, "se(ell=1.2, sigma=1.1)", 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

/* Fourth order: h^4 f^(5)/30 is about 1e-9, and the tolerance of log Z over h as much. */
static const double TOLERANCE = 1e-10, STEP = 0.01;

static void check(tw_problem *problem, tw_approximation_kind kind)
{
    double theta[LOG_Z_PARAMETERS], gradient[LOG_Z_PARAMETERS];
    tw_problem_get_theta(problem, theta);
    tw_approximation *a = log_z_fit(problem, kind, TOLERANCE);
    double least = 0.0;
    for (size_t i = 0; i < N; i++) least = fmin(least, a->tau[i]);
    assert_true((least < 0.0) == (problem->likelihood->peak != NULL));
    assert_int_equal(tw_approximation_gradient(problem, a, gradient), TW_OK);
    tw_approximation_free(a);
    for (size_t j = 0; j < tw_problem_count(problem); j++) {
        double expected = log_z_difference(problem, kind, TOLERANCE, STEP, theta, j);
        if (!(fabs(gradient[j] - expected) <= 1e-6 * fmax(1.0, fabs(expected))))
            fail_msg("%s of %s: d/d %s is %.10g and not %.10g", kind == TW_EP ? "EP" : "Laplace",
                     problem->likelihood->name, tw_problem_parameter(problem, j)->name, gradient[j],
                     expected);
    }
    assert_int_equal(tw_problem_set_theta(problem, theta), TW_OK);
}

static void every_likelihood_has_derivatives_of_log_z(void **state)
{
    (void)state;
    const tw_likelihood *likelihood = NULL;
    for (size_t l = 0; (likelihood = tw_likelihood_at(l)); l++) {
        tw_context *ctx = new_context();
        tw_problem *problem = pose(ctx, likelihood);
        assert_true(tw_problem_count(problem) == 2 + likelihood->parameters);
        check(problem, TW_EP);
        check(problem, TW_LAPLACE);
        tw_problem_free(problem);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_likelihood_has_derivatives_of_log_z)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
