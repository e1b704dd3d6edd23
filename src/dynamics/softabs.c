/* softabs.c: the SoftAbs metric; softabs.h has the equations.
 *
 * f(l) = h(alpha l)/alpha with h(t) = t coth t, so the divided differences of f are those of h at t = alpha
 * l. h is even, hence h[a, b] = h[|a|, |b|] (a + b)/(|a| + |b|). For a >= b >= 0 one of four forms is
 * accurate:
 *     b > 20          1, to rounding
 *     a < 1/4         the series h = 1 + q/3 - q^2/45 + ..., q = t^2, divided term by term
 *     a - b > a/2     the quotient (h(a) - h(b))/(a - b)
 *     otherwise       [coth a + coth b - (a + b) sinh(a - b)/((a - b) sinh a sinh b)]/2,
 * the last from a coth a - b coth b = [(a - b)(coth a + coth b) + (a + b)(coth a - coth b)]/2 and
 * coth a - coth b = -sinh(a - b)/(sinh a sinh b).
 */
#include "dynamics/softabs.h"

#include <math.h>
#include <string.h>

#include "linalg/eigen.h"

enum { TERMS = 8 };

/* h = 1 + sum_n SERIES[n-1] t^(2n) with the coefficients 2^(2n) B_2n/(2n)!. At t = 1/4 each term is about
 * 1/160 of the one before. */
static const double SERIES[TERMS] = {
    1.0 / 3,     -1.0 / 45,           2.0 / 945,      -1.0 / 4725,
    2.0 / 93555, -1382.0 / 638512875, 4.0 / 18243225, -3617.0 / 162820783125};

static double h(double t)
{
    return t == 0.0 ? 1.0 : t / tanh(t);
}

/* (h(a) - h(b))/(a - b) = (a + b) sum_n c_n S_n, S_n = (q^n - s^n)/(q - s) = q S_(n-1) + s^(n-1). */
static double difference_by_series(double a, double b)
{
    double q = a * a, s = b * b, quotient = 0.0, power = 1.0, sum = 0.0;
    for (size_t n = 0; n < TERMS; n++) {
        quotient = q * quotient + power;
        power *= s;
        sum += SERIES[n] * quotient;
    }
    return (a + b) * sum;
}

static double difference_by_sinh(double a, double b)
{
    double apart = a - b, ratio = apart == 0.0 ? 1.0 : sinh(apart) / apart;
    return 0.5 * (1.0 / tanh(a) + 1.0 / tanh(b) - (a + b) * ratio / (sinh(a) * sinh(b)));
}

/* h[a, b] for a >= b >= 0. */
static double positive_difference(double a, double b)
{
    if (b > 20.0) return 1.0;
    if (a < 0.25) return difference_by_series(a, b);
    if (a - b > 0.5 * a) return (h(a) - h(b)) / (a - b);
    return difference_by_sinh(a, b);
}

double tw_softabs_value(double alpha, double l)
{
    return h(alpha * l) / alpha;
}

double tw_softabs_difference(double alpha, double a, double b)
{
    double s = alpha * a, t = alpha * b, large = fmax(fabs(s), fabs(t)), small = fmin(fabs(s), fabs(t));
    if (large == 0.0) return 0.0;
    return positive_difference(large, small) * ((s + t) / (large + small));
}

size_t tw_softabs_doubles(size_t d)
{
    return 3 * d * d + 3 * d;
}

tw_softabs tw_softabs_divide(size_t d, double alpha, double *memory)
{
    double *vectors = memory + 3 * d * d;
    return (tw_softabs){.d = d,
                        .alpha = alpha,
                        .q = memory,
                        .j = memory + d * d,
                        .m = memory + 2 * d * d,
                        .lambda = vectors,
                        .f = vectors + d,
                        .w = vectors + 2 * d};
}

