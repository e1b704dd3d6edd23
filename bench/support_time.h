/* support_time.h: shared by the benchmarks: clocks, and the median of repetitions. */
#ifndef TALWEG_BENCH_SUPPORT_TIME_H
#define TALWEG_BENCH_SUPPORT_TIME_H

#include <stddef.h>

/* Seconds of a monotonic clock. */
double bench_seconds(void);

/* Seconds of processor time of this process, for work of one thread on a shared machine. */
double bench_cpu_seconds(void);

/* The median (the upper one of two); sorts the values. */
double bench_median(size_t count, double *values);

/* A function to time, with its data. */
typedef void (*bench_work)(void *data);

/* The median processor seconds of each of `count` functions, which use one thread. They alternate, `repeats`
 * times (at most 1001), after one round that is not counted, so that all see the same machine. */
void bench_medians(size_t count, const bench_work *work, void *data, size_t repeats, double *seconds);

#endif
