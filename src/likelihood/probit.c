/* probit.c: p(y | x) = Phi(y x), y = -1 or +1.
 *
 * With z = y x, r = phi(z)/Phi(z) and u = z + r:
 *   l = log Phi(z),   l' = y r,   lambda = r u,   dlambda/dx = y dlambda/dz,
 * all from math/normal.h, which is accurate at every z.
 *
 * The average over N(x, s2) is Phi(z/c) with c = sqrt(1 + s2), so the smoothed curvature lambda(z/c)/c^2 is
 * exact; its slope is y (dlambda/dz)(z/c)/c^3.
 *
 * Tilted moments: with s = sqrt(1 + v) and z = y m/s, Z = Phi(z). The tilted distribution times exp(h x) is
 * again a tilted one, with m + v h for m, so its cumulants are v^l d^l log Z/dm^l (plus v for l = 2, and m
 * for l = 1). With alpha = v/s
 *   mean = m + y alpha r,   variance = v - alpha^2 lambda,   c3 = -y alpha^3 lambda',   c4 = -alpha^4 lambda''.
 * For z << 0 the first two cancel. There
 *   mean = m/(1 + v) + y alpha u,   variance = v (1 + v (1 - lambda))/(1 + v),
 *   u = lambda/r,   1 - lambda = u^2 + lambda'/r,
 * where the second term of 1 - lambda is smaller than the first by a factor of order z^-2.
 *
 * The expected information is phi^2/(Phi(x) Phi(-x)) = r(x) r(-x), even in x. With r' = -r u and t = |x|,
 *   dfisher/dx = -sign(x) r(t) r(-t) (u(t) - u(-t)),   u(t) = t + r(t),   u(-t) = lambda(-t)/r(-t).
 * For small t the two u cancel; there r(t) - r(-t) = -r(t) r(-t) (Phi(t) - Phi(-t))/phi(t), and the series of
 * the last quotient gives
 *   u(t) - u(-t) = 2 t (1 - r(t) r(-t) (1 + t^2/3 + t^4/(3 5) + ...)).
 */
#include <math.h>

#include "likelihood/likelihood.h"
#include "math/normal.h"

enum { CHUNK = 256 };

static bool supports(const tw_observations *o, size_t i)
{
    return o->y[i] == 1.0 || o->y[i] == -1.0;
}

/* The output of this chunk, or the spare array if the caller does not request it. */
static double *place(double *wanted, size_t start, double *spare)
{
    return wanted ? wanted + start : spare;
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double z[CHUNK], spare[2][CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = tw_chunk(o->n, start, CHUNK);
        const double *sign = o->y + start;
        double *hazard = place(slope, start, spare[0]), *change = place(dlambda, start, NULL);
        for (size_t i = 0; i < count; i++) z[i] = sign[i] * x[start + i];
        tw_normal_block(count, z, place(value, start, NULL), hazard, place(lambda, start, spare[1]), change);
        for (size_t i = 0; i < count; i++) hazard[i] *= sign[i];
        for (size_t i = 0; change && i < count; i++) change[i] *= sign[i];
    }
}

static void slopes_single(const tw_observations *o, const float *x, float *slope)
{
    tw_normal_slopes_single(o->n, o->y, x, slope);
}

static tw_status tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    double y = o->y[i], s = sqrt(1.0 + v), alpha = v / s, z = y * m / s;
    tw_normal_terms at = tw_normal_at(z);
    double complement = 1.0 - at.curvature;
    out->mean = m + y * alpha * at.hazard;
    if (z < -1.0) {
        double u = at.curvature / at.hazard;
        complement = u * u + at.slope / at.hazard;
        out->mean = m / (1.0 + v) + y * alpha * u;
    }
    out->log_z = at.log_cdf;
    out->variance = v * (1.0 + v * complement) / (1.0 + v);
    out->c3 = -y * alpha * alpha * alpha * at.slope;
    out->c4 = -(alpha * alpha) * (alpha * alpha) * at.bend;
    return TW_OK;
}

/* log Phi(y m/sqrt(1 + v)). */
static void marginal(const tw_observations *o, const double *m, double v, double *log_p)
{
    double x[CHUNK], scale = 1.0 / sqrt(1.0 + v);
    for (size_t start = 0; start < o->n; start += CHUNK) {
        tw_observations part = tw_observations_part(o, start, tw_chunk(o->n, start, CHUNK));
        for (size_t i = 0; i < part.n; i++) x[i] = scale * m[start + i];
        terms(&part, x, log_p + start, NULL, NULL, NULL);
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    const double *y = o->y;
    double z[CHUNK], hazard[CHUNK], curvature[CHUNK], slope[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = tw_chunk(o->n, start, CHUNK);
        for (size_t i = 0; i < count; i++) z[i] = y[start + i] * x[start + i] / sqrt(1.0 + s2[start + i]);
        tw_normal_block(count, z, NULL, hazard, curvature, slope);
        for (size_t i = start; i < start + count; i++) {
            double c2 = 1.0 + s2[i];
            if (lambda) lambda[i] = curvature[i - start] / c2;
            if (dlambda) dlambda[i] = y[i] * slope[i - start] / (c2 * sqrt(c2));
        }
    }
}

/* u(t) - u(-t) for t >= 0, given r(t), r(-t) and lambda(-t). For t < 1/16 five terms have an error of 1e-16. */
static double gap(double t, double upper, double lower, double lower_curvature)
{
    double q = t * t;
    double series = 1.0 + q * (1.0 / 3 + q * (1.0 / 15 + q * (1.0 / 105 + q * (1.0 / 945))));
    return t < 0.0625 ? 2.0 * t * (1.0 - upper * lower * series) : t + upper - lower_curvature / lower;
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    double z[CHUNK], upper[CHUNK], lower[CHUNK], curvature[CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = tw_chunk(o->n, start, CHUNK);
        for (size_t i = 0; i < count; i++) z[i] = fabs(x[start + i]);
        tw_normal_block(count, z, NULL, upper, curvature, NULL);
        for (size_t i = 0; i < count; i++) z[i] = -z[i];
        tw_normal_block(count, z, NULL, lower, curvature, NULL);
        for (size_t i = 0; i < count; i++) {
            double information = upper[i] * lower[i];
            double fall = information * gap(-z[i], upper[i], lower[i], curvature[i]);
            if (lambda) lambda[start + i] = information;
            if (dlambda) dlambda[start + i] = x[start + i] < 0.0 ? fall : -fall;
        }
    }
}

const tw_likelihood tw_likelihood_probit = {
    .name = "probit",
    .support = "-1 or +1",
    .two_classes = true,
    .supports = supports,
    .terms = terms,
    .slopes_single = slopes_single,
    .tilted = tilted,
    .marginal = marginal,
    .smoothed = smoothed,
    .fisher = fisher,
};
