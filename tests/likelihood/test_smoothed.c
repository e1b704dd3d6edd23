/* The smoothed curvature: positive, with its exact slope, equal to the plain curvature without smoothing, and
 * for probit and Gaussian the curvature of the averaged likelihood. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

typedef struct curvature {
    double lambda, dlambda;
} curvature;

static curvature smooth(const tw_likelihood *l, double y, double w, double s2, double x)
{
    curvature c;
    l->smoothed(OBSERVED(l, 1, &y, &w), &s2, &x, &c.lambda, &c.dlambda);
    return c;
}

typedef struct observation {
    const tw_likelihood *likelihood;
    double y, w;
} observation;

static const observation OBSERVATIONS[] = {
    {&tw_likelihood_probit, 1.0, 1.0},   {&tw_likelihood_probit, -1.0, 1.0},
    {&tw_likelihood_logit, 1.0, 1.0},    {&tw_likelihood_logit, -1.0, 1.0},
    {&tw_likelihood_poisson, 0.0, 1.0},  {&tw_likelihood_poisson, 5.0, 0.7},
    {&tw_likelihood_gaussian, 2.0, 1.0}, {&tw_likelihood_gaussian, 2.0, 0.3},
};
enum { OBSERVATION_COUNT = sizeof OBSERVATIONS / sizeof OBSERVATIONS[0] };

static const double VARIANCES[] = {0.0, 1e-6, 0.3, 1.0, 25.0, 1e4};
enum { VARIANCE_COUNT = sizeof VARIANCES / sizeof VARIANCES[0] };

/* Fourth-order differences with h = 1/2048: a relative 1e-8 of the curvature leaves a wide margin. */
static void it_is_positive_with_its_exact_slope(void **state)
{
    (void)state;
    const double h = 0x1p-11;
    for (size_t o = 0; o < OBSERVATION_COUNT; o++)
        for (size_t j = 0; j < VARIANCE_COUNT; j++)
            for (int i = -97; i <= 97; i++) {
                observation at = OBSERVATIONS[o];
                double x = 0.31 * i;
                double s2 =
                    VARIANCES[j] > 1000.0 && at.likelihood == &tw_likelihood_poisson ? 50.0 : VARIANCES[j];
                double place[] = {x + h, x - h, x + 0.5 * h, x - 0.5 * h}, value[4];
                for (int k = 0; k < 4; k++) value[k] = smooth(at.likelihood, at.y, at.w, s2, place[k]).lambda;
                double slope = (8.0 * (value[2] - value[3]) - (value[0] - value[1])) / (6.0 * h);
                curvature is = smooth(at.likelihood, at.y, at.w, s2, x);
                assert_true(is.lambda > 0.0);
                assert_close(is.dlambda, slope, 1e-8 * (is.lambda + fabs(slope)), at.likelihood->name);
            }
}

static void without_smoothing_it_is_the_curvature(void **state)
{
    (void)state;
    for (size_t o = 0; o < OBSERVATION_COUNT; o++)
        for (int i = -64; i <= 64; i++) {
            observation at = OBSERVATIONS[o];
            double x = 0.47 * i;
            const tw_likelihood *l = at.likelihood;
            double value, slope, lambda, dlambda;
            l->terms(OBSERVED(l, 1, &at.y, &at.w), &x, &value, &slope, &lambda, &dlambda);
            curvature none = smooth(l, at.y, at.w, 0.0, x), little = smooth(l, at.y, at.w, 1e-12, x);
            assert_close(none.lambda, lambda, 1e-15 * lambda, l->name);
            assert_close(none.dlambda, dlambda, 1e-15 * fabs(dlambda), l->name);
            assert_close(little.lambda, lambda, 1e-9 * lambda, l->name);
        }
}

/* E[p(y | x + s e)] is the normaliser of the tilted distribution with m = x and v = s2, so
 *   -d2/dx2 log E = (1 - variance/v)/v   and its slope is -c3/v^3,
 * with the moments by quadrature: good to 1e-10/v and 1e-10/v^(3/2). */
