/* gaussian.c: p(y | x) = N(y; x, w^2), w the noise standard deviation of the observation, its column `noise`.
 *
 * With d = (y - x)/w: l = -d^2/2 - log w - log(2 pi)/2, l' = d/w, lambda = 1/w^2, dlambda = 0.
 * Averaged over N(x, s2) it is N(y; x, w^2 + s2), so the smoothed curvature 1/(w^2 + s2) is exact.
 * The tilted distribution is Gaussian, and Z = N(y; m, v + w^2).
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/constants.h"

enum { CHUNK = 256 };

static const tw_column COLUMNS[] = {{.name = "noise", .standard = 1.0, .range = TW_RANGE_POSITIVE}};

static bool supports(const tw_observations *o, size_t i)
{
    return isfinite(o->y[i]);
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    const double *y = o->y, *w = o->column[0];
    for (size_t i = 0; i < o->n; i++) {
        double noise = w ? w[i] : 1.0;
        double d = (y[i] - x[i]) / noise;
        if (value) value[i] = -0.5 * d * d - (w ? log(noise) : 0.0) - TW_HALF_LOG_TWO_PI;
        if (slope) slope[i] = d / noise;
        if (lambda) lambda[i] = 1.0 / (noise * noise);
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* The mean is the nearer of m and y plus its step to the other, so that a sharp noise (or prior) keeps
 * its digits. */
static tw_status tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    double y = o->y[i], w = tw_column_at(o, 0, i), noise = w * w, total = v + noise, d = y - m;
    out->log_z = -0.5 * d * (d / total) - 0.5 * log(total) - TW_HALF_LOG_TWO_PI;
    out->mean = v <= noise ? m + d * (v / total) : y - d * (noise / total);
    out->variance = v * (noise / total);
    out->c3 = 0.0;
    out->c4 = 0.0;
    return TW_OK;
}

/* log N(y; m, w^2 + v): the terms with another noise. */
static void marginal(const tw_observations *o, const double *m, double v, double *log_p)
{
    double noise[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        for (size_t i = 0; i < part.n; i++) {
            double w = tw_column_at(&part, 0, i);
            noise[i] = sqrt(w * w + v);
        }
        part.column[0] = noise;
        terms(&part, m + start, log_p + start, NULL, NULL, NULL);
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    (void)x;
    const double *w = o->column[0];
    for (size_t i = 0; i < o->n; i++) {
        double noise = w ? w[i] : 1.0;
        if (lambda) lambda[i] = 1.0 / (noise * noise + s2[i]);
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* The curvature does not depend on y, so its expectation is the curvature. */
static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    terms(o, x, NULL, NULL, lambda, dlambda);
}

const tw_likelihood tw_likelihood_gaussian = {
    .name = "gaussian",
    .support = "a finite number",
    .columns = 1,
    .column = COLUMNS,
    .supports = supports,
    .terms = terms,
    .tilted = tilted,
    .marginal = marginal,
    .smoothed = smoothed,
    .fisher = fisher,
};
