/* machine.c: clocks, and the number of processors available to this process. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* sched_getaffinity */
#endif
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "talweg/base.h"

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tw_wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double tw_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* The processors that this process may run on, if the system tells; otherwise all that are online. */
static long processors(void)
{
#ifdef CPU_COUNT
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    return sysconf(_SC_NPROCESSORS_ONLN);
}

size_t tw_threads(size_t asked)
{
    long wanted = asked == 0 ? processors() : asked < TW_MOST_THREADS ? (long)asked : TW_MOST_THREADS;
    return wanted < 1 ? 1 : wanted > TW_MOST_THREADS ? TW_MOST_THREADS : (size_t)wanted;
}
