/* Fits: the maximum of closed forms, the same maximum from warm and cold sites, and verdicts on results that
 * are not maxima. */
#include "talweg/fit.h"

#include <math.h>
#include <string.h>

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

/* white noise under gaussian noise: y ~ N(0, (v + s^2) I), so that v = mean y^2 - s^2 is the maximum, and -d2/d(log v)^2 =
 * n/2 v^2/(v + s^2)^2. */
static void a_variance_has_a_closed_form(void **state)
{
    (void)state;
    const double s2 = 0.25;
    double x[N], y[N], mean2 = 0.0;
    test_random random = {5};
    tw_context *ctx = new_context();
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = 1.5 * test_normal(&random);
        mean2 += y[i] * y[i] / N;
    }
    double v = mean2 - s2;
    for (tw_approximation_kind kind = TW_LAPLACE; kind <= TW_EP; kind++) {
        tw_problem *problem = pose(ctx, "white", "gaussian", x, y, sqrt(s2));
        tw_priors *priors = NULL;
        tw_fit_result *r = NULL;
        tw_fit_options options = TW_FIT_DEFAULTS;
        options.kind = kind;
        assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
        assert_int_equal(tw_priors_fix(priors, problem, "noise"), TW_OK);
        assert_int_equal(tw_fit(problem, priors, &options, &r), TW_OK);
        assert_true(r->converged && r->optima == 1 && r->starts_at_best == 8 && r->warnings.count == 0);
        assert_close(r->optimum[0].theta[0], log(v), 2e-3, "log variance");
        assert_close(r->sd[0], sqrt(2.0 / N) * (v + s2) / v, 1e-3, "its sd");
        assert_true(isnan(r->sd[1]) && r->optimum[0].theta[1] == log(sqrt(s2)));
        double log_z = -0.5 * N * (log(2.0 * acos(-1.0) * mean2) + 1.0);
        assert_close(r->optimum[0].log_z, log_z, 1e-4, "log Z");
        assert_true(tw_kernel_theta(problem->kernel)[0] == r->optimum[0].theta[0]);
        tw_fit_free(r);
        tw_priors_free(priors);
        tw_problem_free(problem);
    }
    tw_context_free(ctx);
}

/* The same with a prior: -n/2 log w - n mean2/(2 w) - (t - m)^2/(2 s^2), w = e^t + s^2, by Newton's method. */
static void a_prior_pulls(void **state)
{
    (void)state;
    double x[N], y[N], mean2 = 0.0;
    tw_context *ctx = new_context();
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i;
        y[i] = i % 3 ? 1.0 : -2.0;
        mean2 += y[i] * y[i] / N;
    }
    tw_problem *problem = pose(ctx, "white", "gaussian", x, y, 0.5);
    tw_priors *priors = NULL;
    tw_fit_result *r = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "noise"), TW_OK);
    assert_int_equal(tw_priors_read(priors, problem, "log_variance ~ normal(-2, 0.1)"), TW_OK);
    assert_int_equal(tw_fit(problem, priors, NULL, &r), TW_OK);
    double t = r->optimum[0].theta[0], v = exp(t), w = v + 0.25;
    double slope = -0.5 * N * v / w * (1.0 - mean2 / w) - (t + 2.0) / 0.01;
    assert_true(r->converged);
    assert_close(slope * r->sd[0], 0.0, 0.05, "the distance to the maximum");
    assert_close(r->optimum[0].log_posterior - r->optimum[0].log_z,
                 -0.5 * (t + 2.0) * (t + 2.0) / 0.01 - log(0.1) - 0.91893853320467267, 1e-9, "log prior");
    leave(ctx, problem, priors, r);
}

