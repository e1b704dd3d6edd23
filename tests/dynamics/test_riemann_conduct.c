/* The metric of RMHMC: its parts, and a step to a point where it is not finite. */
#include <math.h>

#include "dynamics/riemann.h"
#include "support/gp_case.h"
#include "support/observe.h"
#include "support/support.h"

enum { N = 5 };

/* N(x; 0, 1) as a likelihood, whose curvature is no number beyond |x| = 1. */
static bool any_number(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

static void fenced_terms(const tw_observations *o, const double *x, double *value, double *slope,
                         double *lambda, double *dlambda)
{
    for (size_t i = 0; i < o->n; i++) {
        if (value) value[i] = -0.5 * x[i] * x[i];
        if (slope) slope[i] = -x[i];
        if (lambda) lambda[i] = fabs(x[i]) < 1.0 ? 1.0 : NAN;
        if (dlambda) dlambda[i] = 0.0;
    }
}

static void test_no_factor_on_the_way_is_reported(void **state)
{
    (void)state;
    const tw_likelihood fenced = {
        .name = "fenced", .support = "a number", .supports = any_number, .terms = fenced_terms};
    const double k = 1.0, y = 0.0, v = 0.0;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *prior = NULL;
    tw_target *target = NULL;
    tw_riemann *point = NULL;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    assert_int_equal(tw_model_new(ctx, &k, 1, OBSERVED(&fenced, 1, &y, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
    assert_int_equal(tw_target_new(model, prior, TW_FORM_OPEN, &target), TW_OK);
    assert_int_equal(tw_riemann_new(target, &options, &point), TW_OK);
    assert_int_equal(tw_riemann_set_position(point, &v), TW_STEP_FINE);
    point->pi[0] = 0.5;
    assert_int_equal(tw_riemann_leapfrog(point, 0.5), TW_STEP_FINE);
    point->pi[0] = 50.0;
    assert_int_equal(tw_riemann_leapfrog(point, 0.5), TW_STEP_FACTORISATION);
    tw_riemann_free(point);
    tw_target_free(target);
    tw_reference_free(prior);
    tw_model_free(model);
    tw_context_free(ctx);
}

/* In the open form the metric has q's sites beside those of the likelihood: b lambda + (1 - b) tau, whichever lambda. */
static void test_metric_of_the_open_form_has_the_sites_of_q(void **state)
{
    (void)state;
    gp_setting setting = {.n = N, .seed = 9, .cond = 1e2, .scale = 8, .form = GP_OPEN, .beta = 0.3};
    const double smoothing[N] = {0.5, 1.0, 2.0, 0.3, 0.8};
    const tw_metric metrics[] = {TW_METRIC_HESSIAN, TW_METRIC_FISHER, TW_METRIC_SMOOTHED};
    const double v[N] = {0.4, -1.0, 0.7, 0.1, -0.2};
    for (size_t m = 0; m < 3; m++) {
        gp_case gp = gp_case_new(&setting);
        const tw_likelihood *lik = gp.model->observed.likelihood;
        tw_riemann_options options = TW_RIEMANN_DEFAULTS;
        tw_riemann *point = NULL;
        double lambda[N], dlambda[N];
        options.metric = metrics[m];
        options.smoothing = smoothing;
        assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_OK);
        assert_int_equal(tw_riemann_set_position(point, v), TW_STEP_FINE);
        const double *y = gp.problem->y, *x = point->x;
        if (metrics[m] == TW_METRIC_HESSIAN)
            lik->terms(OBSERVED(lik, N, y, NULL), x, NULL, NULL, lambda, dlambda);
        if (metrics[m] == TW_METRIC_FISHER) lik->fisher(OBSERVED(lik, N, y, NULL), x, lambda, dlambda);
        if (metrics[m] == TW_METRIC_SMOOTHED)
            lik->smoothed(OBSERVED(lik, N, y, NULL), smoothing, x, lambda, dlambda);
        for (size_t i = 0; i < N; i++) {
            assert_close(point->lambda[i], 0.3 * lambda[i] + 0.7 * gp.problem->tau[i], 1e-14, "lambda");
            assert_close(point->dlambda[i], 0.3 * dlambda[i], 1e-14, "dlambda");
        }
        tw_riemann_free(point);
        gp_case_free(&gp);
    }
}

/* A smoothed metric without variances, a likelihood without that curvature, and a metric that is none of RMHMC's. */
static void test_metrics_that_cannot_be_had_are_refused(void **state)
{
    (void)state;
    gp_setting setting = {.n = N, .seed = 9, .cond = 1e2, .scale = 8, .form = GP_PRIOR, .beta = 1.0};
    gp_case gp = gp_case_new(&setting);
    tw_likelihood plain = *gp.model->observed.likelihood;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    tw_riemann *point = NULL;
    const double smoothing[N] = {1.0, 1.0, 1.0, 1.0, 1.0};
    options.metric = TW_METRIC_SMOOTHED;
    assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_BAD_ARGUMENT);
    plain.smoothed = NULL;
    plain.fisher = NULL;
    gp.model->observed.likelihood = &plain;
    options.smoothing = smoothing;
    assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_BAD_ARGUMENT);
    options.metric = TW_METRIC_FISHER;
    assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_BAD_ARGUMENT);
    options.metric = TW_METRIC_EP;
    assert_int_equal(tw_riemann_new(gp.target, &options, &point), TW_BAD_ARGUMENT);
    gp_case_free(&gp);
}

