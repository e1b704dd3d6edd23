/* determinant.h: the determinant of a matrix that need not be symmetric. */
#ifndef TALWEG_LINALG_DETERMINANT_H
#define TALWEG_LINALG_DETERMINANT_H

#include <stddef.h>

/* log |det A| of an n x n matrix, which is overwritten by its LU factors; pivots holds n numbers. -inf where A is
 * singular, NaN where it is not finite. */
double tw_log_determinant(size_t n, double *a, size_t lda, int *pivots);

#endif
