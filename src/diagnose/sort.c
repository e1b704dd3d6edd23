/* sort.c: radix sort of doubles, least significant digit first.
 *
 * As an integer, the bits of a double increase with it if it is positive and decrease if it is negative.
 * Inverting all bits of negative numbers and the sign bit of positive ones gives a key that increases
 * throughout. Six stable passes over digits of 11 bits sort the 64-bit keys; a pass in which all keys have
 * the same digit is skipped.
 */
#include "diagnose/sort.h"

#include <string.h>

#define SIGN UINT64_C(0x8000000000000000)

static uint64_t key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

static double number_of(uint64_t key)
{
    uint64_t bits = key & SIGN ? key ^ SIGN : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static size_t digit(uint64_t key, int pass)
{
    return (size_t)(key >> (pass * TW_SORT_BITS)) & (TW_SORT_BUCKETS - 1);
}

static void make_items(size_t n, const double *x, tw_sort_item *items, uint32_t *counts)
{
    memset(counts, 0, sizeof *counts * TW_SORT_PASSES * TW_SORT_BUCKETS);
    for (size_t i = 0; i < n; i++) {
        items[i] = (tw_sort_item){.key = key_of(x[i]), .place = (uint32_t)i};
        for (int pass = 0; pass < TW_SORT_PASSES; pass++)
            counts[(size_t)pass * TW_SORT_BUCKETS + digit(items[i].key, pass)]++;
    }
}

/* Convert the sizes of the buckets to their first positions. */
static void accumulate(uint32_t *counts)
{
    uint32_t before = 0;
    for (size_t b = 0; b < TW_SORT_BUCKETS; b++) {
        uint32_t here = counts[b];
        counts[b] = before;
        before += here;
    }
}

void tw_sort(size_t n, const double *x, tw_sort_item *items, uint32_t *counts, double *sorted,
             uint32_t *place)
{
    tw_sort_item *from = items, *to = items + n;
    make_items(n, x, items, counts);
    for (int pass = 0; pass < TW_SORT_PASSES && n > 0; pass++) {
        uint32_t *start = counts + (size_t)pass * TW_SORT_BUCKETS;
        if (start[digit(from[0].key, pass)] == n) continue;
        accumulate(start);
        for (size_t i = 0; i < n; i++) to[start[digit(from[i].key, pass)]++] = from[i];
        tw_sort_item *swap = from;
        from = to;
        to = swap;
    }
    for (size_t i = 0; i < n; i++) {
        sorted[i] = number_of(from[i].key);
        place[i] = from[i].place;
    }
}
