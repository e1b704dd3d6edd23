/* logit.c: p(y | x) = 1/(1 + exp(-y x)), y = -1 or +1.
 *
 * With z = y x and e = exp(-|z|) <= 1, these forms neither overflow nor cancel in either tail:
 *   l = min(z, 0) - log(1 + e)
 *   l' = y (z >= 0 ? e : 1)/(1 + e)
 *   lambda = e/(1 + e)^2
 *   dlambda/dx = -lambda tanh(x/2),   tanh(|x|/2) = (1 - e)/(1 + e), by its series near 0.
 *
 * The average of a logistic over a Gaussian has no closed form. The smoothed curvature is that of MacKay's
 * approximation (1992), a logistic at a scaled argument:
 *   kappa^2 lambda(kappa x),   kappa = 1/sqrt(1 + pi s2/8),
 * which is positive and has the slope kappa^3 lambda'(kappa x). At x = 0 it is within 7% of the curvature of
 * the average; for y x << 0 it is smaller. Tilted moments come from quadrature.
 */
#include <math.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "math/machine.h"
#include "math/vector.h"

enum { CHUNK = 256 };

static const double PI_OVER_8 = 0.39269908169872415481;

/* Output arrays for the four terms; none may be NULL. */
typedef struct places {
    double *value, *slope, *lambda, *dlambda;
} places;

/* Memory for the four terms of up to CHUNK sites. */
typedef struct block {
    double value[CHUNK], slope[CHUNK], lambda[CHUNK], dlambda[CHUNK];
} block;

/* log(1 + e) for 0 <= e <= 1, as 2 atanh(s) with s = e/(2 + e), or as log 2 plus the same for (1 + e)/2,
 * whichever has the smaller |s|. Then s^2 < 0.03, and ten terms of s + s^3/3 + s^5/5 + ... have an error of
 * 3e-17. */
TW_INLINE double log_one_plus(double e)
{
    bool high = e > 0.41421356237309505;
    double s = (high ? e - 1.0 : e) / (high ? e + 3.0 : e + 2.0), q = s * s;
    double low = 1.0 / 3 + q * (1.0 / 5 + q * (1.0 / 7 + q * (1.0 / 9 + q * (1.0 / 11))));
    double tail = 1.0 / 13 + q * (1.0 / 15 + q * (1.0 / 17 + q * (1.0 / 19)));
    double sum = low + (q * q * q) * (q * q) * tail;
    return (high ? 0.69314718055994530942 : 0.0) + (2.0 * s + 2.0 * s * q * sum);
}

/* tanh(t/2) for t >= 0 and e = exp(-t); for small t a series, since 1 - e loses digits. */
TW_INLINE double half_tanh(double t, double e, double reciprocal)
{
    double h = 0.5 * t, q = h * h;
    double series = h * (1.0 + q * (-1.0 / 3 + q * (2.0 / 15 + q * (-17.0 / 315 + q * (62.0 / 2835)))));
    return t < 0.0625 ? series : (1.0 - e) * reciprocal;
}

/* All terms, given e = exp(-|x|); n is a multiple of TW_GROUP. */
TW_INLINE void logistic_groups(size_t n, const double *restrict y, const double *restrict x,
                               const double *restrict exponential, places out)
{
    double *restrict value = out.value, *restrict slope = out.slope, *restrict lambda = out.lambda,
                     *restrict dlambda = out.dlambda;
    for (size_t i = 0; i < n; i++) {
        double t = x[i] < 0.0 ? -x[i] : x[i], z = y[i] * x[i], e = exponential[i];
        double reciprocal = 1.0 / (1.0 + e), curvature = e * reciprocal * reciprocal;
        double change = curvature * half_tanh(t, e, reciprocal);
        value[i] = (z < 0.0 ? z : 0.0) - log_one_plus(e);
        slope[i] = y[i] * ((z < 0.0 ? 1.0 : e) * reciprocal);
        lambda[i] = curvature;
        dlambda[i] = x[i] < 0.0 ? change : -change;
    }
}

#define LOGISTIC_GROUPS(machine, target, fused)                                                              \
    target static void logistic_groups##machine(size_t n, const double *y, const double *x, const double *e, \
                                                places out)                                                  \
    {                                                                                                        \
        logistic_groups(n / TW_GROUP * TW_GROUP, y, x, e, out);                                              \
    }
TW_FOR_EACH_MACHINE(LOGISTIC_GROUPS)

/* n <= CHUNK, a multiple of TW_GROUP. */
static void evaluate_groups(size_t n, const double *y, const double *x, places out)
{
    double e[CHUNK];
    for (size_t i = 0; i < n; i++) e[i] = -fabs(x[i]);
    tw_vector_exp(n, e, e);
    TW_ON_THIS_MACHINE(logistic_groups, n, y, x, e, out);
}

/* The terms of n <= CHUNK sites. The last group is padded, so that the same code computes every element. */
static void evaluate(size_t n, const double *y, const double *x, places out)
{
    size_t whole = n / TW_GROUP * TW_GROUP, rest = n - whole;
    double y_last[TW_GROUP] = {0.0}, x_last[TW_GROUP] = {0.0}, last[4][TW_GROUP];
    if (whole > 0) evaluate_groups(whole, y, x, out);
    if (rest == 0) return;
    memcpy(y_last, y + whole, rest * sizeof *y);
    memcpy(x_last, x + whole, rest * sizeof *x);
    evaluate_groups(TW_GROUP, y_last, x_last, (places){last[0], last[1], last[2], last[3]});
    memcpy(out.value + whole, last[0], rest * sizeof *x);
    memcpy(out.slope + whole, last[1], rest * sizeof *x);
    memcpy(out.lambda + whole, last[2], rest * sizeof *x);
    memcpy(out.dlambda + whole, last[3], rest * sizeof *x);
}

static bool supports(const tw_observations *o, size_t i)
{
    return o->y[i] == 1.0 || o->y[i] == -1.0;
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    block spare;
    for (size_t start = 0; start < o->n; start += CHUNK)
        evaluate(tw_chunk(o->n, start, CHUNK), o->y + start, x + start,
                 (places){value ? value + start : spare.value, slope ? slope + start : spare.slope,
                          lambda ? lambda + start : spare.lambda, dlambda ? dlambda + start : spare.dlambda});
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double scaled[CHUNK], kappa[CHUNK];
    block at;
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = tw_chunk(o->n, start, CHUNK);
        for (size_t i = 0; i < count; i++) {
            kappa[i] = 1.0 / sqrt(1.0 + PI_OVER_8 * s2[start + i]);
            scaled[i] = kappa[i] * x[start + i];
        }
        evaluate(count, o->y + start, scaled, (places){at.value, at.slope, at.lambda, at.dlambda});
        for (size_t i = 0; i < count; i++) {
            double square = kappa[i] * kappa[i];
            if (lambda) lambda[start + i] = square * at.lambda[i];
            if (dlambda) dlambda[start + i] = square * kappa[i] * at.dlambda[i];
        }
    }
}

/* The curvature does not depend on y, so its expectation is the curvature. */
static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    terms(o, x, NULL, NULL, lambda, dlambda);
}

const tw_likelihood tw_likelihood_logit = {
    .name = "logit",
    .support = "-1 or +1",
    .two_classes = true,
    .supports = supports,
    .terms = terms,
    .smoothed = smoothed,
    .fisher = fisher,
};