/* N(x; 0, 1/y) as a likelihood: its curvature is y. */
static void stiff_terms(const tw_observations *o, const double *x, double *value, double *slope,
                        double *lambda, double *dlambda)
{
    for (size_t i = 0; i < o->n; i++) {
        if (value) value[i] = -0.5 * o->y[i] * x[i] * x[i];
        if (slope) slope[i] = -o->y[i] * x[i];
        if (lambda) lambda[i] = o->y[i];
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* H of one site with prior variance 1 and this curvature, at x = 0 with the momentum (1 + curvature)^1/2: log(1 + curvature)/2 +
 * 1/2, and the constant of the prior. */
static double stiff_energy(double curvature)
{
    const tw_likelihood stiff = {
        .name = "stiff", .support = "a number", .supports = any_number, .terms = stiff_terms};
    const double k = 1.0, v = 0.0;
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_reference *prior = NULL;
    tw_target *target = NULL;
    tw_riemann *point = NULL;
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    assert_int_equal(tw_model_new(ctx, &k, 1, OBSERVED(&stiff, 1, &curvature, NULL), 0.0, &model), TW_OK);
    assert_int_equal(tw_reference_prior(model, &prior), TW_OK);
    assert_int_equal(tw_target_new(model, prior, TW_FORM_OPEN, &target), TW_OK);
    assert_int_equal(tw_riemann_new(target, &options, &point), TW_OK);
    assert_int_equal(tw_riemann_set_position(point, &v), TW_STEP_FINE);
    point->pi[0] = sqrt(1.0 + curvature);
    double energy = tw_riemann_energy(point);
    tw_riemann_free(point);
    tw_target_free(target);
    tw_reference_free(prior);
    tw_model_free(model);
    tw_context_free(ctx);
    return energy;
}

/* The kinetic energy is a difference of two numbers as large as lambda K; Metropolis must not decide on its rounding error. */
static void test_an_energy_without_digits_is_no_number(void **state)
{
    (void)state;
    const double half_log_two_pi = 0.91893853320467274178;
    for (double curvature = 1.0; curvature < 1e12; curvature *= 100.0)
        assert_close(stiff_energy(curvature), half_log_two_pi + 0.5 * log1p(curvature) + 0.5,
                     1e-12 + 1e-15 * curvature, "H");
    for (double curvature = 1e15; curvature < 1e100; curvature *= 1e6)
        assert_true(isnan(stiff_energy(curvature)));
}

/* What the metric was asked for: `counting` has the place of its table of functions. */
static struct {
    const tw_curved_kind *own;
    tw_curved_kind table;
    size_t factors, diagonals;
} counting;

static bool count_factor(tw_curved *c, const double *lambda, double threshold)
{
    counting.factors++;
    return counting.own->factor(c, lambda, threshold);
}

static void count_diagonal(tw_curved *c, double *diagonal)
{
    counting.diagonals++;
    counting.own->diagonal(c, diagonal);
}

static void count_calls(tw_curved *c)
{
    counting.own = c->kind;
    counting.table = *c->kind;
    counting.table.factor = count_factor;
    counting.table.diagonal = count_diagonal;
    counting.factors = counting.diagonals = 0;
    c->kind = &counting.table;
}

enum { MANY = 40, STEPS = 60 };

/* STEPS steps of 0.1, each from another point, with this number of plain iterations (0: to the tolerance). */
static void count_steps(const gp_setting *setting, tw_metric metric, size_t fixed)
{
    gp_case gp = gp_case_new(setting);
    tw_riemann_options options = TW_RIEMANN_DEFAULTS;
    tw_riemann *p = NULL;
    test_random random = {17};
    double v[MANY], normals[2 * MANY], smoothing[MANY];
    for (size_t i = 0; i < MANY; i++) smoothing[i] = 1.0;
    options.metric = metric;
    options.smoothing = smoothing;
    options.threshold = 0.0;
    options.rule.fixed = fixed;
    assert_int_equal(tw_riemann_new(gp.target, &options, &p), TW_OK);
    for (size_t j = 0; j < STEPS; j++) {
        test_normals(&random, MANY, v);
        test_normals(&random, 2 * MANY, normals);
        assert_int_equal(tw_riemann_set_position(p, v), TW_STEP_FINE);
        tw_riemann_draw_momentum(p, normals);
        p->certify = true; /* the reverse check factors nothing */
        count_calls(p->curved);
        assert_int_equal(tw_riemann_leapfrog(p, 0.1), TW_STEP_FINE);
        p->curved->kind = counting.own;
        assert_int_equal(counting.factors, fixed ? fixed : 1);
        assert_int_equal(counting.diagonals, fixed ? fixed : 1);
    }
    tw_riemann_free(p);
    gp_case_free(&gp);
}

/* Where no site is left out, the guess of the position solves its equation with the factor at hand, and the one factorisation at the new
 * position confirms it: rounding is far below the tolerance. The report's iteration factors as often as it is told to. */
static void test_a_step_factors_once(void **state)
{
    (void)state;
    const gp_setting settings[] = {
        {.n = MANY, .seed = 9, .cond = 1e2, .scale = 8, .form = GP_PRIOR, .beta = 1.0},
        {.n = MANY, .seed = 9, .cond = 1e2, .scale = 8, .form = GP_FOLDED, .beta = 0.5}};
    for (size_t k = 0; k < 2; k++) {
        count_steps(&settings[k], TW_METRIC_HESSIAN, 0);
        count_steps(&settings[k], TW_METRIC_SMOOTHED, 0);
        count_steps(&settings[k], TW_METRIC_HESSIAN, 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_factor_on_the_way_is_reported),
        cmocka_unit_test(test_metrics_that_cannot_be_had_are_refused),
        cmocka_unit_test(test_metric_of_the_open_form_has_the_sites_of_q),
        cmocka_unit_test(test_an_energy_without_digits_is_no_number),
        cmocka_unit_test(test_a_step_factors_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
