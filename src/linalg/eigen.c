/* eigen.c: eigenvalues and eigenvectors by LAPACK's syev: reduction to tridiagonal form, then implicit QL
 * iteration. Its eigenvectors are orthogonal to rounding even for equal eigenvalues. */
#include "linalg/eigen.h"

#include <lapacke.h>
#include <math.h>

#include "linalg/size.h"

/* syev needs at least 3 n - 1; (32 + 2) n lets the reduction use blocks of 32 columns. */
size_t tw_eigen_work(size_t n)
{
    return 34 * n;
}

/* Checked first, because syev may not return if A contains NaN. */
static bool lower_is_finite(size_t n, const double *a, size_t lda)
{
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            if (!isfinite(a[i + j * lda])) return false;
    return true;
}

bool tw_eigen_symmetric(size_t n, double *a, size_t lda, double *values, double *work)
{
    if (n == 0) return true;
    if (!lower_is_finite(n, a, lda)) return false;
    return LAPACKE_dsyev_work(LAPACK_COL_MAJOR, 'V', 'L', to_int(n), a, to_int(lda), values, work,
                              to_int(tw_eigen_work(n))) == 0;
}
