/* Value and derivatives of every likelihood: against long double formulas, against each other by finite
 * differences, normalised over y, and without NaN at any x. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "support/cloglog.h"
#include "support/observe.h"
#include "support/support.h"

typedef struct terms_at {
    double value, slope, lambda, dlambda;
} terms_at;

static terms_at evaluate(const tw_likelihood *likelihood, double y, double w, double x)
{
    terms_at t;
    likelihood->terms(OBSERVED(likelihood, 1, &y, &w), &x, &t.value, &t.slope, &t.lambda, &t.dlambda);
    return t;
}

static void assert_term(const char *what, double y, double x, double is, long double want, double tolerance)
{
    char where[120];
    snprintf(where, sizeof where, "%s at y=%g x=%.17g", what, y, x);
    assert_close(is, (double)want, tolerance, where);
}

/* Within tolerance of want relatively, or absolutely below 1e-300. */
static void assert_relative(const char *what, double y, double x, double is, long double want,
                            double tolerance)
{
    assert_term(what, y, x, is, want, fmax(tolerance * (double)fabsl(want), 1e-300));
}

/* ---- against long double */

static const double SIZES[] = {0.0,  1e-300, 1e-12, 1e-5, 0.01,  0.0624, 0.0626, 0.3,   1.0, 2.5,  7.0,
                               20.0, 36.0,   37.5,  88.0, 300.0, 690.0,  707.0,  709.0, 1e4, 1e300};

static void logit_to_the_last_digits(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof SIZES / sizeof SIZES[0]; i++)
        for (int signs = 0; signs < 4; signs++) {
            double y = signs & 1 ? 1.0 : -1.0, x = signs & 2 ? SIZES[i] : -SIZES[i];
            long double z = (long double)(y * x), e = expl(-fabsl(z));
            terms_at t = evaluate(&tw_likelihood_logit, y, 1.0, x);
            long double lambda = e / ((1.0L + e) * (1.0L + e));
            assert_relative("logit value", y, x, t.value, fminl(z, 0.0L) - log1pl(e), 2e-15);
            assert_relative("logit slope", y, x, t.slope, y / (1.0L + expl(z)), 2e-15);
            assert_relative("logit lambda", y, x, t.lambda, lambda, 2e-15);
            assert_relative("logit dlambda", y, x, t.dlambda, -lambda * tanhl(0.5L * (long double)x), 1e-14);
        }
}

/* The value's error: that of x itself through the slope, and of lgammal for a large count. */
static void poisson_to_the_last_digits(void **state)
{
    (void)state;
    const double counts[] = {0.0, 1.0, 2.0, 15.0, 16.0, 17.0, 170.0, 1e4, 1e6}, exposures[] = {1.0, 0.3, 1e3};
    const double places[] = {-700.0, -30.0, -5.0, -0.5, 0.0,  0.7,   2.77,
                             5.1,    9.2,   13.8, 13.9, 20.0, 100.0, 700.0};
    for (size_t i = 0; i < 9; i++)
        for (size_t j = 0; j < 14; j++)
            for (size_t k = 0; k < 3; k++) {
                double y = counts[i], x = places[j], w = exposures[k];
                long double mu = (long double)w * expl((long double)x);
                long double value = y * ((long double)x + logl((long double)w)) - mu - lgammal(y + 1.0L);
                terms_at t = evaluate(&tw_likelihood_poisson, y, w, x);
                double own = fabs(x) * (double)fabsl((long double)y - mu) + (double)fabsl(value) + 1.0;
                double lgamma_rounding = 1e-18 * y * log(y + 1.0);
                assert_term("poisson value", y, x, t.value, value, 4.0 * DBL_EPSILON * own + lgamma_rounding);
                assert_term("poisson slope", y, x, t.slope, y - mu, 1e-15 * (y + (double)mu));
                assert_relative("poisson lambda", y, x, t.lambda, mu, 1e-15);
                assert_relative("poisson dlambda", y, x, t.dlambda, mu, 1e-15);
            }
}

