/* panel.h: operations on the dense blocks of a sparse factor: triangles and rectangular panels.
 *
 * All matrices are column-major. The blocks are small and many, so these functions neither copy nor check
 * anything.
 */
#ifndef TALWEG_LINALG_PANEL_H
#define TALWEG_LINALG_PANEL_H

#include <stdbool.h>
#include <stddef.h>

/* X <- X L^-1 or, with `transposed`, X L^-T, for X rows x n and the lower triangle L (n x n). */
void tw_panel_solve(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                    size_t ldx);

/* X <- X L or, with `transposed`, X L', for X rows x n. */
void tw_panel_multiply(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                       size_t ldx);

/* C <- scale A B + keep C for C rows x n, A rows x d and B d x n; with `transposed`
 * C <- scale A B' + keep C for B n x d. */
void tw_panel_product(size_t rows, size_t n, size_t d, double scale, const double *a, size_t lda,
                      const double *b, size_t ldb, bool transposed, double keep, double *c, size_t ldc);

/* C (n x m) = -S A for the symmetric matrix S (n x n, lower) and A (n x m). */
void tw_panel_minus_symmetric(size_t n, size_t m, const double *s, size_t lds, const double *a, size_t lda,
                              double *c, size_t ldc);

/* C <- C - A' B for C n x n, A and B d x n. */
void tw_panel_subtract_inner(size_t n, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                             double *c, size_t ldc);

/* Replace the lower triangle L by that of (L L')^-1; the strict upper triangle does not change. */
void tw_panel_invert(size_t n, double *l, size_t ldl);

#endif
