/* Piecewise Chebyshev interpolation: exact for polynomials, within its tolerance for smooth functions on long
 * intervals, and a failure for functions that are not smooth. */
#include <math.h>

#include "math/chebyshev.h"
#include "support/support.h"

typedef struct counted {
    double (*f)(double x);
    size_t calls;
} counted;

static bool call(void *user, double x, double *value)
{
    counted *c = user;
    c->calls++;
    *value = c->f(x);
    return true;
}

static double polynomial(double x)
{
    double sum = 0.0;
    for (int k = 0; k < TW_CHEBYSHEV_POINTS - 3; k++) sum = sum * x + (k % 3 ? 0.7 : -0.4);
    return sum;
}

static double softplus(double x)
{
    return x > 0.0 ? -log1p(exp(-x)) : x - log1p(exp(x));
}

static double staircase(double x)
{
    return floor(20.0 * x);
}

static double logarithm(double x)
{
    return log(x);
}

/* The largest error at 2001 points of [a, b]. */
static double largest_error(const tw_chebyshev *fit, double (*f)(double), double a, double b)
{
    double largest = 0.0;
    for (int i = 0; i <= 2000; i++) {
        double x = a + (b - a) * i / 2000.0, y;
        tw_chebyshev_evaluate(fit, 1, &x, &y);
        largest = fmax(largest, fabs(y - f(x)));
    }
    return largest;
}

static void polynomials_take_one_piece(void **state)
{
    (void)state;
    counted c = {polynomial, 0};
    tw_chebyshev fit;
    assert_true(tw_chebyshev_fit(call, &c, -1.2, 0.9, 1e-13, TW_CHEBYSHEV_POINTS, &fit));
    assert_int_equal(fit.pieces, 1);
    assert_int_equal(c.calls, TW_CHEBYSHEV_POINTS);
    assert_true(largest_error(&fit, polynomial, -1.2, 0.9) < 1e-13);
}

/* log(1 / (1 + e^-x)) over 600 units is bent over two of them only. */
static void pieces_are_short_where_the_function_bends(void **state)
{
    (void)state;
    const double tolerances[] = {1e-5, 1e-8, 1e-11};
    size_t before = 0;
    for (size_t i = 0; i < 3; i++) {
        counted c = {softplus, 0};
        tw_chebyshev fit;
        assert_true(tw_chebyshev_fit(call, &c, -250.0, 350.0, tolerances[i], 2000, &fit));
        assert_true(largest_error(&fit, softplus, -250.0, 350.0) < 4.0 * tolerances[i]);
        assert_true(c.calls > before);
        before = c.calls;
        for (size_t k = 0; k < fit.pieces; k++) assert_true(fit.edge[k] < fit.edge[k + 1]);
    }
}

static void what_cannot_be_had_is_refused(void **state)
{
    (void)state;
    counted steps = {staircase, 0}, negative = {logarithm, 0}, smooth = {softplus, 0};
    tw_chebyshev fit;
    assert_false(tw_chebyshev_fit(call, &steps, 0.0, 1.0, 1e-9, 100000, &fit)); /* not smooth */
    assert_true(steps.calls <= 2 * TW_CHEBYSHEV_POINTS * TW_CHEBYSHEV_PIECES);
    assert_false(tw_chebyshev_fit(call, &negative, -1.0, 1.0, 1e-9, 100000, &fit)); /* not a number */
    assert_false(tw_chebyshev_fit(call, &smooth, -250.0, 350.0, 1e-11, 64, &fit));  /* too dear */
    assert_true(smooth.calls <= 64);
    assert_false(tw_chebyshev_fit(call, &smooth, 0.0, 1e-3, 1.0, TW_CHEBYSHEV_POINTS - 1, &fit));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(polynomials_take_one_piece),
        cmocka_unit_test(pieces_are_short_where_the_function_bends),
        cmocka_unit_test(what_cannot_be_had_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
