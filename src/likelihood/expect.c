/* expect.c: mean and variance of an observation whose latent value is N(m, v).
 *
 * For two classes, p = int p(+1 | x) N(x; m, v) dx is the normaliser of a tilted distribution. The mean is
 * reported as p, and the variance of y in {-1, +1} is 4 p (1 - p).
 *
 * Other likelihoods have a closed form or, with mu(x) and s(x) the mean and variance of y given x, use
 * quadrature:
 *   mean = int mu(x) N(x; m, v) dx,      variance = int (s(x) + (mu(x) - mean)^2) N(x; m, v) dx,
 * where x = m + sqrt(v) z, and z extends outwards, one unit at a time, until the integral no longer changes.
 * mu may grow (like exp(x)), so that most of the integral may come from z where N(z; 0, 1) alone is
 * negligible.
 */
#include <float.h>
#include <math.h>

#include "base/context.h"
#include "likelihood/likelihood.h"
#include "math/quadrature.h"

enum { CHUNK = 256, NODES = TW_QUADRATURE_NODES, LEAST_REACH = 9, MOST_REACH = 200, LOOKS = 25 };

static const double TOLERANCE = 1e-13; /* of a panel, relative to the largest integrand in size_of() */
static const double INV_SQRT_TWO_PI = 0.39894228040143267794;

/* ---- two classes ---- */

/* log p(+1), by quadrature if v > 0 and the likelihood has no formula. */
static tw_status log_plus(const tw_observations *plus, const double *m, double v, double *log_p)
{
    const tw_likelihood *likelihood = plus->likelihood;
    tw_tilted tilted;
    if (v == 0.0) {
        likelihood->terms(plus, m, log_p, NULL, NULL, NULL);
        return TW_OK;
    }
    for (size_t i = 0; i < plus->n; i++) {
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arrays have o->n numbers */
        TW_TRY(tw_likelihood_tilted(plus, i, m[i], v, &tilted));
        log_p[i] = tilted.log_z;
    }
    return TW_OK;
}

static tw_status expect_two(const tw_observations *o, const double *m, double v, double *mean,
                            double *variance)
{
    double y[CHUNK], log_p[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations plus = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        for (size_t i = 0; i < plus.n; i++) y[i] = 1.0;
        plus.y = y;
        TW_TRY(log_plus(&plus, m + start, v, log_p));
        for (size_t i = 0; i < plus.n; i++) {
            double p = exp(log_p[i]);
            if (mean) mean[start + i] = p;
            if (variance) variance[start + i] = 4.0 * p * (1.0 - p);
        }
    }
    return TW_OK;
}

/* ---- quadrature ---- */

/* One observation, repeated for the nodes of a panel, and the choice of the integrand. */
typedef struct site {
    tw_observations all;
    double m, sd;
    double centre; /* NaN: integrate mu(x); otherwise s(x) + (mu(x) - centre)^2 */
} site;

static void integrand(void *user, size_t n, const double *z, double *f)
{
    const site *s = user;
    double x[NODES] = {0.0}, mean[NODES], variance[NODES];
    tw_observations nodes = s->all;
    nodes.n = n;
    for (size_t i = 0; i < n; i++) x[i] = s->m + s->sd * z[i];
    nodes.likelihood->expect(&nodes, x, mean, variance);
    for (size_t i = 0; i < n; i++) {
        double away = mean[i] - s->centre, value = isnan(s->centre) ? mean[i] : variance[i] + away * away;
        f[i] = INV_SQRT_TWO_PI * exp(-0.5 * z[i] * z[i]) * value;
    }
}

/* The largest |integrand| at z = -6, -5.5, ..., 6. */
static double size_of(site *s)
{
    double largest = 0.0;
    for (int i = 0; i < LOOKS; i++) {
        int halves = i - LOOKS / 2;
        double z = 0.5 * halves, f;
        integrand(s, 1, &z, &f);
        largest = fmax(largest, fabs(f));
    }
    return largest;
}

/* Add the integral over one side of z = 0, outwards until it no longer changes. */
static bool integrate_side(site *s, double side, double tolerance, double *sum)
{
    double before = *sum;
    for (int k = 0; k < MOST_REACH; k++) {
        double near = side * k, far = side * (k + 1), edge[2] = {fmin(near, far), fmax(near, far)};
        tw_quadrature panel = tw_quadrature_moments(integrand, s, 1, 1, edge, tolerance);
        *sum += panel.moment[0];
        if (!panel.converged || !isfinite(*sum)) return false;
        if (k >= LEAST_REACH && fabs(panel.moment[0]) <= fmax(DBL_EPSILON * fabs(*sum - before), tolerance))
            return true;
    }
    return false;
}

