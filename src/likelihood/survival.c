/* survival.c: times until an event, some of them censored on the right, with the survival function
 *
 *   S(t) = exp(-mu),   mu = exp(x) t^k,
 *
 *   exponential   k = 1
 *   weibull       k is the parameter `shape`, phi = log k.
 *
 * An event (censored = 0) has the density -dS/dt; a case that is censored at t (censored = 1) has S(t). With
 * d = 1 - censored,
 *   l = d (x + log k + (k - 1) log t) - mu,   l' = d - mu,   lambda = dlambda = mu,
 * and since dk/dphi = k, with g = k log t:   dl/dphi = d (1 + g) - g mu,   dl'/dphi = -g mu,
 * dlambda/dphi = g mu. It is log-concave. If mu overflows, l is -inf, and no result is NaN.
 *
 * The smoothed curvature exp(s2/2) mu is that of the averaged log-likelihood, as for counts. Expected
 * information: exp(x) T^k is an exponential variable with mean 1, so an event has 1; a case censored at t has
 * the probability of an event before t, 1 - S(t), with slope mu S(t). Tilted moments come from quadrature.
 * Predictions are of the time of the event, observed or not: E[T | x] = exp(-x/k) Gamma(1 + 1/k). With an
 * offset, x means x + offset.
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/gamma.h"
#include "math/vector.h"

enum { CENSORED, OFFSET, SHAPE = 0, CHUNK = 256 };

static const tw_column COLUMNS[] = {
    {.name = "censored",
     .default_value = 0.0,
     .range = TW_RANGE_FLAG,
     .help = "1 if the event is after the time y (censored), 0 if y is the time of the event"},
    TW_OFFSET_COLUMN};
static const tw_parameter PARAMETERS[] = {
    {.name = "shape",
     .transform = TW_TRANSFORM_LOG,
     .initial = 1.0,
     .help = "S(t) = exp(-e^x t^shape); above 1 the hazard increases with time"}};

static bool supports(const tw_observations *o, size_t i)
{
    return o->y[i] > 0.0 && isfinite(o->y[i]);
}

static double shape_of(const tw_observations *o)
{
    return o->likelihood->parameters > 0 ? tw_observations_parameter(o, SHAPE) : 1.0;
}

/* A chunk of sites: x, k log t, mu, and 1 - censored. */
typedef struct chunk {
    size_t n;
    double x[CHUNK], power[CHUNK], mu[CHUNK], event[CHUNK];
} chunk;

static void load_chunk(const tw_observations *o, size_t start, const double *x, const double *s2, chunk *c)
{
    double shape = shape_of(o);
    c->n = tw_chunk(o->n, start, CHUNK);
    for (size_t i = 0; i < c->n; i++) {
        c->power[i] = shape * log(o->y[start + i]);
        c->x[i] = x[start + i] + tw_column_at(o, OFFSET, start + i);
        c->mu[i] = c->x[i] + c->power[i] + (s2 ? 0.5 * s2[start + i] : 0.0);
        c->event[i] = 1.0 - tw_column_at(o, CENSORED, start + i);
    }
    tw_vector_exp(c->n, c->mu, c->mu);
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double log_shape = log(shape_of(o));
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, NULL, &c);
        for (size_t j = 0; j < c.n; j++) {
            size_t i = start + j;
            if (value) value[i] = c.event[j] * (c.x[j] + log_shape + c.power[j] - log(o->y[i])) - c.mu[j];
            if (slope) slope[i] = c.event[j] - c.mu[j];
            if (lambda) lambda[i] = c.mu[j];
            if (dlambda) dlambda[i] = c.mu[j];
        }
    }
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    chunk c;
    (void)k;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, NULL, &c);
        for (size_t j = 0; j < c.n; j++) {
            double g = c.power[j], part = g == 0.0 ? 0.0 : g * c.mu[j]; /* mu may be infinite */
            if (value) value[start + j] = c.event[j] * (1.0 + g) - part;
            if (slope) slope[start + j] = -part;
            if (lambda) lambda[start + j] = part;
        }
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, s2, &c);
        for (size_t j = 0; lambda && j < c.n; j++) lambda[start + j] = c.mu[j];
        for (size_t j = 0; dlambda && j < c.n; j++) dlambda[start + j] = c.mu[j];
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, NULL, &c);
        for (size_t j = 0; j < c.n; j++) {
            bool event = c.event[j] > 0.0;
            double fall = c.mu[j] < 800.0 ? c.mu[j] * exp(-c.mu[j]) : 0.0;
            if (lambda) lambda[start + j] = event ? 1.0 : -expm1(-c.mu[j]);
            if (dlambda) dlambda[start + j] = event ? 0.0 : fall;
        }
    }
}

/* With G_j = Gamma(1 + j/k) and x ~ N(m, v): E[T] = G_1 exp(-m/k + v/(2 k^2)) and
 * var T = exp(-2 m/k + v/k^2) (G_2 exp(v/k^2) - G_1^2). */
static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double k = shape_of(o), within = v / (k * k);
    double first = exp(tw_log_rising(1.0, 1.0 / k)), second = exp(tw_log_rising(1.0, 2.0 / k));
    double spread = second * exp(within) - first * first;
    for (size_t i = 0; i < o->n; i++) {
        double scale = exp(-(m[i] + tw_column_at(o, OFFSET, i)) / k + 0.5 * within);
        if (mean) mean[i] = first * scale;
        if (variance) variance[i] = scale * scale * spread;
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_exponential = {
    .name = "exponential",
    .support = "a time > 0",
    .columns = 2,
    .column = COLUMNS,
    .supports = supports,
    .terms = terms,
    .smoothed = smoothed,
    .fisher = fisher,
    .expect = expect,
    .predict = predict,
};

const tw_likelihood tw_likelihood_weibull = {
    .name = "weibull",
    .support = "a time > 0",
    .columns = 2,
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
