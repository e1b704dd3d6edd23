/* kernel.c: stationary kernels as functions of the scaled squared distance d2 = |(a - b)/ell|^2 (Rasmussen &
 * Williams, Gaussian Processes for Machine Learning, section 4.2). */
#include "covariance/kernel.h"

#include <math.h>
#include <string.h>

#include "math/vector.h"
#include "talweg/covariance.h"

/* exp(-d2/2) */
static void squared_exponential(size_t n, double sigma2, double *d2)
{
    for (size_t i = 0; i < n; i++) d2[i] *= -0.5;
    tw_vector_exp(n, d2, d2);
    for (size_t i = 0; i < n; i++) d2[i] *= sigma2;
}

enum { CHUNK = 256 };

/* Matern kernels: (1 + r + third r^2) exp(-r) with r = scale * distance, in chunks so that r is at hand after
 * exp: matern12 has order 0 (exp(-r) alone), matern32 order 1, matern52 order 2 (third = 1/3). */
static void matern(size_t n, double sigma2, double *d2, int order)
{
    double r[CHUNK];
    double scale = sqrt(2.0 * order + 1.0);
    double first = order > 0 ? 1.0 : 0.0, second = order > 1 ? 1.0 / 3.0 : 0.0;
    for (size_t start = 0; start < n; start += CHUNK) {
        size_t count = n - start < CHUNK ? n - start : CHUNK;
        double *k = d2 + start;
        for (size_t i = 0; i < count; i++) {
            r[i] = scale * sqrt(k[i]);
            k[i] = -r[i];
        }
        tw_vector_exp(count, k, k);
        for (size_t i = 0; i < count; i++) k[i] *= sigma2 * (1.0 + r[i] * (first + second * r[i]));
    }
}

static void matern12(size_t n, double sigma2, double *d2)
{
    matern(n, sigma2, d2, 0);
}

static void matern32(size_t n, double sigma2, double *d2)
{
    matern(n, sigma2, d2, 1);
}

static void matern52(size_t n, double sigma2, double *d2)
{
    matern(n, sigma2, d2, 2);
}

static const tw_kernel kernels[] = {
    {"se", squared_exponential},
    {"matern12", matern12},
    {"matern32", matern32},
    {"matern52", matern52},
};

const tw_kernel *tw_kernel_find(const char *name)
{
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        if (strcmp(kernels[i].name, name) == 0) return &kernels[i];
    return NULL;
}

const char *tw_covariance_names(void)
{
    return "se, matern12, matern32, matern52";
}
