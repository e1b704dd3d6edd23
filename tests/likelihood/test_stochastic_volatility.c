/* Stochastic volatility: values against the Gaussian with that noise and against long double, tilted moments against a plain
 * sum, and no NaN at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/support.h"

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static tw_observations observed(const double *y, const double *phi)
{
    return (tw_observations){.likelihood = &tw_likelihood_stochastic_volatility, .phi = phi, .n = 1, .y = y};
}

static point at(double y, double s, double x)
{
    point p;
    double phi = log(s);
    tw_observations o = observed(&y, &phi);
    o.likelihood->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

/* The Gaussian likelihood of y about 0 with noise s exp(x/2) has the same value. */
static void values_are_gaussian_and_derivatives_agree_with_long_double(void **state)
{
    (void)state;
    const double ys[] = {0.0, 1e-3, -0.4, 2.0, -30.0}, scales[] = {0.01, 1.0, 7.0};
    for (size_t k = 0; k < 15; k++)
        for (int i = -60; i <= 60; i++) {
            double x = 0.3 * i, y = ys[k % 5], s = scales[k / 5], zero = 0.0, gaussian;
            double phi = log(s) + 0.5 * x;
            tw_observations o = {.likelihood = &tw_likelihood_gaussian, .phi = &phi, .n = 1, .y = &y};
            tw_likelihood_gaussian.terms(&o, &zero, &gaussian, NULL, NULL, NULL);
            point p = at(y, s, x);
            long double d = (long double)y / expl(logl((long double)s)),
                        a = 0.5L * d * d * expl(-(long double)x);
            double size = 1e-13 * (1.0 + (double)a);
            assert_close(p.value, gaussian, size + 1e-14 * fabs(gaussian), "value");
            assert_close(p.slope, (double)(a - 0.5L), size, "slope");
            assert_close(p.lambda, (double)a, 1e-13 * (double)a, "lambda");
            assert_close(p.dlambda, -(double)a, 1e-13 * (double)a, "dlambda");
        }
}

/* Plain sums over x with a step of a hundredth of the prior's standard deviation, exact for a smooth integrand. */
static void tilted_moments_agree_with_a_sum(void **state)
{
    (void)state;
    const double cases[][3] = {
        {0.3, 0.0, 1.0}, {4.0, -1.0, 2.5}, {0.0, 0.5, 0.7}, {-0.01, 1.0, 4.0}}; /* y, m, v */
    for (size_t k = 0; k < 4; k++) {
        double y = cases[k][0], m = cases[k][1], v = cases[k][2], phi = log(0.8), sd = sqrt(v);
        tw_observations o = observed(&y, &phi);
        tw_tilted is;
        long double sums[3] = {0.0L, 0.0L, 0.0L};
        for (int i = -3000; i <= 3000; i++) {
            double t = 0.01 * i;
            long double p = expl((long double)at(y, 0.8, m + sd * t).value - 0.5L * t * t);
            sums[0] += p, sums[1] += p * t, sums[2] += p * t * t;
        }
        double mean = (double)(sums[1] / sums[0]), variance = (double)(sums[2] / sums[0]) - mean * mean;
        assert_int_equal(tw_likelihood_tilted(&o, 0, m, v, &is), TW_OK);
        assert_close(is.log_z, (double)logl(sums[0] * 0.01L) - 0.5 * log(2.0 * acos(-1.0)), 1e-9, "log Z");
        assert_close(is.mean, m + sd * mean, 1e-9 * sd, "mean");
        assert_close(is.variance, v * variance, 1e-9 * v, "variance");
    }
}

static void extremes_are_not_nan(void **state)
{
    (void)state;
    const double x[] = {-1e3, -700.0, 700.0, 1e3}, y[] = {0.0, 1e-150, -1.0, 1e100};
    for (size_t k = 0; k < 16; k++) {
        point p = at(y[k % 4], 1.0, x[k / 4]);
        assert_false(isnan(p.value) || isnan(p.slope) || isnan(p.lambda) || isnan(p.dlambda));
        assert_true(p.lambda >= 0.0);
        if (isfinite(p.value)) assert_true(isfinite(p.slope) && isfinite(p.lambda) && isfinite(p.dlambda));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_gaussian_and_derivatives_agree_with_long_double),
        cmocka_unit_test(tilted_moments_agree_with_a_sum),
        cmocka_unit_test(extremes_are_not_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
