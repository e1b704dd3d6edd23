/* The expected information: the average of the curvature over y, with its exact slope, to the last digits in
 * both tails and at the centre. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

typedef struct information {
    double lambda, dlambda;
} information;

static information fisher(const tw_likelihood *l, double w, double x)
{
    double y = 1.0;
    information f;
    l->fisher(OBSERVED(l, 1, &y, &w), &x, &f.lambda, &f.dlambda);
    return f;
}

static double curvature(const tw_likelihood *l, double y, double w, double x, double *probability)
{
    double value, slope, lambda, dlambda;
    l->terms(OBSERVED(l, 1, &y, &w), &x, &value, &slope, &lambda, &dlambda);
    *probability = exp(value);
    return lambda;
}

/* ---- the expectation over y */

static void binary_information_is_the_average_curvature(void **state)
{
    (void)state;
    const tw_likelihood *binary[] = {&tw_likelihood_probit, &tw_likelihood_logit};
    for (size_t b = 0; b < 2; b++)
        for (int i = -300; i <= 300; i++) {
            double x = 0.11 * i, p[2];
            double yes = curvature(binary[b], 1.0, 1.0, x, &p[0]);
            double no = curvature(binary[b], -1.0, 1.0, x, &p[1]), average = p[0] * yes + p[1] * no;
            assert_close(fisher(binary[b], 1.0, x).lambda, average, 1e-12 * average, binary[b]->name);
        }
}

/* Not the average of lambda, which does not depend on y, but the variance of the slope: E[(y - mu)^2]. */
static void poisson_information_is_the_variance_of_the_slope(void **state)
{
    (void)state;
    for (int i = -8; i <= 8; i++) {
        double x = 0.63 * i, w = 0.7, mu = w * exp(x), sum = 0.0, lambda, dlambda;
        for (int k = 0; k < mu + 14.0 * sqrt(mu) + 60.0; k++) {
            double y = k, value, slope;
            tw_likelihood_poisson.terms(OBSERVED(&tw_likelihood_poisson, 1, &y, &w), &x, &value, &slope,
                                        &lambda, &dlambda);
            sum += exp(value) * slope * slope;
        }
        assert_close(fisher(&tw_likelihood_poisson, w, x).lambda, sum, 1e-11 * sum, "poisson");
    }
}

/* The variance of (y - x)/w^2 by the trapezoidal rule, exact to rounding for a Gaussian. */
static void gaussian_information_is_the_variance_of_the_slope(void **state)
{
    (void)state;
    const double x = 1.3, w = 0.37;
    double sum = 0.0;
    for (int i = -48; i <= 48; i++) {
        double y = x + 0.25 * w * i, value, slope, lambda, dlambda;
        tw_likelihood_gaussian.terms(OBSERVED(&tw_likelihood_gaussian, 1, &y, &w), &x, &value, &slope,
                                     &lambda, &dlambda);
        sum += 0.25 * w * exp(value) * slope * slope;
    }
    information is = fisher(&tw_likelihood_gaussian, w, x);
    assert_close(is.lambda, sum, 1e-12 * sum, "gaussian");
    assert_true(is.dlambda == 0.0);
}

/* ---- the slope */

/* Fourth-order differences; the step shrinks like 1/|x|, as the length of a Gaussian tail does. */
static double slope_by_differences(const tw_likelihood *l, double w, double x)
{
    const double h = fabs(x) < 8.0 ? 0x1p-9 : 0x1p-12;
    double far = fisher(l, w, x + h).lambda - fisher(l, w, x - h).lambda;
    double near = fisher(l, w, x + 0.5 * h).lambda - fisher(l, w, x - 0.5 * h).lambda;
    return (8.0 * near - far) / (6.0 * h);
}

static void the_slope_is_the_derivative(void **state)
{
    (void)state;
    const tw_likelihood *all[] = {&tw_likelihood_probit, &tw_likelihood_logit, &tw_likelihood_poisson,
                                  &tw_likelihood_gaussian};
    for (size_t l = 0; l < 4; l++)
        for (int i = -256; i <= 256; i++) {
            double x = 0.125 * i, slope = slope_by_differences(all[l], 0.7, x);
            information is = fisher(all[l], 0.7, x);
            assert_true(is.lambda > 0.0);
            assert_close(is.dlambda, slope, 2e-9 * (is.lambda + fabs(slope)), all[l]->name);
        }
}

/* ---- probit, to the last digits */

/* phi^2/(Phi(x) Phi(-x)) in long double; its slope by d log phi = -x, d log Phi(x) = phi/Phi(x):
 * information (-2 x - phi/Phi(x) + phi/Phi(-x)). */
