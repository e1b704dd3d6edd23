/* The SoftAbs metric: its function and divided differences against a sum of positive terms, and H and dH/dx
 * against an independent formula and its finite differences, also for equal eigenvalues. */
#include <math.h>
#include <string.h>

#include "dynamics/general.h"
#include "linalg/eigen.h"
#include "support/general_targets.h"
#include "support/softabs_flow.h"
#include "support/support.h"

/* ---- the function */

/* t coth t = 1 + 2 sum_k t^2/(t^2 + k^2 pi^2), so its divided difference is
 *   (a + b) sum_k 2 k^2 pi^2/((a^2 + k^2 pi^2)(b^2 + k^2 pi^2)):
 * all terms positive. The tail beyond K is 2/pi^2 [1/c - (1/12 + (a^2 + b^2)/(3 pi^2))/c^3], c = K + 1/2, up
 * to a relative (a^2 + b^2)^2/c^5: below 1e-13 for |a|, |b| < 30. */
static double difference_by_partial_fractions(double a, double b)
{
    const int last = 4000;
    const double pi2 = acos(-1.0) * acos(-1.0), c = last + 0.5;
    double sum = 2.0 / pi2 * (1.0 / c - (1.0 / 12 + (a * a + b * b) / (3.0 * pi2)) / (c * c * c));
    for (int k = last; k > 0; k--) {
        double pole = pi2 * k * k;
        sum += 2.0 * pole / ((a * a + pole) * (b * b + pole));
    }
    return (a + b) * sum;
}

static void divided_differences_keep_their_digits(void **state)
{
    (void)state;
    const double place[] = {0.0, 1e-200, 1e-9, 1e-3, 0.1,   0.2499, 0.25, 0.2501,
                            0.4, 1.0,    2.0,  7.0,  19.99, 20.01,  29.0};
    const double apart[] = {0.0, 1e-15, 1e-10, 1e-5, 1e-2, 0.49, 0.51, 2.0};
    for (size_t i = 0; i < sizeof place / sizeof place[0]; i++)
        for (size_t k = 0; k < sizeof apart / sizeof apart[0]; k++)
            for (int sign = -1; sign <= 1; sign += 2) {
                double alpha = 0.7, a = place[i], b = sign * a / (1.0 + apart[k]);
                double is = tw_softabs_difference(alpha, a / alpha, b / alpha);
                double want = difference_by_partial_fractions(a, b);
                double small = (a + fabs(b)) * 1e-16; /* a + b may itself have cancelled */
                assert_close(is, want, 1e-12 * fabs(want) + small, "divided difference");
                assert_true(tw_softabs_difference(alpha, b / alpha, a / alpha) == is);
                assert_true(tw_softabs_difference(alpha, -a / alpha, -b / alpha) == -is);
            }
}

static void values_lie_between_their_limits(void **state)
{
    (void)state;
    assert_close(tw_softabs_value(4.0, 0.0), 0.25, 0.0, "at 0");
    assert_close(tw_softabs_value(4.0, 1e-9), 0.25, 1e-16, "near 0");
    assert_close(tw_softabs_value(4.0, 0.25), 0.25 / tanh(1.0), 1e-16, "in between");
    assert_close(tw_softabs_value(4.0, -0.25), 0.25 / tanh(1.0), 1e-16, "even");
    assert_close(tw_softabs_value(4.0, -1e6), 1e6, 1e-9, "far away");
    assert_true(tw_softabs_difference(1.0, 1e300, 1e300) == 1.0);
    assert_true(tw_softabs_difference(1.0, -1e300, -1e-300) == -1.0);
}

/* A constant metric has no derivatives, also where that of a Hessian was before: its weights are 0, and p' G^-1 p and log |G|
 * those of a diagonal matrix. */