/* The optimum does not depend on the sites that EP starts from, and they save work. */
static void warm_and_cold_sites_end_at_the_same_optimum(void **state)
{
    (void)state;
    double x[N], y[N], theta[2][2];
    draw_labels(x, y);
    for (int cold = 0; cold < 2; cold++) {
        tw_context *ctx = new_context();
        tw_problem *problem = pose(ctx, "se", "probit", x, y, 1.0);
        tw_fit_options options = TW_FIT_DEFAULTS;
        tw_fit_result *r = NULL;
        options.cold = cold;
        assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_OK);
        assert_true(r->converged && r->failures == 0);
        memcpy(theta[cold], r->optimum[0].theta, sizeof theta[cold]);
        assert_true(r->sd[0] > 0.05 && r->sd[0] < 1.0 && r->sd[1] > 0.05 && r->sd[1] < 2.0);
        leave(ctx, problem, NULL, r);
    }
    assert_close(theta[0][0], theta[1][0], 2e-3, "log ell");
    assert_close(theta[0][1], theta[1][1], 2e-3, "log sigma");
}

/* No place nearby is higher. */
static void the_optimum_is_a_maximum(void **state)
{
    (void)state;
    double x[N], y[N], place[2];
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se(ell=1, sigma=2)", "logit", x, y, 1.0);
    tw_fit_result *r = NULL;
    assert_int_equal(tw_fit(problem, NULL, NULL, &r), TW_OK);
    for (int k = 0; k < 8; k++) {
        tw_approximation *ep = NULL;
        for (size_t j = 0; j < 2; j++)
            place[j] = r->optimum[0].theta[j] + 0.3 * r->sd[j] * (j ? sin(0.7854 * k) : cos(0.7854 * k));
        assert_int_equal(tw_problem_set_theta(problem, place), TW_OK);
        assert_int_equal(tw_ep_fit(problem->model, NULL, &ep), TW_OK);
        assert_true(ep->log_z < r->optimum[0].log_z);
        tw_approximation_free(ep);
    }
    leave(ctx, problem, NULL, r);
}

static bool has_warning(const tw_fit_result *r, tw_warning_code code)
{
    for (size_t k = 0; k < r->warnings.count; k++)
        if (r->warnings.warning[k].code == code) return true;
    return false;
}

/* Separable labels: sigma has no maximum. Inputs that are all the same: no length scale is better than another. */
static void what_is_no_maximum_is_said(void **state)
{
    (void)state;
    double x[N], y[N];
    tw_context *ctx = new_context();
    for (size_t i = 0; i < N; i++) {
        x[i] = (double)i / 10.0;
        y[i] = i < N / 2 ? -1.0 : 1.0;
    }
    tw_problem *problem = pose(ctx, "se", "probit", x, y, 1.0);
    tw_fit_options options = TW_FIT_DEFAULTS;
    tw_fit_result *r = NULL;
    options.starts = 2;
    assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_OK);
    assert_true(!r->converged && (r->at_bound[1] || r->flat));
    assert_true(has_warning(r, TW_WARN_FIT_BOUND) || has_warning(r, TW_WARN_FIT_FLAT));
    tw_fit_free(r);
    tw_problem_free(problem);
    memset(x, 0, sizeof x);
    for (size_t i = 0; i < N; i++) y[i] = i % 4 ? 1.0 : -1.0;
    problem = pose(ctx, "se + white(variance=0.1)", "probit", x, y, 1.0);
    tw_priors *priors = NULL;
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "white.variance"), TW_OK);
    assert_int_equal(tw_fit(problem, priors, &options, &r), TW_OK);
    assert_true(r->flat && !r->converged && has_warning(r, TW_WARN_FIT_FLAT));
    leave(ctx, problem, priors, r);
}

/* y in the hundreds with much noise, under a prior that takes the noise for small: noise or signal may explain
 * the data, tens of nats apart. Whatever the seed, the search finds the optimum where noise does. */
