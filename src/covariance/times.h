/* times.h: the different times of cases, in order, for processes along one input. */
#ifndef TALWEG_COVARIANCE_TIMES_H
#define TALWEG_COVARIANCE_TIMES_H

#include "sparse/sparse.h"

typedef struct tw_times {
    tw_context *ctx;
    size_t n, r; /* cases, times */
    double *t;   /* r of n: rising */
    uint32_t
        *variable; /* r of n: the variable of each time; its case, where each case has a time of its own */
    uint32_t *of;  /* n: the variable of each case */
} tw_times;

/* Release them also after a failure. */
tw_status tw_times_find(tw_context *ctx, size_t n, const double *input, tw_times *out);
void tw_times_free(tw_times *times);

/* How many times are before t; *same: the next one is t itself. */
size_t tw_times_before(const tw_times *times, double t, bool *same);

#endif
