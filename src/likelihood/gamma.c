/* gamma.c: positive measurements whose standard deviation is proportional to their mean, y ~ Gamma with shape
 * k and mean exp(x):
 *
 *   p(y | x) = k^k y^(k-1) exp(-k x) exp(-k y exp(-x)) / Gamma(k).
 *
 * k is the parameter `shape`, phi = log k; the coefficient of variation of y is k^-1/2. With u = log y - x
 * and r = exp(u):
 *   l = -k (r - 1 - u) - log y + c(k),   c(k) = k log k - k - log Gamma(k)
 *   l' = k (r - 1),   lambda = k r,   dlambda = -k r
 *   dl/dphi = -k (r - 1 - u) + k (log k - digamma(k)),   dl'/dphi = k (r - 1),   dlambda/dphi = k r
 * It is log-concave. This form avoids the cancellation of terms of size k log k: for large k, Stirling's
 * series gives c(k) and its derivative. If r overflows, l is -inf, and no result is NaN.
 *
 * The expected information is the constant k. The smoothed curvature k r exp(s2/2) is that of the averaged
 * log-likelihood. Tilted moments come from quadrature. If x is N(m, v), y has mean exp(m + v/2) and variance
 * exp(2 m + v) (exp(v) (1 + 1/k) - 1). With an offset, x means x + offset.
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/vector.h"

enum { OFFSET, SHAPE = 0, CHUNK = 256 };

static const double LARGE_SHAPE = 16.0; /* use Stirling's series from here on (math/gamma.h) */

static const tw_column COLUMNS[] = {TW_OFFSET_COLUMN};
static const tw_parameter PARAMETERS[] = {
    {.name = "shape",
     .transform = TW_TRANSFORM_LOG,
     .initial = 1.0,
     .help = "the shape of the gamma distribution; the coefficient of variation of y is shape^-1/2"}};

static bool supports(const tw_observations *o, size_t i)
{
    return o->y[i] > 0.0 && isfinite(o->y[i]);
}

/* c(k) = k log k - k - log Gamma(k) */
static double normaliser(double k)
{
    if (k >= LARGE_SHAPE) return 0.5 * log(k) - TW_HALF_LOG_TWO_PI - tw_stirling_error(k);
    return (k + 1.0) * log(k) - k - tw_log_rising(1.0, k);
}

/* dc/dphi = k (log k - digamma(k)); for large k the asymptotic series 1/2 + 1/(12 k) - 1/(120 k^3) + ... */
static double d_normaliser(double k)
{
    const double euler = 0.57721566490153286061;
    if (k < LARGE_SHAPE) return k * (log(k) + euler - tw_d_log_rising(1.0, k)) + 1.0;
    double t = 1.0 / (k * k);
    return 0.5 +
           (1.0 / 12.0 - t * (1.0 / 120.0 - t * (1.0 / 252.0 - t * (1.0 / 240.0 - t * 5.0 / 660.0)))) / k;
}

/* A chunk of sites: u = log y - x, and r = exp(u + s2/2) (s2 = 0 if NULL). */
typedef struct chunk {
    size_t n;
    double u[CHUNK], r[CHUNK];
} chunk;

static void load_chunk(const tw_observations *o, size_t start, const double *x, const double *s2, chunk *c)
{
    c->n = tw_chunk(o->n, start, CHUNK);
    for (size_t j = 0; j < c->n; j++) {
        size_t i = start + j;
        c->u[j] = log(o->y[i]) - x[i] - tw_column_at(o, OFFSET, i);
        c->r[j] = c->u[j] + (s2 ? 0.5 * s2[i] : 0.0);
    }
    tw_vector_exp(c->n, c->r, c->r);
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double k = tw_observations_parameter(o, SHAPE), constant = normaliser(k);
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, NULL, &c);
        for (size_t j = 0; j < c.n; j++) {
            size_t i = start + j;
            if (value) value[i] = constant - log(o->y[i]) - k * (c.r[j] - 1.0 - c.u[j]);
            if (slope) slope[i] = k * (c.r[j] - 1.0);
            if (lambda) lambda[i] = k * c.r[j];
            if (dlambda) dlambda[i] = -k * c.r[j];
        }
    }
}

static void d_parameter(const tw_observations *o, size_t parameter, const double *x, double *value,
                        double *slope, double *lambda)
{
    double k = tw_observations_parameter(o, SHAPE), constant = d_normaliser(k);
    chunk c;
    (void)parameter;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, NULL, &c);
        for (size_t j = 0; j < c.n; j++) {
            if (value) value[start + j] = constant - k * (c.r[j] - 1.0 - c.u[j]);
            if (slope) slope[start + j] = k * (c.r[j] - 1.0);
            if (lambda) lambda[start + j] = k * c.r[j];
        }
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double k = tw_observations_parameter(o, SHAPE);
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, s2, &c);
        for (size_t j = 0; lambda && j < c.n; j++) lambda[start + j] = k * c.r[j];
        for (size_t j = 0; dlambda && j < c.n; j++) dlambda[start + j] = -k * c.r[j];
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    (void)x;
    for (size_t i = 0; lambda && i < o->n; i++) lambda[i] = tw_observations_parameter(o, SHAPE);
    for (size_t i = 0; dlambda && i < o->n; i++) dlambda[i] = 0.0;
}

static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double k = tw_observations_parameter(o, SHAPE), spread = expm1(v) + exp(v) / k;
    for (size_t i = 0; i < o->n; i++) {
        double scale = exp(m[i] + tw_column_at(o, OFFSET, i) + 0.5 * v);
        if (mean) mean[i] = scale;
        if (variance) variance[i] = scale * scale * spread;
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_gamma = {
    .name = "gamma",
    .support = "a number > 0",
    .columns = 1,
    .column = COLUMNS,
    .parameters = 1,
    .parameter = PARAMETERS,
    .supports = supports,
    .terms = terms,
    .d_parameter = d_parameter,
    .smoothed = smoothed,
    .fisher = fisher,
    .expect = expect,
    .predict = predict,
};