/* Near its mode the value of a count of 1e6 is -7.8, though y log mu is 1e7: no digit may be lost there. */
static void a_large_count_keeps_its_digits(void **state)
{
    (void)state;
    double x = log(1e6);
    long double d = (long double)x - logl(1e6L);
    long double value = -1e6L * (expm1l(d) - d) - 0.5L * logl(2.0L * acosl(-1.0L) * 1e6L) - 1.0L / 12e6L;
    assert_close(evaluate(&tw_likelihood_poisson, 1e6, 1.0, x).value, (double)value, 2e-14, "count 1e6");
}

static void gaussian_is_exact(void **state)
{
    (void)state;
    const double half_log_two_pi = 0.5 * log(2.0 * acos(-1.0));
    for (int i = -8; i <= 8; i++)
        for (int j = -1; j <= 1; j++) {
            double x = 0.37 * i, w = pow(4.0, j), y = 0.75, d = (y - x) / w;
            terms_at t = evaluate(&tw_likelihood_gaussian, y, w, x);
            assert_close(t.value, -0.5 * d * d - log(w) - half_log_two_pi, 1e-15 * (1.0 + d * d), "value");
            assert_close(t.slope, d / w, 0.0, "slope");
            assert_close(t.lambda, 1.0 / (w * w), 0.0, "lambda");
            assert_close(t.dlambda, 0.0, 0.0, "dlambda");
        }
}

/* log Phi by erfcl; the derivatives from r = phi/Phi and u = z + r in long double, for z not too negative. */
static void probit_has_the_signs_of_y(void **state)
{
    (void)state;
    for (int i = -52; i <= 52; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double x = 0.173 * i, y = sign;
            long double z = (long double)(y * x), phi = expl(-0.5L * z * z) / sqrtl(2.0L * acosl(-1.0L));
            long double cdf = 0.5L * erfcl(-z * sqrtl(0.5L)), r = phi / cdf, u = z + r;
            terms_at t = evaluate(&tw_likelihood_probit, y, 1.0, x);
            assert_relative("probit value", y, x, t.value,
                            z > 0.0L ? log1pl(-0.5L * erfcl(z * sqrtl(0.5L))) : logl(cdf), 1e-13);
            assert_relative("probit slope", y, x, t.slope, y * r, 1e-13);
            assert_relative("probit lambda", y, x, t.lambda, r * u, 1e-13);
            assert_term("probit dlambda", y, x, t.dlambda, y * r * (1.0L - u * (u + r)), 1e-12);
        }
}

/* ---- against each other */

typedef struct observation {
    const tw_likelihood *likelihood;
    double y, w;
} observation;

static const observation OBSERVATIONS[] = {
    {&tw_likelihood_probit, 1.0, 1.0},     {&tw_likelihood_probit, -1.0, 1.0},
    {&tw_likelihood_logit, 1.0, 1.0},      {&tw_likelihood_logit, -1.0, 1.0},
    {&tw_likelihood_poisson, 0.0, 1.0},    {&tw_likelihood_poisson, 3.0, 0.7},
    {&tw_likelihood_poisson, 1e6, 20.0},   {&tw_likelihood_gaussian, 0.4, 1.0},
    {&tw_likelihood_gaussian, -7.0, 0.05}, {&cloglog_likelihood, 1.0, 1.0},
    {&cloglog_likelihood, -1.0, 1.0},
};
enum { OBSERVATION_COUNT = sizeof OBSERVATIONS / sizeof OBSERVATIONS[0] };

/* Central differences of the terms, to fourth order (Richardson). The step shrinks like 1/|x|, as the length
 * of a Gaussian tail does; x has few enough bits that x + h is exact. */
