/* Tilted moments where the likelihood is much narrower than the prior: counts up to 1e11, and cut points at a
 * distance of 1e-12.
 *
 * Substitutions that turn the likelihood into a conjugate distribution give its integral over x exactly: with
 * y counts,
 *   poisson              p(y | x) dx = 1/y    times the density of x = log(G/w),     G ~ Gamma(y),
 *   negative_binomial    p(y | x) dx = 1/y    times that of x = log(r G/(H w)),      H ~ Gamma(r),
 *   binomial (logit)     p(y | x) dx = N/(y (N - y)) times that of x = log(G/H),     H ~ Gamma(N - y),
 * and log G has mean psi(y) and variance psi'(y). Under N(0, v) with v = 100 the prior is nearly constant
 * over that range, so
 *   log Z = log(that factor) + log N(mean; 0, v + variance)
 * up to the skewness of log G relative to v, less than 1/(y v). psi(y) = log y - 1/(2 y) - 1/(12 y^2) and
 * psi'(y) = 1/y + 1/(2 y^2) + 1/(6 y^3) have errors of 1e-17 for y >= 1e4. Rounding: log p is a sum of log
 * factorials of the largest count S and similar terms, each of size S log S, so that log Z is known to a few
 * S log S times 1e-16; moments are not affected.
 *
 * A narrow cell of width g at the point c is an observation c with noise 1, up to g^2:
 * log Z = log g + log N(c; m, 1 + v).
 */
#include <math.h>

#include "support/support.h"
#include "talweg/likelihood.h"

static const double V = 100.0;

static double psi(double y)
{
    return log(y) - 0.5 / y - 1.0 / (12.0 * y * y);
}

static double trigamma(double y)
{
    return 1.0 / y + 0.5 / (y * y) + 1.0 / (6.0 * y * y * y);
}

static double log_normal(double x, double variance)
{
    return -0.5 * (x * x / variance + log(2.0 * acos(-1.0) * variance));
}

/* Beside log Z, the mean, and the variance of the product with the prior. */
static void assert_tilted(const tw_observations *o, double factor, double mean, double variance, double size)
{
    tw_tilted t;
    double posterior = 1.0 / (1.0 / variance + 1.0 / V), log_z = factor + log_normal(mean, V + variance);
    if (tw_likelihood_tilted(o, 0, 0.0, V, &t) != TW_OK)
        fail_msg("%s: y = %g, size %g: no moments", o->likelihood->name, o->y[0], size);
    double error = fabs(t.log_z - log_z), allowed = 1e-9 + 4e-16 * size * log(size) + 1e-2 * variance;
    if (!(error < allowed)) fail_msg("%s: y = %g: log Z is off by %g", o->likelihood->name, o->y[0], error);
    double away = fabs(t.mean - mean * posterior / variance) / sqrt(posterior);
    if (!(away < 1e-5))
        fail_msg("%s: y = %g: the mean is %g deviations off", o->likelihood->name, o->y[0], away);
    double ratio = t.variance / posterior - 1.0;
    if (!(fabs(ratio) < 1e-5 + variance))
        fail_msg("%s: y = %g: the variance is off by %g of it", o->likelihood->name, o->y[0], ratio);
}

static void counts_of_any_size(void **state)
{
    (void)state;
    for (double y = 1e4; y <= 1e11; y *= 10.0)
        for (double w = 1e-3; w < 1e7; w *= 1e3) {
            tw_observations o = {
                .likelihood = tw_likelihood_find("poisson"), .n = 1, .y = &y, .column = {&w}};
            assert_tilted(&o, -log(y), psi(y) - log(w), trigamma(y), y);
            double offset = log(w);
            o.column[0] = NULL;
            o.column[1] = &offset;
            assert_tilted(&o, -log(y), psi(y) - log(w), trigamma(y), y);
        }
}

