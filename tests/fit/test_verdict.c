/* Where the verdict of a fit turns, each on both sides: not at a maximum, at a bound, flat; and starts, progress and failing
 * allocations. test_fit.c tests the maxima. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/objective.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 60 };

static tw_problem *pose(tw_context *ctx, const char *expression, const char *likelihood, const double *x,
                        const double *y, double noise)
{
    const double phi = log(noise);
    tw_problem_parts parts = {.likelihood = tw_likelihood_find(likelihood), .phi = &phi};
    tw_problem *problem = NULL;
    assert_int_equal(tw_data_new(ctx, N, 1, x, N, y, &parts.data), TW_OK);
    assert_int_equal(tw_kernel_parse(ctx, expression, 1, &parts.kernel), TW_OK);
    assert_int_equal(tw_problem_new(ctx, &parts, &problem), TW_OK);
    return problem;
}

static void leave(tw_context *ctx, tw_problem *problem, tw_priors *priors, tw_fit_result *r)
{
    tw_fit_free(r);
    tw_priors_free(priors);
    tw_problem_free(problem);
    assert_int_equal(tw_context_bytes_in_use(ctx), 0);
    tw_context_free(ctx);
}

/* Labels of a smooth function with noise: neither separable nor pure noise. */
static void draw_labels(double *x, double *y)
{
    test_random random = {3};
    for (size_t i = 0; i < N; i++) {
        x[i] = 6.0 * test_uniform(&random);
        y[i] = sin(2.0 * x[i]) + 0.7 * test_normal(&random) > 0.0 ? 1.0 : -1.0;
    }
}

static bool has_warning(const tw_fit_result *r, tw_warning_code code)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == code) return true;
    return false;
}

/* ---- where a verdict turns, on the closed form of white noise ---- */

/* Observations with mean square 1 under noise of variance s2; the maximum is at log v = log(1 - s2). Fits log v from `start`, under
 * a prior unless it is NULL. */
static tw_fit_result *fit_variance(tw_context *ctx, double s2, double start, size_t evaluations,
                                   const char *prior)
{
    char expression[64];
    double x[N], y[N];
    tw_priors *priors = NULL;
    tw_fit_result *r = NULL;
    tw_fit_options options = TW_FIT_DEFAULTS;
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = i % 2 ? 1.0 : -1.0;
    }
    snprintf(expression, sizeof expression, "white(variance=%.17g)", exp(start));
    tw_problem *problem = pose(ctx, expression, "gaussian", x, y, sqrt(s2));
    options.starts = 1;
    options.max_evaluations = evaluations;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "noise"), TW_OK);
    if (prior) assert_int_equal(tw_priors_read(priors, problem, prior), TW_OK);
    assert_int_equal(tw_fit(problem, priors, &options, &r), TW_OK);
    tw_priors_free(priors);
    tw_problem_free(problem);
    return r;
}

/* A single evaluation leaves log v = t where it is. With w = e^t + s2 the slope is -n/2 v (1/w - 1/w^2), and its slope
 * -n/2 (v (1/w - 1/w^2) + v^2 (2/w^3 - 1/w^2)). */
static void a_search_that_ends_early_did_not_converge(void **state)
{
    (void)state;
    const double s2 = 0.25, top = log(1.0 - s2), away[] = {0.3, 0.055, 0.045, -0.045, -0.055, -0.3};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof away / sizeof *away; i++) {
        double t = top + away[i] * sqrt(2.0 / N) / (1.0 - s2), v = exp(t), w = v + s2;
        double slope = -0.5 * N * v * (1.0 / w - 1.0 / (w * w));
        double curvature = -slope + 0.5 * N * v * v * (2.0 / (w * w * w) - 1.0 / (w * w));
        tw_fit_result *r = fit_variance(ctx, s2, t, 1, NULL);
        assert_close(r->optimum[0].theta[0], t, 1e-12, "log v");
        assert_close(r->decrement, fabs(slope) / sqrt(curvature), 1e-3 * r->decrement,
                     "the distance to the maximum");
        assert_close(r->sd[0], 1.0 / sqrt(curvature), 1e-3 * r->sd[0], "sd");
        assert_true(r->converged == (fabs(away[i]) < 0.05) && has_warning(r, TW_WARN_FIT) == !r->converged);
        tw_fit_free(r);
    }
    tw_context_free(ctx);
}

