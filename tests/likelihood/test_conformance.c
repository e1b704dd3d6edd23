/* Properties of every likelihood that tw_likelihood_at() lists, and of one defined by a user: a new one is
 * tested here as soon as it is in the list. The observations are all that it supports; its columns and
 * parameters vary over their ranges.
 *
 *   terms         against each other by differences, and normalised over y
 *   slopes_single against terms
 *   d_parameter   against differences in phi
 *   tilted, marginal, d_log_z    against a plain sum over x, or differences of it
 *   expect, predict, fisher      against a sum over y, and then over x
 *   arrays        each element has the bits of a single site, for any choice of outputs
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "support/cloglog.h"
#include "support/setting.h"
#include "support/support.h"

enum { PLACES = 9, MOST_COUNTS = 1000000 };

static const double PLACE[PLACES] = {-6.0, -2.5, -1.0, -0.3, 0.0, 0.2, 0.9, 2.2, 5.0};

/* ---- one site ---- */

typedef struct point {
    double value, slope, lambda, dlambda;
} point;

static point terms_at(setting *s, double x)
{
    point p;
    s->likelihood->terms(setting_aim(s), &x, &p.value, &p.slope, &p.lambda, &p.dlambda);
    return p;
}

/* Within a share of the sizes given, with words. */
static void assert_near(const setting *s, const char *what, double x, double is, double want, double size)
{
    char words[200];
    snprintf(words, sizeof words, "%s of %s at y=%g x=%g phi=%g", what, s->likelihood->name, s->y, x,
             s->phi[0]);
    assert_close(is, want, size, words);
}

/* Central differences to fourth order: h^4 f^(5) and eps/h are both below 1e-9 for functions that vary over 1. */
static const double H = 0x1p-9;
static double difference(const double f[4])
{
    return (8.0 * (f[2] - f[1]) - (f[3] - f[0])) / (12.0 * H);
}
static const double AWAY[4] = {-2.0, -1.0, 1.0, 2.0};

static void terms_are_derivatives(setting *s, double x)
{
    double value[4], slope[4], lambda[4];
    for (int i = 0; i < 4; i++) {
        point p = terms_at(s, x + H * AWAY[i]);
        value[i] = p.value, slope[i] = p.slope, lambda[i] = p.lambda;
    }
    point p = terms_at(s, x);
    double size = 1e-8 * (1.0 + fabs(p.value) + fabs(p.slope) + fabs(p.lambda) + fabs(p.dlambda));
    assert_near(s, "slope", x, p.slope, difference(value), size);
    assert_near(s, "lambda", x, p.lambda, -difference(slope), size);
    assert_near(s, "dlambda", x, p.dlambda, difference(lambda), size);
    if (!s->likelihood->slopes_single) return;
    float narrow = (float)x, single;
    s->likelihood->slopes_single(setting_aim(s), &narrow, &single);
    double wanted = terms_at(s, (double)narrow).slope;
    assert_near(s, "slope in single precision", x, (double)single, wanted, 1e-6 * (1.0 + fabs(wanted)));
}

static void parameters_have_derivatives(setting *s, double x)
{
    for (size_t k = 0; k < s->likelihood->parameters; k++) {
        double value[4], slope[4], lambda[4], d[3], phi = s->phi[k];
        for (int i = 0; i < 4; i++) {
            s->phi[k] = phi + H * AWAY[i];
            point p = terms_at(s, x);
            value[i] = p.value, slope[i] = p.slope, lambda[i] = p.lambda;
        }
        s->phi[k] = phi;
        s->likelihood->d_parameter(setting_aim(s), k, &x, &d[0], &d[1], &d[2]);
        double size = 1e-8 * (1.0 + fabs(value[1]) + fabs(d[0]) + fabs(d[1]) + fabs(d[2]));
        assert_near(s, "d value/d phi", x, d[0], difference(value), size);
        assert_near(s, "d slope/d phi", x, d[1], difference(slope), size);
        assert_near(s, "d lambda/d phi", x, d[2], difference(lambda), size);
    }
}

