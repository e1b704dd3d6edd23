/* The normal quantile against values with 20 digits, and the round trip over its whole range.
 *
 * A relative error d in z changes Phi(z) by hazard |z| d, about z^2 d in the tail, which the round trip must
 * allow for.
 */
#include <math.h>

#include "math/normal.h"
#include "support/support.h"

typedef struct known {
    double p, z;
} known;

/* Solved in 50 digits for exactly these doubles. */
static const known table[] = {
    {0x0.0000000000001p-1022, -38.467405617144346251},  {0x0.012688b70e62bp-1022, -37.663060331949523732},
    {0x1.56e1fc2f8f359p-997, -37.047096299361199237},   {0x1.87e92154ef7acp-665, -30.205594179579643063},
    {0x1.bff2ee48e0530p-333, -21.273453560965324294},   {0x1.dee7a4ad4b81fp-167, -14.933337534788488981},
    {0x1.79ca10c924223p-67, -9.2623400897984075796},    {0x1.b7cdfd9d7bdbbp-34, -6.3613409024040561991},
    {0x1.4f8b588e368f1p-17, -4.2648907939228246102},    {0x1.0624dd2f1a9fcp-10, -3.0902323061678135354},
    {0x1.999999999999ap-6, -1.9599639845400542118},     {0x1.999999999999ap-4, -1.2815515655446004353},
    {0x1.999999999999ap-3, -0.84162123357291416552},    {0x1.fffac1d29dc72p-3, -0.67452121918086280569},
    {0x1.0000000000000p-2, -0.6744897501960817432},     {0x1.000006b5fca6bp-2, -0.67448943550960707458},
    {0x1.3333333333333p-2, -0.52440051270804081597},    {0x1.999999999999ap-2, -0.25334710313579974132},
    {0x1.f5c28f5c28f5cp-2, -0.025068908258711058033},   {0x1.ffe5c91d14e3cp-2, -0.00025066283008800749239},
    {0x1.fffffffe48320p-2, -2.5066284820303539022e-10}, {0x1.fffffffffffffp-2, -1.3914582123358834611e-16},
    {0x1.0000000000001p-1, 2.7829164246717669222e-16},  {0x1.051eb851eb852p-1, 0.025068908258711058033},
    {0x1.6666666666666p-1, 0.52440051270804065631},     {0x1.8000000000000p-1, 0.6744897501960817432},
    {0x1.8000035afe535p-1, 0.67449006488262303023},     {0x1.ccccccccccccdp-1, 1.2815515655446005935},
    {0x1.f333333333333p-1, 1.9599639845400538556},      {0x1.ffffde7210be9p-1, 4.7534243088170877657},
    {0x1.ffffffff24190p-1, 6.3613408896974218642},      {0x1.fffffffffffffp-1, 8.2095361516013868556},
};

/* Below 2e-15, which is what 400,000 values in quadruple precision show at p near 1/4 (1.6e-15 with fma, 1.8e-15
 * without), where the rounding of log Phi counts most: see normal_quantile.c. */
static void the_quantile_is_known_to_rounding(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        double z = tw_normal_quantile(table[i].p);
        if (!(relative_error(z, table[i].z) < 2e-15))
            fail_msg("p = %g: %.17g is not %.17g", table[i].p, z, table[i].z);
    }
}

static void the_cdf_brings_it_back(void **state)
{
    (void)state;
    for (int i = 0; i <= 2990; i++) {
        double p = pow(10.0, -300.0 + 0.1 * i), z = tw_normal_quantile(p);
        double back = 0.5 * erfc(-z * sqrt(0.5));
        if (!(relative_error(back, p) < 1e-15 * (1.0 + z * z)))
            fail_msg("p = %g came back as %.17g", p, back);
    }
    for (int i = 0; i <= 520; i++) {
        double rest = exp2(-53.0 + 0.1 * i), p = 1.0 - rest, z = tw_normal_quantile(p);
        double back = 0.5 * erfc(z * sqrt(0.5));
        if (!(relative_error(back, 1.0 - p) < 1e-15 * (1.0 + z * z)))
            fail_msg("1 - p = %g came back as %.17g", rest, back);
    }
}

static void it_is_odd_about_a_half_and_increases(void **state)
{
    (void)state;
    double last = -INFINITY;
    for (int i = 1; i < 4096; i++) {
        double p = i / 4096.0, z = tw_normal_quantile(p);
        assert_true(z > last);
        assert_true(z == -tw_normal_quantile(1.0 - p));
        last = z;
    }
}

static void the_ends_are_infinite_and_outside_is_nan(void **state)
{
    (void)state;
    assert_true(tw_normal_quantile(0.0) == -INFINITY);
    assert_true(tw_normal_quantile(1.0) == INFINITY);
    assert_true(tw_normal_quantile(0.5) == 0.0);
    assert_true(isnan(tw_normal_quantile(-1e-300)));
    assert_true(isnan(tw_normal_quantile(1.0 + 0x1p-52)));
    assert_true(isnan(tw_normal_quantile(NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quantile_is_known_to_rounding),
        cmocka_unit_test(the_cdf_brings_it_back),
        cmocka_unit_test(it_is_odd_about_a_half_and_increases),
        cmocka_unit_test(the_ends_are_infinite_and_outside_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
