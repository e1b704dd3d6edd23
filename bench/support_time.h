/* support_time.h: what the benchmarks share: a clock and the median of repetitions. */
#ifndef TALWEG_BENCH_SUPPORT_TIME_H
#define TALWEG_BENCH_SUPPORT_TIME_H

#include <stddef.h>

/* Seconds of a clock that only moves forward. */
double bench_seconds(void);

/* Seconds of processor time of this process: for long work of one thread on a busy machine. */
double bench_cpu_seconds(void);

/* The median, or the upper one of two; values are put in order. */
double bench_median(size_t count, double *values);

/* A piece of work to be timed, with what it works on. */
typedef void (*bench_work)(void *data);

/* Median processor seconds of each of `count` pieces of work of one thread. They take turns, `repeats` times
 * (at most 1001), after one round that is not counted, so that all of them see the same machine. */
void bench_medians(size_t count, const bench_work *work, void *data, size_t repeats, double *seconds);

#endif
