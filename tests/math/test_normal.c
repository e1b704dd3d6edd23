/* The normal functions against the oracle file and against long double, their order, borders and tiling.
 *
 * The reference for z <= -1/2 is the continued fraction v_k = 1/(t + (k+1) v_{k+1}), t = -z, of ratios of
 * iterated integrals of Phi: u = v_1, with differences of neighbours without cancellation,
 *   v_k - v_{k+1} = v_k v_{k+1} ((k+2) v_{k+2} - (k+1) v_{k+1}),
 *   lambda = u (t + u),   dlambda/dz = -2 lambda (v_1 - v_2),
 *   d2lambda/dz2 = 6 lambda ((v_1 - v_2)^2 - v_2 (v_2 - v_3)).
 * For larger z the same with v_{k+1} = (z + 1/v_k)/(k+1) upwards from erfcl, where cancellation is mild.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "math/normal.h"
#include "math/vector.h"
#include "support/support.h"

#define TOLERANCE 1e-14
#define LOG_SQRT_2PI 0.918938533204672741780329736406L
#define SQRT_2 1.414213562373095048801688724210L

enum { TERMS = 5, LOG_CDF = 0, HAZARD, CURVATURE, SLOPE, BEND };
static const char *const names[TERMS] = {"log cdf", "hazard", "curvature", "slope", "bend"};

static void as_array(double z, double value[TERMS])
{
    tw_normal_terms at = tw_normal_at(z);
    const double terms[TERMS] = {at.log_cdf, at.hazard, at.curvature, at.slope, at.bend};
    memcpy(value, terms, sizeof terms);
}

/* Curvature and its derivatives from u and the differences v_1 - v_2 and v_2 - v_3. */
static void finish(long double hazard, long double u, long double d12, long double d23,
                   long double value[TERMS])
{
    value[HAZARD] = hazard;
    value[CURVATURE] = hazard * u;
    value[SLOPE] = -2 * value[CURVATURE] * d12;
    value[BEND] = 6 * value[CURVATURE] * (d12 * d12 - (u - d12) * d23);
}

static void reference(double z, long double value[TERMS])
{
    if (z <= -0.5) {
        long double t = -(long double)z, v[6] = {0};
        long double tail = 1 / t;
        for (int k = z < -5 ? 200 : 3000; k > 4; k--) tail = 1 / (t + (k + 1) * tail);
        v[5] = tail;
        for (int k = 4; k >= 1; k--) v[k] = 1 / (t + (k + 1) * v[k + 1]);
        long double d12 = v[1] * v[2] * (3 * v[3] - 2 * v[2]), d23 = v[2] * v[3] * (4 * v[4] - 3 * v[3]);
        finish(t + v[1], v[1], d12, d23, value);
        value[LOG_CDF] = -t * t / 2 - LOG_SQRT_2PI - logl(t + v[1]);
        return;
    }
    long double x = z, q = erfcl(x / SQRT_2) / 2, phi = expl(-x * x / 2 - LOG_SQRT_2PI);
    long double u = x + phi / (1 - q), w = (x + 1 / u) / 2;
    finish(phi / (1 - q), u, u - w, w - (x + 1 / w) / 3, value);
    value[LOG_CDF] = log1pl(-q);
}

/* Relative error; absolute below 1e-300. The bend has a zero near z = 1: there relative to the curvature/10.
 */
static double error_of(double z, int term, double got, const long double expected[TERMS])
{
    long double size = fabsl(expected[term]);
    if (term == BEND && z > 0) size = fmaxl(size, expected[CURVATURE] / 10);
    return (double)(fabsl(got - expected[term]) / (size < 1e-300L ? 1 : size));
}

