/* poisson.c: p(y | x) = mu^y exp(-mu)/y!, y = 0, 1, 2, ..., with rate mu = w exp(x), w the exposure. With an
 * offset, x means x + offset.
 *
 * l' = y - mu, lambda = dlambda = mu. If exp(x) overflows, l is -inf, and no result is NaN.
 *
 * For a large count the terms of l = y log mu - mu - log y! are much larger than their sum. With
 * d = log mu - log y and Stirling's y! = sqrt(2 pi y) (y/e)^y exp(delta(y)) they cancel analytically:
 *   l = -y (exp(d) - 1 - d) - delta(y) - log(2 pi y)/2                       (Loader 2000)
 * where y (exp(d) - 1) is y expm1(d) near d = 0 and mu - y elsewhere, since exp magnifies the rounding error
 * of d.
 *
 * The smoothed curvature w exp(x + s2/2) is that of the averaged log-likelihood, -d2/dx2 E[l(x + s e)]. (The
 * log of the averaged likelihood has no closed form.) Tilted moments come from quadrature.
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/vector.h"

enum { CHUNK = 256, SMALL_COUNT = 16 };

enum { EXPOSURE, OFFSET };
static const tw_column COLUMNS[] = {{.name = "exposure",
                                     .default_value = 1.0,
                                     .range = TW_RANGE_POSITIVE,
                                     .help = "the rate of a count is the exposure times exp(x)"},
                                    TW_OFFSET_COLUMN};

static bool supports(const tw_observations *o, size_t i)
{
    double y = o->y[i];
    return y >= 0.0 && y <= TW_MOST_COUNT && floor(y) == y;
}

/* The parts of log p(y | x) that depend on y and w alone. */
typedef struct constants {
    double y, w, log_w;
    double log_y;      /* only for a large y */
    double normaliser; /* log y!, or delta(y) + log(2 pi y)/2 for a large y */
} constants;

static constants constants_of(double y, double w)
{
    constants c = {.y = y, .w = w, .log_w = w == 1.0 ? 0.0 : log(w)};
    if (y < SMALL_COUNT) {
        c.normaliser = tw_log_factorial(y);
    } else {
        c.log_y = log(y);
        c.normaliser = tw_stirling_error(y) + TW_HALF_LOG_TWO_PI + 0.5 * c.log_y;
    }
    return c;
}

/* log p(y | x), given mu = w exp(x). */
static double log_probability(const constants *c, double x, double mu)
{
    if (!(mu < INFINITY) || c->y == 0.0) return -mu;
    if (c->y < SMALL_COUNT) return c->y * (x + c->log_w) - mu - c->normaliser;
    double d = x + c->log_w - c->log_y;
    double excess = fabs(d) < 1.0 ? c->y * expm1(d) : mu - c->y;
    return c->y * d - excess - c->normaliser;
}

/* Neighbours often have the same y and w, in quadrature all of them: recompute the constants only if they
 * change. */
static void log_probabilities(size_t n, const double *y, const double *w, const double *x, const double *mu,
                              double *value)
{
    constants c = {.y = -1.0};
    for (size_t i = 0; i < n; i++) {
        double exposure = w ? w[i] : 1.0;
        if (y[i] != c.y || exposure != c.w) c = constants_of(y[i], exposure);
        value[i] = log_probability(&c, x[i], mu[i]);
    }
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double mu[CHUNK], room[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        const double *y = part.y, *w = part.column[EXPOSURE],
                     *at = tw_with_offset(&part, OFFSET, x + start, room);
        tw_vector_exp(part.n, at, mu);
        for (size_t i = 0; w && i < part.n; i++) mu[i] *= w[i];
        if (value) log_probabilities(part.n, y, w, at, mu, value + start);
        for (size_t i = 0; slope && i < part.n; i++) slope[start + i] = y[i] - mu[i];
        for (size_t i = 0; lambda && i < part.n; i++) lambda[start + i] = mu[i];
        for (size_t i = 0; dlambda && i < part.n; i++) dlambda[start + i] = mu[i];
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double mu[CHUNK], room[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        const double *w = part.column[EXPOSURE], *at = tw_with_offset(&part, OFFSET, x + start, room);
        for (size_t i = 0; i < part.n; i++) mu[i] = at[i] + 0.5 * s2[start + i];
        tw_vector_exp(part.n, mu, mu);
        for (size_t i = 0; w && i < part.n; i++) mu[i] *= w[i];
        for (size_t i = 0; lambda && i < part.n; i++) lambda[start + i] = mu[i];
        for (size_t i = 0; dlambda && i < part.n; i++) dlambda[start + i] = mu[i];
    }
}

/* The curvature does not depend on y, so its expectation is the curvature. */
static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    terms(o, x, NULL, NULL, lambda, dlambda);
}

/* Mean r = w exp(m + v/2), variance r + r^2 (e^v - 1). */
static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double rate[CHUNK], spread = expm1(v);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = tw_chunk(o->n, start, CHUNK);
        for (size_t i = 0; i < count; i++)
            rate[i] = m[start + i] + tw_column_at(o, OFFSET, start + i) + 0.5 * v;
        tw_vector_exp(count, rate, rate);
        for (size_t i = 0; i < count; i++) {
            double r = rate[i] * tw_column_at(o, EXPOSURE, start + i);
            if (mean) mean[start + i] = r;
            if (variance) variance[start + i] = r + r * r * spread;
        }
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_poisson = {
    .name = "poisson",
    .support = "0, 1, 2, ..., 1e11",
    .columns = 2,
    .column = COLUMNS,
    .supports = supports,
    .terms = terms,
    .smoothed = smoothed,
    .fisher = fisher,
    .expect = expect,
    .predict = predict,
};
