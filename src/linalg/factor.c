/* factor.c: memory, products and solves of a factor. */
#include "linalg/factor.h"

#include <cblas.h>
#include <string.h>

#include "linalg/product.h"
#include "linalg/size.h"

void tw_factor_free(tw_factor *factor)
{
    if (!factor) return;
    tw_context *ctx = factor->ctx;
    if (!factor->borrowed) tw_release(ctx, factor->l);
    tw_release(ctx, factor->pivot);
    tw_release(ctx, factor->triangle);
    tw_release(ctx, factor);
}

tw_status tw_factor_borrow(tw_context *ctx, size_t n, double *l, double log_det, tw_factor **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_factor), "a factor", &memory));
    *out = memory;
    **out = (tw_factor){.ctx = ctx, .n = n, .rank = n, .log_det = log_det, .borrowed = true};
    (*out)->l = l;
    return TW_OK;
}

void tw_factor_move(tw_factor *factor, double *l)
{
    memcpy(l, factor->l, factor->n * factor->n * sizeof *l);
    tw_release(factor->ctx, factor->l);
    factor->l = l;
    factor->borrowed = true;
}

static tw_status allocate_like(const tw_factor *base, tw_factor *copy)
{
    tw_context *ctx = base->ctx;
    size_t n = base->n, r = base->rank;
    void *pivot = NULL;
    *copy = (tw_factor){.ctx = ctx, .n = n, .rank = r, .log_det = base->log_det};
    TW_TRY(tw_allocate_doubles(ctx, n, base->pivot ? r : n + 1, "a factor of the covariance", &copy->l));
    if (!base->pivot) return TW_OK;
    TW_TRY(tw_allocate(ctx, r, sizeof *copy->pivot, "the pivots of a factor", &pivot));
    copy->pivot = pivot;
    return tw_allocate_doubles(ctx, r, r, "the triangle of a factor", &copy->triangle);
}

tw_status tw_factor_copy(const tw_factor *base, tw_factor **out)
{
    void *memory = NULL;
    size_t n = base->n, r = base->rank;
    *out = NULL;
    TW_TRY(tw_allocate(base->ctx, 1, sizeof(tw_factor), "a factor", &memory));
    tw_factor *copy = memory;
    tw_status status = allocate_like(base, copy);
    if (status != TW_OK) {
        tw_factor_free(copy);
        return status;
    }
    memcpy(copy->l, base->l, n * r * sizeof *copy->l);
    if (base->pivot) {
        memcpy(copy->pivot, base->pivot, r * sizeof *copy->pivot);
        memcpy(copy->triangle, base->triangle, r * r * sizeof *copy->triangle);
    }
    *out = copy;
    return TW_OK;
}

/* X = L X or L' X in place, L the lower triangular n x n factor. */
static void triangular_multiply(const tw_factor *factor, CBLAS_TRANSPOSE trans, size_t columns, double *x,
                                size_t ldx)
{
    int n = to_int(factor->n);
    if (columns == 1)
        cblas_dtrmv(CblasColMajor, CblasLower, trans, CblasNonUnit, n, factor->l, n, x, 1);
    else
        cblas_dtrmm(CblasColMajor, CblasLeft, CblasLower, trans, CblasNonUnit, n, to_int(columns), 1.0,
                    factor->l, n, x, to_int(ldx));
}

static void copy_block(size_t rows, size_t columns, const double *from, size_t ldf, double *to, size_t ldt)
{
    for (size_t j = 0; j < columns; j++) memcpy(to + j * ldt, from + j * ldf, rows * sizeof *to);
}

/* Y = L X or L' X, L the n x r factor. */
static void multiply(const tw_factor *factor, CBLAS_TRANSPOSE trans, size_t columns, const double *x,
                     size_t ldx, double *y, size_t ldy)
{
    int n = to_int(factor->n), r = to_int(factor->rank);
    if (!factor->pivot) {
        copy_block(factor->n, columns, x, ldx, y, ldy);
        triangular_multiply(factor, trans, columns, y, ldy);
    } else if (columns == 1) {
        cblas_dgemv(CblasColMajor, trans, n, r, 1.0, factor->l, n, x, 1, 0.0, y, 1);
    } else {
        int rows = trans == CblasTrans ? r : n, inner = trans == CblasTrans ? n : r;
        cblas_dgemm(CblasColMajor, trans, CblasNoTrans, rows, to_int(columns), inner, 1.0, factor->l, n, x,
                    to_int(ldx), 0.0, y, to_int(ldy));
    }
}

void tw_factor_multiply(const tw_factor *factor, size_t columns, const double *v, size_t ldv, double *x,
                        size_t ldx)
{
    multiply(factor, CblasNoTrans, columns, v, ldv, x, ldx);
}

void tw_factor_multiply_transposed(const tw_factor *factor, size_t columns, const double *x, size_t ldx,
                                   double *v, size_t ldv)
{
    multiply(factor, CblasTrans, columns, x, ldx, v, ldv);
}

void tw_factor_solve(const tw_factor *factor, size_t columns, const double *x, size_t ldx, const double *mean,
                     double *v, size_t ldv)
{
    size_t r = factor->rank;
    const double *triangle = factor->pivot ? factor->triangle : factor->l;
    for (size_t j = 0; j < columns; j++)
        for (size_t k = 0; k < r; k++) {
            size_t row = factor->pivot ? factor->pivot[k] : k;
            v[k + j * ldv] = x[row + j * ldx] - (mean ? mean[row] : 0.0);
        }
    tw_cholesky_half_solve(r, triangle, r, false, columns, v, ldv);
}

void tw_factor_product(const tw_factor *factor, double *a, size_t lda)
{
    tw_product_self(factor->n, factor->rank, factor->l, factor->n, a, lda);
    tw_mirror_lower(factor->n, a, lda);
}
