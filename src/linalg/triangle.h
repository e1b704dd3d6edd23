/* triangle.h: products of a constant lower triangle with a few columns.
 *
 * BLAS packs its matrix into blocks again in every product, and with few columns that takes as long as the
 * product itself. Here a triangle is packed once, in single or double precision, or it is read in place, in
 * double precision, without memory for a copy. The result for a column depends on that column alone, not on
 * the number of columns or their order.
 */
#ifndef TALWEG_LINALG_TRIANGLE_H
#define TALWEG_LINALG_TRIANGLE_H

#include <stdbool.h>

#include "base/context.h"

/* A packed copy of the lower triangle L of l (n x n) or, with `transposed`, of L'; with `single` rounded
 * to single precision. It takes about n^2/2 numbers. */
typedef struct tw_triangle tw_triangle;
tw_status tw_triangle_new(tw_context *ctx, size_t n, const double *l, size_t ldl, bool transposed,
                          bool single, tw_triangle **out);
void tw_triangle_free(tw_triangle *triangle);

/* C = L B, or L' B, for a triangle packed in double or in single precision. B and C (n x columns) are
 * contiguous and do not overlap. n^2 flops per column. */
void tw_triangle_multiply(const tw_triangle *triangle, size_t columns, const double *b, double *c);
void tw_triangle_multiply_single(const tw_triangle *triangle, size_t columns, const float *b, float *c);

/* C = L B for the lower triangle L of l (n x n), which is read in place; B and C as above. */
void tw_triangle_multiply_in_place(size_t n, const double *l, size_t ldl, size_t columns, const double *b,
                                   double *c);

#endif
