/* mixture.c: log p of a mixture and its first three derivatives.
 *
 * With P_k = C_k^-1, the responsibilities r_k = weight_k N(x; mean_k, C_k)/p(x), the slopes of the parts
 * a_k = -P_k (x - mean_k), g = sum_k r_k a_k and c_k = a_k - g,
 *     d log p  = g
 *     d2 log p = sum_k r_k [c_k c_k' - P_k]
 *     d3 log p = sum_k r_k [c_k c_k c_k - P_k c_k in each of its three symmetric places]
 * so that for a symmetric M
 *     sum_jl M_jl d3_ijl = sum_k r_k [(c_k' M c_k - tr(M P_k)) c_k - 2 P_k M c_k]_i.
 */
#include "mixture.h"

#include <math.h>

enum { D = 2 };

static const double TWO_PI = 6.28318530717958647693;

/* What all derivatives share, at one x. */
typedef struct local {
    double log_density;
    double share[MIXTURE_PARTS];    /* r_k */
    double slope[D];                /* g */
    double apart[MIXTURE_PARTS][D]; /* c_k */
} local;

static void multiply(const double *matrix, const double *vector, double *out)
{
    for (int i = 0; i < D; i++) out[i] = matrix[i] * vector[0] + matrix[i + D] * vector[1];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1];
}

/* The logarithms are shifted by the largest, so that no part underflows alone. */
static void responsibilities(const double *log_part, local *at)
{
    double largest = log_part[0], sum = 0.0;
    for (int k = 1; k < MIXTURE_PARTS; k++) largest = fmax(largest, log_part[k]);
    for (int k = 0; k < MIXTURE_PARTS; k++) sum += at->share[k] = exp(log_part[k] - largest);
    for (int k = 0; k < MIXTURE_PARTS; k++) at->share[k] /= sum;
    at->log_density = largest + log(sum);
}

static local evaluate(const mixture *m, const double *x)
{
    local at = {.slope = {0.0, 0.0}};
    double log_part[MIXTURE_PARTS];
    for (int k = 0; k < MIXTURE_PARTS; k++) {
        double away[D] = {m->part[k].mean[0] - x[0], m->part[k].mean[1] - x[1]};
        multiply(m->precision[k], away, at.apart[k]);
        log_part[k] = m->log_scale[k] - 0.5 * dot(away, at.apart[k]);
    }
    responsibilities(log_part, &at);
    for (int k = 0; k < MIXTURE_PARTS; k++)
        for (int i = 0; i < D; i++) at.slope[i] += at.share[k] * at.apart[k][i];
    for (int k = 0; k < MIXTURE_PARTS; k++)
        for (int i = 0; i < D; i++) at.apart[k][i] -= at.slope[i];
    return at;
}

static double value(void *user, const double *x)
{
    return evaluate(user, x).log_density;
}

static void gradient(void *user, const double *x, double *g)
{
    local at = evaluate(user, x);
    for (int i = 0; i < D; i++) g[i] = at.slope[i];
}

static void hessian(void *user, const double *x, double *h)
{
    const mixture *m = user;
    local at = evaluate(m, x);
    for (int j = 0; j < D; j++)
        for (int i = 0; i < D; i++) {
            h[i + j * D] = 0.0;
            for (int k = 0; k < MIXTURE_PARTS; k++)
                h[i + j * D] += at.share[k] * (at.apart[k][i] * at.apart[k][j] - m->precision[k][i + j * D]);
        }
}

static void third(void *user, const double *x, const double *weights, double *out)
{
    const mixture *m = user;
    local at = evaluate(m, x);
    out[0] = out[1] = 0.0;
    for (int k = 0; k < MIXTURE_PARTS; k++) {
        double weighted[D], bent[D], trace = 0.0;
        multiply(weights, at.apart[k], weighted);
        multiply(m->precision[k], weighted, bent);
        for (int i = 0; i < D * D; i++) trace += weights[i] * m->precision[k][i];
        double along = dot(at.apart[k], weighted) - trace;
        for (int i = 0; i < D; i++) out[i] += at.share[k] * (along * at.apart[k][i] - 2.0 * bent[i]);
    }
}

tw_general_target mixture_target(mixture *m)
{
    return (tw_general_target){
        .d = D, .user = m, .value = value, .gradient = gradient, .hessian = hessian, .third = third};
}

mixture mixture_of(const mixture_part part[MIXTURE_PARTS])
{
    mixture m;
    for (int k = 0; k < MIXTURE_PARTS; k++) {
        m.part[k] = part[k];
        const double *sd = part[k].sd, rho = part[k].correlation, rest = 1.0 - rho * rho;
        double *p = m.precision[k];
        p[0] = 1.0 / (sd[0] * sd[0] * rest);
        p[3] = 1.0 / (sd[1] * sd[1] * rest);
        p[1] = p[2] = -rho / (sd[0] * sd[1] * rest);
        m.log_scale[k] = log(part[k].weight) - log(TWO_PI * sd[0] * sd[1] * sqrt(rest));
    }
    return m;
}

mixture mixture_of_figure1(void)
{
    const mixture_part part[MIXTURE_PARTS] = {
        {.weight = 0.4, .mean = {-1.5, -0.5}, .sd = {1.0, 1.2}, .correlation = 0.99},
        {.weight = 0.35, .mean = {1.1, 1.5}, .sd = {1.2, 0.7}, .correlation = -0.97},
        {.weight = 0.25, .mean = {1.6, -1.9}, .sd = {1.1, 0.5}, .correlation = 0.9},
    };
    return mixture_of(part);
}
