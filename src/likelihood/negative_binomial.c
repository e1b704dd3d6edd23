/* negative_binomial.c: overdispersed counts y = 0, 1, 2, ... with mean mu = w exp(x), w the exposure, and
 * variance mu + mu^2/r; r is the parameter `dispersion`, phi = log r:
 *
 *   p(y | x) = Gamma(r + y)/(Gamma(r) y!) s^y (1 - s)^r,
 *   s = mu/(mu + r) = 1/(1 + exp(-u)),   u = x + log w - log r.
 *
 * Except for the coefficient, l is y log p(+1 | u) + r log p(-1 | u) of logit (pair.h). It is log-concave and
 * tends to Poisson as r goes to infinity. With l' = y (1 - s) - r s and lambda = (y + r) s (1 - s), and since
 * du/dphi = -1:
 *   dl/dphi = r (digamma(r + y) - digamma(r) + log(1 - s)) - l',
 *   dl'/dphi = s l',   dlambda/dphi = r s (1 - s) - dlambda.
 * The expected information is r s, with slope r s (1 - s). The smoothed curvature combines those of logit.
 * Tilted moments come from quadrature. With an offset, x means x + offset.
 */
#include <math.h>

#include "likelihood/pair.h"
#include "math/gamma.h"

enum { EXPOSURE, OFFSET, DISPERSION = 0, CHUNK = TW_PAIR_SITES };

static const tw_column COLUMNS[] = {{.name = "exposure",
                                     .default_value = 1.0,
                                     .range = TW_RANGE_POSITIVE,
                                     .help = "the rate of a count is the exposure times exp(x)"},
                                    TW_OFFSET_COLUMN};
static const tw_parameter PARAMETERS[] = {
    {.name = "dispersion",
     .transform = TW_TRANSFORM_LOG,
     .initial = 1.0,
     .help = "the variance of a count of mean mu is mu + mu^2/dispersion"}};

static bool supports(const tw_observations *o, size_t i)
{
    double y = o->y[i];
    return y >= 0.0 && y <= TW_MOST_COUNT && floor(y) == y;
}

/* A chunk of sites: u, and copies of r. */
typedef struct chunk {
    tw_observations part;
    double u[CHUNK], r[CHUNK];
} chunk;

static void load_chunk(const tw_observations *o, size_t start, const double *x, chunk *c)
{
    double r = tw_observations_parameter(o, DISPERSION), log_r = log(r);
    c->part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
    const double *w = c->part.column[EXPOSURE], *at_x = tw_with_offset(&c->part, OFFSET, x + start, c->u);
    for (size_t i = 0; i < c->part.n; i++) {
        c->u[i] = at_x[i] + (w ? log(w[i]) : 0.0) - log_r;
        c->r[i] = r;
    }
}

static double *at(double *array, size_t start)
{
    return array ? array + start : NULL;
}

/* Add log(Gamma(r + y)/(Gamma(r) y!)). It is recomputed only if y changes from one site to the next:
 * quadrature repeats one site many times. */
static void add_coefficients(size_t n, const double *y, double r, double *value)
{
    double coefficient = 0.0;
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || y[i] != y[i - 1]) coefficient = tw_log_rising(r, y[i]) - tw_log_factorial(y[i]);
        value[i] += coefficient;
    }
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, &c);
        tw_pair_terms(&tw_likelihood_logit, c.part.n, c.part.y, c.r, c.u, at(value, start), at(slope, start),
                      at(lambda, start), at(dlambda, start));
        if (value) add_coefficients(c.part.n, c.part.y, c.r[0], value + start);
    }
}

/* log(1 - s), s and 1 - s for n <= CHUNK sites. */
typedef struct shares {
    double log_rest[CHUNK], share[CHUNK], rest[CHUNK];
} shares;

static void logistic_shares(size_t n, const double *u, shares *out)
{
    double one[CHUNK], none[CHUNK];
    for (size_t i = 0; i < CHUNK; i++) one[i] = 1.0, none[i] = 0.0;
    tw_pair_terms(&tw_likelihood_logit, n, one, none, u, NULL, out->rest, NULL, NULL);
    tw_pair_terms(&tw_likelihood_logit, n, none, one, u, out->log_rest, out->share, NULL, NULL);
    for (size_t i = 0; i < n; i++) out->share[i] = -out->share[i];
}

static void d_parameter(const tw_observations *o, size_t k, const double *x, double *value, double *slope,
                        double *lambda)
{
    chunk c;
    shares s;
    double l1[CHUNK], dlambda[CHUNK];
    (void)k;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, &c);
        logistic_shares(c.part.n, c.u, &s);
        tw_pair_terms(&tw_likelihood_logit, c.part.n, c.part.y, c.r, c.u, NULL, l1, NULL, dlambda);
        for (size_t i = 0; i < c.part.n; i++) {
            double r = c.r[i], digammas = tw_d_log_rising(r, c.part.y[i]);
            if (value) value[start + i] = r * (digammas + s.log_rest[i]) - l1[i];
            if (slope) slope[start + i] = s.share[i] * l1[i];
            if (lambda) lambda[start + i] = r * s.share[i] * s.rest[i] - dlambda[i];
        }
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    chunk c;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, &c);
        tw_pair_smoothed(&tw_likelihood_logit, c.part.n, c.part.y, c.r, s2 + start, c.u, at(lambda, start),
                         at(dlambda, start));
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    chunk c;
    shares s;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        load_chunk(o, start, x, &c);
        logistic_shares(c.part.n, c.u, &s);
        for (size_t i = 0; i < c.part.n; i++) {
            if (lambda) lambda[start + i] = c.r[i] * s.share[i];
            if (dlambda) dlambda[start + i] = c.r[i] * s.share[i] * s.rest[i];
        }
    }
}

/* Given x, the mean is mu = w exp(x) and the variance mu + mu^2/r. With M = E[mu] = w exp(m + v/2) and
 * E[mu^2] = M^2 exp(v), the variance is M + M^2 (exp(v)/r + exp(v) - 1). */
static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    double r = tw_observations_parameter(o, DISPERSION), spread = exp(v) / r + expm1(v);
    for (size_t i = 0; i < o->n; i++) {
        double mu = tw_column_at(o, EXPOSURE, i) * exp(m[i] + tw_column_at(o, OFFSET, i) + 0.5 * v);
        if (mean) mean[i] = mu;
        if (variance) variance[i] = mu + mu * mu * spread;
    }
}

static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    predict(o, x, 0.0, mean, variance);
}

const tw_likelihood tw_likelihood_negative_binomial = {
    .name = "negative_binomial",
    .support = "0, 1, 2, ..., 1e11",
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
