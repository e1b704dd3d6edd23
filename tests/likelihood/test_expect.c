/* Expected observations: the quadrature that replaces a closed form, in hard cases, and the error if a
 * likelihood has neither. */
#include <math.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

/* E = w exp(m + v/2): the integrand of exp(x) N(x; m, v) lies around m + v, which for v = 100 is 10 standard deviations
 * away from m. Var = E + E^2 (e^v - 1) has its largest part around m + 2 v. */
static void quadrature_finds_what_lies_far_out(void **state)
{
    (void)state;
    const tw_likelihood *poisson = tw_likelihood_find("poisson");
    tw_likelihood bare = *poisson;
    const double variances[] = {1e-12, 1e-3, 0.4, 7.0, 60.0, 100.0}, places[] = {-30.0, -1.0, 0.0, 4.0};
    bare.predict = NULL;
    for (size_t i = 0; i < 6; i++)
        for (size_t j = 0; j < 4; j++) {
            double m = places[j], v = variances[i], want[2], is[2];
            assert_int_equal(tw_likelihood_expect(OBSERVED_ONE(poisson, 0.0, 0.3), &m, v, &want[0], &want[1]),
                             TW_OK);
            assert_int_equal(tw_likelihood_expect(OBSERVED_ONE(&bare, 0.0, 0.3), &m, v, &is[0], &is[1]),
                             TW_OK);
            assert_close(is[0] / want[0], 1.0, 1e-11, "mean");
            assert_close(is[1] / want[1], 1.0, 1e-11, "variance");
        }
}

static void step_mean(const tw_observations *o, const double *x, double *mean, double *variance)
{
    for (size_t i = 0; i < o->n; i++) {
        double p = 1.0 / (1.0 + exp(-x[i]));
        if (mean) mean[i] = p;
        if (variance) variance[i] = p * (1.0 - p);
    }
}

/* A step of width 1 inside a Gaussian of width 1000: by symmetry the mean is 1/2 at m = 0, and it grows like
 * Phi(m/sqrt(v)) but for O(1/v). The variance of y in {0, 1} is mean (1 - mean). */
static void quadrature_finds_a_narrow_step(void **state)
{
    (void)state;
    tw_likelihood step = {.name = "step", .expect = step_mean};
    tw_observations one = {.likelihood = &step, .n = 1};
    const double v = 1e6;
    for (int i = -3; i <= 3; i++) {
        double m = 500.0 * i, mean, variance, want = 0.5 * erfc(-m / sqrt(2.0 * v));
        assert_int_equal(tw_likelihood_expect(&one, &m, v, &mean, &variance), TW_OK);
        assert_close(mean, want, i == 0 ? 1e-12 : 2e-6, "mean of a step");
        assert_close(variance, mean * (1.0 - mean), 1e-11, "variance of a step");
    }
}

static void what_overflows_is_no_number(void **state)
{
    (void)state;
    tw_likelihood bare = *tw_likelihood_find("poisson");
    double m = 0.0, mean;
    bare.predict = NULL;
    assert_int_equal(tw_likelihood_expect(OBSERVED_ONE(&bare, 0.0, 1.0), &m, 1e5, &mean, NULL),
                     TW_NUMERICAL_FAILURE);
}

static void a_likelihood_that_does_not_say_is_told_so(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    tw_likelihood bare = *tw_likelihood_find("poisson");
    double x = 0.0, mean;
    assert_int_equal(tw_likelihood_check_expect(ctx, &bare), TW_OK);
    bare.name = "mine";
    bare.expect = NULL;
    bare.predict = NULL;
    assert_int_equal(tw_likelihood_check_expect(ctx, &bare), TW_BAD_ARGUMENT);
    assert_non_null(strstr(tw_context_message(ctx), "the likelihood mine cannot predict observations"));
    assert_int_equal(tw_likelihood_expect(OBSERVED_ONE(&bare, 0.0, 1.0), &x, 0.0, &mean, NULL),
                     TW_BAD_ARGUMENT);
    bare.two_classes = true;
    assert_int_equal(tw_likelihood_check_expect(ctx, &bare), TW_OK);
    assert_string_equal(tw_likelihood_expects(&bare), "probability");
    assert_string_equal(tw_likelihood_expects(tw_likelihood_find("gaussian")), "y_mean");
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quadrature_finds_what_lies_far_out),
        cmocka_unit_test(quadrature_finds_a_narrow_step),
        cmocka_unit_test(what_overflows_is_no_number),
        cmocka_unit_test(a_likelihood_that_does_not_say_is_told_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
