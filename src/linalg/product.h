/* product.h: matrix products for all rooms. All matrices are column-major. A symmetric matrix is stored in
 * full; with "lower" or "upper" in its comment, only that triangle is read or written.
 */
#ifndef TALWEG_LINALG_PRODUCT_H
#define TALWEG_LINALG_PRODUCT_H

#include <stddef.h>

/* C = X X' (lower), X is n x d. n^2 d flops. */
void tw_product_self(size_t n, size_t d, const double *x, size_t ldx, double *c, size_t ldc);

/* C = A B, A is n x d and B is d x m. 2 n m d flops. */
void tw_product(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                double *c, size_t ldc);

/* C = A B', A is n x d and B is m x d. 2 n m d flops. */
void tw_product_outer(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                      double *c, size_t ldc);

/* C = A' B, A is d x n and B is d x m. 2 n m d flops. */
void tw_product_inner(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                      double *c, size_t ldc);

/* C = C - A' A (lower), A is d x n. n^2 d flops. */
void tw_product_subtract_self(size_t n, size_t d, const double *a, size_t lda, double *c, size_t ldc);

/* C = A B for `columns` columns, A symmetric n x n (upper). */
void tw_product_symmetric(size_t n, size_t columns, const double *a, size_t lda, const double *b, size_t ldb,
                          double *c, size_t ldc);

/* Copy the lower triangle to the upper one, which makes A exactly symmetric. */
void tw_mirror_lower(size_t n, double *a, size_t lda);

#endif
