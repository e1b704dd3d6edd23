/* Tilted moments of every likelihood, the built-in ones and one defined by a user, against an independent
 * quadrature: tanh-sinh in long double, with separate formulas for each likelihood, over |m| <= 1e3 and v
 * from 1e-8 to 1e6. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "likelihood/likelihood.h"
#include "support/cloglog.h"
#include "support/observe.h"
#include "support/support.h"

/* ---- the reference: l(x), l'(x), and l(x + d) - l(x), without cancellation, in long double */

typedef struct reference {
    const tw_likelihood *likelihood;
    long double (*value)(long double y, long double w, long double x);
    long double (*slope)(long double y, long double w, long double x);
    long double (*rise)(long double y, long double w, long double x, long double d);
} reference;

static const long double HALF_LOG_TWO_PI_L = 0.918938533204672741780329736405617640L;

static long double logit_value(long double y, long double w, long double x)
{
    (void)w;
    return y * x < 0.0L ? y * x - log1pl(expl(y * x)) : -log1pl(expl(-y * x));
}

static long double logit_slope(long double y, long double w, long double x)
{
    (void)w;
    return y / (1.0L + expl(y * x));
}

static long double logit_rise(long double y, long double w, long double x, long double d)
{
    return logit_value(y, w, x + d) - logit_value(y, w, x);
}

static long double poisson_value(long double y, long double w, long double x)
{
    return y * (x + logl(w)) - w * expl(x) - lgammal(y + 1.0L);
}

static long double poisson_slope(long double y, long double w, long double x)
{
    return y - w * expl(x);
}

static long double poisson_rise(long double y, long double w, long double x, long double d)
{
    return y * d - w * expl(x) * expm1l(d);
}

static long double gaussian_value(long double y, long double w, long double x)
{
    return -0.5L * (y - x) * (y - x) / (w * w) - logl(w) - HALF_LOG_TWO_PI_L;
}

static long double gaussian_slope(long double y, long double w, long double x)
{
    return (y - x) / (w * w);
}

static long double gaussian_rise(long double y, long double w, long double x, long double d)
{
    return d * ((y - x) - 0.5L * d) / (w * w);
}

/* log of the Mills ratio (1 - Phi(t))/phi(t): the continued fraction 1/(t + 1/(t + 2/(t + ...))) for t > 6.
 */
static long double log_mills(long double t)
{
    if (t < 6.0L) return logl(0.5L * erfcl(t * sqrtl(0.5L))) + 0.5L * t * t + HALF_LOG_TWO_PI_L;
    long double tail = t;
    for (int k = 200; k > 0; k--) tail = t + (long double)k / tail;
    return -logl(tail);
}

static long double probit_value(long double y, long double w, long double x)
{
    (void)w;
    long double z = y * x;
    if (z > 0.0L) return log1pl(-0.5L * erfcl(z * sqrtl(0.5L)));
    return -0.5L * z * z - HALF_LOG_TWO_PI_L + log_mills(-z);
}

static long double probit_slope(long double y, long double w, long double x)
{
    return y * expl(-0.5L * x * x - HALF_LOG_TWO_PI_L - probit_value(y, w, x));
}

static long double probit_rise(long double y, long double w, long double x, long double d)
{
    if (y * x > 0.0L || y * (x + d) > 0.0L) return probit_value(y, w, x + d) - probit_value(y, w, x);
    return -d * (x + 0.5L * d) + log_mills(-y * (x + d)) - log_mills(-y * x);
}

static long double cloglog_value(long double y, long double w, long double x)
{
    (void)w;
    return y < 0.0L ? -expl(x) : logl(-expm1l(-expl(x)));
}

static long double cloglog_slope(long double y, long double w, long double x)
{
    (void)w;
    return y < 0.0L ? -expl(x) : expl(x) / expm1l(expl(x));
}

static long double cloglog_rise(long double y, long double w, long double x, long double d)
{
    return y < 0.0L ? -expl(x) * expm1l(d) : cloglog_value(y, w, x + d) - cloglog_value(y, w, x);
}

/* ---- moments of the reference */

typedef struct problem {
    reference of;
    long double y, w, m, v;
    long double x0; /* the mode */
} problem;

static long double gradient(const problem *p, long double x)
{
    return p->of.slope(p->y, p->w, x) - (x - p->m) / p->v;
}

static void find_mode(problem *p)
{
    long double low = p->m - 1.0L, high = p->m + 1.0L;
    while (gradient(p, low) < 0.0L) low = high - 2.0L * (high - low);
    while (gradient(p, high) > 0.0L) high = low + 2.0L * (high - low);
    for (int i = 0; i < 200; i++) {
        long double x = 0.5L * (low + high);
        *(gradient(p, x) > 0.0L ? &low : &high) = x;
    }
    p->x0 = 0.5L * (low + high);
}

