/* factor.c: products and solves with a factor, and the factor of a conditioned covariance. */
#include "linalg/factor.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/product.h"
#include "linalg/size.h"

void tw_factor_free(tw_factor *factor)
{
    if (!factor) return;
    tw_context *ctx = factor->ctx;
    tw_release(ctx, factor->l);
    tw_release(ctx, factor->pivot);
    tw_release(ctx, factor->triangle);
    tw_release(ctx, factor);
}

static tw_status allocate_like(const tw_factor *base, tw_factor *copy)
{
    tw_context *ctx = base->ctx;
    size_t n = base->n, r = base->rank;
    void *pivot = NULL;
    *copy = (tw_factor){.ctx = ctx, .n = n, .rank = r, .log_det = base->log_det};
    TW_TRY(tw_allocate_doubles(ctx, n, r, "a factor of the covariance", &copy->l));
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

void tw_factor_multiply(const tw_factor *factor, size_t columns, const double *v, size_t ldv, double *x,
                        size_t ldx)
{
    int n = to_int(factor->n), r = to_int(factor->rank);
    if (!factor->pivot) {
        copy_block(factor->n, columns, v, ldv, x, ldx);
        triangular_multiply(factor, CblasNoTrans, columns, x, ldx);
    } else if (columns == 1) {
        cblas_dgemv(CblasColMajor, CblasNoTrans, n, r, 1.0, factor->l, n, v, 1, 0.0, x, 1);
    } else {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, to_int(columns), r, 1.0, factor->l, n, v,
                    to_int(ldv), 0.0, x, to_int(ldx));
    }
}

void tw_factor_multiply_transposed(const tw_factor *factor, size_t columns, const double *x, size_t ldx,
                                   double *v, size_t ldv)
{
    int n = to_int(factor->n), r = to_int(factor->rank);
    if (!factor->pivot) {
        copy_block(factor->n, columns, x, ldx, v, ldv);
        triangular_multiply(factor, CblasTrans, columns, v, ldv);
    } else if (columns == 1) {
        cblas_dgemv(CblasColMajor, CblasTrans, n, r, 1.0, factor->l, n, x, 1, 0.0, v, 1);
    } else {
        cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, r, to_int(columns), n, 1.0, factor->l, n, x,
                    to_int(ldx), 0.0, v, to_int(ldv));
    }
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

/* Columns in reverse order, in place: L J with J the exchange matrix. */
static void reverse_columns(size_t n, size_t columns, double *a)
{
    for (size_t j = 0; j < columns / 2; j++)
        cblas_dswap(to_int(n), a + j * n, 1, a + (columns - 1 - j) * n, 1);
}

/* out = base C^-T, with J C J = `scratch` (the Cholesky factor of the reversed matrix J M J, to be computed
 * here): the columns of L are reversed, solved against the lower factor, and reversed back. */
static bool apply_reversed(const tw_factor *base, double *scratch, tw_factor *out, double *log_det_m)
{
    size_t n = base->n, r = base->rank;
    tw_pivot failed;
    if (!tw_cholesky_in_place(r, scratch, r, &failed)) return false;
    *log_det_m = tw_cholesky_log_det(r, scratch, r);
    memcpy(out->l, base->l, n * r * sizeof *out->l);
    reverse_columns(n, r, out->l);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, to_int(n), to_int(r), 1.0,
                scratch, to_int(r), out->l, to_int(n));
    reverse_columns(n, r, out->l);
    for (size_t k = 0; base->pivot && k < r; k++)
        for (size_t i = k; i < r; i++) out->triangle[i + k * r] = out->l[base->pivot[i] + k * n];
    out->log_det = base->log_det - *log_det_m;
    return true;
}

static void add_to_diagonal(size_t n, double *a, double value)
{
    for (size_t i = 0; i < n; i++) a[i + i * n] += value;
}

bool tw_factor_condition(const tw_factor *base, const double *t, double *scratch, tw_factor *out,
                         double *log_det_m)
{
    size_t n = base->n, r = base->rank;
    /* W J with W = T^1/2 L, in out's storage; then J (I + W'W) J. */
    for (size_t j = 0; j < r; j++) {
        const double *from = base->l + (r - 1 - j) * n;
        double *to = out->l + j * n;
        for (size_t i = 0; i < n; i++) to[i] = sqrt(t[i]) * from[i];
    }
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(r), to_int(n), 1.0, out->l, to_int(n), 0.0,
                scratch, to_int(r));
    add_to_diagonal(r, scratch, 1.0);
    return apply_reversed(base, scratch, out, log_det_m);
}

bool tw_factor_mix(const tw_factor *base, const tw_factor *other, double b, double *scratch, tw_factor *out,
                   double *log_det_m)
{
    size_t n = base->n;
    memcpy(out->l, base->l, n * n * sizeof *out->l);
    reverse_columns(n, n, out->l);
    tw_cholesky_half_solve(n, other->l, n, false, n, out->l, n);
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(n), to_int(n), 1.0 - b, out->l, to_int(n), 0.0,
                scratch, to_int(n));
    add_to_diagonal(n, scratch, b);
    return apply_reversed(base, scratch, out, log_det_m);
}
