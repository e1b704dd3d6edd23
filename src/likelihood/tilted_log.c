/* tilted_log.c: the log of the tilted integrand relative to that at x0, without the rounding errors of large
 * terms of f.
 *
 * With x = x0 + d and l(x) = l0 + l0' d + rise(d),
 *   f(x) - f(x0) = rise(d) + (l0' - (x0 - m)/v) d - d^2/(2 v).
 * The difference l(x) - l0 - l0' d has a rounding error of eps |l|, which is too large if |l| is 1e6 or more.
 * But rise is also the integral of l'(x0 + s) - l0' over s in [0, d], and two-point Hermite quadrature with
 * the known derivatives,
 *   d/2 (l1' - l0') + d^2/10 (lambda1 - lambda0) - d^3/120 (dlambda0 + dlambda1),
 * does not contain |l|. It is used wherever it agrees with the difference to within that rounding error. l
 * may also be the small sum of large terms (such as a log binomial coefficient and the rest, 1e9 each), whose
 * rounding error |l| does not show. This matters if lambda is at least LARGE; the range is then short,
 * sqrt(92/lambda). If lambda changes by less than a tenth over d, the error of the formula, d^7 l^(7)/1e5, is
 * below 1e-13 within a few standard deviations, so the formula is used there too.
 *
 * Between neighbours at distance s, the same formula measures the smoothness of l. A singularity at distance
 * a from the line makes l^(7) about 2 6!/a^7, and the difference of the two forms r = 0.0144 (s/a)^7. Equally
 * spaced nodes with spacing h then have an error of exp(-2 pi a/h) times the size exp(F) = |t|^k exp(f) of
 * the integrand there. It is below exp(-DIGITS) if
 *   r (h/s (DIGITS + F)/(2 pi))^7 <= 0.0144.
 * The code replaces k log |t| by its tangent at |t| = 3, which is an upper bound.
 */
#include <float.h>
#include <math.h>

#include "likelihood/tilted.h"
#include "math/machine.h"

static const double LARGE = 1e5, COARSE = 1e-2, DIGITS = 27.6;

/* The terms of up to TW_TILT_NODES nodes. */
typedef struct block {
    double x[TW_TILT_NODES], value[TW_TILT_NODES], slope[TW_TILT_NODES], lambda[TW_TILT_NODES],
        dlambda[TW_TILT_NODES];
} block;

/* The quantities that do not depend on d. */
typedef struct centre {
    double x0, gradient, half_precision;
    tw_tilt_point at;
} centre;

TW_INLINE double magnitude(double x)
{
    return x < 0.0 ? -x : x;
}

/* f(x0 + d) - f(x0), given the terms p at the rounded x = x0 + d. */
TW_INLINE double relative_log(const centre *c, double d, double x, tw_tilt_point p)
{
    tw_tilt_point p0 = c->at;
    double rounded = x - c->x0, step = p.slope - p0.slope, line = p0.slope * rounded;
    double rise = p.value - p0.value - line;
    double bend = 0.1 * (p.lambda - p0.lambda) - rounded * (p.dlambda + p0.dlambda) * (1.0 / 120);
    double hermite = rounded * (0.5 * step + rounded * bend), gap = magnitude(hermite - rise);
    double rounding = 16.0 * DBL_EPSILON * (magnitude(p.value) + magnitude(p0.value) + magnitude(line));
    double change = magnitude(d) * (magnitude(p.dlambda) + magnitude(p0.dlambda));
    bool nearly_constant = (p0.lambda >= LARGE) & (change <= 0.1 * (p.lambda + p0.lambda));
    bool agree = (gap <= rounding) | ((gap <= COARSE) & nearly_constant);
    rise = agree ? hermite + step * (d - rounded) : rise;
    return rise + (c->gradient - c->half_precision * d) * d;
}

/* n is a multiple of TW_GROUP. */
TW_INLINE void logs_of_groups(size_t n, const centre *restrict c, const block *restrict b,
                              const double *restrict d, double *restrict log_f)
{
    const centre at = *c;
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        log_f[i] = relative_log(&at, d[i], b->x[i],
                                (tw_tilt_point){b->value[i], b->slope[i], b->lambda[i], b->dlambda[i]});
}

#define LOGS_OF_GROUPS(machine, target, fused)                                                             \
    target static void logs_of_groups##machine(size_t n, const centre *c, const block *b, const double *d, \
                                               double *log_f)                                              \
    {                                                                                                      \
        logs_of_groups(n / TW_GROUP * TW_GROUP, c, b, d, log_f);                                           \
    }