/* f(x0 + d) - f(x0) of f(x) = l(x) - (x - m)^2/(2 v). */
static long double relative_log(const problem *p, long double d)
{
    return p->of.rise(p->y, p->w, p->x0, d) - d * (p->x0 - p->m + 0.5L * d) / p->v;
}

static long double reach(const problem *p, long double sign)
{
    long double near = 0.0L, far = sqrtl(200.0L * p->v);
    for (int i = 0; i < 60; i++) {
        long double d = 0.5L * (near + far);
        *(relative_log(p, sign * d) > -90.0L ? &near : &far) = d;
    }
    return sign * far;
}

/* Add the moments of (d - centre)/scale over [a, b]: d = a + (b - a) q, q = 1/(1 + exp(-pi sinh s)). */
static void add_interval(const problem *p, long double a, long double b, long double h, long double centre,
                         long double scale, long double *moment)
{
    const long double pi = 3.14159265358979323846264338327950288L;
    int count = (int)(4.5L / h);
    for (int i = -count; i <= count; i++) {
        long double s = h * (long double)i, e = expl(-pi * sinhl(fabsl(s)));
        long double small = e / (1.0L + e), large = 1.0L / (1.0L + e);
        long double d = s < 0.0L ? a + (b - a) * small : b - (b - a) * small;
        long double term = h * (b - a) * small * large * pi * coshl(s) * expl(relative_log(p, d));
        for (int k = 0; k < 5; k++) {
            moment[k] += term;
            term *= (d - centre) / scale;
        }
    }
}

/* The range is cut at the mode, and at x = 0 and x = 3, where the likelihoods bend. */
static void moments(const problem *p, long double h, long double centre, long double scale,
                    long double *moment)
{
    long double left = reach(p, -1.0L), right = reach(p, 1.0L);
    long double cut[] = {left, 0.0L, right, -p->x0, 3.0L - p->x0};
    for (int i = 1; i < 5; i++)
        for (int j = i; j > 0 && cut[j] < cut[j - 1]; j--) {
            long double swap = cut[j];
            cut[j] = cut[j - 1];
            cut[j - 1] = swap;
        }
    for (int k = 0; k < 5; k++) moment[k] = 0.0L;
    for (int i = 0; i < 4; i++)
        if (cut[i] >= left && cut[i + 1] <= right && cut[i + 1] > cut[i])
            add_interval(p, cut[i], cut[i + 1], h, centre, scale, moment);
    for (int k = 4; k >= 0; k--) moment[k] /= k > 0 ? moment[0] : 1.0L;
}

/* What the tilted moments should be; rounding is the size of the parts that log_z is the sum of. */
typedef struct expectation {
    tw_tilted is;
    double sd, rounding;
} expectation;

static expectation expected(problem *p)
{
    long double raw[5], central[5], coarse[5];
    find_mode(p);
    moments(p, 1.0L / 64, 0.0L, 1.0L, raw);
    long double mean = raw[1], sd = sqrtl(raw[2] - mean * mean);
    moments(p, 1.0L / 64, mean, sd, central);
    moments(p, 1.0L / 32, mean, sd, coarse);
    coarse[0] /= central[0]; /* halving h squares the error, so 1e-10 here is far below 1e-14 in central */
    assert_close((double)coarse[0], 1.0, 1e-10, "normaliser of the reference");
    for (int k = 1; k < 5; k++)
        assert_close((double)coarse[k], (double)central[k], 1e-10, "moments of the reference");
    long double away = p->x0 - p->m, l0 = p->of.value(p->y, p->w, p->x0), energy = 0.5L * away * away / p->v;
    expectation e;
    e.is.log_z = (double)(l0 - energy - HALF_LOG_TWO_PI_L + logl(central[0] / sqrtl(p->v)));
    e.is.mean = (double)(p->x0 + mean);
    long double variance = sd * sd * central[2];
    e.is.variance = (double)variance;
    e.is.c3 = (double)(sd * sd * sd * central[3]);
    e.is.c4 = (double)(sd * sd * sd * sd * (central[4] - 3.0L * central[2] * central[2]));
    e.sd = (double)sd;
    e.rounding = DBL_EPSILON * (double)(fabsl(l0) + energy);
    return e;
}

static void assert_part(const problem *p, const char *part, double is, double want, double tolerance)
{
    char where[160];
    snprintf(where, sizeof where, "%s y=%g w=%g m=%g v=%g: %s", p->of.likelihood->name, (double)p->y,
             (double)p->w, (double)p->m, (double)p->v, part);
    assert_close(is, want, tolerance, where);
}

