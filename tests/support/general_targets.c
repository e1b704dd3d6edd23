/* general_targets.c: a banana and a mixture; see general_targets.h. The derivatives of the banana, with
 * e = x_1 - b x_0^2:
 *   d0 = -x_0/a + 2 b x_0 e/c                   d1 = -e/c
 *   d00 = -1/a + (2 b e - 4 b^2 x_0^2)/c        d10 = 2 b x_0/c        d11 = -1/c
 *   d000 = -12 b^2 x_0/c                        d001 = 2 b/c           d011 = d111 = 0 */
#include "support/general_targets.h"

static const double A = 1.7, B = 0.6, C = 0.3;

static double value(void *user, const double *x)
{
    (void)user;
    double e = x[1] - B * x[0] * x[0];
    return -x[0] * x[0] / (2.0 * A) - e * e / (2.0 * C);
}

static void gradient(void *user, const double *x, double *g)
{
    (void)user;
    double e = x[1] - B * x[0] * x[0];
    g[0] = -x[0] / A + 2.0 * B * x[0] * e / C;
    g[1] = -e / C;
}

static void hessian(void *user, const double *x, double *h)
{
    (void)user;
    double e = x[1] - B * x[0] * x[0];
    h[0] = -1.0 / A + (2.0 * B * e - 4.0 * B * B * x[0] * x[0]) / C;
    h[1] = h[2] = 2.0 * B * x[0] / C;
    h[3] = -1.0 / C;
}

static void third(void *user, const double *x, const double *m, double *out)
{
    (void)user;
    double d000 = -12.0 * B * B * x[0] / C, d001 = 2.0 * B / C;
    out[0] = m[0] * d000 + (m[1] + m[2]) * d001;
    out[1] = m[0] * d001;
}

tw_general_target banana_target(void)
{
    return (tw_general_target){
        .d = 2, .value = value, .gradient = gradient, .hessian = hessian, .third = third};
}

mixture overlapping_mixture(void)
{
    const mixture_part part[MIXTURE_PARTS] = {
        {.weight = 0.4, .mean = {-1.6, -0.4}, .sd = {1.3, 1.2}, .correlation = 0.95},
        {.weight = 0.35, .mean = {1.5, 1.3}, .sd = {1.2, 0.9}, .correlation = -0.9},
        {.weight = 0.25, .mean = {1.7, -1.6}, .sd = {0.9, 0.7}, .correlation = 0.85},
    };
    return mixture_of(part);
}
