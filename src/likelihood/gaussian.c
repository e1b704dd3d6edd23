/* gaussian.c: p(y | x) = N(y; x, w^2), w the noise standard deviation of the observation.
 *
 * With d = (y - x)/w: l = -d^2/2 - log w - log(2 pi)/2, l' = d/w, lambda = 1/w^2, dlambda = 0.
 * Averaged over N(x, s2) it is N(y; x, w^2 + s2), so the smoothed curvature 1/(w^2 + s2) is exact.
 * The tilted distribution is Gaussian, and Z = N(y; m, v + w^2).
 */
#include <math.h>

#include "likelihood/likelihood.h"

static const double HALF_LOG_TWO_PI = 0.91893853320467274178;

static bool supports(void *user, double y, double w)
{
    (void)user;
    return isfinite(y) && isfinite(w) && w > 0.0;
}

static void terms(void *user, size_t n, const double *y, const double *w, const double *x, double *value,
                  double *slope, double *lambda, double *dlambda)
{
    (void)user;
    for (size_t i = 0; i < n; i++) {
        double noise = w ? w[i] : 1.0;
        double d = (y[i] - x[i]) / noise;
        if (value) value[i] = -0.5 * d * d - (w ? log(noise) : 0.0) - HALF_LOG_TWO_PI;
        if (slope) slope[i] = d / noise;
        if (lambda) lambda[i] = 1.0 / (noise * noise);
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* The mean is the nearer of m and y plus its step to the other, so that a sharp noise (or prior) keeps
 * its digits. */
static tw_status tilted(void *user, double y, double w, double m, double v, tw_tilted *out)
{
    (void)user;
    double noise = w * w, total = v + noise, d = y - m;
    out->log_z = -0.5 * d * (d / total) - 0.5 * log(total) - HALF_LOG_TWO_PI;
    out->mean = v <= noise ? m + d * (v / total) : y - d * (noise / total);
    out->variance = v * (noise / total);
    out->c3 = 0.0;
    out->c4 = 0.0;
    return TW_OK;
}

static void smoothed(void *user, size_t n, const double *y, const double *w, const double *s2,
                     const double *x, double *lambda, double *dlambda)
{
    (void)user, (void)y, (void)x;
    for (size_t i = 0; i < n; i++) {
        double noise = w ? w[i] : 1.0;
        if (lambda) lambda[i] = 1.0 / (noise * noise + s2[i]);
        if (dlambda) dlambda[i] = 0.0;
    }
}

/* The curvature does not depend on y, so its expectation is the curvature. */
static void fisher(void *user, size_t n, const double *y, const double *w, const double *x, double *lambda,
                   double *dlambda)
{
    terms(user, n, y, w, x, NULL, NULL, lambda, dlambda);
}

const tw_likelihood tw_likelihood_gaussian = {
    .name = "gaussian",
    .support = "a finite number, with a positive noise standard deviation",
    .supports = supports,
    .terms = terms,
    .tilted = tilted,
    .smoothed = smoothed,
    .fisher = fisher,
};
