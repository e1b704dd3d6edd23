/* determinant.c: A = P L U with partial pivoting, |det A| = prod |U_ii|. */
#include "linalg/determinant.h"

#include <lapacke.h>
#include <math.h>

#include "linalg/size.h"

double tw_log_determinant(size_t n, double *a, size_t lda, int *pivots)
{
    double sum = 0.0;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) sum += a[i + j * lda];
    if (!isfinite(sum)) return NAN;
    LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, to_int(n), to_int(n), a, to_int(lda), pivots);
    sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += log(fabs(a[i + i * lda]));
    return sum;
}