static information probit_in_long_double(double x, double *slope_rounding)
{
    long double phi = expl(-0.5L * x * x) / sqrtl(2.0L * acosl(-1.0L));
    long double up = 0.5L * erfcl(-x * sqrtl(0.5L)), down = 0.5L * erfcl(x * sqrtl(0.5L));
    long double lambda = phi / up * (phi / down);
    long double a = phi / up, b = phi / down, bracket = -2.0L * x - a + b;
    *slope_rounding = (double)(1e-17L * lambda * (fabsl(2.0L * x) + a + b));
    return (information){(double)lambda, (double)(lambda * bracket)};
}

/* Relative 1e-12 wherever the oracle itself has as many digits. */
static void probit_agrees_with_long_double(void **state)
{
    (void)state;
    for (int i = -3700; i <= 3700; i++) {
        double x = 0.01 * i, rounding;
        information is = fisher(&tw_likelihood_probit, 1.0, x), want = probit_in_long_double(x, &rounding);
        assert_close(is.lambda, want.lambda, 1e-12 * want.lambda, "information");
        assert_close(is.dlambda, want.dlambda, 1e-12 * fabs(want.dlambda) + rounding, "slope");
    }
}

/* About 0, log r(x) + log r(-x) has the slope -2 x (1 - 2/pi) + O(x^3), and r(0)^2 = 2/pi. */
static void probit_slope_keeps_its_digits_at_the_centre(void **state)
{
    (void)state;
    const double rate = -2.0 * (2.0 / acos(-1.0)) * (1.0 - 2.0 / acos(-1.0));
    for (int k = 22; k < 1000; k++) {
        double x = ldexp(1.3, -k);
        assert_close(fisher(&tw_likelihood_probit, 1.0, x).dlambda, rate * x, 1e-12 * fabs(rate * x), "x");
        assert_close(fisher(&tw_likelihood_probit, 1.0, -x).dlambda, -rate * x, 1e-12 * fabs(rate * x), "-x");
    }
    assert_true(fisher(&tw_likelihood_probit, 1.0, 0.0).dlambda == 0.0);
}

/* Far out the information is t phi(t) (1 + 1/t^2 - ...), below 1e-300 from 37.4 on; nothing is ever NaN. */
static void tails_end_in_zero(void **state)
{
    (void)state;
    const double far[] = {37.6, 40.0, 745.0, 746.0, 1e4, 1e8, 1e154, 1e300};
    const tw_likelihood *binary[] = {&tw_likelihood_probit, &tw_likelihood_logit};
    for (size_t b = 0; b < 2; b++)
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
            for (int sign = -1; sign <= 1; sign += 2) {
                information is = fisher(binary[b], 1.0, sign * far[i]);
                double limit = b == 0 ? 0.0 : exp(-far[i]);
                assert_close(is.lambda, limit, 1e-12 * limit + 1e-300, binary[b]->name);
                assert_close(is.dlambda, -sign * limit, 1e-12 * limit + 1e-300, binary[b]->name);
            }
}

enum { SITES = 600 };

static void arrays_and_unwanted_outputs_change_nothing(void **state)
{
    (void)state;
    static double y[SITES], x[SITES], lambda[SITES], dlambda[SITES];
    const tw_likelihood *all[] = {&tw_likelihood_probit, &tw_likelihood_logit, &tw_likelihood_poisson,
                                  &tw_likelihood_gaussian};
    for (size_t l = 0; l < 4; l++) {
        for (size_t i = 0; i < SITES; i++) {
            y[i] = i % 2 ? 1.0 : -1.0;
            x[i] = 9.0 * sin(1.3 * (double)i);
        }
        all[l]->fisher(OBSERVED(all[l], SITES, y, NULL), x, lambda, NULL);
        all[l]->fisher(OBSERVED(all[l], SITES, y, NULL), x, NULL, dlambda);
        for (size_t i = 0; i < SITES; i++) {
            information one = fisher(all[l], 1.0, x[i]);
            assert_true(lambda[i] == one.lambda && dlambda[i] == one.dlambda);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binary_information_is_the_average_curvature),
        cmocka_unit_test(poisson_information_is_the_variance_of_the_slope),
        cmocka_unit_test(gaussian_information_is_the_variance_of_the_slope),
        cmocka_unit_test(the_slope_is_the_derivative),
        cmocka_unit_test(probit_agrees_with_long_double),
        cmocka_unit_test(probit_slope_keeps_its_digits_at_the_centre),
        cmocka_unit_test(tails_end_in_zero),
        cmocka_unit_test(arrays_and_unwanted_outputs_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