static void the_oracle_is_met_at_every_row(void **state)
{
    (void)state;
    char path[512], line[512];
    shared_path("oracles/probit_derivatives.csv", path, sizeof path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    int rows = 0;
    for (; fgets(line, sizeof line, file); rows++) {
        double z, expected[4], got[TERMS];
        assert_int_equal(
            sscanf(line, "%lf,%lf,%lf,%lf,%lf", &z, expected, expected + 1, expected + 2, expected + 3), 5);
        as_array(z, got);
        for (int k = 0; k < 4; k++) {
            if (!(relative_error(got[k], expected[k]) <= TOLERANCE))
                fail_msg("%s at %g: %.17g is not %.17g", names[k], z, got[k], expected[k]);
        }
    }
    fclose(file);
    assert_true(rows >= 55);
}

/* The worst relative error of each term over z = place(i), i < count. */
static void survey(const char *range, double (*place)(int), int count)
{
    double worst[TERMS] = {0};
    for (int i = 0; i < count; i++) {
        long double expected[TERMS];
        double z = place(i), got[TERMS];
        as_array(z, got);
        reference(z, expected);
        for (int k = 0; k < TERMS; k++) {
            double error = error_of(z, k, got[k], expected);
            if (!(error <= (k == BEND ? 5 * TOLERANCE : TOLERANCE)))
                fail_msg("%s at %.17g: %.17g is not %.17Lg", names[k], z, got[k], expected[k]);
            worst[k] = fmax(worst[k], error);
        }
    }
    print_message("%-16s", range);
    for (int k = 0; k < TERMS; k++) print_message(" %s %.1e", names[k], worst[k]);
    print_message("\n");
}

static double far_lower(int i)
{
    return -10 * pow(10.0, 7.0 * i / 1999.0);
}

static double near_lower(int i)
{
    return -10.0 + 10.0 * (i + 0.37) / 3000.0;
}

static double near_upper(int i)
{
    return 8.0 * (i + 0.61) / 3000.0;
}

static double far_upper(int i)
{
    return 8.0 + 29.4 * (i + 0.23) / 3000.0;
}

static double tiny(int i)
{
    return (i % 2 ? 1 : -1) * pow(10.0, -0.1 * i);
}

static void long_double_is_met_between_the_rows(void **state)
{
    (void)state;
    survey("-1e8 ... -10", far_lower, 2000);
    survey("-10 ... 0", near_lower, 3000);
    survey("0 ... 8", near_upper, 3000);
    survey("8 ... 37.4", far_upper, 3000);
    survey("|z| 1 ... 1e-99", tiny, 1000);
}

static void every_function_is_monotone(void **state)
{
    (void)state;
    tw_normal_terms before = tw_normal_at(-60.0);
    for (int i = 1; i <= 24000; i++) {
        tw_normal_terms at = tw_normal_at(-60.0 + 0.004 * i);
        assert_true(at.log_cdf > before.log_cdf);
        assert_true(at.hazard < before.hazard);
        assert_true(at.curvature < before.curvature && at.curvature > 0.0 && before.curvature < 1.0);
        before = at;
    }
}

/* Over two neighbouring doubles a term moves by its derivative and a few units in the last place. */
static void expect_no_jump(double border)
{
    const double z[3] = {nextafter(border, -INFINITY), border, nextafter(border, INFINITY)};
    double left[TERMS], right[TERMS];
    for (int i = 0; i < 2; i++) {
        as_array(z[i], left);
        as_array(z[i + 1], right);
        const double step = z[i + 1] - z[i],
                     derivative[4] = {left[HAZARD], left[CURVATURE], left[SLOPE], left[BEND]};
        for (int k = 0; k < 4; k++) {
            double allowed = 2.0 * fabs(derivative[k]) * step + 16 * DBL_EPSILON * fabs(left[k]) + 1e-300;
            if (!(fabs(right[k] - left[k]) <= allowed))
                fail_msg("%s jumps at %.17g from %.17g to %.17g", names[k], z[i], left[k], right[k]);
        }
    }
}

static void nothing_jumps_where_the_formula_changes(void **state)
{
    (void)state;
    expect_no_jump(0.0);
    expect_no_jump(-0x1p27);
    expect_no_jump(37.5);
    for (int k = 1; k < 28; k++) expect_no_jump(-(ldexp(1.0, k) - 1.2) / 1.41421356237309504880);
    for (int k = 0; k < 1013; k++) expect_no_jump(sqrt((k + 0.5) * 2.0 * 0.69314718055994530942));
}

static void limits_and_nan_come_out(void **state)
{
    (void)state;
    const double large[] = {38.0, 1e5, 1e9, 1e154, 1e155, 1e300, DBL_MAX, INFINITY};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        tw_normal_terms up = tw_normal_at(large[i]), down = tw_normal_at(-large[i]);
        assert_true(up.log_cdf == 0.0 && up.hazard == 0.0 && up.curvature == 0.0);
        assert_true(up.slope == 0.0 && up.bend == 0.0);
        if (i == 0) continue;
        assert_true(relative_error(down.hazard, large[i]) < 1e-9 || isinf(down.hazard));
        assert_true(down.curvature > 1.0 - 1e-9 && down.curvature < 1.0 + 1e-15);
        if (large[i] < 1e9) continue;
        assert_true(down.hazard == large[i] && fabs(down.curvature - 1.0) < 1e-15);
        assert_true(large[i] < 1e155 ? relative_error(down.log_cdf, -large[i] * large[i] / 2) < TOLERANCE
                                     : down.log_cdf == -INFINITY);
        assert_true(fabs(down.slope + 2.0 / large[i] / large[i] / large[i]) <= TOLERANCE * fabs(down.slope));
        double fourth = -6.0 / large[i] / large[i] / large[i] / large[i];
        assert_true(fabs(down.bend - fourth) <= TOLERANCE * fabs(fourth));
    }
    double payload;
    memcpy(&payload, &(uint64_t){0x7ff80000000007a2u}, sizeof payload);
    const double nans[] = {NAN, -NAN, payload};
    for (size_t i = 0; i < 3; i++) {
        double got[TERMS], exponential;
        as_array(nans[i], got);
        for (int k = 0; k < TERMS; k++) assert_true(isnan(got[k]));
        tw_vector_exp(1, &nans[i], &exponential);
        assert_true(isnan(exponential));
    }
}

