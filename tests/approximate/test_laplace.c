/* Laplace's approximation: the mode is a mode, log Z follows the formula at the mode, and Gaussian cases are
 * exact. */
#include <math.h>
#include <stdlib.h>

#include "approximate/approximate.h"
#include "support/cloglog.h"
#include "support/dense.h"
#include "support/fitted.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

/* The gradient of log p(x, y) is l' - K^-1 x: at the mode x = K l', which holds for a singular K as well.
 * log Z = sum l - x' l'/2 - log|I + K W|/2, by elimination. The mode is good to 1e-8 of a standard deviation,
 * and tau, nu and log Z follow. */
static void assert_mode(const fitted *f, double tolerance)
{
    size_t n = f->n;
    const tw_likelihood *likelihood = f->model->observed.likelihood;
    double *work = calloc(5 * n, sizeof *work), *value = work, *slope = work + n, *lambda = work + 2 * n,
           *product = work + 3 * n, *nu = work + 4 * n, log_z = 0.0;
    assert_non_null(work);
    assert_true(f->q->converged);
    const double *x = f->q->mean;
    likelihood->terms(OBSERVED(likelihood, n, f->y, f->w), x, value, slope, lambda, NULL);
    dense_multiply(n, f->k, slope, product);
    for (size_t i = 0; i < n; i++) {
        double sd = sqrt(f->q->variance[i]);
        assert_close(product[i], x[i], tolerance * fmax(sqrt(f->k[i + i * n]), fabs(x[i])),
                     "K l' at the mode");
        assert_close(f->q->tau[i], lambda[i], 1e-6 * lambda[i] + 1e-14, "tau is the curvature at the mode");
        nu[i] = lambda[i] * x[i] + slope[i];
        log_z += value[i] - 0.5 * x[i] * slope[i];
        assert_true(sd > 0.0);
    }
    dense_gaussian q = dense_posterior(n, f->k, lambda, nu);
    double energy = 0.0;
    for (size_t i = 0; i < n; i++) {
        energy += nu[i] * q.mean[i];
        assert_close(f->q->mean[i], q.mean[i], 1e-6 * sqrt(q.sigma[i + i * n]), "mean");
        assert_close(f->q->variance[i] / q.sigma[i + i * n], 1.0, 1e-6, "variance");
    }
    log_z += q.log_z - 0.5 * energy; /* what is left of log Z_q is -log|I + K W|/2 */
    assert_close(f->q->log_z, log_z, 1e-8 + 1e-11 * fabs(energy), "log Z");
    dense_free(&q);
    free(work);
}

static void every_likelihood_has_gradient_zero_at_its_mode(void **state)
{
    (void)state;
    enum { N = 40 };
    test_problem *p = test_problem_new(N, 11, 1e4);
    test_random random = {5};
    double count[N], real[N], noise[N];
    for (size_t i = 0; i < N; i++) {
        count[i] = floor(9.0 * test_uniform(&random) * test_uniform(&random));
        real[i] = 2.0 * test_normal(&random);
        noise[i] = 0.2 + test_uniform(&random);
    }
    const tw_likelihood *likelihood[] = {tw_likelihood_find("probit"),   tw_likelihood_find("logit"),
                                         tw_likelihood_find("poisson"),  tw_likelihood_find("poisson"),
                                         tw_likelihood_find("gaussian"), &cloglog_likelihood};
    const double *y[] = {p->y, p->y, count, count, real, p->y}, *w[] = {NULL, NULL, NULL, noise, noise, NULL};
    for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) {
        fitted f = fit_laplace(N, p->k, likelihood[i], y[i], w[i]);
        assert_mode(&f, 1e-8);
        assert_true(f.q->residual < 1e-6);
        assert_in_range(f.q->iterations, 1, 20);
        fitted_free(&f);
    }
    test_problem_free(p);
}

/* log N(y; 0, K + w^2), and the regression mean and variance. */
static void a_gaussian_likelihood_is_exact(void **state)
{
    (void)state;
    enum { N = 30 };
    test_problem *p = test_problem_new(N, 21, 1e5);
    test_random random = {6};
    double y[N], w[N], *c = calloc(N * N, sizeof *c), solved[N], tau[N], nu[N];
    assert_non_null(c);
    for (size_t i = 0; i < N; i++) {
        y[i] = 3.0 * test_normal(&random);
        w[i] = 0.05 + test_uniform(&random);
        tau[i] = 1.0 / (w[i] * w[i]);
        nu[i] = y[i] * tau[i];
    }
    for (size_t i = 0; i < (size_t)N * N; i++)
        c[i] = p->k[i] + (i % (N + 1) == 0 ? w[i / N] * w[i / N] : 0.0);
    double log_z = -0.5 * dense_solve(N, c, 1, y, solved) - N * HALF_LOG_TWO_PI;
    for (size_t i = 0; i < N; i++) log_z -= 0.5 * y[i] * solved[i];
    dense_gaussian q = dense_posterior(N, p->k, tau, nu);
    fitted f = fit_laplace(N, p->k, tw_likelihood_find("gaussian"), y, w);
    assert_true(f.q->converged);
    assert_close(f.q->log_z, log_z, 1e-10, "log Z");
    for (size_t i = 0; i < N; i++) {
        assert_close(f.q->mean[i], q.mean[i], 1e-10, "mean");
        assert_close(f.q->variance[i], q.sigma[i + i * N], 1e-10, "variance");
    }
    fitted_free(&f);
    dense_free(&q);
    free(c);
    test_problem_free(p);
}

