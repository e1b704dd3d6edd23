/* determinant.h: the determinant of a matrix that need not be symmetric. */
#ifndef TALWEG_LINALG_DETERMINANT_H
#define TALWEG_LINALG_DETERMINANT_H

#include <stddef.h>

/* log |det A| of an n x n matrix: -inf if A is singular, NaN if it is not finite. A is overwritten by its
 * LU factors; pivots (n numbers) is work. */
double tw_log_determinant(size_t n, double *a, size_t lda, int *pivots);

#endif
