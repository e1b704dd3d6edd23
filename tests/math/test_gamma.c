/* Logarithms of factorials and gamma functions, against long double over the whole range. */
#include <math.h>

#include "math/gamma.h"
#include "support/support.h"

static void factorials_agree_with_long_double(void **state)
{
    (void)state;
    for (double y = 0.0; y < 1e15; y = y < 40.0 ? y + 1.0 : floor(1.7 * y)) {
        double want = (double)lgammal((long double)y + 1.0L);
        assert_close(tw_log_factorial(y), want, 2e-15 * (1.0 + fabs(want)), "log y!");
    }
}

/* The sum of log((n - k + j)/j), j = 1..k, has no cancellation. */
static void binomial_coefficients_are_sums_of_logarithms(void **state)
{
    (void)state;
    const double trials[] = {1, 2, 5, 17, 40, 1000, 1e6, 1e12};
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
        for (double k = 0.0; k <= fmin(trials[t], 300.0); k++) {
            long double want = 0.0L;
            for (int j = 1; j <= (int)k; j++) want += logl((long double)(trials[t] - k + j) / j);
            double size = 4e-15 * (1.0 + (double)fabsl(want)) + 1e-15 * k * log(trials[t]);
            assert_close(tw_log_binomial(trials[t], k), (double)want, size, "log C(n, k)");
            assert_close(tw_log_binomial(trials[t], trials[t] - k), (double)want, size, "log C(n, n - k)");
        }
}

/* The logarithm of r (r + 1) ... (r + y - 1), and its derivative, the sum of 1/(r + j). */
static void rising_factorials_are_products(void **state)
{
    (void)state;
    for (int e = -200; e <= 200; e += 4)
        for (int y = 0; y < 400; y = y < 20 ? y + 1 : 2 * y) {
            double r = pow(10.0, 0.1 * e);
            long double want = 0.0L, slope = 0.0L;
            for (int j = 0; j < y; j++)
                want += logl((long double)r + j), slope += 1.0L / ((long double)r + j);
            double parts = (double)fabsl(want) + y + fabs(log(r));
            assert_close(tw_log_rising(r, y), (double)want, 4e-15 * parts, "log rising");
            assert_close(tw_d_log_rising(r, y), (double)slope, 1e-14 * (double)slope, "its derivative");
        }
}

static void nothing_overflows(void **state)
{
    (void)state;
    const double far[] = {1e-300, 1e-30, 1.0, 1e30, 1e300};
    for (size_t i = 0; i < 5; i++) {
        assert_true(isfinite(tw_log_rising(far[i], 0.0)) && isfinite(tw_log_rising(far[i], 1e9)));
        assert_true(isfinite(tw_d_log_rising(far[i], 0.0)));
        assert_close(tw_log_rising(far[i], 1.0), log(far[i]), 1e-14 * (1.0 + fabs(log(far[i]))), "log r");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factorials_agree_with_long_double),
        cmocka_unit_test(binomial_coefficients_are_sums_of_logarithms),
        cmocka_unit_test(rising_factorials_are_products),
        cmocka_unit_test(nothing_overflows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