/* ---- sums over y ---- */

/* Integrals of p, y p, y^2 p and lambda p. */
typedef struct over_y {
    double one, mean, square, lambda;
} over_y;

static void add(setting *s, double x, double y, double weight, over_y *sums)
{
    if (!setting_supports(s, y)) return;
    point p = terms_at(s, x);
    double w = weight * exp(p.value);
    if (!(w > 0.0)) return;
    sums->one += w;
    sums->mean += w * y;
    sums->square += w * y * y;
    sums->lambda += w * p.lambda;
}

/* Counts, classes and levels one by one, until the second moment does not grow; a density by the trapezoidal rule in t, y = exp(t) where y must be positive,
 * else y = its mean + c sinh(t), which for a smooth density is exact to rounding; t to 100, for heavy tails and times near 0. */
static over_y sum_over_y(setting *s, double x)
{
    over_y sums = {0.0, 0.0, 0.0, 0.0};
    bool density = setting_supports(s, 0.4321), positive = !setting_supports(s, -0.4321);
    const double step = 1.0 / 64.0, c = 0.1;
    double centre = x;
    if (density && s->likelihood->expect) s->likelihood->expect(setting_aim(s), &x, &centre, NULL);
    for (int i = -1; !density && i < MOST_COUNTS; i++) {
        double before = sums.square;
        add(s, x, i, 1.0, &sums);
        if (i > 100 && sums.one > 0.5 && sums.square - before <= 1e-17 * sums.square) break;
    }
    for (int i = -6400; density && i <= 6400; i++) {
        double t = step * i;
        if (positive)
            add(s, x, exp(t), step * exp(t), &sums);
        else
            add(s, x, centre + c * sinh(t), step * c * cosh(t), &sums);
    }
    return sums;
}

static void normalised_and_as_expected(setting *s, double x)
{
    const tw_likelihood *l = s->likelihood;
    double y = s->y, mean = NAN, variance = NAN, lambda = NAN, dlambda;
    over_y sums = sum_over_y(s, x);
    s->y = y;
    assert_near(s, "sum over y", x, sums.one, 1.0, 1e-10);
    double spread = sums.square - sums.mean * sums.mean;
    if (l->two_classes || l->expect) {
        double size = 1e-9 * (1.0 + sums.square);
        assert_int_equal(tw_likelihood_expect(setting_aim(s), &x, 0.0, &mean, &variance), TW_OK);
        assert_near(s, "mean of y", x, l->two_classes ? 2.0 * mean - 1.0 : mean, sums.mean, size);
        if (isinf(variance)) /* what the range of the sum adds grows without end */
            assert_true(spread > 1e3);
        else
            assert_near(s, "variance of y", x, variance, spread, size);
    }
    if (!l->fisher) return;
    l->fisher(setting_aim(s), &x, &lambda, &dlambda);
    assert_near(s, "expected information", x, lambda, sums.lambda, 1e-9 * (1.0 + fabs(sums.lambda)));
    double at[4] = {x - 2e-3, x - 1e-3, x + 1e-3, x + 2e-3}, near[4]; /* of fourth order */
    for (size_t k = 0; k < 4; k++) l->fisher(setting_aim(s), &at[k], &near[k], NULL);
    double slope = (near[0] - 8.0 * near[1] + 8.0 * near[2] - near[3]) / 12e-3;
    assert_near(s, "its slope", x, dlambda, slope, 1e-8 * (1.0 + fabs(lambda)));
}

/* ---- sums over x ---- */

enum { STEPS = 2000 };

/* The integral of f N(x; m, v) dx, by the trapezoidal rule over 30 standard deviations to either side: the sum
 * of a likelihood that is far from m lies far out. */
