/* cholesky.h: Cholesky factors that say where they failed, and what is read off a factor. */
#ifndef TALWEG_LINALG_CHOLESKY_H
#define TALWEG_LINALG_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* Where a factorisation stopped: the leading minor of order `pivot` (1-based) is not positive; its last
 * diagonal entry, after elimination, was `value`. pivot 0: it went through. */
typedef struct tw_pivot {
    size_t pivot;
    double value;
} tw_pivot;

/* L L' = A for the lower triangle of A, which is left as it was. L is lower triangular with an upper triangle
 * of zeros, and may not overlap A. False, with *failed filled, when A is not numerically positive definite.
 */
bool tw_cholesky(size_t n, const double *a, size_t lda, double *l, size_t ldl, tw_pivot *failed);

/* The same in place: the lower triangle of A becomes L, its strict upper triangle is neither read nor
 * written. After a failure the columns before *failed hold the partial factor. */
bool tw_cholesky_in_place(size_t n, double *a, size_t lda, tw_pivot *failed);

/* The leading dimension, at least n, with which the functions for active sites and inverses are fast: an odd number of cache lines, so
 * that a row is spread over all of the cache. They need one of at least n rounded up to a multiple of 8. */
size_t tw_cholesky_leading(size_t n);

/* How many doubles of work they need, on a cache line as tw_allocate gives it. */
size_t tw_cholesky_work(size_t n);

/* Factor B = I + S A S restricted to the `count` sites index[0..count), rising, S = diag(s), s given for those
 * sites: only the upper triangle of A is read, and only the lower triangle of b written. B has eigenvalues of at least 1, so this fails only
 * on numbers that are not finite. */
bool tw_cholesky_active(size_t count, const size_t *index, const double *s, const double *a, size_t lda,
                        double *b, size_t ldb, double *work, tw_pivot *failed);

/* log |L L'| = 2 sum log L_ii. */
double tw_cholesky_log_det(size_t n, const double *l, size_t ldl);

/* Solve L X = B (or L' X = B) in place for a block of columns. */
void tw_cholesky_half_solve(size_t n, const double *l, size_t ldl, bool transposed, size_t columns, double *b,
                            size_t ldb);

/* Solve L L' X = B in place. */
void tw_cholesky_solve(size_t n, const double *l, size_t ldl, size_t columns, double *b, size_t ldb);

/* W = L^-T on and above the diagonal, with diagonal = diag((L L')^-1): row sums of squares of W. L is lost. n^3/3 flops. */
void tw_cholesky_invert(size_t n, double *l, size_t ldl, double *work, double *diagonal);

/* y = (L L')^-1 b = W W' b for one vector, given W from tw_cholesky_invert; y may not overlap b. */
void tw_cholesky_inverse_multiply(size_t n, const double *w, size_t ldw, const double *b, double *y);

#endif
