/* Exponential and Weibull survival: a density whose integral is the survival function, values against long double, Poisson
 * events with exposure t, moments of the time against a plain sum, and finite results at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

static const tw_likelihood *const both[] = {&tw_likelihood_exponential, &tw_likelihood_weibull};

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static point at(const tw_likelihood *l, double t, double censored, double shape, double x)
{
    point p;
    double phi = log(shape);
    tw_observations o = observations_of(l, 1, &t, &censored);
    o.phi = l->parameters ? &phi : NULL;
    l->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

static void terms_agree_with_long_double(void **state)
{
    (void)state;
    const double times[] = {1e-6, 0.03, 1.0, 4.0, 900.0}, shapes[] = {0.2, 1.0, 3.7};
    for (size_t k = 0; k < 15; k++)
        for (int i = -40; i <= 40; i++) {
            double x = 0.25 * i, t = times[k % 5], shape = exp(log(shapes[k / 5]));
            long double mu = expl(x) * powl(t, shape);
            long double event = x + logl(shape) + (shape - 1.0L) * logl(t) - mu;
            point seen = at(both[1], t, 0.0, shapes[k / 5], x),
                  passed = at(both[1], t, 1.0, shapes[k / 5], x);
            double size = 1e-14 * (1.0 + fabs(x) + shape * fabs(log(t)));
            assert_close(seen.value, (double)event, size * (1.0 + (double)mu), "density");
            assert_close(passed.value, (double)-mu, size * (double)mu, "survival");
            assert_close(seen.slope, (double)(1.0L - mu), size * (1.0 + (double)mu), "slope");
            assert_close(passed.slope, (double)-mu, size * (double)mu, "slope of a censored one");
            assert_true(seen.lambda == passed.lambda && seen.dlambda == seen.lambda);
            assert_close(seen.lambda, (double)mu, size * (double)mu, "lambda");
        }
}

/* The density over t from T on, by the trapezoidal rule in log t, is the survival function at T. */
static void the_density_integrates_to_survival(void **state)
{
    (void)state;
    for (int b = 0; b < 2; b++)
        for (int i = -2; i <= 2; i++) {
            const double shape = b ? 1.6 : 1.0, start = 0.4, step = 1e-3;
            double sum = 0.0;
            for (int j = 0; j <= 12000; j++) {
                double t = start * exp(step * j), w = j == 0 ? 0.5 * step : step;
                sum += w * t * exp(at(both[b], t, 0.0, shape, i).value);
            }
            assert_close(sum, exp(at(both[b], start, 1.0, shape, i).value), 1e-6, both[b]->name);
        }
}

/* Events in a time t at the rate exp(x) are Poisson with exposure t: one event without its time, or none. */
static void an_exponential_time_is_a_poisson_count(void **state)
{
    (void)state;
    for (int i = -8; i <= 8; i++) {
        double x = 0.5 * i, t = 2.3, none, one, zero = 0.0, count = 1.0;
        tw_likelihood_poisson.terms(OBSERVED(&tw_likelihood_poisson, 1, &zero, &t), &x, &none, NULL, NULL,
                                    NULL);
        tw_likelihood_poisson.terms(OBSERVED(&tw_likelihood_poisson, 1, &count, &t), &x, &one, NULL, NULL,
                                    NULL);
        assert_close(at(both[0], t, 1.0, 1.0, x).value, none, 1e-13 * (1.0 + fabs(none)), "no event");
        assert_close(at(both[0], t, 0.0, 1.0, x).value, one - log(t), 1e-13 * (1.0 + fabs(one)), "an event");
    }
}

/* The expected information of a case that is censored at t: the variance of the slope, over events before t and none. */
static void censoring_leaves_less_information(void **state)
{
    (void)state;
    for (int i = -6; i <= 6; i++) {
        double x = 0.5 * i, t = 1.7, one = 1.0, phi = log(1.4), lambda, dlambda, sum = 0.0, h = 1e-3;
        tw_observations o = observations_of(both[1], 1, &t, &one);
        o.phi = &phi;
        both[1]->fisher(&o, &x, &lambda, &dlambda);
        point rest = at(both[1], t, 1.0, 1.4, x);
        for (int j = 0; j <= 40000; j++) {
            double s = t * exp(-h * j);
            point p = at(both[1], s, 0.0, 1.4, x);
            sum += (j == 0 ? 0.5 * h : h) * s * exp(p.value) * p.slope * p.slope;
        }
        assert_close(lambda, sum + exp(rest.value) * rest.slope * rest.slope, 2e-6, "information");
        double up, down, x_up = x + 1e-4, x_down = x - 1e-4;
        both[1]->fisher(&o, &x_up, &up, NULL);
        both[1]->fisher(&o, &x_down, &down, NULL);
        assert_close(dlambda, (up - down) / 2e-4, 1e-7, "its slope");
    }
}

static void extremes_are_no_nan(void **state)
{
    (void)state;
    const double x[] = {-1e3, -700.0, 700.0, 1e3}, t[] = {1e-300, 1.0, 1e300};
    for (size_t k = 0; k < 4 * 3 * 4; k++) {
        double censored = (double)(k / 12 % 2), phi = log(0.5), d[3], lambda, dlambda;
        const tw_likelihood *l = both[k / 24];
        point p = at(l, t[k % 3], censored, 0.5, x[k / 3 % 4]);
        tw_observations o = observations_of(l, 1, &t[k % 3], &censored);
        assert_false(isnan(p.value) || isnan(p.slope) || isnan(p.lambda) || p.value == INFINITY);
        assert_true(isfinite(p.value) || p.lambda == INFINITY);
        l->fisher(&o, &x[k / 3 % 4], &lambda, &dlambda);
        assert_true(lambda >= 0.0 && lambda <= 1.0 && isfinite(dlambda));
        if (!l->d_parameter) continue;
        o.phi = &phi;
        l->d_parameter(&o, 0, &x[k / 3 % 4], &d[0], &d[1], &d[2]);
        assert_false(isnan(d[0]) || isnan(d[1]) || isnan(d[2]));
    }
}

static void bad_times_are_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double t[] = {1.0, -2.0}, good[] = {1.0, 2.0}, c[] = {0.0, 1.0}, odd[] = {0.0, 0.5};
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(both[1], 2, t, c)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx),
                        "observation 2 is -2 (censored 1), but weibull needs a time > 0");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(both[0], 2, good, odd)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "censored of case 2 is 0.5, but must be 0 or 1");
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_agree_with_long_double),
        cmocka_unit_test(the_density_integrates_to_survival),
        cmocka_unit_test(an_exponential_time_is_a_poisson_count),
        cmocka_unit_test(censoring_leaves_less_information),
        cmocka_unit_test(extremes_are_no_nan),
        cmocka_unit_test(bad_times_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