enum { MOST = 1100 };

/* Each element, at every place of a block of every length, has the bits it has alone, whatever else is wanted. */
static void a_result_does_not_depend_on_its_place(void **state)
{
    (void)state;
    static double z[MOST], alone[4][MOST], out[4][MOST];
    for (int i = 0; i < MOST; i++) z[i] = i % 3 ? -50.0 + 0.0817 * i : 7.0 * sin(i) * pow(10, i % 5);
    for (size_t i = 0; i < MOST; i++)
        tw_normal_block(1, z + i, alone[0] + i, alone[1] + i, alone[2] + i, alone[3] + i);
    for (size_t n = 0; n < MOST; n += n < 40 ? 1 : 53) {
        for (size_t start = 0; start < 17 && start + n <= MOST; start++) {
            double *const slope = start % 2 ? out[3] : NULL, *const log_cdf = start % 3 ? out[0] : NULL;
            memset(out, 0, sizeof out);
            tw_normal_block(n, z + start, log_cdf, out[1], out[2], slope);
            for (int k = log_cdf ? 0 : 1; k < (slope ? 4 : 3); k++) {
                assert_memory_equal(out[k], alone[k] + start, n * sizeof(double));
                assert_true(out[k][n] == 0.0);
            }
        }
    }
}

static void exp_is_right_to_the_last_bits_and_in_place(void **state)
{
    (void)state;
    static double x[MOST], y[MOST];
    for (int i = 0; i < MOST; i++) x[i] = -708.39 + 1418.1 * i / (MOST - 1.0);
    tw_vector_exp(MOST, x, y);
    for (int i = 0; i < MOST; i++) assert_true(fabsl(y[i] / expl(x[i]) - 1) < 2 * DBL_EPSILON);
    for (size_t n = 0; n < 40; n++) {
        double copy[40];
        memcpy(copy, x + n, sizeof copy);
        tw_vector_exp(n, copy, copy);
        assert_memory_equal(copy, y + n, n * sizeof *copy);
        assert_memory_equal(copy + n, x + 2 * n, (40 - n) * sizeof *copy);
    }
    double limits[] = {-INFINITY, -1e300, -708.4, 0.0, -1e-300, 709.7827, 709.79, 1e300, INFINITY};
    tw_vector_exp(9, limits, limits);
    assert_true(limits[0] == 0.0 && limits[1] == 0.0 && limits[2] == 0.0 && limits[3] == 1.0 &&
                limits[4] == 1.0);
    assert_true(isfinite(limits[5]) && isinf(limits[6]) && isinf(limits[7]) && isinf(limits[8]));
}

