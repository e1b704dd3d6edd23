/* Expectation propagation: exact where it must be, a fixed point where it says so, and converged on problems
 * that are hard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "approximate/ep.h"
#include "support/cloglog.h"
#include "support/dense.h"
#include "support/problem.h"
#include "support/support.h"

static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

typedef struct fitted {
    tw_context *ctx;
    size_t n;
    const double *k;
    tw_model *model;
    tw_approximation *q;
} fitted;

static fitted fit(size_t n, const double *k, const tw_likelihood *likelihood, const double *y,
                  const double *w, const tw_ep_options *options)
{
    fitted f = {.ctx = new_context(), .n = n, .k = k};
    assert_non_null(likelihood);
    assert_int_equal(tw_model_new(f.ctx, n, k, n, likelihood, y, w, 0.0, &f.model), TW_OK);
    assert_int_equal(tw_ep_fit(f.model, options, &f.q), TW_OK);
    assert_int_equal(f.q->kind, TW_EP);
    return f;
}

static void finish(fitted *f)
{
    tw_approximation_free(f->q);
    tw_model_free(f->model);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
}

/* The fixed point, from the sites alone: marginals by elimination, cavities by division of Gaussians, tilted
 * moments. They match to 1e-5 (the residual is 1e-6), and log Z is
 *   log Z_q + sum_n log Z_n - log of the integral of cavity times site. */
static void assert_fixed_point(const fitted *f)
{
    const tw_model *m = f->model;
    const double *tau = f->q->tau, *nu = f->q->nu;
    dense_gaussian q = dense_posterior(f->n, f->k, tau, nu);
    double log_z = q.log_z, parts = fabs(q.log_z);
    assert_true(f->q->converged);
    assert_true(f->q->residual <= 1e-6);
    for (size_t i = 0; i < f->n; i++) {
        double v = q.sigma[i + i * f->n], mean = q.mean[i];
        double precision = 1.0 / v - tau[i], shift = mean / v - nu[i];
        tw_tilted t;
        assert_int_equal(tw_likelihood_tilted(m->likelihood, m->y[i], m->w ? m->w[i] : 1.0, shift / precision,
                                              1.0 / precision, &t),
                         TW_OK);
        assert_close((t.mean - mean) / sqrt(v), 0.0, 1e-5, "tilted mean");
        assert_close(t.variance / v, 1.0, 1e-5, "tilted variance");
        assert_close((f->q->mean[i] - mean) / sqrt(v), 0.0, 1e-6, "mean of q");
        assert_close(f->q->variance[i] / v, 1.0, 1e-6, "variance of q");
        log_z += t.log_z - 0.5 * (mean * mean / v - shift * shift / precision + log(precision * v));
        parts += fabs(mean * mean / v);
    }
    assert_close(f->q->log_z, log_z, 1e-8 + 1e-13 * parts, "log Z at the fixed point");
    dense_free(&q);
}

static void a_gaussian_likelihood_is_exact(void **state)
{
    (void)state;
    enum { N = 70 }; /* more than one block of delayed updates */
    test_problem *p = test_problem_new(N, 22, 1e5);
    test_random random = {8};
    double y[N], w[N], tau[N], nu[N], log_z = 0.0;
    for (size_t i = 0; i < N; i++) {
        y[i] = 3.0 * test_normal(&random);
        w[i] = 0.1 + test_uniform(&random);
        tau[i] = 1.0 / (w[i] * w[i]);
        nu[i] = y[i] * tau[i];
        log_z -= 0.5 * y[i] * nu[i] + log(w[i]) + HALF_LOG_TWO_PI;
    }
    dense_gaussian q = dense_posterior(N, p->k, tau, nu);
    fitted f = fit(N, p->k, tw_likelihood_find("gaussian"), y, w, NULL);
    assert_true(f.q->converged);
    assert_in_range(f.q->iterations, 1, 3);
    assert_close(f.q->log_z, log_z + q.log_z, 1e-9, "log Z"); /* nu' mu is 1e4 */
    for (size_t i = 0; i < N; i++) {
        assert_close(f.q->tau[i] / tau[i], 1.0, 1e-10, "tau");
        assert_close(f.q->mean[i], q.mean[i], 1e-10, "mean");
        assert_close(f.q->variance[i], q.sigma[i + i * N], 1e-10, "variance");
    }
    finish(&f);
    dense_free(&q);
    test_problem_free(p);
}