TW_FOR_EACH_MACHINE(LOGS_OF_GROUPS)

/* r (ratio (DIGITS + F)/(2 pi))^7 for two neighbours; 0 if r is within the rounding error of the values. */
TW_INLINE double rough(tw_tilt_point p, tw_tilt_point q, double s, double f, double per_nat)
{
    double bend = 0.1 * (q.lambda - p.lambda) - s * (q.dlambda + p.dlambda) * (1.0 / 120);
    double r = magnitude(q.value - p.value - s * (0.5 * (q.slope + p.slope) + s * bend));
    double rounding = 16.0 * DBL_EPSILON * (magnitude(q.value) + magnitude(p.value));
    double digits = per_nat * (DIGITS + f), cube = digits * digits * digits;
    bool counts = (digits > 0.0) & (r > rounding);
    return counts ? r * cube * cube * digits : 0.0;
}

/* The largest of these over n pairs of neighbours, with F = f + k log |t|, t in units of scale. */
TW_INLINE double roughness(size_t n, const block *b, const double *t, double k, const double *f, double ratio)
{
    double all[TW_TILT_NODES], size[TW_TILT_NODES], worst = 0.0, per_nat = ratio / 6.283185307179586;
#pragma omp simd
    for (size_t i = 0; i <= n; i++) size[i] = f[i] + k * (magnitude(t[i]) * (1.0 / 3) + 0.0986123);
#pragma omp simd
    for (size_t i = 0; i < n; i++)
        all[i] = rough((tw_tilt_point){b->value[i], b->slope[i], b->lambda[i], b->dlambda[i]},
                       (tw_tilt_point){b->value[i + 1], b->slope[i + 1], b->lambda[i + 1], b->dlambda[i + 1]},
                       b->x[i + 1] - b->x[i], size[i] > size[i + 1] ? size[i] : size[i + 1], per_nat);
    for (size_t i = 0; i < n; i++) worst = all[i] > worst ? all[i] : worst;
    return worst;
}

#define ROUGHNESS(machine, target, fused)                                                        \
    target static double roughness##machine(size_t n, const block *b, const double *t, double k, \
                                            const double *f, double ratio)                       \
    {                                                                                            \
        return roughness(n, b, t, k, f, ratio);                                                  \
    }
TW_FOR_EACH_MACHINE(ROUGHNESS)

static centre centre_of(const tw_tilt *s)
{
    return (centre){s->x0, tw_tilt_gradient(s, s->x0, s->at_x0), 0.5 / s->v, s->at_x0};
}

/* n is a multiple of TW_GROUP. */
static void fill(tw_tilt *s, size_t n, const double *d, block *b, double *log_f)
{
    centre c = centre_of(s);
    tw_observations nodes = s->all;
    for (size_t i = 0; i < n; i++) b->x[i] = s->x0 + d[i];
    nodes.n = n;
    nodes.likelihood->terms(&nodes, b->x, b->value, b->slope, b->lambda, b->dlambda);
    s->evaluations += n;
    TW_ON_THIS_MACHINE(logs_of_groups, n, &c, b, d, log_f);
}

void tw_tilt_logs(tw_tilt *s, size_t n, const double *d, double *log_f)
{
    block b;
    double padded[TW_TILT_NODES] = {0.0}, out[TW_TILT_NODES];
    for (size_t i = 0; i < n; i++) padded[i] = d[i];
    fill(s, (n + TW_GROUP - 1) / TW_GROUP * TW_GROUP, padded, &b, out);
    for (size_t i = 0; i < n; i++) log_f[i] = out[i];
}

bool tw_tilt_smooth_logs(tw_tilt *s, size_t n, const double *t, size_t k, double ratio, double *log_f)
{
    block b;
    double d[TW_TILT_NODES] = {0.0};
    for (size_t i = 0; i < n; i++) d[i] = s->scale * t[i];
    fill(s, n, d, &b, log_f);
    return TW_ON_THIS_MACHINE(roughness, n - 1, &b, t, (double)k, log_f, ratio) <= 0.0144;
}

double tw_tilt_log(tw_tilt *s, double d, double *steepness)
{
    centre c = centre_of(s);
    double x = s->x0 + d;
    tw_tilt_point p = tw_tilt_terms(s, x);
    *steepness = fabs(tw_tilt_gradient(s, x, p));
    return relative_log(&c, d, x, p);
}