static void assert_moments(const problem *p, const tw_tilted *is, const expectation *want)
{
    double sd = want->sd, tolerance = 1e-10;
    assert_part(p, "log_z", is->log_z, want->is.log_z, tolerance + 8.0 * want->rounding);
    assert_part(p, "mean", is->mean, want->is.mean, tolerance * sd + 4.0 * DBL_EPSILON * fabs(want->is.mean));
    assert_part(p, "variance", is->variance, want->is.variance, tolerance * sd * sd);
    assert_part(p, "c3", is->c3, want->is.c3, tolerance * sd * sd * sd);
    assert_part(p, "c4", is->c4, want->is.c4, tolerance * sd * sd * sd * sd);
}

static const double MEANS[] = {-1e3, -120.0, -20.0, -5.3, -1.0, 0.0, 0.37, 2.0, 8.0, 19.0, 41.0, 1e3};
static const double VARIANCES[] = {1e-8, 1e-4, 0.03, 1.0, 17.0, 900.0, 1e6};

/* Every (m, v) for one observation: by the likelihood's own routine, and by quadrature of its terms. */
static void sweep(reference of, double y, double w)
{
    size_t worst = 0, evaluations;
    for (size_t i = 0; i < sizeof MEANS / sizeof MEANS[0]; i++)
        for (size_t j = 0; j < sizeof VARIANCES / sizeof VARIANCES[0]; j++) {
            double m = MEANS[i], v = VARIANCES[j];
            problem p = {.of = of, .y = y, .w = w, .m = m, .v = v};
            expectation want = expected(&p);
            tw_tilted own, generic;
            assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(of.likelihood, y, w), 0, m, v, &own), TW_OK);
            assert_moments(&p, &own, &want);
            assert_int_equal(
                tw_tilted_by_quadrature(OBSERVED_ONE(of.likelihood, y, w), 0, m, v, &generic, &evaluations),
                TW_OK);
            assert_moments(&p, &generic, &want);
            if (evaluations > worst) worst = evaluations;
        }
    assert_in_range(worst, 1, 1000);
}

static void probit_moments_are_exact(void **state)
{
    (void)state;
    reference probit = {&tw_likelihood_probit, probit_value, probit_slope, probit_rise};
    sweep(probit, 1.0, 1.0);
    sweep(probit, -1.0, 1.0);
}

static void logit_moments_are_exact(void **state)
{
    (void)state;
    reference logit = {&tw_likelihood_logit, logit_value, logit_slope, logit_rise};
    sweep(logit, 1.0, 1.0);
    sweep(logit, -1.0, 1.0);
}

static void poisson_moments_are_exact(void **state)
{
    (void)state;
    reference poisson = {&tw_likelihood_poisson, poisson_value, poisson_slope, poisson_rise};
    sweep(poisson, 0.0, 1.0);
    sweep(poisson, 1.0, 0.3);
    sweep(poisson, 7.0, 1.0);
    sweep(poisson, 350.0, 1e3);
    sweep(poisson, 1e6, 1.0);
}

static void gaussian_moments_are_exact(void **state)
{
    (void)state;
    reference gaussian = {&tw_likelihood_gaussian, gaussian_value, gaussian_slope, gaussian_rise};
    sweep(gaussian, 0.7, 1.3);
    sweep(gaussian, -40.0, 1e-3);
    sweep(gaussian, 3.0, 250.0);
}

static void a_likelihood_of_a_user_needs_no_tilted_of_its_own(void **state)
{
    (void)state;
    reference cloglog = {&cloglog_likelihood, cloglog_value, cloglog_slope, cloglog_rise};
    assert_null(cloglog_likelihood.tilted);
    sweep(cloglog, 1.0, 1.0);
    sweep(cloglog, -1.0, 1.0);
}

/* z = -1000 and v = 1e6: to leading order u = 1/t, 1 - lambda = 1/t^2, so the variance is near 2 where the
 * two terms of v - v^2 lambda/(1 + v) are 1e6. Both to 1e-11, from the continued fraction. */
static void probit_in_deep_conflict_keeps_its_digits(void **state)
{
    (void)state;
    reference probit = {&tw_likelihood_probit, probit_value, probit_slope, probit_rise};
    problem p = {.of = probit, .y = 1.0L, .w = 1.0L, .m = -1e6L, .v = 1e6L};
    expectation want = expected(&p);
    tw_tilted is;
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(&tw_likelihood_probit, 1.0, 1.0), 0, -1e6, 1e6, &is),
                     TW_OK);
    assert_moments(&p, &is, &want);
    long double t = 1e6L / sqrtl(1.0L + 1e6L), tail = t;
    for (int k = 200; k > 1; k--) tail = t + (long double)k / tail;
    long double u = 1.0L / tail, lambda = u * (t + u);
    assert_close(is.variance, (double)(1e6L - 1e12L * lambda / (1.0L + 1e6L)), 1e-11, "variance");
    assert_close(is.mean, (double)(-1e6L + 1e6L * (t + u) / sqrtl(1.0L + 1e6L)), 1e-11, "mean");
}

