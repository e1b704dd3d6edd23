/* The beta distribution against quadrature in 40 digits, closed forms, and its own inverse.
 *
 * The log density is a sum of terms of size a + b, whose rounding gives the relative error of the cdf: hence
 * 1e-14 (1 + a + b).
 */
#include <math.h>

#include "math/beta.h"
#include "support/support.h"

typedef struct known {
    double x, a, b, cdf;
} known;

static const known table[] = {
    {0.3, 1.0, 1.0, 0.29999999999999999},           {0.02, 1.0, 7.5, 0.14059956792807934},
    {0.9, 12.5, 1.0, 0.26793618413567307},          {0.1, 2.5, 3.5, 0.028575668042355414},
    {0.75, 2.5, 3.5, 0.95611433676310749},          {0.04, 21.0, 381.0, 0.12950104279217311},
    {0.0625, 21.0, 381.0, 0.82607907803712534},     {0.47, 201.0, 201.0, 0.11442379517478481},
    {0.53, 201.0, 201.0, 0.88557620482521519},      {0.048, 501.25, 9501.75, 0.16686397105548648},
    {0.0525, 501.25, 9501.75, 0.86286158499267392}, {0.985, 2001.5, 40.0, 0.94278992703654413},
    {0.949, 38001.0, 2001.0, 0.1845284117913685},
};

static void the_cdf_is_known(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const known *k = &table[i];
        double cdf = tw_beta_cdf(k->x, k->a, k->b);
        if (!(relative_error(cdf, k->cdf) < 1e-14 * (1.0 + k->a + k->b)))
            fail_msg("I_%g(%g, %g): %.17g is not %.17g", k->x, k->a, k->b, cdf, k->cdf);
    }
}

static void the_quantile_inverts_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const known *k = &table[i];
        double x = tw_beta_quantile(k->cdf, k->a, k->b);
        if (!(relative_error(x, k->x) < 1e-11)) fail_msg("quantile: %.17g is not %.17g", x, k->x);
    }
}

/* I_x(a, 1) = x^a and I_x(1, b) = 1 - (1 - x)^b, also far in the tail, where Newton's first steps leave (0,
 * 1). */
static void powers_are_exact(void **state)
{
    (void)state;
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 6; j++) {
            double p = 1e-9 * pow(3.7, i), a = pow(5.3, j);
            assert_close(tw_beta_quantile(p, a, 1.0), pow(p, 1.0 / a), 1e-13, "x^a");
            double x = -expm1(log1p(-p) / a);
            if (!(relative_error(tw_beta_quantile(p, 1.0, a), x) < 1e-11)) fail_msg("1 - (1-x)^b at %g", p);
        }
}

static void the_ends_and_bad_arguments(void **state)
{
    (void)state;
    assert_true(tw_beta_cdf(0.0, 2.0, 3.0) == 0.0 && tw_beta_cdf(1.0, 2.0, 3.0) == 1.0);
    assert_true(tw_beta_quantile(0.0, 2.0, 3.0) == 0.0 && tw_beta_quantile(1.0, 2.0, 3.0) == 1.0);
    assert_true(isnan(tw_beta_cdf(0.5, 0.0, 1.0)) && isnan(tw_beta_cdf(NAN, 1.0, 1.0)));
    assert_true(isnan(tw_beta_quantile(0.5, 0.9, 1.0)) && isnan(tw_beta_quantile(0.5, NAN, 1.0)));
    assert_true(isnan(tw_beta_quantile(1.1, 1.0, 1.0)) && isnan(tw_beta_quantile(NAN, 1.0, 1.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cdf_is_known),
        cmocka_unit_test(the_quantile_inverts_it),
        cmocka_unit_test(powers_are_exact),
        cmocka_unit_test(the_ends_and_bad_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
