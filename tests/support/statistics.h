/* statistics.h: tests of distributions, with their false-alarm rates in the caller's hands. */
#ifndef TALWEG_TESTS_STATISTICS_H
#define TALWEG_TESTS_STATISTICS_H

#include <stddef.h>

/* mean(d) / its standard error, for independent d: standard normal where E[d] = 0. */
double mean_score(size_t count, const double *d);

/* Kolmogorov and Smirnov's distance of two samples times sqrt(nm/(n+m)); both are sorted in place. It exceeds
 * c with probability at most about 2 exp(-2 c^2). */
double two_sample_distance(size_t n, double *a, size_t m, double *b);

/* The same of one sample from the uniform distribution on (0, 1), times sqrt(n). */
double uniform_distance(size_t n, double *a);

#endif
