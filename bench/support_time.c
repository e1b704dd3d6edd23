/* support_time.c: clocks and medians; see support_time.h. */
#include "support_time.h"

#include <stdlib.h>
#include <time.h>

enum { MOST_REPEATS = 1001, MOST_WORK = 16 };

double bench_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(size_t count, double *values)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

void bench_medians(size_t count, const bench_work *work, void *data, size_t repeats, double *seconds)
{
    static double times[MOST_WORK][MOST_REPEATS];
    if (count > MOST_WORK || repeats > MOST_REPEATS) abort();
    for (size_t i = 0; i < count; i++) work[i](data);
    for (size_t r = 0; r < repeats; r++) {
        for (size_t i = 0; i < count; i++) {
            double start = bench_cpu_seconds();
            work[i](data);
            times[i][r] = bench_cpu_seconds() - start;
        }
    }
    for (size_t i = 0; i < count; i++) seconds[i] = bench_median(repeats, times[i]);
}
