/* sort.h: sort doubles together with their positions, in linear time, in memory that the caller provides. */
#ifndef TALWEG_DIAGNOSE_SORT_H
#define TALWEG_DIAGNOSE_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct tw_sort_item {
    uint64_t key;
    uint32_t place;
} tw_sort_item;

enum { TW_SORT_BITS = 11, TW_SORT_PASSES = 6, TW_SORT_BUCKETS = 1 << TW_SORT_BITS };

/* sorted[0..n-1] = x in increasing order, and sorted[i] = x[place[i]]. Equal numbers keep their order, and -0
 * comes before 0. No x may be NaN. items has room for 2 n, counts for TW_SORT_PASSES * TW_SORT_BUCKETS;
 * n < 2^32. */
void tw_sort(size_t n, const double *x, tw_sort_item *items, uint32_t *counts, double *sorted,
             uint32_t *place);

#endif
