/* times.h: the distinct times of cases, in order, for processes along one input. */
#ifndef TALWEG_COVARIANCE_TIMES_H
#define TALWEG_COVARIANCE_TIMES_H

#include "sparse/sparse.h"

typedef struct tw_times {
    tw_context *ctx;
    size_t n, r;        /* numbers of cases and of distinct times */
    double *t;          /* r distinct times, increasing (room for n) */
    uint32_t *variable; /* r: the variable of each time (room for n) */
    uint32_t *of;       /* n: the variable of each case */
} tw_times;

/* Free them also after a failure. */
tw_status tw_times_find(tw_context *ctx, size_t n, const double *input, tw_times *out);
void tw_times_free(tw_times *times);

/* The number of times before t; *same: the next one equals t. */
size_t tw_times_before(const tw_times *times, double t, bool *same);

#endif
