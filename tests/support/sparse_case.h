/* sparse_case.h: sparse matrices for tests, and their dense forms. */
#ifndef TALWEG_TESTS_SPARSE_CASE_H
#define TALWEG_TESTS_SPARSE_CASE_H

#include "talweg/sparse.h"

/* Skip the test if this build cannot order sparse matrices. Call it before any allocation. */
void need_orderings(void);

/* The square of the matrix with kappa2 + 4 on the diagonal and -1 for neighbours on a lattice: the precision
 * of a smooth field. */
tw_sparse *lattice_precision(tw_context *ctx, size_t rows, size_t columns, double kappa2);

/* A random symmetric pattern with about `degree` neighbours for each of n variables; diagonally dominant. */
tw_sparse *random_precision(tw_context *ctx, uint64_t seed, size_t n, double degree);

/* The dense matrix, rows x columns, and the inverse of a symmetric one (by elimination in long double).
 * Release them with free(). */
double *full_matrix(const tw_sparse *matrix);
double *full_inverse(const tw_sparse *matrix, double *log_det);

#endif
