/* cholesky.c: Cholesky factors and solves, by LAPACK's potrf and BLAS's trsm; those of active sites by
 * cholesky_small.c. */
#include "linalg/cholesky.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/cholesky_small.h"
#include "linalg/size.h"

/* Copy the lower triangle of A to L, with zeros above the diagonal. */
static void copy_lower(size_t n, const double *a, size_t lda, double *l, size_t ldl)
{
    for (size_t j = 0; j < n; j++) {
        memset(l + j * ldl, 0, j * sizeof *l);
        memcpy(l + j + j * ldl, a + j + j * lda, (n - j) * sizeof *l);
    }
}

/* Check the diagonal, because potrf does not detect every NaN. */
static bool diagonal_is_positive(size_t n, const double *l, size_t ldl, tw_pivot *failed)
{
    for (size_t i = 0; i < n; i++) {
        double pivot = l[i + i * ldl];
        if (!(pivot > 0.0) || !isfinite(pivot)) {
            *failed = (tw_pivot){i + 1, pivot};
            return false;
        }
    }
    *failed = (tw_pivot){0, 0.0};
    return true;
}

bool tw_cholesky_in_place(size_t n, double *a, size_t lda, tw_pivot *failed)
{
    if (n == 0) {
        *failed = (tw_pivot){0, 0.0};
        return true;
    }
    int info = LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', to_int(n), a, to_int(lda));
    if (info > 0) {
        size_t p = (size_t)info - 1;
        *failed = (tw_pivot){p + 1, a[p + p * lda]};
        return false;
    }
    return diagonal_is_positive(n, a, lda, failed);
}

bool tw_cholesky(size_t n, const double *a, size_t lda, double *l, size_t ldl, tw_pivot *failed)
{
    copy_lower(n, a, lda, l, ldl);
    return tw_cholesky_in_place(n, l, ldl, failed);
}

size_t tw_cholesky_leading(size_t n)
{
    enum { LINE = 8 };
    size_t lines = (n + LINE - 1) / LINE;
    return LINE * (lines + (lines % 2 == 0));
}

size_t tw_cholesky_work(size_t n)
{
    return tw_cholesky_small_work(n < TW_CHOLESKY_SMALL_MAX ? n : TW_CHOLESKY_SMALL_MAX);
}

/* Halve A = (A11 .; A21 A22) recursively until the halves fit in cache: L11 is the factor of A11,
 * L21 = A21 L11^-T, and L22 is the factor of A22 - L21 L21'. */
static bool factor_lower(size_t n, double *a, size_t lda, double *work, tw_pivot *failed)
{
    if (n <= TW_CHOLESKY_SMALL_MAX) return tw_cholesky_small(n, a, lda, work, failed);
    size_t half = tw_cholesky_small_half(n), rest = n - half;
    double *low = a + half, *last = low + half * lda;
    if (!factor_lower(half, a, lda, work, failed)) return false;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, to_int(rest), to_int(half),
                1.0, a, to_int(lda), low, to_int(lda));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, to_int(rest), to_int(half), -1.0, low, to_int(lda),
                1.0, last, to_int(lda));
    if (factor_lower(rest, last, lda, work, failed)) return true;
    failed->pivot += half;
    return false;
}

bool tw_cholesky_active(size_t count, const size_t *index, const double *s, const double *a, size_t lda,
                        double *b, size_t ldb, double *work, tw_pivot *failed)
{
    enum { TILE = 8 }; /* columns of A become rows of B; with tiles both stay in cache */
    for (size_t first = 0; first < count; first += TILE) {
        size_t past = first + TILE < count ? first + TILE : count;
        for (size_t j = 0; j < past; j++)
            for (size_t i = j > first ? j : first; i < past; i++)
                b[i + j * ldb] = s[i] * s[j] * a[index[j] + index[i] * lda];
    }
    for (size_t i = 0; i < count; i++) b[i + i * ldb] += 1.0;
    return factor_lower(count, b, ldb, work, failed);
}

double tw_cholesky_log_det(size_t n, const double *l, size_t ldl)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += log(l[i + i * ldl]);
    return 2.0 * sum;
}

void tw_cholesky_half_solve(size_t n, const double *l, size_t ldl, bool transposed, size_t columns, double *b,
                            size_t ldb)
{
    CBLAS_TRANSPOSE trans = transposed ? CblasTrans : CblasNoTrans;
    if (n == 0 || columns == 0) return;
    if (columns == 1)
        cblas_dtrsv(CblasColMajor, CblasLower, trans, CblasNonUnit, to_int(n), l, to_int(ldl), b, 1);
    else
        cblas_dtrsm(CblasColMajor, CblasLeft, CblasLower, trans, CblasNonUnit, to_int(n), to_int(columns),
                    1.0, l, to_int(ldl), b, to_int(ldb));
}

void tw_cholesky_solve(size_t n, const double *l, size_t ldl, size_t columns, double *b, size_t ldb)
{
    tw_cholesky_half_solve(n, l, ldl, false, columns, b, ldb);
    tw_cholesky_half_solve(n, l, ldl, true, columns, b, ldb);
}
