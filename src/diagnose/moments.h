/* moments.h: mean and variance of an array, in two passes. */
#ifndef TALWEG_DIAGNOSE_MOMENTS_H
#define TALWEG_DIAGNOSE_MOMENTS_H

#include <math.h>
#include <stddef.h>

/* The mean, corrected by the mean of the residuals. The correction makes it exact for equal numbers, so that
 * a chain that does not move has variance exactly 0. An infinite mean is returned as it is. */
static inline double tw_mean_of(size_t n, const double *x)
{
    double sum = 0.0, rest = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i];
    double mean = sum / (double)n;
    if (!isfinite(mean)) return mean;
    for (size_t i = 0; i < n; i++) rest += x[i] - mean;
    return mean + rest / (double)n;
}

/* sum (x_i - mean)^2 / (n - 1); NaN for n = 1. */
static inline double tw_variance_of(size_t n, const double *x, double mean)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += (x[i] - mean) * (x[i] - mean);
    return n > 1 ? sum / (double)(n - 1) : NAN;
}

#endif