bool tw_softabs_update(tw_softabs *metric, double *work)
{
    size_t d = metric->d;
    if (!tw_eigen_symmetric(d, metric->q, d, metric->lambda, work)) return false;
    metric->log_det = 0.0;
    for (size_t i = 0; i < d; i++) {
        metric->f[i] = tw_softabs_value(metric->alpha, metric->lambda[i]);
        metric->log_det += log(metric->f[i]);
        for (size_t k = 0; k <= i; k++)
            metric->j[i + k * d] = metric->j[k + i * d] =
                tw_softabs_difference(metric->alpha, metric->lambda[i], metric->lambda[k]);
    }
    return isfinite(metric->log_det);
}

void tw_softabs_set_constant(tw_softabs *metric, const double *mass)
{
    size_t d = metric->d;
    memset(metric->q, 0, d * d * sizeof *metric->q);
    memset(metric->j, 0, d * d * sizeof *metric->j);
    metric->log_det = 0.0;
    for (size_t i = 0; i < d; i++) {
        metric->q[i + i * d] = 1.0;
        metric->f[i] = mass[i];
        metric->log_det += log(mass[i]);
    }
}

/* (Q' a)_i */
static double component(const tw_softabs *metric, size_t i, const double *a)
{
    const double *column = metric->q + i * metric->d;
    double sum = 0.0;
    for (size_t k = 0; k < metric->d; k++) sum += column[k] * a[k];
    return sum;
}

/* out = Q w */
static void from_eigenbasis(const tw_softabs *metric, double *out)
{
    size_t d = metric->d;
    memset(out, 0, d * sizeof *out);
    for (size_t i = 0; i < d; i++)
        for (size_t k = 0; k < d; k++) out[k] += metric->q[k + i * d] * metric->w[i];
}

void tw_softabs_solve(tw_softabs *metric, const double *p, double *v)
{
    for (size_t i = 0; i < metric->d; i++) metric->w[i] = component(metric, i, p) / metric->f[i];
    from_eigenbasis(metric, v);
}

void tw_softabs_root(tw_softabs *metric, const double *z, double *p)
{
    for (size_t i = 0; i < metric->d; i++) metric->w[i] = component(metric, i, z) * sqrt(metric->f[i]);
    from_eigenbasis(metric, p);
}

double tw_softabs_inner(const tw_softabs *metric, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < metric->d; i++)
        sum += component(metric, i, a) * metric->f[i] * component(metric, i, b);
    return sum;
}

double tw_softabs_inverse_inner(const tw_softabs *metric, const double *a, const double *b)
{
    double sum = 0.0;
    for (size_t i = 0; i < metric->d; i++)
        sum += component(metric, i, a) / metric->f[i] * component(metric, i, b);
    return sum;
}

void tw_softabs_trace_weights(tw_softabs *metric, double *m)
{
    size_t d = metric->d;
    memset(m, 0, d * d * sizeof *m);
    for (size_t i = 0; i < d; i++) {
        const double *column = metric->q + i * d;
        double weight = metric->j[i + i * d] / metric->f[i];
        for (size_t b = 0; b < d; b++)
            for (size_t a = 0; a < d; a++) m[a + b * d] += weight * column[a] * column[b];
    }
}

/* M = Q (J o w w') Q' in two products: first metric->m = (J o w w') Q'. */
void tw_softabs_quadratic_weights(tw_softabs *metric, const double *p, double *m)
{
    size_t d = metric->d;
    const double *q = metric->q;
    double *half = metric->m, *w = metric->w;
    for (size_t i = 0; i < d; i++) w[i] = component(metric, i, p) / metric->f[i];
    memset(half, 0, d * d * sizeof *half);
    memset(m, 0, d * d * sizeof *m);
    for (size_t b = 0; b < d; b++)
        for (size_t k = 0; k < d; k++)
            for (size_t i = 0; i < d; i++)
                half[i + b * d] += metric->j[i + k * d] * w[i] * w[k] * q[b + k * d];
    for (size_t b = 0; b < d; b++)
        for (size_t i = 0; i < d; i++)
            for (size_t a = 0; a < d; a++) m[a + b * d] += q[a + i * d] * half[i + b * d];
}