/* From x = 0 a full Newton step towards a count of a million overshoots to exp(1e6): the line search. */
static void huge_counts_need_the_line_search(void **state)
{
    (void)state;
    enum { N = 25 };
    test_problem *p = test_problem_new(N, 31, 1e3);
    test_random random = {7};
    double y[N];
    for (size_t i = 0; i < N; i++) y[i] = floor(1e6 * exp(3.0 * test_normal(&random)));
    y[3] = 0.0;
    fitted f = fit_laplace(N, p->k, tw_likelihood_find("poisson"), y, NULL);
    assert_mode(&f, 1e-5); /* K lambda = 1e8 multiplies the rounding error of x in K l' */
    assert_true(f.q->iterations < 60);
    fitted_free(&f);
    test_problem_free(p);
}

static double *line(size_t n)
{
    double *x = calloc(n, sizeof *x);
    assert_non_null(x);
    for (size_t i = 0; i < n; i++) x[i] = (double)i / (double)n;
    return x;
}

static void a_singular_covariance_is_no_obstacle(void **state)
{
    (void)state;
    enum { N = 50 };
    double *x = line(N), *k = dense_kernel(N, 1, x, 0.5, 20.0), y[N];
    for (size_t i = 0; i < N; i++) y[i] = i % 7 < 4 ? 1.0 : -1.0;
    fitted f = fit_laplace(N, k, tw_likelihood_find("logit"), y, NULL);
    assert_true(tw_model_describe(f.model).rank < N);
    assert_mode(&f, 1e-8);
    fitted_free(&f);
    free(k);
    free(x);
}

/* Sites a hundred million times as precise as the prior, beside weak ones, on a singular K: the step must not
 * be a difference of large numbers. */
static void very_precise_observations_keep_their_digits(void **state)
{
    (void)state;
    enum { N = 40 };
    double *x = line(N), *k = dense_kernel(N, 1, x, 1.0, 2.0), y[N], w[N], tau[N], nu[N], log_z = 0.0;
    for (size_t i = 0; i < N; i++) {
        w[i] = i % 2 ? 1e-4 : 10.0;
        y[i] = sin(3.0 * x[i]) + 1e-4 * cos(40.0 * x[i]);
        tau[i] = 1.0 / (w[i] * w[i]);
        nu[i] = y[i] * tau[i];
        log_z -= 0.5 * y[i] * nu[i] + log(w[i]) + HALF_LOG_TWO_PI;
    }
    dense_gaussian q = dense_posterior(N, k, tau, nu);
    fitted f = fit_laplace(N, k, tw_likelihood_find("gaussian"), y, w);
    assert_true(f.q->converged);
    assert_close(f.q->log_z, log_z + q.log_z, 1e-5, "log Z"); /* nu' mu is 1e9: eps of that */
    for (size_t i = 0; i < N; i++) assert_close(f.q->mean[i], q.mean[i], 1e-8, "mean");
    fitted_free(&f);
    dense_free(&q);
    free(k);
    free(x);
}

/* N = 1: the mode by bisection of [-end, end], and log Z at it. */
static void assert_bisected(const char *name, double k, double y, double end, double tolerance)
{
    const tw_likelihood *likelihood = tw_likelihood_find(name);
    double low = -end, high = end, value = 0.0, slope, lambda = 0.0;
    for (int halving = 0; halving < 100; halving++) {
        double x = 0.5 * (low + high);
        likelihood->terms(OBSERVED(likelihood, 1, &y, NULL), &x, &value, &slope, &lambda, NULL);
        *(slope - x / k > 0.0 ? &low : &high) = x;
    }
    fitted f = fit_laplace(1, &k, likelihood, &y, NULL);
    assert_close(f.q->mean[0], low, 10.0 * tolerance, "mode");
    assert_close(f.q->variance[0] * (1.0 / k + lambda), 1.0, 100.0 * tolerance, "variance");
    assert_close(f.q->log_z, value - 0.5 * low * low / k - 0.5 * log1p(k * lambda), tolerance, "log Z");
    assert_mode(&f, 10.0 * tolerance);
    fitted_free(&f);
}

static void one_site_is_found_by_bisection(void **state)
{
    (void)state;
    assert_bisected("probit", 7.0, 1.0, 10.0, 1e-10);
    assert_bisected("logit", 7.0, 1.0, 10.0, 1e-10);
    assert_bisected("poisson", 7.0, 12.0, 10.0, 1e-10);
}