/* y r(y x) in single precision for both signs y: relative to the reference where y x <= 4, absolute beyond. */
static void expect_single(double x)
{
    const double signs[2] = {-1.0, 1.0};
    const float both[2] = {(float)x, (float)x};
    float got[2];
    tw_normal_slopes_single(2, signs, both, got);
    for (int i = 0; i < 2; i++) {
        long double expected[TERMS];
        double z = signs[i] * (double)both[i];
        reference(z, expected);
        double error = fabs((double)got[i] - signs[i] * (double)expected[HAZARD]);
        if (!(error <= (z <= 4.0 ? 1e-6 * (double)expected[HAZARD] : 1e-8)))
            fail_msg("the slope at %.9g is %.9g, not %.9Lg", z, (double)got[i], expected[HAZARD]);
    }
}

static void slopes_in_single_precision_are_right(void **state)
{
    (void)state;
    for (int i = 0; i < 3000; i++) {
        expect_single(near_lower(i));
        expect_single(near_upper(i));
        if (i < 2000) expect_single(far_lower(i));
        expect_single(12.0 + 0.001 * i);
    }
    const float large[] = {4095.0f, 4097.0f, 1e10f, 1e30f, FLT_MAX};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        const double signs[2] = {-1.0, 1.0};
        const float x[2] = {large[i], large[i]};
        float got[2];
        tw_normal_slopes_single(2, signs, x, got);
        assert_true(relative_error(-(double)got[0], (double)large[i]) < 1e-6 && got[1] == 0.0f);
    }
    float at_nan;
    tw_normal_slopes_single(1, &(double){1.0}, &(float){NAN}, &at_nan);
    assert_true(isnan(at_nan));
}

/* At every place of a block of every length. */
static void a_slope_in_single_precision_does_not_depend_on_its_place(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    double signs[COUNT];
    float x[COUNT], alone[COUNT], out[COUNT + 1];
    for (int i = 0; i < COUNT; i++) {
        x[i] = (float)(-50.0 + 0.817 * i);
        signs[i] = i % 3 ? 1.0 : -1.0;
        tw_normal_slopes_single(1, signs + i, x + i, alone + i);
    }
    for (size_t n = 0; n <= COUNT; n++)
        for (size_t start = 0; start < 17 && start + n <= COUNT; start++) {
            memset(out, 0, sizeof out);
            tw_normal_slopes_single(n, signs + start, x + start, out);
            assert_memory_equal(out, alone + start, n * sizeof *out);
            assert_true(out[n] == 0.0f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oracle_is_met_at_every_row),
        cmocka_unit_test(long_double_is_met_between_the_rows),
        cmocka_unit_test(every_function_is_monotone),
        cmocka_unit_test(nothing_jumps_where_the_formula_changes),
        cmocka_unit_test(limits_and_nan_come_out),
        cmocka_unit_test(a_result_does_not_depend_on_its_place),
        cmocka_unit_test(exp_is_right_to_the_last_bits_and_in_place),
        cmocka_unit_test(slopes_in_single_precision_are_right),
        cmocka_unit_test(a_slope_in_single_precision_does_not_depend_on_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