static void a_constant_metric_replaces_another(void **state)
{
    (void)state;
    enum { D = 3 };
    const double hessian[D * D] = {2.0, 0.5, -0.3, 0.5, -1.0, 0.2, -0.3, 0.2, 0.7}, mass[D] = {2.0, 0.5, 4.0};
    const double p[D] = {1.0, -2.0, 3.0};
    double memory[200], work[200], m[D * D];
    assert_true(tw_softabs_doubles(D) <= 200 && tw_eigen_work(D) <= 200);
    tw_softabs metric = tw_softabs_divide(D, 1.5, memory);
    memcpy(metric.q, hessian, sizeof hessian);
    assert_true(tw_softabs_update(&metric, work));
    tw_softabs_quadratic_weights(&metric, p, m);
    assert_true(m[0] != 0.0);
    tw_softabs_set_constant(&metric, mass);
    tw_softabs_quadratic_weights(&metric, p, m);
    for (size_t i = 0; i < D * D; i++) assert_true(m[i] == 0.0);
    tw_softabs_trace_weights(&metric, m);
    for (size_t i = 0; i < D * D; i++) assert_true(m[i] == 0.0);
    assert_close(tw_softabs_inverse_inner(&metric, p, p), 0.5 + 8.0 + 2.25, 1e-14, "p' G^-1 p");
    assert_close(metric.log_det, log(4.0), 1e-15, "log |G|");
}

/* ---- the energy and its slope */

static tw_general *at(tw_context *ctx, const tw_general_target *t, double alpha, const double *x,
                      const double *p)
{
    tw_general_options options = TW_GENERAL_DEFAULTS;
    options.alpha = alpha;
    tw_general *g = NULL;
    assert_int_equal(tw_general_new(ctx, t, &options, &g), TW_OK);
    assert_int_equal(tw_general_set_position(g, x), TW_OK);
    tw_general_set_momentum(g, p);
    return g;
}

/* Fourth-order difference quotients, from values at x + STEP, x - STEP, x + STEP/2 and x - STEP/2. */
static const double STEP = 0x1p-12;

static double displacement(int k)
{
    return (k % 2 ? -STEP : STEP) * (k < 2 ? 1.0 : 0.5);
}

static double quotient(const double *v)
{
    return (8.0 * (v[2] - v[3]) - (v[0] - v[1])) / (6.0 * STEP);
}

/* The rounding error of a quotient is eps/STEP = 1e-12 of H; 1e-8 of the largest slope is a wide margin. */
static void check_slopes(tw_context *ctx, const tw_general_target *t, double alpha, const double *x)
{
    const double z[4] = {x[0], x[1], 0.7, -1.3};
    double is[2], want[4], energy = softabs_energy(t, alpha, z);
    tw_general *g = at(ctx, t, alpha, x, z + 2);
    assert_close(tw_general_energy(g), energy, 1e-11 * (1.0 + fabs(energy)), "energy");
    tw_general_energy_slope(g, &g->here, z + 2, is);
    softabs_slopes(t, alpha, z, want);
    double tolerance = 1e-8 * (1.0 + fabs(want[0]) + fabs(want[1]));
    for (int i = 0; i < 2; i++) assert_close(is[i], want[i], tolerance, "dH/dx");
    tw_general_free(g);
}

static void energy_and_slope_agree_with_the_formula(void **state)
{
    (void)state;
    tw_context *ctx = new_context();
    mixture m = overlapping_mixture();
    const tw_general_target target[2] = {banana_target(), mixture_target(&m)};
    const double alpha[] = {0.3, 1.0, 4.0};
    for (size_t t = 0; t < 2; t++)
        for (size_t k = 0; k < 3; k++)
            for (int i = -3; i <= 3; i++)
                for (int j = -3; j <= 3; j++)
                    check_slopes(ctx, &target[t], alpha[k], (double[2]){0.71 * i + 0.05, 0.83 * j - 0.11});
    tw_context_free(ctx);
}

/* Three dimensions, with a Hessian of equal eigenvalues at 0: log p = -|x|^2/2 + x_0 x_1 x_2 - sum x_i^4/4.
 */
static double cubic_value(void *user, const double *x)
{
    (void)user;
    double sum = x[0] * x[1] * x[2];
    for (int i = 0; i < 3; i++) sum -= 0.5 * x[i] * x[i] + 0.25 * x[i] * x[i] * x[i] * x[i];
    return sum;
}

static void cubic_gradient(void *user, const double *x, double *g)
{
    (void)user;
    for (int i = 0; i < 3; i++) g[i] = -x[i] - x[i] * x[i] * x[i] + x[(i + 1) % 3] * x[(i + 2) % 3];
}

