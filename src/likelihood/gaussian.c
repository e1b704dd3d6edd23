/* gaussian.c: p(y | x) = N(y; x, s^2). The standard deviation s of the noise is the parameter `noise`,
 * phi = log s, or the column `noise` if it is known for each observation.
 *
 * With d = (y - x)/s: l = -d^2/2 - log s - log(2 pi)/2, l' = d/s, lambda = 1/s^2, dlambda = 0. Since
 * ds/dphi = s, dl/dphi = d^2 - 1, dl'/dphi = -2 d/s, dlambda/dphi = -2/s^2 (0 with a column). The average
 * over N(x, s2) is N(y; x, s^2 + s2), so the smoothed curvature 1/(s^2 + s2) is exact. The tilted
 * distribution is Gaussian, with Z = N(y; m, v + s^2).
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"

enum { NOISE, CHUNK = 256 };

static const tw_column COLUMNS[] = {{.name = "noise",
                                     .default_value = 1.0,
                                     .range = TW_RANGE_POSITIVE,
                                     .help = "the standard deviation of the noise of each case"}};
static const tw_parameter PARAMETERS[] = {{.name = "noise",
                                           .transform = TW_TRANSFORM_LOG,
                                           .initial = 1.0,
                                           .in_units_of_y = true,
                                           .help = "the standard deviation of the noise, in units of y"}};

static bool supports(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

/* s of observation i, given the parameter. */
static double noise_at(const tw_observations *o, double parameter, size_t i)
{
    return o->column[NOISE] ? o->column[NOISE][i] : parameter;
}

/* One noise for all observations: compute its reciprocal once, to keep divisions out of the loops. */
static void terms_of_one(const tw_observations *o, double s, const double *x, double *value, double *slope,
                         double *lambda)
{
    double inverse = 1.0 / s, square = inverse * inverse, constant = -log(s) - TW_HALF_LOG_TWO_PI;
    for (size_t i = 0; value && i < o->n; i++) {
        double d = (o->y[i] - x[i]) * inverse;
        value[i] = constant - 0.5 * d * d;
    }
    for (size_t i = 0; slope && i < o->n; i++) slope[i] = (o->y[i] - x[i]) * inverse * inverse;
    for (size_t i = 0; lambda && i < o->n; i++) lambda[i] = square;
}

static void terms_of_each(const tw_observations *o, const double *x, double *value, double *slope,
                          double *lambda)
{
    for (size_t i = 0; i < o->n; i++) {
        double s = o->column[NOISE][i], d = (o->y[i] - x[i]) / s;
        if (value) value[i] = -0.5 * d * d - log(s) - TW_HALF_LOG_TWO_PI;
        if (slope) slope[i] = d / s;
        if (lambda) lambda[i] = 1.0 / (s * s);
    }
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    if (o->column[NOISE])
        terms_of_each(o, x, value, slope, lambda);
    else
        terms_of_one(o, tw_observations_parameter(o, NOISE), x, value, slope, lambda);
    for (size_t i = 0; dlambda && i < o->n; i++) dlambda[i] = 0.0;
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    (void)k;
    double s = tw_observations_parameter(o, NOISE), counts = o->column[NOISE] ? 0.0 : 1.0;
    for (size_t i = 0; i < o->n; i++) {
        double d = (o->y[i] - x[i]) / s;
        if (value) value[i] = counts * (d - 1.0) * (d + 1.0);
        if (slope) slope[i] = counts * -2.0 * d / s;
        if (lambda) lambda[i] = counts * -2.0 / (s * s);
    }
}

/* The mean is computed from the nearer of m and y, so that it stays accurate if the noise or the prior is
 * very narrow. */
static tw_status tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    double y = o->y[i], s = noise_at(o, tw_observations_parameter(o, NOISE), i);
    double noise = s * s, total = v + noise, d = y - m;
    out->log_z = -0.5 * d * (d / total) - 0.5 * log(total) - TW_HALF_LOG_TWO_PI;
    out->mean = v <= noise ? m + d * (v / total) : y - d * (noise / total);
    out->variance = v * (noise / total);
    out->c3 = 0.0;
    out->c4 = 0.0;
    return TW_OK;
}

/* log N(y; m, s^2 + v): the terms with another noise. */
static void marginal(const tw_observations *o, const double *m, double v, double *log_p)
{
    double noise[CHUNK], parameter = tw_observations_parameter(o, NOISE);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        for (size_t i = 0; i < part.n; i++) {
            double s = noise_at(&part, parameter, i);
            noise[i] = sqrt(s * s + v);
        }
        part.column[NOISE] = noise;
        terms(&part, m + start, log_p + start, NULL, NULL, NULL);
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    (void)x;
    double parameter = tw_observations_parameter(o, NOISE);
    for (size_t i = 0; i < o->n; i++) {
        double s = noise_at(o, parameter, i);
        if (lambda) lambda[i] = 1.0 / (s * s + s2[i]);
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* The curvature does not depend on y, so its expectation is the curvature. */
static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    terms(o, x, NULL, NULL, lambda, dlambda);
}

/* Mean m, variance v + s^2. */
static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double parameter = tw_observations_parameter(o, NOISE);
    for (size_t i = 0; i < o->n; i++) {
        double s = noise_at(o, parameter, i);
        if (mean) mean[i] = m[i];
        if (variance) variance[i] = v + s * s;
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_gaussian = {
    .name = "gaussian",
    .support = "a finite number",
    .columns = 1,
    .column = COLUMNS,
    .parameters = 1,
    .parameter = PARAMETERS,
    .supports = supports,
    .terms = terms,
    .d_parameter = d_parameter,
    .tilted = tilted,
    .marginal = marginal,
    .smoothed = smoothed,
    .fisher = fisher,
    .expect = expect,
    .predict = predict,
};
