/* Default priors follow the units of y and of the inputs: everything is the same after y -> a y and inputs -> c inputs
 * + d, up to the shift of logarithms. And they do not depend on values that were given. */
#include <math.h>
#include <string.h>

#include "support/problem.h"
#include "support/support.h"
#include "talweg/fit.h"
#include "talweg/hyper.h"

enum { N = 16, D = 2, MOST = 8 };

typedef struct unit_case {
    const char *likelihood, *kernel;
    bool y_has_unit;  /* y -> a y */
    bool input_moves; /* inputs -> c inputs + d, not c inputs alone */
    double y[MOST];   /* theta_j changes by y[j] log a + input[j] log c */
    double input[MOST];
} unit_case;

static const unit_case CASES[] = {
    {"gaussian", "se + constant", true, true, {0, 1, 2, 1}, {1}},
    {"gaussian", "matern32(ard) + white", true, true, {0, 0, 1, 2, 1}, {1, 1}},
    {"gaussian", "linear + constant", true, false, {1, 2, 1}, {-1}},
    {"gaussian", "linear(ard)", true, false, {-1, -1, 1}, {1, 1}},
    {"gaussian", "polynomial(degree=3)", true, false, {1, 0, 1}, {-3, 2}},
    {"gaussian", "polynomial(degree=2, ard)", true, false, {-0.5, -0.5, 1, 1}, {1, 1}},
    {"gaussian", "se(1) * (periodic(2) + linear(2))", true, true, {0, 1, 0, 0, 0, 1}, {1, 0, 1, 0, -1}},
    {"gaussian", "rw1(1)", true, true, {1, 1}, {-0.5}},
    {"gaussian", "rw2(1)", true, true, {1, 1}, {-1.5}},
    {"student_t", "se + constant", true, true, {0, 1, 2, 1, 0}, {1}},
    {"stochastic_volatility", "se + constant", true, true, {0, 0, 0, 1}, {1}},
    {"gamma", "se + constant", false, true, {0}, {1}},
    {"weibull", "se + constant", false, true, {0}, {1}},
    {"negative_binomial", "se + constant", false, true, {0}, {1}},
    {"probit", "se", false, true, {0}, {1}},
};

/* In the last three numbers: a, c and d. */
static tw_problem *pose(tw_context *ctx, const unit_case *of, double a, double c, double d, bool given)
{
    test_random random = {29};
    double x[N * D], y[N];
    const double phi[2] = {3.0, 1.0}; /* far from the data */
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(of->likelihood)};
    tw_problem *problem = NULL;
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < D; k++) x[i + k * N] = 4.0 * test_uniform(&random);
        double v = 2.0 + sin(2.0 * x[i]) + 0.4 * test_normal(&random);
        y[i] = of->y_has_unit                                     ? a * v
               : strcmp(of->likelihood, "probit") == 0            ? (v > 2.0 ? 1.0 : -1.0)
               : strcmp(of->likelihood, "negative_binomial") == 0 ? floor(fabs(3.0 * v))
                                                                  : fabs(v) + 0.1;
        for (size_t k = 0; k < D; k++) x[i + k * N] = c * x[i + k * N] + (of->input_moves ? d : 0.0);
    }
    if (given && parts.likelihood->parameters > 0) parts.phi = phi;
    assert_int_equal(tw_data_new(ctx, N, D, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, of->kernel, D, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static const double UNITS[][3] = {{1e-3, 20.0, 3.0}, {20.0, 1e4, -5e3}, {1e4, 1e-3, 1.0}};
enum { CHANGES = sizeof UNITS / sizeof *UNITS };

static double shift(const unit_case *of, size_t j, const double *unit)
{
    return (of->y_has_unit ? of->y[j] * log(unit[0]) : 0.0) + of->input[j] * log(unit[1]);
}

static void default_priors_follow_units(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof CASES / sizeof *CASES; k++) {
        const unit_case *of = &CASES[k];
        tw_context *ctx = new_context();
        tw_problem *plain = pose(ctx, of, 1.0, 1.0, 0.0, false);
        for (size_t u = 0; u < CHANGES; u++) {
            tw_problem *other = pose(ctx, of, UNITS[u][0], UNITS[u][1], UNITS[u][2], true);
            for (size_t j = 0; j < tw_problem_count(plain); j++) {
                tw_prior before, after;
                assert_int_equal(tw_prior_default(plain, j, &before), TW_OK);
                assert_int_equal(tw_prior_default(other, j, &after), TW_OK);
                assert_close(after.a[0] - before.a[0], shift(of, j, UNITS[u]), 1e-9, of->kernel);
                assert_true(after.a[1] == before.a[1]);
            }
            tw_problem_free(other);
        }
        tw_problem_free(plain);
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

/* The fit and draws of the parameters shift, and evidences change by the Jacobian of y: -n log a. */
static void compute(tw_context *ctx, const unit_case *of, const double *unit, bool draws, double *out)
{
    tw_problem *problem = pose(ctx, of, unit[0], unit[1], unit[2], false);
    size_t count = tw_problem_count(problem);
    tw_priors *priors = NULL;
    tw_fit_result *fit = NULL;
    tw_hyper_result *r = NULL;
    tw_hyper_options o = TW_HYPER_DEFAULTS;
    tw_fit_options fit_options = TW_FIT_DEFAULTS;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "default"), TW_OK);
    fit_options.starts = 3;
    assert_int_equal(tw_fit(problem, priors, &fit_options, &fit), TW_OK);
    double jacobian = of->y_has_unit ? N * log(unit[0]) : 0.0;
    for (size_t j = 0; j < count; j++) out[j] = fit->optimum[0].theta[j] - shift(of, j, unit);
    out[count] = fit->optimum[0].log_posterior + jacobian;
    out[count + 1] = (double)fit->evaluations;
    tw_fit_free(fit);
    o.points = 64;
    o.starts = 1;
    o.joint_particles = 0;
    if (draws) {
        assert_int_equal(tw_hyper_run(problem, priors, &o, &r), TW_OK);
        out[count + 2] = r->estimate.log_z + jacobian;
        for (size_t k = 0; k < r->unknown; k++)
            out[count + 3 + k] = r->theta[k + 5 * r->unknown] - shift(of, r->row[k].index, unit);
    }
    tw_hyper_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
}

static void fits_and_draws_follow_units(void **state)
{
    (void)state;
    const double plain[3] = {1.0, 1.0, 0.0};
    const size_t which[] = {0, 12}; /* the search ends when a step gains less than 1e-4 nats */
    for (size_t w = 0; w < sizeof which / sizeof *which; w++) {
        const unit_case *of = &CASES[which[w]];
        tw_context *ctx = new_context();
        double before[2 * MOST + 3] = {0.0}, after[2 * MOST + 3] = {0.0};
        bool draws = w == 0;
        compute(ctx, of, plain, draws, before);
        for (size_t u = 0; u < CHANGES; u++) {
            compute(ctx, of, UNITS[u], draws, after);
            for (size_t j = 0; j < 2 * MOST + 3; j++)
                assert_close(after[j], before[j], w == 0 ? 1e-6 : 1e-4, of->likelihood);
        }
        assert_int_equal(tw_context_bytes_in_use(ctx), 0);
        tw_context_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(default_priors_follow_units),
        cmocka_unit_test(fits_and_draws_follow_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
