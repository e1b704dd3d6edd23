/* Derivatives of EP's and Laplace's log Z with respect to kernel and likelihood parameters, for every
 * built-in likelihood, against central differences of log Z. Student's t has sites of negative precision
 * here. */
#include <math.h>
#include <string.h>

#include "approximate/approximate.h"
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

/* Laplace's q at theta, with a precision of 0 at site 4, as where negative precisions do not give a distribution. */
static tw_approximation *fit_without_outlier(const tw_problem *problem)
{
    tw_approximation *a = log_z_fit(problem, TW_LAPLACE, TOLERANCE);
    double before = a->reference->gaussian->log_det;
    assert_true(a->tau[4] < 0.0);
    a->nu[4] -= a->tau[4] * a->mean[4];
    a->tau[4] = 0.0;
    assert_int_equal(tw_approximation_rebuild(problem->model, a), TW_OK);
    a->log_z += 0.5 * (a->reference->gaussian->log_det - before);
    return a;
}

static double log_z_without_outlier(tw_problem *problem, const double *theta, size_t j, double step)
{
    double moved[LOG_Z_PARAMETERS];
    memcpy(moved, theta, tw_problem_count(problem) * sizeof *theta);
    moved[j] += step;
    assert_int_equal(tw_problem_set_theta(problem, moved), TW_OK);
    tw_approximation *a = fit_without_outlier(problem);
    double log_z = a->log_z;
    tw_approximation_free(a);
    return log_z;
}

/* Student's t with an outlier, whose precision is set to 0: log|B| does not depend on the outlier's curvature, and neither do derivatives. Sites are independent, so that its mode does not move
 * that of others. */
static void a_precision_of_0_has_no_derivative(void **state)
{
    (void)state;
    static const double phi[2] = {-1.2, 1.1}; /* log scale, log df */
    tw_context *ctx = new_context();
    tw_problem_parts parts = {.likelihood = tw_likelihood_find("student_t"),
                              .phi = phi,
                              .kernel = new_kernel(ctx, "white(variance=0.3)")};
    tw_problem *problem = NULL;
    double x[N], y[N], theta[LOG_Z_PARAMETERS], gradient[LOG_Z_PARAMETERS];
    for (size_t i = 0; i < N; i++) {
        x[i] = 0.4 * (double)i;
        y[i] = i == 4 ? 3.0 : sin(x[i]);
    }
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    tw_problem_get_theta(problem, theta);
    tw_approximation *a = fit_without_outlier(problem);
    assert_int_equal(tw_approximation_gradient(problem, a, gradient), TW_OK);
    tw_approximation_free(a);
    for (size_t j = 0; j < tw_problem_count(problem); j++) {
        double f[4];
        for (int k = 0; k < 4; k++)
            f[k] = log_z_without_outlier(problem, theta, j, STEP * (double[]){-2.0, -1.0, 1.0, 2.0}[k]);
        assert_close(gradient[j], (f[0] - 8.0 * f[1] + 8.0 * f[2] - f[3]) / (12.0 * STEP), 1e-6,
                     "a derivative");
    }
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_likelihood_has_derivatives_of_log_z),
        cmocka_unit_test(a_precision_of_0_has_no_derivative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
