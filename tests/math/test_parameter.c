/* The transforms between theta and natural values. */
#include "support/support.h"

#include <math.h>

#include "talweg/parameter.h"

static void a_positive_parameter_moves_as_its_logarithm(void **state)
{
    (void)state;
    const tw_parameter ell = {.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0};
    assert_true(tw_parameter_value(&ell, 0.0) == 1.0);
    assert_true(relative_error(tw_parameter_value(&ell, 1.0), 2.71828182845904523536) < 1e-15);
    for (double theta = -300.0; theta <= 300.0;
         theta += 7.3) /* exp and log err by an ulp of |theta| at most */
        assert_true(fabs(tw_parameter_theta(&ell, tw_parameter_value(&ell, theta)) - theta) <= 1e-13);
}

static void a_parameter_without_a_transform_is_itself(void **state)
{
    (void)state;
    const tw_parameter shift = {.name = "shift", .transform = TW_TRANSFORM_NONE, .initial = 0.0};
    assert_true(tw_parameter_value(&shift, -1.0 / 3.0) == -1.0 / 3.0);
    assert_true(tw_parameter_theta(&shift, -1.0 / 3.0) == -1.0 / 3.0);
}

static void a_value_outside_the_range_has_no_finite_theta(void **state)
{
    (void)state;
    const tw_parameter variance = {.name = "variance", .transform = TW_TRANSFORM_LOG, .initial = 1.0};
    assert_true(tw_parameter_theta(&variance, 0.0) == -INFINITY);
    double theta = tw_parameter_theta(&variance, -1.0);
    assert_true(theta != theta); /* NaN */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_positive_parameter_moves_as_its_logarithm),
        cmocka_unit_test(a_parameter_without_a_transform_is_itself),
        cmocka_unit_test(a_value_outside_the_range_has_no_finite_theta),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
