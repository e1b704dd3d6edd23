/* statistics.c: test statistics; see statistics.h. */
#include "support/statistics.h"

#include <math.h>
#include <stdlib.h>

double mean_score(size_t count, const double *d)
{
    double mean = 0.0, square = 0.0, n = (double)count;
    for (size_t i = 0; i < count; i++) mean += d[i] / n;
    for (size_t i = 0; i < count; i++) square += (d[i] - mean) * (d[i] - mean);
    return mean / sqrt(square / (n * (n - 1.0)));
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double two_sample_distance(size_t n, double *a, size_t m, double *b)
{
    double distance = 0.0;
    size_t i = 0, j = 0;
    qsort(a, n, sizeof *a, compare);
    qsort(b, m, sizeof *b, compare);
    while (i < n && j < m) {
        double at = fmin(a[i], b[j]);
        while (i < n && a[i] <= at) i++;
        while (j < m && b[j] <= at) j++;
        distance = fmax(distance, fabs((double)i / (double)n - (double)j / (double)m));
    }
    return distance * sqrt((double)n * (double)m / (double)(n + m));
}

double uniform_distance(size_t n, double *a)
{
    double distance = 0.0, count = (double)n;
    qsort(a, n, sizeof *a, compare);
    for (size_t i = 0; i < n; i++) {
        distance = fmax(distance, fabs(a[i] - (double)i / count));
        distance = fmax(distance, fabs(a[i] - (double)(i + 1) / count));
    }
    return distance * sqrt(count);
}