static terms_at derivative(observation o, double x)
{
    const double h = fabs(x) < 8.0 ? 0x1p-10 : fabs(x) < 64.0 ? 0x1p-12 : 0x1p-15;
    terms_at a = evaluate(o.likelihood, o.y, o.w, x + h), b = evaluate(o.likelihood, o.y, o.w, x - h);
    terms_at c = evaluate(o.likelihood, o.y, o.w, x + 0.5 * h),
             d = evaluate(o.likelihood, o.y, o.w, x - 0.5 * h);
    terms_at out = {(8.0 * (c.value - d.value) - (a.value - b.value)) / (6.0 * h),
                    (8.0 * (c.slope - d.slope) - (a.slope - b.slope)) / (6.0 * h),
                    (8.0 * (c.lambda - d.lambda) - (a.lambda - b.lambda)) / (6.0 * h), 0.0};
    return out;
}

/* Places from -700 to 700, dense between -40 and 40, in single precision. */
enum { PLACES = 501 };
static double place(int i)
{
    int from_middle = i - PLACES / 2, size = abs(from_middle);
    double x = size < 200 ? 0.2 * size : 40.0 + 13.2 * (size - 200);
    return (double)(float)(from_middle < 0 ? -x : x);
}

/* Beyond x = 2 the event of cloglog falls like exp(-exp(x)), too fast for these steps. */
static bool too_fast(observation o, double x)
{
    return o.likelihood == &cloglog_likelihood && o.y > 0.0 && x > 2.0;
}

/* (h x)^4 is below 1e-9/6 and eps/h below 1e-11: a relative 1e-9 of what is differenced is a wide margin. */
static void each_term_is_the_derivative_of_the_last(void **state)
{
    (void)state;
    for (size_t o = 0; o < OBSERVATION_COUNT; o++)
        for (int i = 0; i < PLACES; i++) {
            observation at = OBSERVATIONS[o];
            double x = place(i);
            if (too_fast(at, x)) continue;
            terms_at t = evaluate(at.likelihood, at.y, at.w, x), d = derivative(at, x);
            const char *name = at.likelihood->name;
            assert_term(name, at.y, x, t.slope, d.value, 1e-9 * (fabs(t.value) + fabs(t.slope)) + 1e-300);
            assert_term(name, at.y, x, t.lambda, -d.slope, 1e-9 * (fabs(t.slope) + t.lambda) + 1e-300);
            assert_term(name, at.y, x, t.dlambda, d.lambda, 1e-9 * (t.lambda + fabs(t.dlambda)) + 1e-300);
        }
}

static bool finite_terms(terms_at t)
{
    return isfinite(t.slope) && isfinite(t.lambda) && isfinite(t.dlambda);
}

/* No NaN anywhere, a value below +inf, positive curvature, and all finite where the value is. */
static void nothing_is_ever_nan(void **state)
{
    (void)state;
    const double far[] = {0.0, 1e-310, 700.0, 709.7, 709.8, 710.0, 745.0, 746.0, 1e4, 1e8, 1e154, 1e300};
    for (size_t o = 0; o < OBSERVATION_COUNT; o++)
        for (size_t i = 0; i < 2 * sizeof far / sizeof far[0]; i++) {
            observation at = OBSERVATIONS[o];
            double x = i % 2 ? far[i / 2] : -far[i / 2];
            terms_at t = evaluate(at.likelihood, at.y, at.w, x);
            bool numbers = !isnan(t.value) && !isnan(t.slope) && !isnan(t.lambda) && !isnan(t.dlambda);
            if (!numbers || t.value == INFINITY || t.lambda < 0.0 || (isfinite(t.value) && !finite_terms(t)))
                fail_msg("%s y=%g x=%g: %g %g %g %g", at.likelihood->name, at.y, x, t.value, t.slope,
                         t.lambda, t.dlambda);
        }
    assert_true(evaluate(&tw_likelihood_poisson, 3.0, 1.0, 710.0).value == -INFINITY);
    assert_true(isfinite(evaluate(&tw_likelihood_poisson, 3.0, 1.0, 709.0).value));
}