/* Where the prior is a thousand times as broad as the step of the likelihood, psi is flat to rounding long
 * before lambda, and log|B| with it, have settled. */
static void a_broad_prior_gets_a_settled_determinant(void **state)
{
    (void)state;
    for (double log_sigma = 6.0; log_sigma < 15.0; log_sigma += 1.0) {
        assert_bisected("probit", exp(2.0 * log_sigma), 1.0, 50.0, 1e-8);
        assert_bisected("logit", exp(2.0 * log_sigma), -1.0, 50.0, 1e-8);
    }
}

/* A curvature of 1e-6 of the prior's precision is small, and yet a part of log|B|. With y = 0 the mode solves
 * x = -k w exp(x). */
static void faint_observations_count(void **state)
{
    (void)state;
    enum { N = 3 };
    const double k[N * N] = {2.0, 0, 0, 0, 2.0, 0, 0, 0, 2.0}, y[N] = {0}, w[N] = {1e-5, 3e-6, 2e-7};
    double log_z = 0.0;
    fitted f = fit_laplace(N, k, tw_likelihood_find("poisson"), y, w);
    for (size_t i = 0; i < N; i++) {
        double x = 0.0;
        for (int step = 0; step < 20; step++) x = -2.0 * w[i] * exp(x);
        log_z += -w[i] * exp(x) - 0.25 * x * x - 0.5 * log1p(2.0 * w[i] * exp(x));
    }
    assert_close(f.q->log_z, log_z, 1e-12, "log Z");
    fitted_free(&f);
}

/* l = -log(1 + (y - x)^2), whose curvature is negative beyond one unit from y. */
static bool any_number(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

static void cauchy_terms(const tw_observations *o, const double *x, double *value, double *slope,
                         double *lambda, double *dlambda)
{
    (void)dlambda;
    for (size_t i = 0; i < o->n; i++) {
        double d = o->y[i] - x[i], s = 1.0 + d * d;
        if (value) value[i] = -log(s);
        if (slope) slope[i] = 2.0 * d / s;
        if (lambda) lambda[i] = 2.0 * (1.0 - d * d) / (s * s);
    }
}

/* An outlier at y = 9 asks for a negative precision; q has none, and its mode is a mode all the same. */
static void what_is_not_log_concave_gets_no_precision(void **state)
{
    (void)state;
    const tw_likelihood cauchy = {
        .name = "cauchy", .support = "a number", .supports = any_number, .terms = cauchy_terms};
    const double k[4] = {1.0, 0.2, 0.2, 1.0}, y[2] = {9.0, 0.1};
    double slope[2], product[2];
    fitted f = fit_laplace(2, k, &cauchy, y, NULL);
    assert_true(f.q->converged);
    assert_true(f.q->tau[0] == 0.0 && f.q->tau[1] > 0.0);
    cauchy_terms(OBSERVED(&cauchy, 2, y, NULL), f.q->mean, NULL, slope, NULL, NULL);
    dense_multiply(2, k, slope, product);
    for (size_t i = 0; i < 2; i++) assert_close(product[i], f.q->mean[i], 1e-4, "K l' at the mode");
    fitted_free(&f);
}

static void too_few_steps_are_a_verdict_and_bad_options_an_error(void **state)
{
    (void)state;
    enum { N = 20 };
    test_problem *p = test_problem_new(N, 41, 1e3);
    for (size_t i = 0; i < (size_t)N * N; i++) p->k[i] *= 100.0;
    fitted f = fit_laplace(N, p->k, tw_likelihood_find("probit"), p->y, NULL);
    tw_laplace_options options = TW_LAPLACE_DEFAULTS;
    tw_approximation *q = NULL;
    options.max_steps = 1;
    assert_int_equal(tw_laplace_fit(f.model, &options, &q), TW_OK);
    assert_false(q->converged);
    assert_int_equal(q->iterations, 1);
    assert_true(q->residual > 1e-2);
    tw_approximation_free(q);
    options.max_steps = 0;
    assert_int_equal(tw_laplace_fit(f.model, &options, &q), TW_BAD_ARGUMENT);
    options = TW_LAPLACE_DEFAULTS;
    options.tolerance = NAN;
    assert_int_equal(tw_laplace_fit(f.model, &options, &q), TW_BAD_ARGUMENT);
    assert_null(q);
    fitted_free(&f);
    test_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_likelihood_has_gradient_zero_at_its_mode),
        cmocka_unit_test(a_gaussian_likelihood_is_exact),
        cmocka_unit_test(huge_counts_need_the_line_search),
        cmocka_unit_test(a_singular_covariance_is_no_obstacle),
        cmocka_unit_test(very_precise_observations_keep_their_digits),
        cmocka_unit_test(one_site_is_found_by_bisection),
        cmocka_unit_test(a_broad_prior_gets_a_settled_determinant),
        cmocka_unit_test(faint_observations_count),
        cmocka_unit_test(what_is_not_log_concave_gets_no_precision),
        cmocka_unit_test(too_few_steps_are_a_verdict_and_bad_options_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