static tw_status integrate(site *s, double *out)
{
    double tolerance = TOLERANCE * size_of(s);
    *out = 0.0;
    if (!isfinite(tolerance)) return TW_NUMERICAL_FAILURE;
    return integrate_side(s, -1.0, tolerance, out) && integrate_side(s, 1.0, tolerance, out)
               ? TW_OK
               : TW_NUMERICAL_FAILURE;
}

static tw_status by_quadrature(const tw_observations *o, size_t i, double m, double v, double *mean,
                               double *variance)
{
    double room[(1 + TW_COLUMNS) * NODES], centre;
    site s = {.all = tw_observations_repeat(o, i, NODES, room), .m = m, .sd = sqrt(v), .centre = NAN};
    TW_TRY(integrate(&s, &centre));
    if (mean) *mean = centre;
    s.centre = centre;
    return variance ? integrate(&s, variance) : TW_OK;
}

/* ---- all likelihoods ---- */

static double *at(double *array, size_t i)
{
    return array ? array + i : NULL;
}

static tw_status expect_any(const tw_observations *o, const double *m, double v, double *mean,
                            double *variance)
{
    const tw_likelihood *likelihood = o->likelihood;
    if (likelihood->predict)
        likelihood->predict(o, m, v, mean, variance);
    else if (v == 0.0 && likelihood->expect)
        likelihood->expect(o, m, mean, variance);
    else if (likelihood->expect)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arrays have o->n numbers */
        for (size_t i = 0; i < o->n; i++) TW_TRY(by_quadrature(o, i, m[i], v, at(mean, i), at(variance, i)));
    else
        return TW_BAD_ARGUMENT;
    return TW_OK;
}

tw_status tw_likelihood_expect(const tw_observations *observed, const double *m, double v, double *mean,
                               double *variance)
{
    if (observed->likelihood->two_classes)
        TW_TRY(expect_two(observed, m, v, mean, variance));
    else
        TW_TRY(expect_any(observed, m, v, mean, variance));
    for (size_t i = 0; i < observed->n; i++)
        /* NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): the arrays have o->n numbers */
        if ((mean && isnan(mean[i])) || (variance && isnan(variance[i]))) return TW_NUMERICAL_FAILURE;
    return TW_OK;
}

static const double ENDS[4] = {-800.0, -400.0, 400.0, 800.0};

/* Finite and constant at either end. */
static bool is_flat(const double far[4])
{
    return isfinite(far[0]) && isfinite(far[3]) && far[0] == far[1] && far[2] == far[3];
}

bool tw_expect_is_bounded(const tw_observations *o, size_t i)
{
    double mean[4] = {0};
    return o->likelihood->two_classes ||
           (tw_expect_many(o, i, 0.0, 4, ENDS, mean, NULL) == TW_OK && is_flat(mean));
}

bool tw_variance_is_bounded(const tw_observations *o, size_t i)
{
    double mean[4] = {0}, variance[4] = {0};
    return o->likelihood->two_classes ||
           (tw_expect_many(o, i, 0.0, 4, ENDS, mean, variance) == TW_OK && is_flat(variance));
}

bool tw_expect_has_either_sign(const tw_observations *o, size_t i)
{
    static const double far[2] = {-800.0, 800.0};
    double mean[2] = {0};
    return tw_expect_many(o, i, 0.0, 2, far, mean, NULL) == TW_OK && fmin(mean[0], mean[1]) < 0.0;
}

bool tw_likelihood_has_mean(const tw_observations *observed)
{
    return !observed->likelihood->has_mean || observed->likelihood->has_mean(observed);
}

tw_status tw_expect_many(const tw_observations *o, size_t i, double v, size_t count, const double *m,
                         double *mean, double *variance)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    tw_observations all = tw_observations_repeat(o, i, CHUNK, room);
    for (size_t start = 0; start < count; start += CHUNK) {
        tw_observations part = tw_observations_part(&all, 0, tw_chunk(count, start, CHUNK));
        TW_TRY(tw_likelihood_expect(&part, m + start, v, at(mean, start), at(variance, start)));
    }
    return TW_OK;
}

tw_status tw_likelihood_check_expect(tw_context *ctx, const tw_likelihood *likelihood)
{
    if (likelihood->two_classes || likelihood->expect || likelihood->predict) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "the likelihood %s cannot predict observations: define `expect` in its table, the mean "
                   "and variance of y given x",
                   likelihood->name);
}

const char *tw_likelihood_expects(const tw_likelihood *likelihood)
{
    return likelihood->two_classes ? "probability" : "y_mean";
}
