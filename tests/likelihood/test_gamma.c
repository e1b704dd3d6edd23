/* Gamma measurements: values and derivatives against the textbook density in long double, the exponential
 * likelihood as the case shape = 1, and no NaN at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/support.h"

typedef struct point {
    double value, slope, lambda, dlambda, d_value;
} point;

static point at(double y, double shape, double x)
{
    point p;
    double phi = log(shape);
    tw_observations o = {.likelihood = &tw_likelihood_gamma, .phi = &phi, .n = 1, .y = &y};
    o.likelihood->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    o.likelihood->d_parameter(&o, 0, &x, &p.d_value, NULL, NULL);
    return p;
}

/* log p with scale theta = exp(x)/k: (k - 1) log y - y/theta - k log theta - log Gamma(k) */
static long double book(double y, long double log_shape, double x)
{
    long double k = expl(log_shape), log_theta = (long double)x - log_shape;
    return (k - 1.0L) * logl((long double)y) - (long double)y * expl(-log_theta) - k * log_theta - lgammal(k);
}

/* Shapes on both sides of 16, where Stirling's series takes over. */
static void values_and_derivatives_agree_with_long_double(void **state)
{
    (void)state;
    const double ys[] = {1e-3, 0.4, 2.0, 30.0}, shapes[] = {0.05, 0.7, 1.0, 3.3, 15.9, 16.1, 250.0};
    for (size_t i = 0; i < 28; i++)
        for (int j = -20; j <= 20; j++) {
            double y = ys[i % 4], k = shapes[i / 4], x = log(y) + 0.2 * j;
            long double phi = (long double)log(k), h = 1e-6L, r = expl(logl((long double)y) - (long double)x);
            double exact = (double)book(y, phi, x);
            double difference = (double)((book(y, phi + h, x) - book(y, phi - h, x)) / (2.0L * h));
            point p = at(y, k, x);
            double size = k * (1.0 + (double)r);
            assert_close(p.value, exact, 1e-14 * (size + fabs(exact)) + 1e-14, "value");
            assert_close(p.slope, k * (double)(r - 1.0L), 1e-13 * size, "slope");
            assert_close(p.lambda, k * (double)r, 1e-13 * size, "lambda");
            assert_close(p.dlambda, -k * (double)r, 1e-13 * size, "dlambda");
            assert_close(p.d_value, difference, 1e-9 * (1.0 + size), "derivative in log shape");
        }
}

/* Shape 1 is the exponential distribution, whose hazard is exp(-x). */
static void shape_one_is_exponential(void **state)
{
    (void)state;
    for (int i = -30; i <= 30; i++) {
        double y = 0.37, x = 0.25 * i, hazard = -x, value;
        tw_observations o = {.likelihood = &tw_likelihood_exponential, .n = 1, .y = &y};
        tw_likelihood_exponential.terms(&o, &hazard, &value, NULL, NULL, NULL);
        assert_close(at(y, 1.0, x).value, value, 1e-13 * (1.0 + fabs(value)), "value");
    }
}

static void extremes_are_not_nan(void **state)
{
    (void)state;
    const double x[] = {-1e3, -700.0, 700.0, 1e3}, y[] = {1e-300, 1.0, 1e100, 1e300}, k[] = {1e-3, 1e8};
    for (size_t i = 0; i < 32; i++) {
        point p = at(y[i % 4], k[i / 16], x[i / 4 % 4]);
        assert_false(isnan(p.value) || isnan(p.slope) || isnan(p.lambda) || isnan(p.dlambda));
        assert_true(p.lambda >= 0.0);
        if (isfinite(p.value)) assert_true(isfinite(p.slope) && isfinite(p.lambda) && isfinite(p.dlambda));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_derivatives_agree_with_long_double),
        cmocka_unit_test(shape_one_is_exponential),
        cmocka_unit_test(extremes_are_not_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