/* A uniform prior of log v whose end the maximum is beyond, or nearer than a step of the curvature, or far enough from. */
static void a_maximum_at_a_bound_is_said(void **state)
{
    (void)state;
    static const struct {
        double low, high; /* from the maximum */
        bool at_bound;
    } box[] = {{0.3, 2.0, true},    {-2.0, -0.3, true},  {-0.01, 2.0, true}, {-2.0, 0.01, true},
               {-0.03, 2.0, false}, {-2.0, 0.03, false}, {-2.0, 2.0, false}};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < sizeof box / sizeof *box; i++) {
        char prior[64];
        double top = log(0.75);
        snprintf(prior, sizeof prior, "log_variance ~ uniform(%.12f, %.12f)", top + box[i].low,
                 top + box[i].high);
        tw_fit_result *r = fit_variance(ctx, 0.25, top + 0.6 * box[i].low + 0.4 * box[i].high, 200, prior);
        assert_true(r->at_bound[0] == box[i].at_bound && r->converged == !box[i].at_bound);
        assert_true(has_warning(r, TW_WARN_FIT_END) == box[i].at_bound &&
                    !has_warning(r, TW_WARN_FIT_BOUND) && !r->flat);
        assert_close(r->optimum[0].theta[0], top + fmax(box[i].low, fmin(box[i].high, 0.0)), 2e-3, "log v");
        if (box[i].at_bound) assert_non_null(strstr(r->words, "variance = "));
        tw_fit_free(r);
    }
    tw_context_free(ctx);
}

/* Priors narrower than two steps of the curvature hold three parameters at bounds; the fourth is fixed. */
static void all_parameters_at_bounds_are_named(void **state)
{
    (void)state;
    double x[N], y[N];
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se(ell=2, sigma=3) + white(variance=0.5)", "gaussian", x, y, 0.5);
    tw_priors *priors = NULL;
    tw_fit_result *r = NULL;
    tw_fit_options options = TW_FIT_DEFAULTS;
    options.starts = options.max_evaluations = 1;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "noise"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "se.ell ~ uniform(1.98, 2.02)"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "se.sigma ~ uniform(2.98, 3.02)"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "white.variance ~ uniform(0.495, 0.505)"), TW_OK);
    assert_int_equal(tw_fit(problem, priors, &options, &r), TW_OK);
    assert_true(has_warning(r, TW_WARN_FIT_END) && !r->converged && !r->at_bound[3]);
    assert_string_equal(r->words, "se.ell = 2, se.sigma = 3, white.variance = 0.5");
    leave(ctx, problem, priors, r);
}

/* Starts further from the maximum than the box of the first round, 3, on either side. */
static void a_search_goes_on_beyond_its_first_box(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (int side = -1; side <= 1; side += 2) {
        tw_fit_result *r = fit_variance(ctx, 0.25, log(0.75) + 4.5 * side, 200, NULL);
        assert_true(r->converged && !r->at_bound[0]);
        assert_close(r->optimum[0].theta[0], log(0.75), 2e-3, "log v");
        tw_fit_free(r);
    }
    tw_context_free(ctx);
}

/* y ~ N(0, c 11' + (w + s^2) I) has the eigenvalues b = n c + a of the mean and a = w + s^2 of all else, and the maximum
 * b = n mean^2, a = S/(n-1), S the squares about the mean. There -d2 is (n-1)/(2 a^2) in a and 1/(2 b^2) in b. */