/* ---- normalised over y */

static void binary_probabilities_add_up(void **state)
{
    (void)state;
    const tw_likelihood *binary[] = {&tw_likelihood_probit, &tw_likelihood_logit, &cloglog_likelihood};
    for (size_t i = 0; i < 3; i++)
        for (int k = -210; k <= 210; k++) {
            double x = 0.19 * k;
            double sum =
                exp(evaluate(binary[i], 1.0, 1.0, x).value) + exp(evaluate(binary[i], -1.0, 1.0, x).value);
            assert_close(sum, 1.0, 1e-12, binary[i]->name);
        }
}

static void poisson_probabilities_add_up(void **state)
{
    (void)state;
    for (int i = -12; i <= 12; i++)
        for (int j = 0; j < 3; j++) {
            double x = 0.63 * i, w = 0.5 * pow(3.0, j), mu = w * exp(x), sum = 0.0;
            for (int y = 0; y < mu + 12.0 * sqrt(mu) + 60.0; y++)
                sum += exp(evaluate(&tw_likelihood_poisson, y, w, x).value);
            assert_close(sum, 1.0, 1e-12, "sum over counts");
        }
}

/* The trapezoidal rule is exact to rounding for a Gaussian, step w/4 over +-12 w. */
static void gaussian_density_integrates_to_one(void **state)
{
    (void)state;
    for (int j = 0; j < 6; j++) {
        double w = 0.01 * pow(7.0, j), x = 3.3, sum = 0.0;
        for (int i = -48; i <= 48; i++)
            sum += 0.25 * w * exp(evaluate(&tw_likelihood_gaussian, x + 0.25 * w * i, w, x).value);
        assert_close(sum, 1.0, 1e-12, "integral over y");
    }
}

/* ---- arrays */

enum { SITES = 600 }; /* more than two chunks, not a multiple of any vector */

static double odd_place(size_t i)
{
    return 14.0 * sin(1.7 * (double)i) - 0.3;
}

/* Every choice of wanted outputs, any position in the array, and w NULL for 1: the same bits as one site. */
static void arrays_and_unwanted_outputs_change_nothing(void **state)
{
    (void)state;
    static double y[SITES], x[SITES], out[4][SITES];
    for (size_t o = 0; o < OBSERVATION_COUNT; o++) {
        const tw_likelihood *l = OBSERVATIONS[o].likelihood;
        for (size_t i = 0; i < SITES; i++) y[i] = OBSERVATIONS[o].y, x[i] = odd_place(i);
        for (unsigned wanted = 0; wanted < 16; wanted++) {
            memset(out, 0, sizeof out);
            l->terms(OBSERVED(l, SITES, y, NULL), x, wanted & 1 ? out[0] : NULL, wanted & 2 ? out[1] : NULL,
                     wanted & 4 ? out[2] : NULL, wanted & 8 ? out[3] : NULL);
            for (size_t i = 0; i < SITES; i += 7) {
                terms_at t = evaluate(l, y[i], 1.0, x[i]);
                const double want[4] = {t.value, t.slope, t.lambda, t.dlambda};
                for (unsigned k = 0; k < 4; k++) assert_true(out[k][i] == (wanted >> k & 1 ? want[k] : 0.0));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logit_to_the_last_digits),
        cmocka_unit_test(poisson_to_the_last_digits),
        cmocka_unit_test(a_large_count_keeps_its_digits),
        cmocka_unit_test(gaussian_is_exact),
        cmocka_unit_test(probit_has_the_signs_of_y),
        cmocka_unit_test(each_term_is_the_derivative_of_the_last),
        cmocka_unit_test(nothing_is_ever_nan),
        cmocka_unit_test(binary_probabilities_add_up),
        cmocka_unit_test(poisson_probabilities_add_up),
        cmocka_unit_test(gaussian_density_integrates_to_one),
        cmocka_unit_test(arrays_and_unwanted_outputs_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
