/* vector.h: inner products of vectors and of the columns of two matrices. */
#ifndef TALWEG_LINALG_VECTOR_H
#define TALWEG_LINALG_VECTOR_H

#include <stddef.h>

double tw_dot(size_t n, const double *a, const double *b);

/* sum_i w_i a_i b_i. */
double tw_dot_weighted(size_t n, const double *w, const double *a, const double *b);

/* C = A' B (n x m): inner products of all columns of A (d x n) with all columns of B (d x m), all contiguous.
 * 2 n m d flops. */
void tw_dots(size_t n, size_t m, size_t d, const double *a, const double *b, double *c);

#endif