static void two_standard_deviations_have_a_closed_form(void **state)
{
    (void)state;
    const double s2 = 0.25, a = 7.65, b = 4.0 * a, c = (b - a) / N, w = a - s2;
    const double in_a = 0.5 * (N - 1) / (a * a), in_b = 0.5 / (b * b);
    const double cc = N * c * N * c * in_b, cw = N * c * w * in_b, ww = w * w * (in_a + in_b);
    double x[N], y[N];
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = sqrt(b / N) + (i % 2 ? 1.0 : -1.0) * sqrt(a * (N - 1) / N);
    }
    tw_context *ctx = new_context();
    tw_problem *problem = pose(ctx, "constant(variance=0.5) + white(variance=5)", "gaussian", x, y, sqrt(s2));
    tw_priors *priors = NULL;
    tw_fit_result *r = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "noise"), TW_OK);
    assert_int_equal(tw_fit(problem, priors, NULL, &r), TW_OK);
    double sd[] = {sqrt(ww / (cc * ww - cw * cw)), sqrt(cc / (cc * ww - cw * cw))};
    assert_true(r->converged);
    assert_close(r->optimum[0].theta[0], log(c), 0.05 * sd[0], "log c"); /* the largest decrement */
    assert_close(r->optimum[0].theta[1], log(w), 0.05 * sd[1], "log w");
    for (size_t j = 0; j < 2; j++) assert_close(r->sd[j], sd[j], 0.05 * sd[j], "sd");
    leave(ctx, problem, priors, r);
}

/* The standard deviation of log v at the maximum is sqrt(2/n) / (1 - s2): above 3 the direction counts as flat. */
static void a_wide_direction_is_flat(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    for (int flat = 0; flat < 2; flat++) {
        double sd = flat ? 3.4 : 2.6, v = sqrt(2.0 / N) / sd;
        tw_fit_result *r = fit_variance(ctx, 1.0 - v, log(v), 1, NULL);
        assert_true(r->flat == (flat == 1) && has_warning(r, TW_WARN_FIT_FLAT) == r->flat &&
                    r->converged == !r->flat);
        assert_close(r->sd[0], sd, 0.01 * sd, "sd");
        tw_fit_free(r);
    }
    tw_context_free(ctx);
}

/* ---- starts, progress and memory ---- */

/* With a single evaluation each, starts end where they begin: at different places, the highest first. */
static void starts_differ(void **state)
{
    (void)state;
    double x[N], y[N];
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se", "probit", x, y, 1.0);
    tw_fit_options options = TW_FIT_DEFAULTS;
    tw_fit_result *r = NULL;
    options.starts = 4;
    options.max_evaluations = 1;
    assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_OK);
    assert_int_equal(r->optima, 4);
    for (size_t k = 1; k < 4; k++) {
        assert_true(r->optimum[k].log_posterior <= r->optimum[k - 1].log_posterior);
        for (size_t j = 0; j < k; j++) assert_true(r->optimum[k].theta[0] != r->optimum[j].theta[0]);
    }
    leave(ctx, problem, NULL, r);
}

/* A search of one evaluation from a point with value h and gradient g, where an optimum at theta* is known: it ends there
 * if h* - h is from 0.375 s to 1.1 s, s = g' (theta* - theta), below 6, and no parameter is 2 or more away. */
