/* triangle.h: products of a constant lower triangle with the few columns that move in lockstep.
 *
 * BLAS copies its matrix into the order in which it reads it, for every product anew, and with few columns that takes as long as the
 * product. Here a triangle is packed once, in single or double precision; or it is read where it is, in double precision, without memory
 * for a copy. What a product gives for a column is a function of that column alone: not of the number of columns, nor of their order.
 */
#ifndef TALWEG_LINALG_TRIANGLE_H
#define TALWEG_LINALG_TRIANGLE_H

#include <stdbool.h>

#include "base/context.h"

/* L or, with `transposed`, L' for the lower triangle L of l (n x n); with `single` rounded to single precision. About n^2/2 numbers. */
typedef struct tw_triangle tw_triangle;
tw_status tw_triangle_new(tw_context *ctx, size_t n, const double *l, size_t ldl, bool transposed,
                          bool single, tw_triangle **out);
void tw_triangle_free(tw_triangle *triangle);

/* C = L B, or L' B, of a triangle in double or in single precision. B and C are n x columns and contiguous, apart: n^2 flops a column. */
void tw_triangle_multiply(const tw_triangle *triangle, size_t columns, const double *b, double *c);
void tw_triangle_multiply_single(const tw_triangle *triangle, size_t columns, const float *b, float *c);

/* C = L B for the lower triangle L of l (n x n), likewise. */
void tw_triangle_multiply_in_place(size_t n, const double *l, size_t ldl, size_t columns, const double *b,
                                   double *c);

#endif
