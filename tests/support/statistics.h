/* statistics.h: statistics for tests of distributions; the caller chooses the false-alarm rate. */
#ifndef TALWEG_TESTS_STATISTICS_H
#define TALWEG_TESTS_STATISTICS_H

#include <stddef.h>

/* mean(d) divided by its standard error, for independent d: standard normal if E[d] = 0. */
double mean_score(size_t count, const double *d);

/* The Kolmogorov-Smirnov distance of two samples times sqrt(nm/(n+m)); sorts both in place. It exceeds c with
 * probability at most about 2 exp(-2 c^2). */
double two_sample_distance(size_t n, double *a, size_t m, double *b);

/* The same for one sample and the uniform distribution on (0, 1), times sqrt(n). */
double uniform_distance(size_t n, double *a);

#endif
