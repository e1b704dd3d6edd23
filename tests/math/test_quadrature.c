/* Adaptive quadrature: the degree of the rule, smooth and rough integrands, and reported failures. */
#include <float.h>
#include <math.h>

#include "math/quadrature.h"
#include "support/support.h"

enum { MOMENTS = TW_QUADRATURE_MOMENTS, FEW = 5 };

typedef struct power_law {
    double exponent;
} power_law;

static void power(void *user, size_t n, const double *t, double *f)
{
    const power_law *law = user;
    for (size_t i = 0; i < n; i++) f[i] = pow(t[i], law->exponent);
}

/* The Kronrod rule of 21 points is exact for polynomials up to degree 31: t^k t^d, k = 0..8, d <= 23. */
static void one_panel_is_exact_to_degree_31(void **state)
{
    (void)state;
    const double edge[] = {-1.0, 2.0};
    for (int d = 0; d <= 23; d++) {
        power_law law = {d};
        tw_quadrature q = tw_quadrature_moments(power, &law, MOMENTS, 1, edge, INFINITY);
        assert_int_equal(q.evaluations, TW_QUADRATURE_NODES);
        for (int k = 0; k < MOMENTS; k++) {
            double exact = (pow(2.0, d + k + 1) - pow(-1.0, d + k + 1)) / (d + k + 1);
            assert_close(q.moment[k], exact, 1e-14 * fabs(exact), "moment of a power");
        }
    }
}

/* The Gauss rule inside is exact only to degree 19: the error estimate sees degree 20, and not 15. */
static void the_error_estimate_sees_what_the_gauss_rule_misses(void **state)
{
    (void)state;
    const double edge[] = {0.0, 2.0};
    power_law low = {15}, high = {40};
    assert_true(tw_quadrature_moments(power, &low, FEW, 1, edge, INFINITY).error == 0.0);
    assert_true(tw_quadrature_moments(power, &high, FEW, 1, edge, INFINITY).error > 0.0);
}

static void gaussian(void *user, size_t n, const double *t, double *f)
{
    double width = *(const double *)user;
    for (size_t i = 0; i < n; i++)
        f[i] = exp(-0.5 * (t[i] / width) * (t[i] / width)) / (width * sqrt(2.0 * acos(-1.0)));
}

static void gaussian_moments(void **state)
{
    (void)state;
    double width = 1.0;
    const double edge[] = {-12.0, 1.0, 12.0};
    const double exact[MOMENTS] = {1.0, 0.0, 1.0, 0.0, 3.0, 0.0, 15.0, 0.0, 105.0};
    for (int moments = 1; moments <= MOMENTS; moments++) {
        tw_quadrature q = tw_quadrature_moments(gaussian, &width, (size_t)moments, 2, edge, 1e-13);
        assert_true(q.converged);
        assert_true(q.error < 1e-11);
        for (int k = 0; k < moments; k++)
            assert_close(q.moment[k], exact[k], 1e-13 * fmax(exact[k], 1.0), "moment");
        for (int k = moments; k < MOMENTS; k++) assert_true(q.moment[k] == 0.0);
        assert_in_range(q.evaluations, 2 * TW_QUADRATURE_NODES, 40 * TW_QUADRATURE_NODES);
    }
}

/* A peak of width 0.002 at an edge is found, because nodes crowd at the ends of a panel. */
static void a_peak_at_an_edge_is_found(void **state)
{
    (void)state;
    double width = 2e-3;
    const double edge[] = {-1.0, 0.0, 1.0};
    tw_quadrature q = tw_quadrature_moments(gaussian, &width, FEW, 2, edge, 1e-13);
    assert_true(q.converged);
    assert_close(q.moment[0], 1.0, 1e-12, "mass of the peak");
    assert_close(q.moment[2], 4e-6, 1e-15, "variance of the peak");
}

static void step(void *user, size_t n, const double *t, double *f)
{
    double steepness = *(const double *)user;
    for (size_t i = 0; i < n; i++) f[i] = 1.0 / (1.0 + exp(-steepness * (t[i] - 0.3)));
}

/* A smooth step of width 1e-4 inside a panel: its integral over [0, 1] is 0.7 to rounding. */
static void a_layer_inside_a_panel_is_resolved(void **state)
{
    (void)state;
    double steepness = 1e4;
    const double edge[] = {0.0, 1.0};
    tw_quadrature q = tw_quadrature_moments(step, &steepness, FEW, 1, edge, 1e-13);
    assert_true(q.converged);
    assert_close(q.moment[0], 0.7, 1e-12, "integral of a step");
}

/* The requested error is kept as the request is tightened, for a singular derivative at an end. */
static void the_error_follows_the_tolerance(void **state)
{
    (void)state;
    power_law root = {0.5};
    const double edge[] = {0.0, 1.0};
    for (int digits = 4; digits <= 12; digits += 2) {
        double tolerance = pow(10.0, -digits);
        tw_quadrature q = tw_quadrature_moments(power, &root, FEW, 1, edge, tolerance);
        assert_true(q.converged);
        assert_close(q.moment[0], 2.0 / 3.0, fmax(q.error, 4.0 * DBL_EPSILON), "integral of sqrt");
        assert_true(q.error < 60.0 * tolerance);
    }
}

static void not_a_number(void *user, size_t n, const double *t, double *f)
{
    (void)user, (void)t;
    for (size_t i = 0; i < n; i++) f[i] = NAN;
}

static void failure_is_a_verdict(void **state)
{
    (void)state;
    power_law infinite = {-1.5};
    const double edge[] = {0.0, 1.0};
    assert_false(tw_quadrature_moments(power, &infinite, FEW, 1, edge, 1e-10).converged);
    tw_quadrature q = tw_quadrature_moments(not_a_number, NULL, FEW, 1, edge, 1e-10);
    assert_false(q.converged);
    assert_in_range(q.evaluations, 1, 600 * TW_QUADRATURE_NODES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_panel_is_exact_to_degree_31),
        cmocka_unit_test(the_error_estimate_sees_what_the_gauss_rule_misses),
        cmocka_unit_test(gaussian_moments),
        cmocka_unit_test(a_peak_at_an_edge_is_found),
        cmocka_unit_test(a_layer_inside_a_panel_is_resolved),
        cmocka_unit_test(the_error_follows_the_tolerance),
        cmocka_unit_test(failure_is_a_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
