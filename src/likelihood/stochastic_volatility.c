/* stochastic_volatility.c: p(y | x) = N(y; 0, s^2 exp(x)): x is the log variance, for example of a price's
 * daily returns (Taylor 1982). s is the parameter `scale`, phi = log s, the standard deviation of y at x = 0.
 *
 * With a = (y/s)^2 exp(-x)/2 >= 0:
 *   l = -x/2 - a - log s - log(2 pi)/2,   l' = a - 1/2,   lambda = a,   dlambda = -a
 *   dl/dphi = 2 a - 1,   dl'/dphi = -2 a,   dlambda/dphi = -2 a
 * It is log-concave; y = 0 has no curvature. If exp(-x) overflows, l is -inf, and no result is NaN.
 *
 * The expected information is the constant 1/2. The smoothed curvature a exp(s2/2) is that of the averaged
 * log-likelihood E[l(x + s2^1/2 e)]. Tilted moments come from quadrature. y has mean 0 and, if x is N(m, v),
 * variance s^2 exp(m + v/2).
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/vector.h"

enum { SCALE, CHUNK = 256 };

static const tw_parameter PARAMETERS[] = {{.name = "scale",
                                           .transform = TW_TRANSFORM_LOG,
                                           .initial = 1.0,
                                           .in_units_of_y = true,
                                           .help = "the standard deviation of y where x = 0, in units of y"}};

static bool supports(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

/* a for at most CHUNK observations, with x - more/2 for x (more = 0 if NULL). */
static void half_squares(const tw_observations *o, const double *x, const double *more, double *a)
{
    double s = tw_observations_parameter(o, SCALE);
    for (size_t i = 0; i < o->n; i++) a[i] = (more ? 0.5 * more[i] : 0.0) - x[i];
    tw_vector_exp(o->n, a, a);
    for (size_t i = 0; i < o->n; i++) {
        double d = o->y[i] / s;
        a[i] = d == 0.0 ? 0.0 : 0.5 * d * d * a[i];
    }
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double a[CHUNK], constant = -log(tw_observations_parameter(o, SCALE)) - TW_HALF_LOG_TWO_PI;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        half_squares(&part, x + start, NULL, a);
        for (size_t i = 0; value && i < part.n; i++) value[start + i] = constant - 0.5 * x[start + i] - a[i];
        for (size_t i = 0; slope && i < part.n; i++) slope[start + i] = a[i] - 0.5;
        for (size_t i = 0; lambda && i < part.n; i++) lambda[start + i] = a[i];
        for (size_t i = 0; dlambda && i < part.n; i++) dlambda[start + i] = -a[i];
    }
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    double a[CHUNK];
    (void)k;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        half_squares(&part, x + start, NULL, a);
        for (size_t i = 0; value && i < part.n; i++) value[start + i] = 2.0 * a[i] - 1.0;
        for (size_t i = 0; slope && i < part.n; i++) slope[start + i] = -2.0 * a[i];
        for (size_t i = 0; lambda && i < part.n; i++) lambda[start + i] = -2.0 * a[i];
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double a[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        half_squares(&part, x + start, s2 + start, a);
        for (size_t i = 0; lambda && i < part.n; i++) lambda[start + i] = a[i];
        for (size_t i = 0; dlambda && i < part.n; i++) dlambda[start + i] = -a[i];
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    (void)x;
    for (size_t i = 0; lambda && i < o->n; i++) lambda[i] = 0.5;
    for (size_t i = 0; dlambda && i < o->n; i++) dlambda[i] = 0.0;
}

static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double s = tw_observations_parameter(o, SCALE);
    for (size_t i = 0; mean && i < o->n; i++) mean[i] = 0.0;
    for (size_t i = 0; variance && i < o->n; i++) variance[i] = s * s * exp(m[i] + 0.5 * v);
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_stochastic_volatility = {
    .name = "stochastic_volatility",
    .support = "a finite number",
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