static void a_start_on_the_slope_of_a_known_optimum_ends_there(void **state)
{
    (void)state;
    static const struct {
        double away[2],
            gain; /* in the direction of the gradient; h* - h: s times this, or, below 0, minus this */
        bool joins;
    } cases[] = {{{0.3, 0.2}, 0.36, false}, {{0.3, 0.2}, 0.39, true},  {{0.3, 0.2}, 1.09, true},
                 {{0.3, 0.2}, 1.11, false}, {{1.95, 0.1}, 0.5, true},  {{2.05, 0.1}, 0.5, false},
                 {{0.1, 1.95}, 0.5, true},  {{0.1, 2.05}, 0.5, false}, {{1.1, 0.9}, -5.9, true},
                 {{1.1, 0.9}, -6.1, false}};
    double x[N], y[N], point[2], gradient[2], best[2];
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se(ell=0.2, sigma=1)", "probit", x, y, 1.0);
    tw_fit_options options = TW_FIT_DEFAULTS;
    tw_objective *o = NULL;
    tw_objective_value here, out;
    options.max_evaluations = 1;
    assert_int_equal(tw_objective_new(problem, NULL, &options, &o), TW_OK);
    point[0] = -1.6; /* the gradient is about (3, 3) */
    point[1] = 0.0;
    assert_int_equal(tw_objective_at(o, point, gradient, &here), TW_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double top[2], s = 0.0, gain = cases[i].gain;
        for (size_t k = 0; k < 2; k++) {
            top[k] = point[k] + copysign(cases[i].away[k], gradient[k]);
            s += fabs(gradient[k]) * cases[i].away[k];
        }
        tw_optimum optimum = {.theta = top, .log_z = 1.0, .starts = 1};
        optimum.log_posterior = here.log_posterior + (gain < 0.0 ? -gain : s * gain);
        tw_fit_result known = {.optima = 1, .optimum = &optimum};
        tw_search search = {.known = &known, .start = 2, .best = -INFINITY};
        memcpy(best, point, sizeof best);
        o->has_sites = false;
        assert_int_equal(tw_objective_climb(o, &search, best, &out), TW_OK);
        assert_memory_equal(best, cases[i].joins ? top : point, sizeof best);
        assert_true(out.log_posterior == (cases[i].joins ? optimum.log_posterior : here.log_posterior));
    }
    tw_objective_free(o);
    leave(ctx, problem, NULL, NULL);
}

static bool note_best(void *user, const tw_fit_progress *p)
{
    double *best = user;
    assert_true(!(p->best < *best));
    *best = p->best;
    return false;
}

static void progress_shows_the_best_so_far(void **state)
{
    (void)state;
    double x[N], y[N], best = -INFINITY;
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se", "probit", x, y, 1.0);
    tw_fit_options options = TW_FIT_DEFAULTS;
    tw_fit_result *r = NULL;
    options.user = &best;
    options.on_progress = note_best;
    assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_OK);
    assert_true(best == r->optimum[0].log_posterior);
    leave(ctx, problem, NULL, r);
}

/* An error, wherever it happens, and nothing is left behind. */
static void no_memory_is_an_error(void **state)
{
    (void)state;
    double x[N], y[N];
    size_t calls = 0;
    draw_labels(x, y);
    for (size_t k = 0; k == 0 || k < calls; k += 1 + k / 8) {
        failing_allocator failing = {0, 0};
        tw_context *ctx = failing_context(&failing);
        tw_problem *problem = pose(ctx, "se(ell=1)", "probit", x, y, 1.0);
        tw_fit_options options = TW_FIT_DEFAULTS;
        tw_fit_result *r = NULL;
        options.starts = 2;
        options.max_evaluations = 2;
        size_t before = failing.calls;
        failing.fail_at = k > 0 ? before + k : 0;
        assert_int_equal(tw_fit(problem, NULL, &options, &r), k > 0 ? TW_NO_MEMORY : TW_OK);
        if (k == 0) calls = failing.calls - before;
        failing.fail_at = 0;
        leave(ctx, problem, NULL, r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_that_ends_early_did_not_converge),
        cmocka_unit_test(a_maximum_at_a_bound_is_said),
        cmocka_unit_test(all_parameters_at_bounds_are_named),
        cmocka_unit_test(a_search_goes_on_beyond_its_first_box),
        cmocka_unit_test(two_standard_deviations_have_a_closed_form),
        cmocka_unit_test(a_wide_direction_is_flat),
        cmocka_unit_test(starts_differ),
        cmocka_unit_test(a_start_on_the_slope_of_a_known_optimum_ends_there),
        cmocka_unit_test(progress_shows_the_best_so_far),
        cmocka_unit_test(no_memory_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
