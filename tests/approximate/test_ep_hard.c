/* Expectation propagation on hard problems: linearly separable classes, equal inputs, covariances of low
 * rank, loss of digits; and its behaviour if sweeps do not converge. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/dense.h"
#include "support/fitted.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

/* With the default options. */
static void assert_converges(size_t n, const double *k, const char *likelihood, const double *y,
                             const char *what)
{
    fitted f = fit_ep(n, k, tw_likelihood_find(likelihood), y, NULL, NULL);
    print_message("%-36s n %3zu  rank %3zu  sweeps %2zu  log Z %.6f\n", what, n,
                  tw_model_describe(f.model).rank, f.q->iterations, f.q->log_z);
    assert_fixed_point(&f);
    fitted_free(&f);
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
        fitted f = fit_ep(2, k, tw_likelihood_find("gaussian"), y, w, &options);
        assert_true(f.q->converged);
        assert_close(f.q->tau[1] * w[1] * w[1], 1.0, 1e-6, "tau");
        assert_close(f.q->mean[1], -3.0, 1e-8, "mean");
        fitted_free(&f);
    }
}

/* Two observations of noise s and latents of variance v, correlation 1/2: log N(y; 0, v [1 1/2; 1/2 1] + s^2 I). log Z keeps its
 * digits while v/s^2 is below 1e14, although its parts are y^2/s^2; beyond that it is off by no more than it says, or is no
 * number (K is regular here, so EP has its digits from the factor); Laplace has broken down there. */
static void precise_observations_cost_no_digits_of_log_z(void **state)
{
    (void)state;
    const double y[] = {-7.0, 4.0}, sds[] = {1.0, 100.0},
                 ratios[] = {1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-9, 1e-11};
    size_t known = 0;
    for (size_t i = 0; i < 14; i++) {
        double v = sds[i % 2] * sds[i % 2], s = ratios[i / 2] * sds[i % 2];
        const double k[] = {v, 0.5 * v, 0.5 * v, v}, w[] = {s, s};
        double sum = 1.5 * v + s * s, difference = 0.5 * v + s * s; /* eigenvalues, of (1, 1) and (1, -1) */
        double exact =
            -0.25 * ((y[0] + y[1]) * (y[0] + y[1]) / sum + (y[0] - y[1]) * (y[0] - y[1]) / difference) -
            0.5 * log(sum * difference) - 2.0 * HALF_LOG_TWO_PI;
        fitted ep = fit_ep(2, k, tw_likelihood_find("gaussian"), y, w, NULL);
        fitted laplace = fit_laplace(2, k, tw_likelihood_find("gaussian"), y, w);
        if (ratios[i / 2] > 5e-8) {
            assert_true(ep.q->converged && ep.q->rounding <= 1e-10);
            assert_close(ep.q->log_z, exact, 1e-9, "log Z of EP");
            assert_true(laplace.q->converged);
            assert_close(laplace.q->log_z, exact, 1e-9, "log Z of Laplace");
            known++;
        } else {
            assert_true(!ep.q->converged || isnan(ep.q->log_z) ||
                        fabs(ep.q->log_z - exact) <= 1e-9 + 4.0 * ep.q->rounding);
            assert_true(!laplace.q->converged && isnan(laplace.q->log_z));
        }
        fitted_free(&laplace);
        fitted_free(&ep);
    }
    assert_int_equal(known, 8);
}

/* A likelihood that is not log-concave, N(y; x, 1)/2 + N(y; x, 100)/2: an outlier asks for a negative tau,
 * which q does not have. */
static bool any_number(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

static tw_status mixture_tilted(const tw_observations *o, size_t site, double m, double v, tw_tilted *out)
{
    double y = o->y[site], weight[2], mean[2], variance[2], raw[5] = {0.0, 0.0, 0.0, 0.0, 0.0};
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
    if (strstr(text, "continuing with the double loop")) *(bool *)user = true;
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
    assert_int_equal(tw_model_new(ctx, k, N, OBSERVED(&heavy, N, y, NULL), 0.0, &model), TW_OK);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_separable_classes_converge),
        cmocka_unit_test(duplicated_inputs_converge),
        cmocka_unit_test(equal_labels_and_singular_covariances_converge),
        cmocka_unit_test(a_stall_of_rounding_is_mended_by_a_fresh_covariance),
        cmocka_unit_test(precise_observations_cost_no_digits_of_log_z),
        cmocka_unit_test(sweeps_that_stall_hand_over_to_the_double_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
