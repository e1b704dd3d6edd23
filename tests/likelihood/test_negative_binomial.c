/* The negative binomial likelihood: values against long double, Poisson for a large dispersion, logit for y
 * and r of 0 and 1, and finite results at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static tw_observations observed(const double *y, const double *w, const double *phi)
{
    tw_observations o = observations_of(&tw_likelihood_negative_binomial, 1, y, w);
    o.phi = phi;
    return o;
}

static point at(double y, double w, double r, double x)
{
    point p;
    double phi = log(r);
    tw_observations o = observed(&y, &w, &phi);
    o.likelihood->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

/* Direct formulas, with mu = w exp(x); log(r/(r + mu)) and log(mu/(r + mu)) as log1p of small quotients. */
static void terms_agree_with_long_double(void **state)
{
    (void)state;
    const double y[] = {0, 1, 2, 9, 40, 1000}, r[] = {0.01, 0.3, 1.0, 7.0, 200.0, 1e5};
    for (size_t k = 0; k < 36; k++)
        for (int i = -40; i <= 40; i++) {
            long double count = y[k % 6], size = (long double)exp(log(r[k / 6])), x = 0.5L * i;
            long double mu = 0.7L * expl(x), total = mu + size;
            long double value = lgammal(count + size) - lgammal(size) - lgammal(count + 1.0L) -
                                size * log1pl(mu / size) - count * log1pl(size / mu);
            long double parts = count + fabsl(size * log1pl(mu / size)) + count * log1pl(size / mu) +
                                fabsl(lgammal(count + size)) * 1e-3L;
            point is = at(y[k % 6], 0.7, r[k / 6], (double)x);
            long double lambda = (count + size) * mu * size / (total * total);
            assert_close(is.value, (double)value, 2e-14 * (1.0 + (double)parts), "value");
            assert_close(is.slope, (double)(size * (count - mu) / total), 4e-15 * (double)(count + size),
                         "slope");
            assert_close(is.lambda, (double)lambda, 1e-13 * (double)lambda, "lambda");
            assert_close(is.dlambda, (double)(lambda * (size - mu) / total), 1e-13 * (double)lambda,
                         "dlambda");
        }
}

/* The difference from Poisson is of order y^2/r and mu^2/r. */
static void large_dispersions_are_poisson(void **state)
{
    (void)state;
    for (int y = 0; y < 30; y++)
        for (int i = -12; i <= 6; i++) {
            double x = 0.5 * i, value, slope, lambda, dlambda;
            point is = at(y, 1.0, 1e12, x);
            tw_likelihood_poisson.terms(OBSERVED_ONE(&tw_likelihood_poisson, y, 1.0), &x, &value, &slope,
                                        &lambda, &dlambda);
            assert_close(is.value, value, 2e-9, "value");
            assert_close(is.slope, slope, 2e-9, "slope");
            assert_close(is.lambda, lambda, 2e-9, "lambda");
        }
}

/* y = 0 and r = 1: p = 1/(1 + mu), the logistic of -x. */
static void no_count_at_dispersion_one_is_logit(void **state)
{
    (void)state;
    for (int i = -60; i <= 60; i++) {
        double x = 0.7 * i, value;
        tw_likelihood_logit.terms(OBSERVED_ONE(&tw_likelihood_logit, -1.0, 1.0), &x, &value, NULL, NULL,
                                  NULL);
        assert_true(at(0.0, 1.0, 1.0, x).value == value);
    }
}

static void extremes_are_finite(void **state)
{
    (void)state;
    const double x[] = {-1e3, -100.0, 100.0, 1e3}, y[] = {0.0, 1.0, 1e9}, r[] = {1e-10, 1.0, 1e10};
    for (size_t k = 0; k < 36; k++) {
        double phi = log(r[k % 3]), w = 2.0, d[3], lambda, dlambda;
        point p = at(y[k / 3 % 3], w, r[k % 3], x[k / 9]);
        tw_observations o = observed(&y[k / 3 % 3], &w, &phi);
        assert_true(isfinite(p.value) && isfinite(p.slope) && p.lambda >= 0.0 && isfinite(p.dlambda));
        o.likelihood->d_parameter(&o, 0, &x[k / 9], &d[0], &d[1], &d[2]);
        assert_true(isfinite(d[0]) && isfinite(d[1]) && isfinite(d[2]));
        o.likelihood->fisher(&o, &x[k / 9], &lambda, &dlambda);
        assert_true(lambda >= 0.0 && lambda <= r[k % 3] * (1.0 + 1e-15) && isfinite(dlambda));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_agree_with_long_double),
        cmocka_unit_test(large_dispersions_are_poisson),
        cmocka_unit_test(no_count_at_dispersion_one_is_logit),
        cmocka_unit_test(extremes_are_finite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