static curvature averaged(observation at, double s2, double x)
{
    tw_tilted t;
    assert_int_equal(tw_tilted_by_quadrature(OBSERVED_ONE(at.likelihood, at.y, at.w), 0, x, s2, &t, NULL),
                     TW_OK);
    return (curvature){(1.0 - t.variance / s2) / s2, -t.c3 / (s2 * s2 * s2)};
}

static void probit_and_gaussian_average_the_likelihood(void **state)
{
    (void)state;
    for (size_t o = 0; o < OBSERVATION_COUNT; o++) {
        observation at = OBSERVATIONS[o];
        if (at.likelihood != &tw_likelihood_probit && at.likelihood != &tw_likelihood_gaussian) continue;
        for (int j = 0; j < 8; j++)
            for (int i = -12; i <= 12; i++) {
                double s2 = 0.01 * pow(5.0, j), x = 1.7 * i + 0.2;
                curvature is = smooth(at.likelihood, at.y, at.w, s2, x), want = averaged(at, s2, x);
                assert_close(is.lambda, want.lambda, 1e-10 / s2, at.likelihood->name);
                assert_close(is.dlambda, want.dlambda, 1e-10 / (s2 * sqrt(s2)), at.likelihood->name);
            }
    }
}

/* MacKay's surrogate at the centre: within 7% of the averaged likelihood's curvature, whatever s2. */
static void logit_is_near_the_averaged_likelihood(void **state)
{
    (void)state;
    observation at = {&tw_likelihood_logit, 1.0, 1.0};
    for (int j = 0; j < 17; j++) {
        double s2 = ldexp(0.01, j);
        double is = smooth(at.likelihood, at.y, at.w, s2, 0.0).lambda, want = averaged(at, s2, 0.0).lambda;
        assert_close(is, want, 0.07 * want, "logit at 0");
    }
}

/* E[w exp(x + s e)] by the trapezoidal rule, exact to rounding for this integrand. */
static void poisson_averages_the_curvature(void **state)
{
    (void)state;
    double s2 = 0.8, x = 1.3, w = 0.7, sum = 0.0;
    for (int i = -120; i <= 120; i++) {
        double e = 0.1 * i;
        sum += 0.1 * exp(-0.5 * e * e) / sqrt(2.0 * acos(-1.0)) * w * exp(x + sqrt(s2) * e);
    }
    assert_close(smooth(&tw_likelihood_poisson, 4.0, w, s2, x).lambda, sum, 1e-13 * sum, "poisson");
}

enum { SITES = 600 };

static void arrays_and_unwanted_outputs_change_nothing(void **state)
{
    (void)state;
    static double y[SITES], x[SITES], s2[SITES], lambda[SITES], dlambda[SITES];
    for (size_t o = 0; o < OBSERVATION_COUNT; o++) {
        const tw_likelihood *l = OBSERVATIONS[o].likelihood;
        for (size_t i = 0; i < SITES; i++) {
            y[i] = OBSERVATIONS[o].y;
            x[i] = 9.0 * sin(1.3 * (double)i);
            s2[i] = 3.0 + 2.9 * cos((double)i);
        }
        l->smoothed(OBSERVED(l, SITES, y, NULL), s2, x, lambda, NULL);
        l->smoothed(OBSERVED(l, SITES, y, NULL), s2, x, NULL, dlambda);
        for (size_t i = 0; i < SITES; i++) {
            curvature one = smooth(l, y[i], 1.0, s2[i], x[i]);
            assert_true(lambda[i] == one.lambda && dlambda[i] == one.dlambda);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_positive_with_its_exact_slope),
        cmocka_unit_test(without_smoothing_it_is_the_curvature),
        cmocka_unit_test(probit_and_gaussian_average_the_likelihood),
        cmocka_unit_test(logit_is_near_the_averaged_likelihood),
        cmocka_unit_test(poisson_averages_the_curvature),
        cmocka_unit_test(arrays_and_unwanted_outputs_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
