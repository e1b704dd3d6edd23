/* cholesky_small.h: the Cholesky factor of a matrix that fits in cache, and the inverse of that factor.
 *
 * At order 200 LAPACK's potrf reaches two fifths of a core's peak flops, and recursive inversion with BLAS
 * half of it: copies and small blocks take the rest of the time. These functions reach seven tenths. Matrices
 * are column-major. The memory of each column must extend to the next multiple of 8 rows; the numbers there
 * do not affect results.
 */
#ifndef TALWEG_LINALG_CHOLESKY_SMALL_H
#define TALWEG_LINALG_CHOLESKY_SMALL_H

#include <stdbool.h>
#include <stddef.h>

#include "linalg/cholesky.h"

enum { TW_CHOLESKY_SMALL_MAX = 1024 }; /* the largest order for which callers use these functions */

/* The number of doubles of work for order n; the work array must begin at a cache line. */
size_t tw_cholesky_small_work(size_t n);

/* The order of the first half when a larger matrix is halved: a multiple of 8. */
static inline size_t tw_cholesky_small_half(size_t n)
{
    return (n / 2 + 7) / 8 * 8;
}

/* Replace the lower triangle of A by L, L L' = A. Returns false, with *failed set, if a pivot is not
 * positive and finite. n^3/3 flops. */
bool tw_cholesky_small(size_t n, double *a, size_t lda, double *work, tw_pivot *failed);

/* Write L^-T on and above the diagonal; L stays below the diagonal. n^3/3 flops. */
void tw_cholesky_small_invert(size_t n, double *l, size_t ldl, double *work);

#endif
