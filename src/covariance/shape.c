/* shape.c: the shapes of stationary kernels (Rasmussen & Williams 2006, section 4.2) and their derivatives
 * with respect to the scaled squared distance d2:
 *
 *   se         exp(-d2/2)                         g' = -g/2
 *   matern12   exp(-r),              r = d        g' = -exp(-r)/(2 r)
 *   matern32   (1 + r) exp(-r),      r = 3^1/2 d  g' = -3/2 exp(-r)
 *   matern52   (1 + r + r^2/3) exp(-r), r = 5^1/2 d  g' = -5/6 (1 + r) exp(-r)
 *   ar1        as matern12; on one input its tridiagonal precision is used (precision.h)
 *   rq         t^-alpha,  t = 1 + d2/(2 alpha)    g' = -g/(2 t),  dg/dlog alpha = alpha g ((t - 1)/t - log t)
 */
#include "covariance/shape.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "covariance/kernel.h"
#include "math/vector.h"

static void se_value(size_t n, double sigma2, double own, const double *d2, double *k)
{
    (void)own;
    for (size_t i = 0; i < n; i++) k[i] = -0.5 * d2[i];
    tw_vector_exp(n, k, k);
    for (size_t i = 0; i < n; i++) k[i] *= sigma2;
}

static void se_slope(size_t n, double own, const double *d2, const double *k, double *slope)
{
    (void)own, (void)d2;
    for (size_t i = 0; i < n; i++) slope[i] = -0.5 * k[i];
}

enum { CHUNK = 256 };

/* k = sigma2 (1 + first r + second r^2) exp(-r), r = scale d.
 * In chunks, so that r stays in cache until after the exp. */
static void matern(size_t n, double sigma2, const double *d2, double *k, double scale, double first,
                   double second)
{
    double r[CHUNK];
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        double *to = k + start;
        for (size_t i = 0; i < count; i++) {
            r[i] = scale * sqrt(d2[start + i]);
            to[i] = -r[i];
        }
        tw_vector_exp(count, to, to);
        for (size_t i = 0; i < count; i++) to[i] *= sigma2 * (1.0 + r[i] * (first + second * r[i]));
    }
}

static void matern12_value(size_t n, double sigma2, double own, const double *d2, double *k)
{
    (void)own;
    matern(n, sigma2, d2, k, 1.0, 0.0, 0.0);
}

static void matern12_slope(size_t n, double own, const double *d2, const double *k, double *slope)
{
    (void)own;
    for (size_t i = 0; i < n; i++) slope[i] = d2[i] > 0.0 ? -0.5 * k[i] / sqrt(d2[i]) : 0.0;
}

static void matern32_value(size_t n, double sigma2, double own, const double *d2, double *k)
{
    (void)own;
    matern(n, sigma2, d2, k, sqrt(3.0), 1.0, 0.0);
}

static void matern32_slope(size_t n, double own, const double *d2, const double *k, double *slope)
{
    (void)own;
    for (size_t i = 0; i < n; i++) slope[i] = -1.5 * k[i] / (1.0 + sqrt(3.0 * d2[i]));
}

static void matern52_value(size_t n, double sigma2, double own, const double *d2, double *k)
{
    (void)own;
    matern(n, sigma2, d2, k, sqrt(5.0), 1.0, 1.0 / 3.0);
}

static void matern52_slope(size_t n, double own, const double *d2, const double *k, double *slope)
{
    (void)own;
    for (size_t i = 0; i < n; i++) {
        double r = sqrt(5.0 * d2[i]);
        slope[i] = -5.0 / 6.0 * k[i] * (1.0 + r) / (1.0 + r + r * r / 3.0);
    }
}

static void rq_value(size_t n, double sigma2, double alpha, const double *d2, double *k)
{
    for (size_t i = 0; i < n; i++) k[i] = -alpha * log1p(0.5 * d2[i] / alpha);
    tw_vector_exp(n, k, k);
    for (size_t i = 0; i < n; i++) k[i] *= sigma2;
}

static void rq_slope(size_t n, double alpha, const double *d2, const double *k, double *slope)
{
    for (size_t i = 0; i < n; i++) slope[i] = -0.5 * k[i] / (1.0 + 0.5 * d2[i] / alpha);
}

static void rq_alpha_slope(size_t n, double alpha, const double *d2, const double *k, double *slope)
{
    for (size_t i = 0; i < n; i++) {
        double more = 0.5 * d2[i] / alpha; /* t - 1 */
        slope[i] = alpha * k[i] * (more / (1.0 + more) - log1p(more));
    }
}

/* All shapes: name, alias, own parameter, value, slope, slope in the own parameter, is it a chain? */
#define SHAPES(X)                                                        \
    X("se", "rbf", "", se_value, se_slope, NULL, false)                  \
    X("matern12", NULL, "", matern12_value, matern12_slope, NULL, false) \
    X("matern32", NULL, "", matern32_value, matern32_slope, NULL, false) \
    X("matern52", NULL, "", matern52_value, matern52_slope, NULL, false) \
    X("rq", NULL, "alpha", rq_value, rq_slope, rq_alpha_slope, false)    \
    X("ar1", NULL, "", matern12_value, matern12_slope, NULL, true)

#define ROW(name, alias, own, value, slope, own_slope, chain) \
    {name, alias, own, value, slope, own_slope, chain},
#define NAME(name, alias, own, value, slope, own_slope, chain) ", " name
#define OTHER(leaf) ", " #leaf

static const tw_shape shapes[] = {SHAPES(ROW)};

static bool is_name(const char *known, const char *name, size_t length)
{
    return known && strlen(known) == length && memcmp(known, name, length) == 0;
}

const tw_shape *tw_shape_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (is_name(shapes[i].name, name, length) || is_name(shapes[i].alias, name, length))
            return &shapes[i];
    return NULL;
}

/* Skip the leading ", " of the concatenated names. */
const char *tw_shape_names(void)
{
    return &SHAPES(NAME)[2];
}

/* The alias of se is the last name, so that errors can suggest it. */
const char *tw_kernel_names(void)
{
    return &SHAPES(NAME) TW_OTHER_LEAVES(OTHER) ", rbf"[2];
}