static double average(setting *s, double m, double v, double (*f)(setting *s, double x))
{
    double sum = 0.0, h = 60.0 / STEPS;
    for (int i = 0; i <= STEPS; i++) {
        double z = -30.0 + h * i;
        sum += h * 0.39894228040143267794 * exp(-0.5 * z * z) * f(s, m + sqrt(v) * z);
    }
    return sum;
}

static double density(setting *s, double x)
{
    return exp(terms_at(s, x).value);
}

static double mean_given(setting *s, double x)
{
    double mean;
    assert_int_equal(tw_likelihood_expect(setting_aim(s), &x, 0.0, &mean, NULL), TW_OK);
    return mean;
}

static double square_given(setting *s, double x)
{
    double mean, variance;
    assert_int_equal(tw_likelihood_expect(setting_aim(s), &x, 0.0, &mean, &variance), TW_OK);
    if (s->likelihood->two_classes) mean = 2.0 * mean - 1.0;
    return variance + mean * mean;
}

static double log_z(setting *s, double m, double v)
{
    tw_tilted t;
    assert_int_equal(tw_likelihood_tilted(setting_aim(s), 0, m, v, &t), TW_OK);
    return t.log_z;
}

/* Mean and variance of the tilted distribution are those of q' = dlog Z/dm: m + v q', v + v^2 q''. */
static void tilted_is_exact(setting *s, double m, double v)
{
    tw_tilted own, generic;
    double plain = log(average(s, m, v, density)), q[4], derivative[SETTING_PARAMETERS];
    assert_int_equal(tw_likelihood_tilted(setting_aim(s), 0, m, v, &own), TW_OK);
    assert_near(s, "log Z", m, own.log_z, plain, 1e-8 * (1.0 + fabs(plain)));
    assert_int_equal(tw_tilted_by_quadrature(setting_aim(s), 0, m, v, &generic, NULL), TW_OK);
    assert_near(s, "tilted mean", m, own.mean, generic.mean, 1e-8 * sqrt(v));
    assert_near(s, "tilted variance", m, own.variance, generic.variance, 1e-8 * v);
    if (s->likelihood->marginal) {
        s->likelihood->marginal(setting_aim(s), &m, v, &q[0]);
        assert_near(s, "marginal", m, q[0], own.log_z, 1e-9 * (1.0 + fabs(plain)));
    }
    assert_int_equal(tw_likelihood_d_log_z(setting_aim(s), 0, m, v, derivative), TW_OK);
    for (size_t k = 0; k < s->likelihood->parameters; k++) {
        double phi = s->phi[k];
        for (int i = 0; i < 4; i++) {
            s->phi[k] = phi + H * AWAY[i];
            q[i] = log_z(s, m, v);
        }
        s->phi[k] = phi;
        assert_near(s, "d log Z/d phi", m, derivative[k], difference(q), 1e-7 * (1.0 + fabs(derivative[k])));
    }
}

static void predictions_are_averages(setting *s, double m, double v)
{
    double mean, variance;
    bool two = s->likelihood->two_classes;
    if (!two && !s->likelihood->expect) return;
    assert_int_equal(tw_likelihood_expect(setting_aim(s), &m, v, &mean, &variance), TW_OK);
    double want = average(s, m, v, mean_given), square = average(s, m, v, square_given);
    double shown = two ? 2.0 * want - 1.0 : want;
    assert_near(s, "predicted mean", m, mean, want, 1e-8 * (1.0 + fabs(want)));
    if (isinf(square))
        assert_true(isinf(variance));
    else
        assert_near(s, "predicted variance", m, variance, square - shown * shown, 1e-8 * (1.0 + square));
}

/* ---- arrays ---- */

enum { SITES = 600 }; /* more than two chunks, not a multiple of any vector */

