/* panel.h: the dense blocks of a sparse factor: triangles, and panels that are multiplied and subtracted.
 *
 * All matrices are column-major. Blocks are small and many, so nothing is copied or checked here.
 */
#ifndef TALWEG_LINALG_PANEL_H
#define TALWEG_LINALG_PANEL_H

#include <stdbool.h>
#include <stddef.h>

/* X (rows x n) becomes X L^-1, with `transposed` X L^-T, for the lower triangle L (n x n). */
void tw_panel_solve(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                    size_t ldx);

/* X (rows x n) becomes X L, with `transposed` X L'. */
void tw_panel_multiply(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                       size_t ldx);

/* C (rows x n) becomes scale A B + keep C with A rows x d and B d x n; with `transposed` B is given as n x d. */
void tw_panel_product(size_t rows, size_t n, size_t d, double scale, const double *a, size_t lda,
                      const double *b, size_t ldb, bool transposed, double keep, double *c, size_t ldc);

/* C (n x m) = -S A for the symmetric matrix S (n x n, lower) and A (n x m). */
void tw_panel_minus_symmetric(size_t n, size_t m, const double *s, size_t lds, const double *a, size_t lda,
                              double *c, size_t ldc);

/* C (n x n) becomes C - A' B, A and B d x n. */
void tw_panel_subtract_inner(size_t n, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                             double *c, size_t ldc);

/* The lower triangle of L becomes that of (L L')^-1; what is above it stays. */
void tw_panel_invert(size_t n, double *l, size_t ldl);

#endif
