/* EP's correction against the double sum of its definition, with marginals by elimination and, for probit,
 * cumulants from the derivatives of log Phi. */
#include <math.h>

#include "approximate/approximate.h"
#include "support/dense.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { N = 30, ORDERS = TW_CORRECTION_MAX_ORDER };

typedef struct fitted {
    tw_context *ctx;
    test_problem *problem;
    tw_model *model;
    tw_approximation *ep;
} fitted;

/* Counts have exposures of 0.6 to 1.8. */
static double constant(const tw_likelihood *likelihood, size_t i)
{
    return likelihood == tw_likelihood_find("poisson") ? 0.6 + 0.3 * (double)(i % 5) : 1.0;
}

static fitted fit(const tw_likelihood *likelihood, uint64_t seed)
{
    fitted f = {.ctx = new_context(), .problem = test_problem_new(N, seed, 1e3)};
    double w[N];
    for (size_t i = 0; i < N; i++) w[i] = constant(likelihood, i);
    for (size_t i = 0; i < (size_t)N * N; i++) f.problem->k[i] *= 3.0;
    for (size_t i = 0; i < N && likelihood == tw_likelihood_find("poisson"); i++)
        f.problem->y[i] = (double)(i % 4);
    assert_int_equal(
        tw_model_new(f.ctx, f.problem->k, N, OBSERVED(likelihood, N, f.problem->y, w), 0.0, &f.model), TW_OK);
    assert_int_equal(tw_ep_fit(f.model, NULL, &f.ep), TW_OK);
    assert_true(f.ep->converged);
    return f;
}

static void finish(fitted *f)
{
    tw_approximation_free(f->ep);
    tw_model_free(f->model);
    test_problem_free(f->problem);
    assert_int_equal(tw_context_bytes_in_use(f->ctx), 0);
    tw_context_free(f->ctx);
}

/* Third and fourth cumulants of probit: with z = y m/sqrt(1 + v), r = phi(z)/Phi(z), u = z + r and
 * lambda = r u, they are (y v/sqrt(1 + v))^l times -lambda' and -lambda''. */
static void probit_cumulants(double y, double m, double v, double *c)
{
    double s = sqrt(1.0 + v), z = y * m / s, alpha = y * v / s;
    double r = exp(-0.5 * z * z) * 0.39894228040143267794 / (0.5 * erfc(-z * sqrt(0.5))), u = z + r;
    double slope = r * (1.0 - u * u - r * u);
    double bend =
        -r * u * (1.0 - u * u - r * u) + r * (-2.0 * u * (1.0 - r * u) + r * u * u - r * (1.0 - r * u));
    c[3] = -alpha * alpha * alpha * slope;
    c[4] = -alpha * alpha * alpha * alpha * bend;
}

/* terms[l] = 1/2 sum_{m != n} c_lm c_ln / l! (Sigma_mn / (Sigma_mm Sigma_nn))^l. */
static void write_out(const fitted *f, bool closed_form, double *terms)
{
    static double c[N][ORDERS + 1];
    const double *tau = f->ep->tau, *nu = f->ep->nu;
    dense_gaussian q = dense_posterior(N, f->problem->k, tau, nu);
    for (size_t i = 0; i < N; i++) {
        double v = q.sigma[i + i * N], precision = 1.0 / v - tau[i];
        double m = (q.mean[i] / v - nu[i]) / precision, y = f->problem->y[i];
        assert_int_equal(tw_likelihood_cumulants(OBSERVED_ONE(f->model->observed.likelihood, y,
                                                              constant(f->model->observed.likelihood, i)),
                                                 0, m, 1.0 / precision, ORDERS, c[i]),
                         TW_OK);
        if (closed_form) probit_cumulants(y, m, 1.0 / precision, c[i]);
    }
    double factorial = 2.0;
    for (size_t l = 3; l <= ORDERS; l++) {
        factorial *= (double)l;
        terms[l] = 0.0;
        for (size_t m = 0; m < N; m++)
            for (size_t n = 0; n < N; n++) {
                double ratio = q.sigma[m + n * N] / (q.sigma[m + m * N] * q.sigma[n + n * N]);
                if (m != n) terms[l] += 0.5 * c[m][l] * c[n][l] / factorial * pow(ratio, (double)l);
            }
    }
    dense_free(&q);
}

static void assert_terms(const fitted *f, bool closed_form)
{
    double terms[ORDERS + 1], sum = 0.0;
    tw_correction is;
    write_out(f, closed_form, terms);
    for (size_t orders = 3; orders <= ORDERS; orders++) {
        bool decreasing = true;
        sum += terms[orders];
        assert_int_equal(tw_ep_correct(f->model, f->ep, orders, &is), TW_OK);
        assert_int_equal(is.orders, orders);
        assert_close(is.log_z, f->ep->log_z + sum, 1e-9, "corrected log Z");
        for (size_t l = 3; l <= orders; l++) {
            /* Sites matched to 1e-6 move cumulants by as much. */
            assert_close(is.term[l], terms[l], 1e-5 * fabs(terms[l]) + 1e-12, "term");
            if (l > 3 && fabs(is.term[l]) > fabs(is.term[l - 1])) decreasing = false;
        }
        for (size_t l = orders + 1; l <= ORDERS; l++) assert_true(is.term[l] == 0.0);
        assert_true(is.decreasing == decreasing);
    }
    assert_true(fabs(terms[3]) > 1e-3); /* so that what is compared is not nothing */
    assert_true(fabs(terms[4]) > 1e-5);
}

static void terms_are_the_double_sum(void **state)
{
    (void)state;
    const char *names[] = {"probit", "logit", "poisson"};
    for (size_t i = 0; i < 3; i++) {
        fitted f = fit(tw_likelihood_find(names[i]), 50 + i);
        assert_terms(&f, i == 0);
        finish(&f);
    }
}

static void a_gaussian_posterior_needs_no_correction(void **state)
{
    (void)state;
    fitted f = fit(tw_likelihood_find("gaussian"), 60);
    tw_correction is;
    assert_int_equal(tw_ep_correct(f.model, f.ep, ORDERS, &is), TW_OK);
    assert_close(is.log_z, f.ep->log_z, 1e-15, "log Z");
    finish(&f);
}

static void what_cannot_be_corrected_is_refused(void **state)
{
    (void)state;
    fitted f = fit(tw_likelihood_find("probit"), 61);
    tw_approximation *laplace = NULL;
    tw_correction is;
    assert_int_equal(tw_ep_correct(f.model, f.ep, 2, &is), TW_BAD_ARGUMENT);
    assert_int_equal(tw_ep_correct(f.model, f.ep, 9, &is), TW_BAD_ARGUMENT);
    assert_int_equal(tw_laplace_fit(f.model, NULL, &laplace), TW_OK);
    assert_int_equal(tw_ep_correct(f.model, laplace, 4, &is), TW_NOT_CONVERGED);
    tw_approximation_free(laplace);
    f.ep->converged = false;
    assert_int_equal(tw_ep_correct(f.model, f.ep, 4, &is), TW_NOT_CONVERGED);
    finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_are_the_double_sum),
        cmocka_unit_test(a_gaussian_posterior_needs_no_correction),
        cmocka_unit_test(what_cannot_be_corrected_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