static void arrays_change_nothing(setting *s)
{
    static double y[SITES], x[SITES], column[TW_COLUMNS][SITES], out[4][SITES];
    tw_observations o = *setting_aim(s);
    for (size_t i = 0; i < SITES; i++) {
        y[i] = s->y, x[i] = 4.0 * sin(1.7 * (double)i);
        for (size_t k = 0; k < TW_COLUMNS; k++) column[k][i] = s->column[k];
    }
    o.n = SITES, o.y = y;
    for (size_t k = 0; k < TW_COLUMNS; k++) o.column[k] = o.column[k] ? column[k] : NULL;
    for (unsigned wanted = 0; wanted < 16; wanted++) {
        memset(out, 0, sizeof out);
        o.likelihood->terms(&o, x, wanted & 1 ? out[0] : NULL, wanted & 2 ? out[1] : NULL,
                            wanted & 4 ? out[2] : NULL, wanted & 8 ? out[3] : NULL);
        for (size_t i = 0; i < SITES; i += 7) {
            point p = terms_at(s, x[i]);
            const double want[4] = {p.value, p.slope, p.lambda, p.dlambda};
            for (unsigned k = 0; k < 4; k++) assert_true(out[k][i] == (wanted >> k & 1 ? want[k] : 0.0));
        }
    }
}

/* The functions of a table beside `terms`, by number, into three arrays; false if the likelihood has none of that number. */
enum { FUNCTIONS = 8 };

static bool apply(size_t function, const tw_observations *o, const double *x, double *out[3])
{
    const tw_likelihood *l = o->likelihood;
    static float narrow[SITES], slope[SITES];
    static double s2[SITES];
    for (size_t i = 0; i < o->n; i++) {
        narrow[i] = (float)x[i];
        s2[i] = 0.4 + 0.1 * fabs(x[i]);
    }
    switch (function) {
    case 0:
        if (!l->slopes_single) return false;
        l->slopes_single(o, narrow, slope);
        for (size_t i = 0; i < o->n; i++) out[0][i] = (double)slope[i];
        return true;
    case 1:
        if (l->smoothed) l->smoothed(o, s2, x, out[0], out[1]);
        return l->smoothed != NULL;
    case 2:
        if (l->fisher) l->fisher(o, x, out[0], out[1]);
        return l->fisher != NULL;
    case 3:
        if (l->expect) l->expect(o, x, out[0], out[1]);
        return l->expect != NULL;
    case 4:
        if (l->predict) l->predict(o, x, 0.7, out[0], out[1]);
        return l->predict != NULL;
    case 5:
        if (l->marginal) l->marginal(o, x, 0.7, out[0]);
        return l->marginal != NULL;
    default:
        if (function - 6 < l->parameters) l->d_parameter(o, function - 6, x, out[0], out[1], out[2]);
        return function - 6 < l->parameters;
    }
}

/* Each element is that of a single site, to the rounding of one operation or another; single precision has less. */
static void arrays_are_single_sites(setting *s)
{
    static double y[SITES], x[SITES], column[TW_COLUMNS][SITES], out[3][SITES], one[3];
    tw_observations o = *setting_aim(s);
    for (size_t i = 0; i < SITES; i++) {
        y[i] = s->y, x[i] = 4.0 * sin(1.7 * (double)i);
        for (size_t k = 0; k < TW_COLUMNS; k++) column[k][i] = s->column[k];
    }
    o.n = SITES, o.y = y;
    for (size_t k = 0; k < TW_COLUMNS; k++) o.column[k] = o.column[k] ? column[k] : NULL;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        double *all[3] = {out[0], out[1], out[2]}, *single[3] = {one, one + 1, one + 2};
        memset(out, 0, sizeof out);
        memset(one, 0, sizeof one);
        if (!apply(f, &o, x, all)) continue;
        for (size_t i = 0; i < SITES; i += 7) {
            apply(f, setting_aim(s), x + i, single);
            for (size_t k = 0; k < 3; k++) {
                double tolerance = (f == 0 ? 1e-5 : 1e-12) * (1.0 + fabs(one[k]));
                if (!(isnan(out[k][i]) && isnan(one[k])) && out[k][i] != one[k])
                    assert_near(s, "an element", x[i], out[k][i], one[k], tolerance);
            }
        }
    }
}

