/* Student's t: values against long double, the Gaussian for many degrees of freedom, Cauchy for one, tilted
 * distributions with two modes against a plain sum, and finite results at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/support.h"

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static tw_observations observed(const double *y, const double *phi)
{
    return (tw_observations){.likelihood = &tw_likelihood_student_t, .phi = phi, .n = 1, .y = y};
}

static point at(double y, double s, double nu, double x)
{
    point p;
    double phi[2] = {log(s), log(nu)};
    tw_observations o = observed(&y, phi);
    o.likelihood->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

static void terms_agree_with_long_double(void **state)
{
    (void)state;
    const double nus[] = {0.1, 1.0, 4.0, 50.0, 1e6};
    for (size_t k = 0; k < 5; k++)
        for (int i = -200; i <= 200; i++) {
            double x = 0.3 + 0.01 * i * fabs((double)i), s = exp(log(0.7)), nu = exp(log(nus[k]));
            long double d = (long double)1.3 - x, n = nu, total = n * s * s + d * d;
            long double value = lgammal(0.5L * (n + 1.0L)) - lgammal(0.5L * n) -
                                0.5L * logl(n * acosl(-1.0L)) - logl(s) -
                                0.5L * (n + 1.0L) * log1pl(d * d / (n * s * s));
            point is = at(1.3, 0.7, nus[k], x);
            /* lgammal itself loses log10(nu) digits */
            assert_close(is.value, (double)value,
                         1e-14 * (1.0 + fabs((double)value)) + 1e-18 * nu * log(nu + 2.0), "value");
            long double slope = (n + 1.0L) * d / total,
                        lambda = (n + 1.0L) * (n * s * s - d * d) / (total * total);
            long double size = (n + 1.0L) / total;
            long double dlambda =
                -(n + 1.0L) * 2.0L * d * (d * d - 3.0L * n * s * s) / (total * total * total);
            assert_close(is.slope, (double)slope, 1e-14 * fabs((double)slope) + 1e-300, "slope");
            assert_close(is.lambda, (double)lambda, 1e-14 * (double)size, "lambda");
            assert_close(is.dlambda, (double)dlambda, 1e-13 * (double)(size * sqrtl(size)), "dlambda");
        }
}

static void one_degree_is_cauchy_and_many_are_gaussian(void **state)
{
    (void)state;
    for (int i = -30; i <= 30; i++) {
        double x = 0.2 * i, cauchy = -log(acos(-1.0)) - log1p(x * x), phi = 0.0, y = 0.0, gaussian;
        tw_observations o = {.likelihood = &tw_likelihood_gaussian, .phi = &phi, .n = 1, .y = &y};
        tw_likelihood_gaussian.terms(&o, &x, &gaussian, NULL, NULL, NULL);
        assert_close(at(0.0, 1.0, 1.0, x).value, cauchy, 1e-14 * (1.0 + fabs(cauchy)), "Cauchy");
        /* log p = -x^2/2 + (x^4/4 - x^2/2 - 1/4)/nu + ... */
        assert_close(at(0.0, 1.0, 1e9, x).value, gaussian, 1e-6, "Gaussian");
    }
}

/* Two modes of like weight, and one that is narrow and one that is broad: plain sums over x. */
static void tilted_distributions_may_have_two_modes(void **state)
{
    (void)state;
    const double cases[][5] = {/* y, s, nu, m, v */
                               {10.0, 0.1, 1.0, 0.0, 4.0},  {4.0, 0.3, 3.0, -1.0, 0.5},
                               {-3.0, 1e-3, 0.5, 2.0, 9.0}, {1e3, 1.0, 4.0, 0.0, 1.0},
                               {0.0, 50.0, 4.0, 1.0, 1e-6}, {0.5, 1e-2, 2.0, 0.4, 1e4}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double *c = cases[k], phi[2] = {log(c[1]), log(c[2])};
        tw_observations o = observed(&c[0], phi);
        tw_tilted is;
        long double sums[3] = {0.0L, 0.0L, 0.0L};
        for (int i = -200000; i <= 200000; i++) {
            double t = 1.5e-4 * i, sd = sqrt(c[4]);
            bool sharp = c[1] < sd; /* the grid follows the narrower of the two */
            double x = sharp ? c[0] + c[1] * sinh(t) : c[3] + sd * t, away = x - c[3];
            if (fabs(away) > 60.0 * sd) continue;
            long double dx = sharp ? c[1] * coshl(t) : sd;
            long double p = dx * expl((long double)at(c[0], c[1], c[2], x).value - 0.5L * away * away / c[4]);
            sums[0] += p, sums[1] += p * away, sums[2] += p * away * away;
        }
        double mean = (double)(sums[1] / sums[0]), variance = (double)(sums[2] / sums[0]) - mean * mean;
        double log_z = (double)logl(sums[0] * 1.5e-4L) - 0.5 * log(2.0 * acos(-1.0) * c[4]);
        assert_int_equal(tw_likelihood_tilted(&o, 0, c[3], c[4], &is), TW_OK);
        assert_close(is.log_z, log_z, 1e-8 * (1.0 + fabs(log_z)), "log Z");
        assert_close(is.mean, c[3] + mean, 1e-7 * sqrt(variance), "mean");
        assert_close(is.variance, variance, 1e-6 * variance, "variance");
    }
}

static void extremes_are_finite(void **state)
{
    (void)state;
    const double x[] = {-1e100, -1e3, 0.0, 1e3, 1e100}, nu[] = {1e-3, 1.0, 1e9};
    for (size_t k = 0; k < 15; k++) {
        double y = 0.5, phi[2] = {0.1, log(nu[k % 3])}, d[3];
        tw_observations o = observed(&y, phi);
        point p = at(y, 1.1, nu[k % 3], x[k / 3]);
        assert_true(isfinite(p.value) && isfinite(p.slope) && isfinite(p.lambda) && isfinite(p.dlambda));
        for (size_t j = 0; j < 2; j++) {
            o.likelihood->d_parameter(&o, j, &x[k / 3], &d[0], &d[1], &d[2]);
            assert_true(isfinite(d[0]) && isfinite(d[1]) && isfinite(d[2]));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_agree_with_long_double),
        cmocka_unit_test(one_degree_is_cauchy_and_many_are_gaussian),
        cmocka_unit_test(tilted_distributions_may_have_two_modes),
        cmocka_unit_test(extremes_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