/* A likelihood of width 1 inside a prior of standard deviation 10 to 1e6, from the mode's own layer to a
 * cliff six deviations away: quadrature against the closed form. Without the graded panels this is off by
 * 1e-4. */
static void a_layer_far_narrower_than_the_prior_is_found(void **state)
{
    (void)state;
    for (int j = 2; j <= 12; j++)
        for (int i = -84; i <= 84; i++) {
            double v = pow(10.0, j), place = 0.0713 * i;
            problem p = {.of = {.likelihood = &tw_likelihood_probit}, .y = 1.0L, .w = 1.0L, .v = v};
            double m = place * sqrt(v);
            expectation want = {.rounding = DBL_EPSILON * place * place};
            tw_tilted is;
            p.m = m;
            assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(p.of.likelihood, 1.0, 1.0), 0, m, v, &want.is),
                             TW_OK);
            assert_int_equal(
                tw_tilted_by_quadrature(OBSERVED_ONE(p.of.likelihood, 1.0, 1.0), 0, m, v, &is, NULL), TW_OK);
            want.sd = sqrt(want.is.variance);
            assert_moments(&p, &is, &want);
        }
}

/* Moments to the fourth come from equally spaced nodes where those say that they are enough, beyond it all come from panels: two
 * rules that share no node, over priors of every width and places where the layer is just not seen. */
static void even_nodes_and_panels_agree(void **state)
{
    (void)state;
    static const char *const names[] = {"logit", "poisson", "poisson", "poisson", "binomial"};
    static const double y[] = {-1.0, 0.0, 2.0, 60.0, 3.0}, w[] = {1.0, 1.0, 0.2, 5.0, 7.0};
    for (int i = 0; i < 5 * 400; i++) {
        reference of = {.likelihood = tw_likelihood_find(names[i % 5])};
        double v = pow(10.0, -2.0 + 6.0 * i / 2000.0), m = sqrt(v) * 8.0 * sin(1.7 * i), c[6];
        problem p = {.of = of, .y = y[i % 5], .w = w[i % 5], .m = m, .v = v};
        const tw_observations *o = OBSERVED_ONE(of.likelihood, y[i % 5], w[i % 5]);
        tw_tilted even;
        assert_int_equal(tw_tilted_by_quadrature(o, 0, m, v, &even, NULL), TW_OK);
        assert_int_equal(tw_cumulants_by_quadrature(o, 0, m, v, 5, c, NULL), TW_OK);
        expectation panels = {.is = {c[0], c[1], c[2], c[3], c[4]}, .sd = sqrt(c[2])};
        panels.rounding = DBL_EPSILON * (fabs(c[0]) + (c[1] - m) * (c[1] - m) / v);
        assert_moments(&p, &even, &panels);
    }
}

static void nan_terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                      double *dlambda)
{
    (void)x;
    for (size_t i = 0; i < o->n; i++) value[i] = slope[i] = lambda[i] = dlambda[i] = NAN;
}

static void what_has_no_moments_is_refused(void **state)
{
    (void)state;
    tw_likelihood broken = {.name = "broken", .terms = nan_terms};
    tw_tilted is;
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(&broken, 0.0, 1.0), 0, 0.0, 1.0, &is),
                     TW_NUMERICAL_FAILURE);
    const tw_likelihood *probit = &tw_likelihood_probit;
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, 0.0, 0.0, &is), TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, 0.0, -1.0, &is),
                     TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, 0.0, NAN, &is), TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, INFINITY, 1.0, &is),
                     TW_BAD_ARGUMENT);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, 1e300, 1e-300, &is), TW_OK);
    assert_int_equal(tw_likelihood_tilted(OBSERVED_ONE(probit, 1.0, 1.0), 0, -1e300, 1e-300, &is),
                     TW_NUMERICAL_FAILURE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probit_moments_are_exact),
        cmocka_unit_test(logit_moments_are_exact),
        cmocka_unit_test(poisson_moments_are_exact),
        cmocka_unit_test(gaussian_moments_are_exact),
        cmocka_unit_test(a_likelihood_of_a_user_needs_no_tilted_of_its_own),
        cmocka_unit_test(probit_in_deep_conflict_keeps_its_digits),
        cmocka_unit_test(a_layer_far_narrower_than_the_prior_is_found),
        cmocka_unit_test(even_nodes_and_panels_agree),
        cmocka_unit_test(what_has_no_moments_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
