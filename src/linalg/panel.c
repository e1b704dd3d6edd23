/* panel.c: operations on dense blocks. A panel of one row uses level-2 BLAS, which is faster for it. */
#include "linalg/panel.h"

#include <cblas.h>
#include <lapacke.h>

#include "linalg/size.h"

/* For a row, x L^-1 = (L^-T x')', hence the other transposition. */
void tw_panel_solve(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                    size_t ldx)
{
    if (n == 1)
        for (size_t i = 0; i < rows; i++) x[i] /= l[0];
    else if (rows == 1)
        cblas_dtrsv(CblasColMajor, CblasLower, transposed ? CblasNoTrans : CblasTrans, CblasNonUnit,
                    to_int(n), l, to_int(ldl), x, to_int(ldx));
    else
        cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, transposed ? CblasTrans : CblasNoTrans,
                    CblasNonUnit, to_int(rows), to_int(n), 1.0, l, to_int(ldl), x, to_int(ldx));
}

void tw_panel_multiply(size_t rows, size_t n, const double *l, size_t ldl, bool transposed, double *x,
                       size_t ldx)
{
    if (rows == 1)
        cblas_dtrmv(CblasColMajor, CblasLower, transposed ? CblasNoTrans : CblasTrans, CblasNonUnit,
                    to_int(n), l, to_int(ldl), x, to_int(ldx));
    else
        cblas_dtrmm(CblasColMajor, CblasRight, CblasLower, transposed ? CblasTrans : CblasNoTrans,
                    CblasNonUnit, to_int(rows), to_int(n), 1.0, l, to_int(ldl), x, to_int(ldx));
}

void tw_panel_product(size_t rows, size_t n, size_t d, double scale, const double *a, size_t lda,
                      const double *b, size_t ldb, bool transposed, double keep, double *c, size_t ldc)
{
    if (rows == 1)
        cblas_dgemv(CblasColMajor, transposed ? CblasNoTrans : CblasTrans, to_int(transposed ? n : d),
                    to_int(transposed ? d : n), scale, b, to_int(ldb), a, to_int(lda), keep, c, to_int(ldc));
    else
        cblas_dgemm(CblasColMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans, to_int(rows),
                    to_int(n), to_int(d), scale, a, to_int(lda), b, to_int(ldb), keep, c, to_int(ldc));
}

void tw_panel_minus_symmetric(size_t n, size_t m, const double *s, size_t lds, const double *a, size_t lda,
                              double *c, size_t ldc)
{
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, to_int(n), to_int(m), -1.0, s, to_int(lds), a,
                to_int(lda), 0.0, c, to_int(ldc));
}

void tw_panel_subtract_inner(size_t n, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                             double *c, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(n), to_int(n), to_int(d), -1.0, a,
                to_int(lda), b, to_int(ldb), 1.0, c, to_int(ldc));
}

void tw_panel_invert(size_t n, double *l, size_t ldl)
{
    if (n == 1)
        l[0] = 1.0 / (l[0] * l[0]);
    else
        LAPACKE_dpotri_work(LAPACK_COL_MAJOR, 'L', to_int(n), l, to_int(ldl));
}