/* Moments of p(y | x) N(x; 0, k) by the trapezoidal rule over +-12 standard deviations. */
static void grid_moments(const tw_likelihood *likelihood, double y, double k, double *log_z, double *mean,
                         double *variance)
{
    enum { POINTS = 40001 };
    double sums[3] = {0.0, 0.0, 0.0}, sd = sqrt(k), h = 24.0 * sd / (POINTS - 1);
    for (size_t i = 0; i < POINTS; i++) {
        double x = -12.0 * sd + h * (double)i, value;
        likelihood->terms(likelihood->user, 1, &y, NULL, &x, &value, NULL, NULL, NULL);
        double p = exp(value - 0.5 * x * x / k);
        sums[0] += p;
        sums[1] += x * p;
        sums[2] += x * x * p;
    }
    *mean = sums[1] / sums[0];
    *variance = sums[2] / sums[0] - *mean * *mean;
    *log_z = log(sums[0] * h / sd) - HALF_LOG_TWO_PI;
}

/* One site: EP is exact. */
static void one_site_equals_quadrature(void **state)
{
    (void)state;
    const struct {
        const char *name;
        double y, k;
    } cases[] = {{"probit", 1.0, 2.5},   {"probit", -1.0, 900.0}, {"logit", -1.0, 0.3},
                 {"logit", 1.0, 400.0},  {"poisson", 0.0, 1.0},   {"poisson", 9.0, 3.0},
                 {"poisson", 300.0, 4.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const tw_likelihood *likelihood = tw_likelihood_find(cases[i].name);
        double log_z, mean, variance;
        grid_moments(likelihood, cases[i].y, cases[i].k, &log_z, &mean, &variance);
        for (int method = TW_EP_AUTO; method <= TW_EP_DOUBLE_LOOP; method++) {
            tw_ep_options options = TW_EP_DEFAULTS;
            options.method = (tw_ep_method)method;
            options.max_sweeps = 2000;
            options.site_tolerance = 1e-9; /* the double loop stops at its tolerance, not beyond */
            fitted f = fit(1, &cases[i].k, likelihood, &cases[i].y, NULL, &options);
            assert_true(f.q->converged);
            assert_close(f.q->log_z, log_z, 1e-8, "log Z");
            assert_close(f.q->mean[0], mean, 1e-8 * sqrt(variance), "mean");
            assert_close(f.q->variance[0] / variance, 1.0, 1e-8, "variance");
            finish(&f);
        }
    }
}

static void every_likelihood_ends_in_a_fixed_point(void **state)
{
    (void)state;
    enum { N = 80 };
    test_problem *p = test_problem_new(N, 12, 1e4);
    test_random random = {9};
    double count[N], exposure[N];
    for (size_t i = 0; i < N; i++) {
        count[i] = floor(30.0 * pow(test_uniform(&random), 4.0));
        exposure[i] = 0.2 + 2.0 * test_uniform(&random);
    }
    const tw_likelihood *likelihood[] = {tw_likelihood_find("probit"), tw_likelihood_find("logit"),
                                         tw_likelihood_find("poisson"), &cloglog_likelihood};
    const double *y[] = {p->y, p->y, count, p->y}, *w[] = {NULL, NULL, exposure, NULL};
    for (size_t i = 0; i < sizeof y / sizeof y[0]; i++) {
        fitted f = fit(N, p->k, likelihood[i], y[i], w[i], NULL);
        assert_fixed_point(&f);
        finish(&f);
    }
    test_problem_free(p);
}

/* The double loop, which provably converges, against sequential sweeps: one fixed point. */
static void sequential_sweeps_and_the_double_loop_agree(void **state)
{
    (void)state;
    const char *names[] = {"probit", "logit", "poisson"};
    for (size_t i = 0; i < 3; i++) {
        enum { N = 24 };
        test_problem *p = test_problem_new(N, 100 + i, 50.0);
        for (size_t j = 0; j < N && i == 2; j++) p->y[j] = (double)(j % 5);
        tw_ep_options options = TW_EP_DEFAULTS;
        options.method = TW_EP_SEQUENTIAL;
        fitted one = fit(N, p->k, tw_likelihood_find(names[i]), p->y, NULL, &options);
        options.method = TW_EP_DOUBLE_LOOP;
        options.max_sweeps = 3000;
        fitted two = fit(N, p->k, tw_likelihood_find(names[i]), p->y, NULL, &options);
        assert_fixed_point(&one);
        assert_fixed_point(&two);
        assert_true(two.q->iterations > one.q->iterations);
        assert_close(two.q->log_z, one.q->log_z, 1e-5, "log Z");
        for (size_t j = 0; j < N; j++) {
            double sd = sqrt(one.q->variance[j]);
            assert_close((two.q->mean[j] - one.q->mean[j]) / sd, 0.0, 1e-4, "mean");
            assert_close(two.q->variance[j] / one.q->variance[j], 1.0, 1e-4, "variance");
        }
        finish(&one);
        finish(&two);
        test_problem_free(p);
    }
}

/* ---- hard problems, with the default options */

static void assert_converges(size_t n, const double *k, const char *likelihood, const double *y,
                             const char *what)
{
    fitted f = fit(n, k, tw_likelihood_find(likelihood), y, NULL, NULL);
    print_message("%-36s n %3zu  rank %3zu  sweeps %2zu  log Z %.6f\n", what, n,
                  tw_model_describe(f.model).rank, f.q->iterations, f.q->log_z);
    assert_fixed_point(&f);
    finish(&f);
}

/* Prior standard deviation 160 and classes that a plane separates but for one point. */
static void nearly_separable_classes_converge(void **state)
{
    (void)state;
    enum { N = 120 };
    test_random random = {7};
    double x[2 * N], y[N];
    test_normals(&random, 2 * N, x);
    for (size_t i = 0; i < N; i++) y[i] = x[i] + 0.5 * x[i + N] > 0.0 ? 1.0 : -1.0;
    const double ells[] = {0.3, 2.0, 8.0};
    for (size_t i = 0; i < 3; i++) {
        double *k = dense_kernel(N, 2, x, ells[i], 160.0);
        assert_converges(N, k, "probit", y, "separable, sigma = 160");
        assert_converges(N, k, "logit", y, "separable, logit");
        y[3] = -y[3];
        assert_converges(N, k, "probit", y, "one point on the wrong side");
        y[3] = -y[3];
        free(k);
    }
}

static void duplicated_inputs_converge(void **state)
{
    (void)state;
    enum { N = 60 };
    test_random random = {13};
    double x[N], y[N];
    for (size_t i = 0; i < N / 2; i++) {
        x[i] = x[i + N / 2] = 2.0 * test_normal(&random);
        y[i] = y[i + N / 2] = x[i] > 0.0 ? 1.0 : -1.0;
    }
    const double sigmas[] = {3.0, 300.0};
    for (size_t i = 0; i < 2; i++) {
        double *k = dense_kernel(N, 1, x, 0.7, sigmas[i]);
        assert_converges(N, k, "probit", y, "duplicated inputs");
        for (size_t j = 0; j < 10; j++) y[j] = -y[j];
        assert_converges(N, k, "probit", y, "contradicting duplicates");
        assert_converges(N, k, "logit", y, "contradicting duplicates, logit");
        for (size_t j = 0; j < 10; j++) y[j] = -y[j];
        free(k);
    }
}

static void equal_labels_and_singular_covariances_converge(void **state)
{
    (void)state;
    enum { N = 90 };
    test_random random = {17};
    double x[N], y[N], one = 25600.0;
    test_normals(&random, N, x);
    for (size_t i = 0; i < N; i++) y[i] = 1.0;
    double *wide = dense_kernel(N, 1, x, 1.0, 160.0), *flat = dense_kernel(N, 1, x, 50.0, 5.0);
    assert_converges(N, wide, "probit", y, "all labels equal");
    assert_converges(N, flat, "probit", y, "all labels equal, K nearly of rank 3");
    for (size_t i = 0; i < N; i++) y[i] = i % 3 ? 1.0 : -1.0;
    assert_converges(N, flat, "probit", y, "K nearly of rank 3");
    assert_converges(N, wide, "probit", y, "labels at random");
    assert_converges(1, &one, "probit", y, "one site");
    for (size_t i = 0; i < N; i++) y[i] = floor(1e4 * exp(2.0 * x[i]));
    assert_converges(N, flat, "poisson", y, "counts that K cannot follow");
    free(flat);
    free(wide);
}

/* Observations far more precise than the prior: Sigma's updates lose their digits, a fresh one has them; and
 * what the others add to a site's precision, 1e-14 or 1e-19 of it, is lost in rounding itself. */
static void a_stall_of_rounding_is_mended_by_a_fresh_covariance(void **state)
{
    (void)state;
    const double k[] = {6.35e6, 1.27e6, 1.27e6, 6.35e6}, y[] = {8.0, -3.0}, noise[] = {3e-4, 1e-6};
    for (size_t i = 0; i < 2; i++) {
        const double w[] = {0.5, noise[i]};
        tw_ep_options options = TW_EP_DEFAULTS;
        options.method = TW_EP_SEQUENTIAL;
        fitted f = fit(2, k, tw_likelihood_find("gaussian"), y, w, &options);
        assert_true(f.q->converged);
        assert_close(f.q->tau[1] * w[1] * w[1], 1.0, 1e-6, "tau");
        assert_close(f.q->mean[1], -3.0, 1e-8, "mean");
        finish(&f);
    }
}

/* ---- verdicts */

static void one_sweep_is_not_enough(void **state)
{
    (void)state;
    test_problem *p = test_problem_new(40, 14, 1e4);
    tw_ep_options options = TW_EP_DEFAULTS;
    options.max_sweeps = 1;
    fitted f = fit(40, p->k, tw_likelihood_find("probit"), p->y, NULL, &options);
    assert_false(f.q->converged);
    assert_int_equal(f.q->iterations, 1);
    assert_true(f.q->residual > 1e-3);
    tw_correction correction;
    assert_int_equal(tw_ep_correct(f.model, f.q, 4, &correction), TW_NOT_CONVERGED);
    finish(&f);
    test_problem_free(p);
}

/* A likelihood that is not log-concave, N(y; x, 1)/2 + N(y; x, 100)/2: an outlier asks for a negative tau,
 * which q does not have. */
static bool any_number(void *user, double y, double w)
{
    (void)user, (void)w;
    return isfinite(y);
}

static tw_status mixture_tilted(void *user, double y, double w, double m, double v, tw_tilted *out)
{
    (void)user, (void)w;
    double weight[2], mean[2], variance[2], raw[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
    for (int i = 0; i < 2; i++) {
        double noise = i ? 100.0 : 1.0, total = v + noise;
        weight[i] = 0.5 * exp(-0.5 * (y - m) * (y - m) / total - HALF_LOG_TWO_PI) / sqrt(total);
        mean[i] = m + v * (y - m) / total;
        variance[i] = v * noise / total;
    }
    double z = weight[0] + weight[1], centre = (weight[0] * mean[0] + weight[1] * mean[1]) / z;
    for (int i = 0; i < 2; i++) {
        double d = mean[i] - centre, s = variance[i], share = weight[i] / z;
        raw[2] += share * (d * d + s);
        raw[3] += share * (d * d * d + 3.0 * d * s);
        raw[4] += share * (d * d * d * d + 6.0 * d * d * s + 3.0 * s * s);
    }
    *out = (tw_tilted){log(z), centre, raw[2], raw[3], raw[4] - 3.0 * raw[2] * raw[2]};
    return TW_OK;
}

static void note_fallback(void *user, tw_log_level level, const char *text)
{
    (void)level;
    if (strstr(text, "double loop takes over")) *(bool *)user = true;
}

/* The log says that the double loop took over, and that it did shows in where it ends. */
static void sweeps_that_stall_hand_over_to_the_double_loop(void **state)
{
    (void)state;
    enum { N = 12 };
    const tw_likelihood heavy = {
        .name = "heavy", .support = "real", .supports = any_number, .tilted = mixture_tilted};
    double x[N], y[N], log_z[2];
    for (size_t i = 0; i < N; i++) {
        x[i] = 0.3 * (double)i;
        y[i] = i % 4 == 1 ? 4.5 : sin(x[i]);
    }
    double *k = dense_kernel(N, 1, x, 1.0, 2.0);
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    assert_int_equal(tw_model_new(ctx, N, k, N, &heavy, y, NULL, 0.0, &model), TW_OK);
    for (int method = TW_EP_AUTO; method <= TW_EP_SEQUENTIAL; method++) {
        bool handed_over = false;
        tw_approximation *q = NULL;
        tw_ep_options options = TW_EP_DEFAULTS;
        options.method = (tw_ep_method)method;
        tw_context_set_log(ctx, note_fallback, &handed_over);
        assert_int_equal(tw_ep_fit(model, &options, &q), TW_OK);
        assert_true(handed_over == (method == TW_EP_AUTO));
        assert_false(q->converged);
        assert_true(q->residual > 1e-6);
        assert_int_equal(q->iterations, 200);
        for (size_t i = 0; i < N; i++) assert_true(q->tau[i] >= 0.0);
        log_z[method] = q->log_z;
        tw_approximation_free(q);
    }
    assert_true(fabs(log_z[0] - log_z[1]) > 1e-6);
    tw_model_free(model);
    tw_context_free(ctx);
    free(k);
}

static void options_outside_their_range_are_refused(void **state)
{
    (void)state;
    double k = 1.0, y = 1.0;
    fitted f = fit(1, &k, tw_likelihood_find("probit"), &y, NULL, NULL);
    const tw_ep_options bad[] = {
        {.max_sweeps = 0, .tolerance = 1e-8, .site_tolerance = 1e-6},
        {.max_sweeps = 9, .tolerance = 0.0, .site_tolerance = 1e-6},
        {.max_sweeps = 9, .tolerance = 1e-8, .site_tolerance = NAN},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_approximation *q = NULL;
        assert_int_equal(tw_ep_fit(f.model, &bad[i], &q), TW_BAD_ARGUMENT);
        assert_null(q);
    }
    finish(&f);
}

/* Stored sites give back the same q. */
static void sites_alone_restore_the_approximation(void **state)
{
    (void)state;
    enum { N = 33 };
    test_problem *p = test_problem_new(N, 15, 1e4);
    fitted f = fit(N, p->k, tw_likelihood_find("logit"), p->y, NULL, NULL);
    tw_approximation *again = NULL;
    assert_int_equal(tw_approximation_from_sites(f.model, TW_EP, f.q->tau, f.q->nu, &again), TW_OK);
    assert_memory_equal(again->mean, f.q->mean, N * sizeof(double));
    assert_memory_equal(again->variance, f.q->variance, N * sizeof(double));
    assert_true(tw_reference_log_z(again->reference) == tw_reference_log_z(f.q->reference));
    assert_false(again->converged); /* the caller's word */
    tw_approximation_free(again);
    p->tau[5] = -1.0;
    assert_int_equal(tw_approximation_from_sites(f.model, TW_EP, p->tau, p->nu, &again), TW_BAD_ARGUMENT);
    assert_null(again);
    finish(&f);
    test_problem_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gaussian_likelihood_is_exact),
        cmocka_unit_test(one_site_equals_quadrature),
        cmocka_unit_test(every_likelihood_ends_in_a_fixed_point),
        cmocka_unit_test(sequential_sweeps_and_the_double_loop_agree),
        cmocka_unit_test(nearly_separable_classes_converge),
        cmocka_unit_test(duplicated_inputs_converge),
        cmocka_unit_test(equal_labels_and_singular_covariances_converge),
        cmocka_unit_test(a_stall_of_rounding_is_mended_by_a_fresh_covariance),
        cmocka_unit_test(one_sweep_is_not_enough),
        cmocka_unit_test(sweeps_that_stall_hand_over_to_the_double_loop),
        cmocka_unit_test(options_outside_their_range_are_refused),
        cmocka_unit_test(sites_alone_restore_the_approximation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