static void noise_and_signal_are_both_tried(void **state)
{
    (void)state;
    double x[N], y[N];
    test_random random = {17};
    for (size_t i = 0; i < N; i++) {
        x[i] = 6.0 * test_uniform(&random);
        y[i] = 150.0 + 30.0 * sin(x[i]) + 60.0 * test_normal(&random);
    }
    for (uint64_t seed = 1; seed <= 6; seed++) {
        tw_context *ctx = new_context();
        tw_problem *problem = pose(ctx, "se + constant", "gaussian", x, y, 1.0);
        tw_priors *priors = NULL;
        tw_fit_options options = TW_FIT_DEFAULTS;
        tw_fit_result *r = NULL;
        size_t ended = 0;
        options.seed = seed;
        assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
        assert_int_equal(tw_priors_read(priors, problem, "log_noise ~ normal(0, 1.5)"), TW_OK);
        assert_int_equal(tw_fit(problem, priors, &options, &r), TW_OK);
        assert_true(r->starts >= 8 && r->starts_at_best >= 1);
        assert_int_equal(r->starts_at_best, r->optimum[0].starts);
        for (size_t k = 0; k < r->optima; k++) ended += r->optimum[k].starts;
        assert_int_equal(ended, r->starts);
        assert_close(r->optimum[0].theta[3], log(60.0), 0.3, "log noise");
        leave(ctx, problem, priors, r);
    }
}

/* A uniform prior from 0 on has no least logarithm. Its density of theta is e^theta/3, so that the maximum is that of
 * log Z + theta: higher than without a prior. */
static void a_prior_may_begin_at_0(void **state)
{
    (void)state;
    double x[N], y[N], sigma[2];
    draw_labels(x, y);
    for (int with = 0; with < 2; with++) {
        tw_context *ctx = new_context();
        tw_problem *problem = pose(ctx, "se(ell=0.7)", "probit", x, y, 1.0);
        tw_priors *priors = NULL;
        tw_fit_result *r = NULL;
        assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
        assert_int_equal(tw_priors_fix(priors, problem, "ell"), TW_OK);
        if (with) assert_int_equal(tw_priors_read(priors, problem, "sigma ~ uniform(0, 30)"), TW_OK);
        assert_int_equal(tw_fit(problem, priors, NULL, &r), TW_OK);
        assert_true(r->converged);
        sigma[with] = r->optimum[0].theta[1];
        leave(ctx, problem, priors, r);
    }
    assert_true(sigma[1] > sigma[0] && sigma[1] < log(30.0));
}

static bool stop_soon(void *user, const tw_fit_progress *p)
{
    *(size_t *)user = p->evaluations;
    return p->evaluations >= 3;
}

static void a_fit_can_be_stopped_and_needs_something_to_do(void **state)
{
    (void)state;
    double x[N], y[N];
    size_t seen = 0;
    tw_context *ctx = new_context();
    draw_labels(x, y);
    tw_problem *problem = pose(ctx, "se", "probit", x, y, 1.0);
    tw_priors *priors = NULL;
    tw_fit_options options = TW_FIT_DEFAULTS;
    tw_fit_result *r = NULL;
    options.user = &seen;
    options.on_progress = stop_soon;
    assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_OK);
    assert_true(r->stopped && !r->converged && r->evaluations == 3 && seen == 3);
    assert_true(r->warnings.count == 1 &&
                has_warning(r, TW_WARN_FIT_STOPPED)); /* and nothing of what is unfinished */
    tw_fit_free(r);
    assert_int_equal(tw_priors_new(problem, &priors), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "ell=1"), TW_OK);
    assert_int_equal(tw_priors_fix(priors, problem, "sigma=1"), TW_OK);
    assert_int_equal(tw_fit(problem, priors, NULL, &r), TW_BAD_ARGUMENT);
    options.starts = 0;
    assert_int_equal(tw_fit(problem, NULL, &options, &r), TW_BAD_ARGUMENT);
    leave(ctx, problem, priors, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_variance_has_a_closed_form),
        cmocka_unit_test(a_prior_pulls),
        cmocka_unit_test(warm_and_cold_sites_end_at_the_same_optimum),
        cmocka_unit_test(the_optimum_is_a_maximum),
        cmocka_unit_test(what_is_no_maximum_is_said),
        cmocka_unit_test(noise_and_signal_are_both_tried),
        cmocka_unit_test(a_prior_may_begin_at_0),
        cmocka_unit_test(a_fit_can_be_stopped_and_needs_something_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
