/* small.h: the Cholesky factor of a matrix that fits in cache, and the inverse of that factor.
 *
 * At order 200 LAPACK's potrf reaches two fifths of what a core can do, and the inverse by halves half of it: copies and small blocks take
 * the rest. These reach seven tenths. Matrices are column-major; rows up to the next multiple of 8 must be there and are not used.
 */
#ifndef TALWEG_LINALG_SMALL_H
#define TALWEG_LINALG_SMALL_H

#include <stdbool.h>
#include <stddef.h>

#include "linalg/cholesky.h"

enum { TW_SMALL_MOST = 1024 }; /* the largest order */

/* How many doubles of work an order needs, on a cache line. */
size_t tw_small_work(size_t n);

/* The order of the first half of a larger matrix. */
static inline size_t tw_small_half(size_t n)
{
    return (n / 2 + 7) / 8 * 8;
}

/* The lower triangle of A becomes L, L L' = A. False, with *failed filled, where a pivot is not positive and finite. n^3/3 flops. */
bool tw_small_cholesky(size_t n, double *a, size_t lda, double *work, tw_pivot *failed);

/* L^-T, on and above the diagonal; L stays below it. n^3/3 flops. */
void tw_small_invert(size_t n, double *l, size_t ldl, double *work);

#endif
