/* vector.h: elementary functions over an array, vectorised for the current processor. */
#ifndef TALWEG_MATH_VECTOR_H
#define TALWEG_MATH_VECTOR_H

#include <stddef.h>

/* y[i] = exp(x[i]); y may be x. Relative error below 4e-16; 0 if exp(x) is below the normal doubles. */
void tw_vector_exp(size_t n, const double *x, double *y);

#endif
