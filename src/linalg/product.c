/* product.c: matrix products by BLAS. */
#include "linalg/product.h"

#include <cblas.h>

#include "linalg/size.h"

void tw_product_self(size_t n, size_t d, const double *x, size_t ldx, double *c, size_t ldc)
{
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, to_int(n), to_int(d), 1.0, x, to_int(ldx), 0.0, c,
                to_int(ldc));
}

void tw_product(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                double *c, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, to_int(n), to_int(m), to_int(d), 1.0, a,
                to_int(lda), b, to_int(ldb), 0.0, c, to_int(ldc));
}

void tw_product_subtract_self(size_t n, size_t d, const double *a, size_t lda, double *c, size_t ldc)
{
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(n), to_int(d), -1.0, a, to_int(lda), 1.0, c,
                to_int(ldc));
}

void tw_product_outer(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                      double *c, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, to_int(n), to_int(m), to_int(d), 1.0, a, to_int(lda),
                b, to_int(ldb), 0.0, c, to_int(ldc));
}

void tw_product_inner(size_t n, size_t m, size_t d, const double *a, size_t lda, const double *b, size_t ldb,
                      double *c, size_t ldc)
{
    cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, to_int(n), to_int(m), to_int(d), 1.0, a, to_int(lda),
                b, to_int(ldb), 0.0, c, to_int(ldc));
}

void tw_product_symmetric(size_t n, size_t columns, const double *a, size_t lda, const double *b, size_t ldb,
                          double *c, size_t ldc)
{
    if (columns == 1)
        cblas_dsymv(CblasColMajor, CblasUpper, to_int(n), 1.0, a, to_int(lda), b, 1, 0.0, c, 1);
    else
        cblas_dsymm(CblasColMajor, CblasLeft, CblasUpper, to_int(n), to_int(columns), 1.0, a, to_int(lda), b,
                    to_int(ldb), 0.0, c, to_int(ldc));
}

void tw_mirror_lower(size_t n, double *a, size_t lda)
{
    enum { TILE = 32 }; /* the tiles that are read and written both stay in cache */
    for (size_t j0 = 0; j0 < n; j0 += TILE)
        for (size_t i0 = j0; i0 < n; i0 += TILE)
            for (size_t j = j0; j < n && j < j0 + TILE; j++)
                for (size_t i = i0 > j + 1 ? i0 : j + 1; i < n && i < i0 + TILE; i++)
                    a[j + i * lda] = a[i + j * lda];
}
