/* Ordinal levels: values against long double over the whole range, probit at both ends, probabilities that
 * sum to 1, distant cells, and finite results at extreme arguments. */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/normal.h"
#include "support/observe.h"
#include "support/support.h"

enum { LEVELS = 5 };

/* Cuts -1.2, -0.9, 0.3, 2.3. */
static const double PHI[LEVELS - 1] = {-1.2, -1.2039728043259361, 0.18232155679395459, 0.69314718055994531};
static const long double CUT[LEVELS + 1] = {-INFINITY, -1.2L, -0.9L, 0.3L, 2.3L, INFINITY};

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static tw_observations observed(const double *y)
{
    return (tw_observations){.likelihood = &tw_likelihood_ordinal5, .phi = PHI, .n = 1, .y = y};
}

static point at(double y, double x)
{
    point p;
    tw_observations o = observed(&y);
    o.likelihood->terms(&o, &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

/* In long double, from the tail that has the smaller parts. */
static long double share(int level, long double x)
{
    long double a = (CUT[level - 1] - x) * sqrtl(0.5L), b = (CUT[level] - x) * sqrtl(0.5L);
    return a + b > 0.0L ? 0.5L * (erfcl(a) - erfcl(b)) : 0.5L * (erfcl(-b) - erfcl(-a));
}

/* P' = phi(a) - phi(b), P'' = a phi(a) - b phi(b), P''' = (a^2 - 1) phi(a) - (b^2 - 1) phi(b). */
static void terms_agree_with_long_double(void **state)
{
    (void)state;
    for (int i = -160; i <= 160; i++)
        for (int level = 1; level <= LEVELS; level++) {
            long double x = 0.2L * i, p = share(level, x), d[3] = {0.0L, 0.0L, 0.0L};
            for (int end = 0; end < 2; end++) {
                long double z = CUT[level - 1 + end] - x, sign = end ? -1.0L : 1.0L;
                if (isinf(z)) continue;
                long double density = sign * expl(-0.5L * z * z) / sqrtl(2.0L * acosl(-1.0L)) / p;
                d[0] += density;
                d[1] += z * density;
                d[2] += (z * z - 1.0L) * density;
            }
            point is = at(level, (double)x);
            long double lambda = d[0] * d[0] - d[1];
            long double dlambda = -(d[2] - 3.0L * d[0] * d[1] + 2.0L * d[0] * d[0] * d[0]);
            double far = 1.0 + fabs((double)x); /* what cancels in the oracle */
            assert_close(is.value, (double)logl(p), 1e-13 * (1.0 - (double)logl(p)), "value");
            assert_close(is.slope, (double)d[0], 1e-13 * far, "slope");
            assert_close(is.lambda, (double)lambda, 1e-13 + 1e-16 * far * far, "lambda");
            assert_close(is.dlambda, (double)dlambda, 4e-13 + 4e-16 * far * far * far, "dlambda");
        }
}

/* The lowest level is probit of c_1 - x, the highest of x - c_4. */
static void the_ends_are_probit(void **state)
{
    (void)state;
    for (int i = -300; i <= 300; i++) {
        double x = 0.7 * i;
        tw_normal_terms low = tw_normal_at(PHI[0] - x), high = tw_normal_at(x - (double)CUT[4]);
        point first = at(1.0, x), last = at(LEVELS, x);
        double size = 1e-12;
        assert_close(first.value, low.log_cdf, size * fabs(low.log_cdf) + 1e-300, "lowest level");
        assert_close(first.lambda, low.curvature, size * (low.curvature + fabs(x) * 1e-3), "its curvature");
        assert_close(last.value, high.log_cdf, size * fabs(high.log_cdf) * (1.0 + fabs(x)) + 1e-300,
                     "highest level");
        assert_close(last.slope, high.hazard, size * (1.0 + fabs(x)) * high.hazard + 1e-300, "its slope");
    }
}

/* Far above its cell, a level of finite width is probit at its upper end: exp(-gap |x|) is all that the lower adds. */
static void levels_far_off_have_probit_tails(void **state)
{
    (void)state;
    for (double x = 200.0; x < 1e5; x *= 3.0) {
        tw_normal_terms want = tw_normal_at((double)CUT[3] - x);
        point is = at(3.0, x);
        assert_close(is.slope, -want.hazard, 1e-12 * want.hazard, "slope");
        assert_close(is.lambda, want.curvature, 1e-12, "lambda");
        assert_close(is.dlambda, -want.slope, 1e-12 * fabs(want.slope) + 1e-20, "dlambda");
    }
}

static void extremes_are_finite(void **state)
{
    (void)state;
    const double x[] = {-1e8, -1e3, -40.0, 40.0, 1e3, 1e8};
    for (size_t k = 0; k < 6 * LEVELS; k++) {
        size_t level = k / 6 + 1;
        double y = (double)level, d[3], lambda, dlambda, mean, variance, s2 = 2.0;
        point p = at(y, x[k % 6]);
        tw_observations o = observed(&y);
        assert_true(isfinite(p.value) && isfinite(p.slope) && p.lambda >= 0.0 && isfinite(p.dlambda));
        for (size_t j = 0; j < LEVELS - 1; j++) {
            o.likelihood->d_parameter(&o, j, &x[k % 6], &d[0], &d[1], &d[2]);
            assert_true(isfinite(d[0]) && isfinite(d[1]) && isfinite(d[2]));
        }
        o.likelihood->fisher(&o, &x[k % 6], &lambda, &dlambda);
        assert_true(lambda >= 0.0 && isfinite(dlambda));
        o.likelihood->smoothed(&o, &s2, &x[k % 6], &lambda, &dlambda);
        assert_true(lambda >= 0.0 && isfinite(dlambda));
        o.likelihood->predict(&o, &x[k % 6], 2.0, &mean, &variance);
        assert_true(mean >= 1.0 - 1e-12 && mean <= LEVELS + 1e-12 && variance >= 0.0);
    }
}

/* P(y = j) for x ~ N(m, v) is the share of the cell with all arguments over sqrt(1 + v); more than one block of sites. */
static void probabilities_of_levels_are_those_of_normal_cells(void **state)
{
    (void)state;
    enum { N = 300 };
    double m[N], p[N * LEVELS], offset[N];
    tw_observations o = {.likelihood = &tw_likelihood_ordinal5, .phi = PHI, .n = N, .column = {offset}};
    for (int i = 0; i < N; i++) {
        offset[i] = 0.25 * (i % 3);
        m[i] = 0.02 * (i - 150) - offset[i];
    }
    for (double v = 0.0; v < 10.0; v += 2.5) {
        assert_int_equal(tw_likelihood_levels(&o, m, v, p), TW_OK);
        for (int i = 0; i < N; i++)
            for (int level = 1; level <= LEVELS; level++) {
                long double by = sqrtl(0.5L / (1.0L + v)), x = 0.02L * (i - 150);
                long double a = (CUT[level - 1] - x) * by, b = (CUT[level] - x) * by;
                long double is = a + b > 0.0L ? 0.5L * (erfcl(a) - erfcl(b)) : 0.5L * (erfcl(-b) - erfcl(-a));
                assert_close(p[i * LEVELS + level - 1], (double)is, 1e-13, "probability of a level");
            }
    }
    assert_int_equal(tw_likelihood_levels(OBSERVED(&tw_likelihood_probit, 1, m, NULL), m, 1.0, p),
                     TW_BAD_ARGUMENT);
}

static void levels_that_are_none_are_named(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    const double half[] = {1.0, 2.5}, high[] = {6.0, 1.0};
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(&tw_likelihood_ordinal5, 2, half, NULL)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx),
                        "observation 2 is 2.5, but ordinal5 needs a level 1, 2, ..., 5");
    assert_int_equal(tw_likelihood_check(ctx, OBSERVED(&tw_likelihood_ordinal5, 2, high, NULL)), TW_BAD_DATA);
    assert_string_equal(tw_context_message(ctx),
                        "observation 1 is 6, but ordinal5 needs a level 1, 2, ..., 5");
    tw_context_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_agree_with_long_double),
        cmocka_unit_test(the_ends_are_probit),
        cmocka_unit_test(levels_far_off_have_probit_tails),
        cmocka_unit_test(extremes_are_finite),
        cmocka_unit_test(probabilities_of_levels_are_those_of_normal_cells),
        cmocka_unit_test(levels_that_are_none_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