/* Many predictions of one observation, more than a chunk. */
static void many_predictions_are_single_ones(setting *s)
{
    static double m[SITES], mean[SITES], variance[SITES];
    if (!s->likelihood->two_classes && !s->likelihood->expect) return;
    for (size_t i = 0; i < SITES; i++) m[i] = 2.0 * sin(1.7 * (double)i);
    assert_int_equal(tw_expect_many(setting_aim(s), 0, 0.3, SITES, m, mean, variance), TW_OK);
    for (size_t i = 0; i < SITES; i += 13) {
        double one, its;
        assert_int_equal(tw_likelihood_expect(setting_aim(s), m + i, 0.3, &one, &its), TW_OK);
        assert_near(s, "one of many means", m[i], mean[i], one, 1e-12 * (1.0 + fabs(one)));
        if (isfinite(its)) assert_near(s, "its variance", m[i], variance[i], its, 1e-12 * (1.0 + its));
    }
}

/* ---- all of them ---- */

static const tw_likelihood *likelihood_at(size_t i)
{
    size_t count = 0;
    while (tw_likelihood_at(count)) count++;
    return i < count ? tw_likelihood_at(i) : i == count ? &cloglog_likelihood : NULL;
}

/* Call f for every likelihood, variant and observation that is supported, or for the first such observation only;
 * returns how many there were. */
static size_t for_each(size_t observations, void (*f)(setting *s))
{
    const tw_likelihood *likelihood = NULL;
    size_t calls = 0;
    for (size_t l = 0; (likelihood = likelihood_at(l)); l++)
        for (int variant = 0; variant < SETTING_VARIANTS; variant++) {
            size_t found = 0;
            for (size_t i = 0; i < SETTING_Y && found < observations; i++) {
                setting s = setting_of(likelihood, variant);
                if (!setting_supports(&s, setting_y[i])) continue;
                f(&s);
                found++;
            }
            calls += found;
        }
    return calls;
}

static void check_terms(setting *s)
{
    assert_true(s->likelihood->parameters <= SETTING_PARAMETERS);
    assert_true(s->likelihood->parameters == 0 || s->likelihood->d_parameter);
    for (size_t i = 0; i < PLACES; i++) {
        terms_are_derivatives(s, PLACE[i]);
        parameters_have_derivatives(s, PLACE[i]);
    }
    arrays_change_nothing(s);
    arrays_are_single_sites(s);
}

static void derivatives_belong_together(void **state)
{
    (void)state;
    assert_true(for_each(SETTING_Y, check_terms) >= 40);
}

static void check_over_y(setting *s)
{
    for (size_t i = 0; i < PLACES; i++) normalised_and_as_expected(s, PLACE[i]);
}

static void probabilities_add_up(void **state)
{
    (void)state;
    for_each(1, check_over_y); /* a sum over all y */
}

static void check_over_x(setting *s, void (*f)(setting *s, double m, double v))
{
    static const double m[] = {-1.0, 0.0, 1.5}, v[] = {0.05, 1.0, 6.0};
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) f(s, m[i], v[j]);
}

static void check_tilted(setting *s)
{
    check_over_x(s, tilted_is_exact);
}

static void check_predictions(setting *s)
{
    check_over_x(s, predictions_are_averages);
}

static void averages_over_a_gaussian_are_exact(void **state)
{
    (void)state;
    for_each(SETTING_Y, check_tilted);
    for_each(1, check_predictions); /* they know no y */
    for_each(1, many_predictions_are_single_ones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_belong_together),
        cmocka_unit_test(probabilities_add_up),
        cmocka_unit_test(averages_over_a_gaussian_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