static void cubic_hessian(void *user, const double *x, double *h)
{
    (void)user;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) h[i + 3 * j] = i == j ? -1.0 - 3.0 * x[i] * x[i] : x[3 - i - j];
}

static void cubic_third(void *user, const double *x, const double *m, double *out)
{
    (void)user;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = m[j + 3 * k] + m[k + 3 * j] - 6.0 * x[i] * m[i + 3 * i];
    }
}

/* The energy's own differences: about 0 the two sides have different eigenvectors, and J_ij for i != j is a
 * derivative. */
static void slopes_are_right_where_eigenvalues_meet(void **state)
{
    (void)state;
    const tw_general_target t = {3, NULL, cubic_value, cubic_gradient, cubic_hessian, cubic_third};
    const double place[3][3] = {{0.0, 0.0, 0.0}, {0.4, 0.0, 0.0}, {0.3, -0.8, 1.1}}, p[3] = {0.7, -1.3, 0.4};
    tw_context *ctx = new_context();
    for (size_t n = 0; n < 3; n++) {
        double slope[3];
        tw_general *g = at(ctx, &t, 1.3, place[n], p);
        tw_general_energy_slope(g, &g->here, p, slope);
        for (int i = 0; i < 3; i++) {
            double e[4];
            for (int k = 0; k < 4; k++) {
                double y[3] = {place[n][0], place[n][1], place[n][2]};
                y[i] += displacement(k);
                assert_int_equal(tw_general_set_position(g, y), TW_OK);
                tw_general_set_momentum(g, p);
                e[k] = tw_general_energy(g);
            }
            assert_close(slope[i], quotient(e), 1e-9, "dH/dx");
        }
        tw_general_free(g);
    }
    tw_context_free(ctx);
}

/* Value, gradient, Hessian at x + displacement(k) along axis i. */
typedef struct neighbours {
    double value[4], gradient[2][4], hessian[4][4];
} neighbours;

static neighbours around(const tw_general_target *t, const double *x, int i)
{
    neighbours out;
    for (int k = 0; k < 4; k++) {
        double y[2] = {x[0], x[1]}, g[2], h[4];
        y[i] += displacement(k);
        out.value[k] = t->value(t->user, y);
        t->gradient(t->user, y, g);
        t->hessian(t->user, y, h);
        for (int j = 0; j < 2; j++) out.gradient[j][k] = g[j];
        for (int j = 0; j < 4; j++) out.hessian[j][k] = h[j];
    }
    return out;
}

/* The targets themselves: each derivative is the difference quotient of the one before, to 1e-8 of the third
 * derivatives' size. */
static void targets_have_the_derivatives_they_claim(void **state)
{
    (void)state;
    mixture m = overlapping_mixture(), figure = mixture_of_figure1();
    const tw_general_target target[3] = {banana_target(), mixture_target(&m), mixture_target(&figure)};
    const double weights[4] = {0.7, -0.4, -0.4, 1.9};
    for (size_t n = 0; n < 3; n++)
        for (int place = 0; place < 20; place++) {
            const tw_general_target *t = &target[n];
            double x[2] = {2.5 * sin(place), 2.5 * cos(1.7 * place)}, g[2], h[4], third[2];
            t->gradient(t->user, x, g);
            t->hessian(t->user, x, h);
            t->third(t->user, x, weights, third);
            double tolerance = 1e-8 * (1.0 + fabs(third[0]) + fabs(third[1]));
            for (int i = 0; i < 2; i++) {
                neighbours near = around(t, x, i);
                double contraction = 0.0;
                for (int j = 0; j < 4; j++) contraction += weights[j] * quotient(near.hessian[j]);
                assert_close(g[i], quotient(near.value), tolerance, "gradient");
                for (int j = 0; j < 2; j++)
                    assert_close(h[i + 2 * j], quotient(near.gradient[j]), tolerance, "hessian");
                assert_close(third[i], contraction, tolerance, "third");
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(divided_differences_keep_their_digits),
        cmocka_unit_test(values_lie_between_their_limits),
        cmocka_unit_test(a_constant_metric_replaces_another),
        cmocka_unit_test(targets_have_the_derivatives_they_claim),
        cmocka_unit_test(energy_and_slope_agree_with_the_formula),
        cmocka_unit_test(slopes_are_right_where_eigenvalues_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
