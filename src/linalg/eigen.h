/* eigen.h: eigenvalues and eigenvectors of a symmetric matrix. */
#ifndef TALWEG_LINALG_EIGEN_H
#define TALWEG_LINALG_EIGEN_H

#include <stdbool.h>
#include <stddef.h>

/* How many doubles of work a matrix of order n needs. */
size_t tw_eigen_work(size_t n);

/* A = Q diag(values) Q' for the lower triangle of A, which becomes Q; the values ascend. False when A is not
 * finite, and then A is left as it was, or when the iteration did not converge. About 9 n^3 flops. */
bool tw_eigen_symmetric(size_t n, double *a, size_t lda, double *values, double *work);

#endif
