/* eigen.h: eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef TALWEG_LINALG_EIGEN_H
#define TALWEG_LINALG_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

/* The number of doubles of work for order n. */
size_t tw_eigen_work(size_t n);

/* Compute A = Q diag(values) Q' from the lower triangle of A; Q replaces A, and the values ascend. Returns
 * false if A is not finite (A is then unchanged) or if the iteration does not converge. About 9 n^3 flops. */
bool tw_eigen_symmetric(size_t n, double *a, size_t lda, double *values, double *work);

#endif
