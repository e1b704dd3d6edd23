/* cholesky.h: Cholesky factorisations that report a failed pivot; solves, determinants and inverses from a
 * factor. */
#ifndef TALWEG_LINALG_CHOLESKY_H
#define TALWEG_LINALG_CHOLESKY_H

#include <stdbool.h>
#include <stddef.h>

/* The pivot at which a factorisation stopped: the leading minor of order `pivot` (1-based) is not
 * positive, and its last diagonal entry after elimination was `value`. pivot 0: the factorisation
 * succeeded. */
typedef struct tw_pivot {
    size_t pivot;
    double value;
} tw_pivot;

/* Factor L L' = A. Only the lower triangle of A is read, and A is not changed. The upper triangle of L is
 * set to zero; L must not overlap A. Returns false, with *failed set, if A is not numerically positive
 * definite. */
bool tw_cholesky(size_t n, const double *a, size_t lda, double *l, size_t ldl, tw_pivot *failed);

/* The same in place: L replaces the lower triangle of A; the strict upper triangle is neither read nor
 * written. After a failure the columns before the failed pivot hold the partial factor. */
bool tw_cholesky_in_place(size_t n, double *a, size_t lda, tw_pivot *failed);

/* The leading dimension, at least n, with which tw_cholesky_active and tw_cholesky_invert are fast: an odd
 * number of cache lines, so that the elements of a row lie in different cache sets. They need at least n
 * rounded up to a multiple of 8. */
size_t tw_cholesky_leading(size_t n);

/* The number of doubles of work that they need. The work array must begin at a cache line, as arrays from
 * tw_allocate do. */
size_t tw_cholesky_work(size_t n);

/* Factor B = I + S A S restricted to the `count` sites index[0..count), in ascending order, with
 * S = diag(s) and s given for those sites. Only the upper triangle of A is read and only the lower triangle
 * of b is written. The eigenvalues of B are at least 1, so this fails only if numbers are not finite. */
bool tw_cholesky_active(size_t count, const size_t *index, const double *s, const double *a, size_t lda,
                        double *b, size_t ldb, double *work, tw_pivot *failed);

/* log |L L'| = 2 sum log L_ii. */
double tw_cholesky_log_det(size_t n, const double *l, size_t ldl);

/* Solve L X = B (or L' X = B) in place for a block of columns. */
void tw_cholesky_half_solve(size_t n, const double *l, size_t ldl, bool transposed, size_t columns, double *b,
                            size_t ldb);

/* Solve L L' X = B in place. */
void tw_cholesky_solve(size_t n, const double *l, size_t ldl, size_t columns, double *b, size_t ldb);

/* Replace L by W = L^-T, on and above the diagonal, and set diagonal = diag((L L')^-1), the row sums of
 * squares of W. n^3/3 flops. */
void tw_cholesky_invert(size_t n, double *l, size_t ldl, double *work, double *diagonal);

/* y = (L L')^-1 b = W W' b for one vector, given W from tw_cholesky_invert; y must not overlap b. */
void tw_cholesky_inverse_multiply(size_t n, const double *w, size_t ldw, const double *b, double *y);

#endif
