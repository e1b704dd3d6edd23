/* The binomial likelihoods: values against long double over the whole range, one trial against logit and
 * probit, and finite results at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/support.h"

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static point at(const tw_likelihood *l, double y, double trials, double x)
{
    point p;
    l->terms(OBSERVED_ONE(l, y, trials), &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

/* log p and log(1 - p). */
static long double log_probability(bool probit, long double x)
{
    if (probit) return logl(0.5L * erfcl(-x * sqrtl(0.5L)));
    return x < 0.0L ? x - log1pl(expl(x)) : -log1pl(expl(-x));
}

static void check_value(const tw_likelihood *l, bool probit, double n, double y, double x)
{
    long double up = log_probability(probit, x), down = log_probability(probit, -x);
    long double choose = lgammal(n + 1.0L) - lgammal(y + 1.0L) - lgammal(n - y + 1.0L);
    double want = (double)(choose + y * up + (n - y) * down);
    double parts = n + (double)(fabsl(choose) - y * up - (n - y) * down);
    assert_close(at(l, y, n, x).value, want, 1e-14 * parts, l->name);
}

/* Phi is no smaller than 1e-300 there. */
static void values_agree_with_long_double(void **state)
{
    (void)state;
    const double trials[] = {1, 2, 7, 40, 1000, 1e6};
    for (size_t t = 0; t < sizeof trials / sizeof *trials; t++)
        for (int share = 0; share <= 4; share++)
            for (int i = -36; i <= 36; i++) {
                double y = floor(trials[t] * share / 4.0);
                check_value(&tw_likelihood_binomial, false, trials[t], y, i);
                check_value(&tw_likelihood_binomial_probit, true, trials[t], y, i);
            }
}

static void one_trial_is_two_classes(void **state)
{
    (void)state;
    const tw_likelihood *many[] = {&tw_likelihood_binomial, &tw_likelihood_binomial_probit};
    const tw_likelihood *two[] = {&tw_likelihood_logit, &tw_likelihood_probit};
    for (int b = 0; b < 2; b++)
        for (int i = -90; i <= 90; i++)
            for (int y = 0; y < 2; y++) {
                point is = at(many[b], y, 1.0, 0.4 * i), want = at(two[b], 2.0 * y - 1.0, 1.0, 0.4 * i);
                assert_true(is.value == want.value && is.slope == want.slope && is.lambda == want.lambda &&
                            is.dlambda == want.dlambda);
            }
}

static void extremes_are_finite(void **state)
{
    (void)state;
    const tw_likelihood *many[] = {&tw_likelihood_binomial, &tw_likelihood_binomial_probit};
    const double x[] = {-1e8, -1e3, -40.0, 40.0, 1e3, 1e8}, y[] = {0.0, 3.0, 9.0};
    for (size_t k = 0; k < 2 * 6 * 3; k++) {
        const tw_likelihood *l = many[k % 2];
        double mean, variance, lambda, dlambda;
        tw_observations *one = OBSERVED_ONE(l, y[k / 12], 9.0);
        point p = at(l, y[k / 12], 9.0, x[k / 2 % 6]);
        assert_true(isfinite(p.value) && isfinite(p.slope) && p.lambda >= 0.0 && isfinite(p.dlambda));
        l->fisher(one, &x[k / 2 % 6], &lambda, &dlambda);
        assert_true(lambda >= 0.0 && isfinite(dlambda));
        assert_int_equal(tw_likelihood_expect(one, &x[k / 2 % 6], 2.0, &mean, &variance), TW_OK);
        assert_true(mean >= 0.0 && mean <= 9.0 + 1e-9 && variance >= -1e-9);
    }
}

static void bad_observations_are_named_with_their_trials(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double y[] = {1.0, 5.0}, trials[] = {3.0, 4.0}, half[] = {3.0, 4.5};
    const tw_likelihood *l = &tw_likelihood_binomial;
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(l, 2, y, trials)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx),
                        "observation 2 is 5 (trials 4), but binomial needs 0, 1, ..., trials");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(l, 2, y, half)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "trials of case 2 is 4.5, but must be 1, 2, 3, ...");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(l, 2, y, NULL)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx), "the binomial likelihood needs the column trials");
    tw_context_free(ctx);
}

/* Neighbours with as many failures, or as many successes, or both, have the value that each has alone. */
static void neighbours_do_not_matter(void **state)
{
    (void)state;
    enum { N = 6 };
    const double y[N] = {2.0, 4.0, 4.0, 4.0, 1.0, 1.0}, trials[N] = {5.0, 7.0, 9.0, 9.0, 6.0, 4.0};
    const double x[N] = {0.3, 0.3, 0.3, -0.2, -0.2, 0.9};
    const tw_likelihood *l = tw_likelihood_find("binomial");
    double value[N], alone;
    l->terms(OBSERVED(l, N, y, trials), x, value, NULL, NULL, NULL);
    for (size_t i = 0; i < N; i++) {
        l->terms(OBSERVED_ONE(l, y[i], trials[i]), &x[i], &alone, NULL, NULL, NULL);
        assert_true(value[i] == alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_do_not_matter),
        cmocka_unit_test(values_agree_with_long_double),
        cmocka_unit_test(one_trial_is_two_classes),
        cmocka_unit_test(extremes_are_finite),
        cmocka_unit_test(bad_observations_are_named_with_their_trials),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
