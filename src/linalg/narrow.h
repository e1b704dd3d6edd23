/* narrow.h: a triangular matrix in single precision and products with it. */
#ifndef TALWEG_LINALG_NARROW_H
#define TALWEG_LINALG_NARROW_H

#include <stdbool.h>
#include <stddef.h>

/* The lower triangle of l (n x n), rounded to `to`, which is contiguous, with zeros above. */
void tw_narrow_triangle(size_t n, const double *l, size_t ldl, float *to);

/* C = L B or L' B, B and C n x columns and contiguous, apart: n^2 flops a column, and the upper halves of blocks on the diagonal.
 */
void tw_narrow_multiply(size_t n, const float *l, bool transposed, size_t columns, const float *b, float *c);

#endif