static void counts_that_vary_more(void **state)
{
    (void)state;
    for (double y = 1e4; y <= 1e11; y *= 10.0)
        for (double r = 1e4; r < 1e12; r *= 10.0) {
            double log_r = log(r);
            tw_observations o = {
                .likelihood = tw_likelihood_find("negative_binomial"), .n = 1, .y = &y, .phi = &log_r};
            assert_tilted(&o, -log(y), psi(y) - psi(r) + log_r, trigamma(y) + trigamma(r), fmax(y, r));
        }
}

static void trials_of_any_number(void **state)
{
    (void)state;
    static const double share[] = {0.5, 0.1, 0.999};
    for (double trials = 1e7; trials <= 1e11; trials *= 10.0)
        for (size_t k = 0; k < 3; k++) {
            double y = floor(share[k] * trials), rest = trials - y;
            tw_observations o = {
                .likelihood = tw_likelihood_find("binomial"), .n = 1, .y = &y, .column = {&trials}};
            assert_tilted(&o, log(trials / y / rest), psi(y) - psi(rest), trigamma(y) + trigamma(rest),
                          trials);
        }
}

static void cut_points_close_together(void **state)
{
    (void)state;
    static const double gaps[] = {1e-3, 1.1e-4, 1e-4, 9e-5, 1e-6, 1e-8, 1e-12, 1e-100};
    const double y = 2.0;
    for (size_t k = 0; k < sizeof gaps / sizeof *gaps; k++)
        for (double m = -30.0; m <= 30.0; m += 7.5) {
            double phi[2] = {0.4, log(gaps[k])}, c = 0.4 + 0.5 * gaps[k], v = 2.5;
            tw_observations o = {.likelihood = tw_likelihood_find("ordinal3"), .n = 1, .y = &y, .phi = phi};
            tw_tilted t;
            assert_int_equal(tw_likelihood_tilted(&o, 0, m, v, &t), TW_OK);
            double exact = log(gaps[k]) + log_normal(c - m, 1.0 + v),
                   size = (1.0 + m * m) * gaps[k] * gaps[k];
            assert_true(fabs(t.log_z - exact) < 1e-11 * (1.0 + fabs(exact)) + size);
            assert_true(fabs(t.mean - (m + v * (c - m) / (1.0 + v))) < 1e-10 * (1.0 + fabs(m)) + size);
            assert_true(fabs(t.variance - v / (1.0 + v)) < 1e-10 + size);
        }
}

/* Both ways to a cell's terms, a narrow cell's own and the general one, about the width where they meet: values and derivatives, in x and in the
 * parameters, are the same but for the digits that the general way loses there. */
static void narrow_and_other_cells_meet(void **state)
{
    (void)state;
    const double y = 2.0, gap = 1e-4;
    for (double x = -6.0; x <= 6.0; x += 0.75) {
        double term[2][4], by[2][3];
        for (int k = 0; k < 2; k++) {
            double phi[2] = {0.4, log(gap * (1.0 + (k ? 1e-9 : -1e-9)))};
            tw_observations o = {.likelihood = tw_likelihood_find("ordinal3"), .n = 1, .y = &y, .phi = phi};
            o.likelihood->terms(&o, &x, &term[k][0], &term[k][1], &term[k][2], &term[k][3]);
            o.likelihood->d_parameter(&o, 1, &x, &by[k][0], &by[k][1], &by[k][2]);
        }
        for (int j = 0; j < 4; j++)
            assert_true(fabs(term[0][j] - term[1][j]) < 1e-8 * (1.0 + fabs(term[0][j])));
        for (int j = 0; j < 3; j++) assert_true(fabs(by[0][j] - by[1][j]) < 1e-7 * (1.0 + fabs(by[0][j])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_of_any_size),          cmocka_unit_test(counts_that_vary_more),
        cmocka_unit_test(trials_of_any_number),        cmocka_unit_test(cut_points_close_together),
        cmocka_unit_test(narrow_and_other_cells_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
