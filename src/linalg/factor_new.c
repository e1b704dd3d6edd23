/* factor_new.c: factor a covariance matrix by plain Cholesky; if that fails, by pivoted Cholesky with a check
 * of the residual; if that is large, the eigenvalues decide whether A is a covariance matrix.
 *
 * Pivoted Cholesky (LAPACK's pstrf) stops at rank r when the largest remaining diagonal entry is below
 * n eps max_i A_ii. For a positive semi-definite A all elements of the residual A - L L' are then that small;
 * for an indefinite A they need not be, so the residual is computed and checked.
 */
#include <cblas.h>
#include <float.h>
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/factor.h"
#include "linalg/product.h"
#include "linalg/size.h"

/* A is indefinite if an eigenvalue is below -INDEFINITE n eps lambda_max. */
static const double INDEFINITE = 10.0;

static tw_status allocate_square(tw_context *ctx, size_t n, const char *what, double **out)
{
    return tw_allocate_doubles(ctx, n, n, what, out);
}

static void copy_with_jitter(size_t n, const double *a, size_t lda, double jitter, double *to)
{
    for (size_t j = 0; j < n; j++) {
        memset(to + j * n, 0, j * sizeof *to);
        memcpy(to + j + j * n, a + j + j * lda, (n - j) * sizeof *to);
        to[j + j * n] += jitter;
    }
}

/* log|A| without jitter, to report the effect of the jitter; NaN if A has no Cholesky factor. */
static tw_status log_det_without_jitter(tw_context *ctx, size_t n, const double *a, size_t lda,
                                        double *log_det)
{
    double *l = NULL;
    tw_pivot failed;
    TW_TRY(allocate_square(ctx, n, "the factor of the covariance without jitter", &l));
    *log_det = tw_cholesky(n, a, lda, l, n, &failed) ? tw_cholesky_log_det(n, l, n) : NAN;
    tw_release(ctx, l);
    return TW_OK;
}

/* Run pstrf on the factor's memory, which holds the lower triangle of A; order[k] becomes the row of the k-th
 * pivot. */
static tw_status pivoted_cholesky(tw_factor *f, int *order, double tolerance)
{
    double *work = NULL;
    int rank = 0;
    TW_TRY(tw_allocate_doubles(f->ctx, 2, f->n, "the work space of pivoted Cholesky", &work));
    int n = to_int(f->n);
    LAPACKE_dpstrf_work(LAPACK_COL_MAJOR, 'L', n, f->l, n, order, &rank, tolerance, work);
    tw_release(f->ctx, work);
    f->rank = (size_t)rank;
    return TW_OK;
}

/* From P' A P = [L11; L21] [L11; L21]' compute L with rows in the order of A, the pivots and their
 * triangle L11. */
static tw_status unpivot(tw_factor *f, const int *order, const double *permuted)
{
    size_t n = f->n, r = f->rank;
    void *pivot = NULL;
    TW_TRY(tw_allocate(f->ctx, r, sizeof *f->pivot, "the pivots of the covariance", &pivot));
    f->pivot = pivot;
    TW_TRY(tw_allocate_doubles(f->ctx, r, r, "the pivot triangle of the covariance", &f->triangle));
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)order[i] - 1;
        for (size_t k = 0; k < r; k++) f->l[row + k * n] = i >= k ? permuted[i + k * n] : 0.0;
        if (i < r) f->pivot[i] = row;
    }
    for (size_t k = 0; k < r; k++)
        memcpy(f->triangle + k + k * r, permuted + k + k * n, (r - k) * sizeof *permuted);
    return TW_OK;
}

/* log|L'L| = log|L11 L11'| + log|I + W'W| with W = L21 L11^-1, where L21 are the rows that are not pivots.
 * permuted is overwritten. */
static tw_status pseudo_log_det(tw_factor *f, double *permuted)
{
    size_t n = f->n, r = f->rank;
    double *m = NULL;
    tw_pivot failed;
    f->log_det = tw_cholesky_log_det(r, f->triangle, r);
    if (r == n) return TW_OK;
    TW_TRY(allocate_square(f->ctx, r, "the Gram matrix of the covariance's factor", &m));
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasNoTrans, CblasNonUnit, to_int(n - r), to_int(r),
                1.0, f->triangle, to_int(r), permuted + r, to_int(n));
    cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, to_int(r), to_int(n - r), 1.0, permuted + r, to_int(n),
                0.0, m, to_int(r));
    for (size_t i = 0; i < r; i++) m[i + i * r] += 1.0;
    if (tw_cholesky_in_place(r, m, r, &failed)) f->log_det += tw_cholesky_log_det(r, m, r);
    tw_release(f->ctx, m);
    return TW_OK;
}

/* The largest entry of |A + jitter I - L L'|; work is n x n. */
static double largest_residual(const tw_factor *f, const double *a, size_t lda, double jitter, double *work)
{
    size_t n = f->n;
    double largest = 0.0;
    tw_product_self(n, f->rank, f->l, n, work, n);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++) {
            double entry = a[i + j * lda] + (i == j ? jitter : 0.0) - work[i + j * n];
            if (!(fabs(entry) <= largest)) largest = fabs(entry);
        }
    return largest;
}

/* The smallest and largest eigenvalue of A + jitter I; work is n x n. */
static tw_status extreme_eigenvalues(tw_context *ctx, size_t n, const double *a, size_t lda, double jitter,
                                     double *work, double *smallest, double *largest)
{
    double *values = NULL;
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the eigenvalues of the covariance", &values));
    copy_with_jitter(n, a, lda, jitter, work);
    int info = LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'N', 'L', to_int(n), work, to_int(n), values);
    *smallest = info == 0 ? values[0] : NAN;
    *largest = info == 0 ? values[n - 1] : NAN;
    tw_release(ctx, values);
    return TW_OK;
}

/* The residual of pivoted Cholesky is large: decide by the eigenvalues whether A is indefinite. */
static tw_status judge(tw_factor *f, const double *a, size_t lda, const tw_factor_report *report,
                       double *work)
{
    double smallest, largest;
    TW_TRY(extreme_eigenvalues(f->ctx, f->n, a, lda, report->jitter, work, &smallest, &largest));
    double limit = -INDEFINITE * (double)f->n * DBL_EPSILON * largest;
    if (smallest >= limit) return TW_OK;
    return tw_fail(
        f->ctx, TW_NOT_POSITIVE_DEFINITE,
        "the covariance matrix is not positive definite: its smallest eigenvalue is %.3g (the largest is "
        "%.3g), and its Cholesky factorisation stops at pivot %zu of %zu; check that the matrix is a "
        "covariance, or add a jitter above %.2g to its diagonal",
        smallest, largest, report->failed.pivot, f->n, -smallest);
}

static double largest_diagonal(size_t n, const double *a, size_t lda)
{
    double largest = 0.0;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, a[i + i * lda]);
    return largest;
}

/* Compute the rank-revealing factor; f->l has space for n x n numbers. */
static tw_status reveal_rank(tw_factor *f, const double *a, size_t lda, tw_factor_report *report)
{
    size_t n = f->n;
    double *permuted = NULL;
    void *order = NULL;
    double scale = largest_diagonal(n, a, lda) + report->jitter;
    double tolerance = (double)n * DBL_EPSILON * scale;
    tw_status status = tw_allocate(f->ctx, n, sizeof(int), "the pivots of the covariance", &order);
    if (status == TW_OK) status = allocate_square(f->ctx, n, "pivoted Cholesky", &permuted);
    if (status != TW_OK) goto done;
    copy_with_jitter(n, a, lda, report->jitter, f->l);
    status = pivoted_cholesky(f, order, tolerance);
    if (status != TW_OK) goto done;
    memcpy(permuted, f->l, n * n * sizeof *permuted);
    status = unpivot(f, order, permuted);
    if (status == TW_OK) status = pseudo_log_det(f, permuted);
    if (status != TW_OK) goto done;
    report->residual = largest_residual(f, a, lda, report->jitter, permuted);
    if (!(report->residual <= INDEFINITE * tolerance)) status = judge(f, a, lda, report, permuted);
    if (status == TW_OK)
        tw_log(f->ctx, TW_LOG_INFO,
               "the covariance matrix is numerically singular (rank %zu of %zu, largest residual %.2g): "
               "using a factor of that rank, without jitter",
               f->rank, n, report->residual);
done:
    tw_release(f->ctx, order);
    tw_release(f->ctx, permuted);
    return status;
}

static tw_status check_order(tw_context *ctx, size_t n)
{
    if (n > 0 && tw_size_fits(n)) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "a covariance matrix of order %zu cannot be factored", n);
}

static tw_status check_arguments(tw_context *ctx, size_t n, const double *a, size_t lda, double jitter)
{
    if (!(jitter >= 0.0) || !isfinite(jitter))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "jitter must be a finite number >= 0, not %g", jitter);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j; i < n; i++)
            if (!isfinite(a[i + j * lda]))
                return tw_fail(ctx, TW_BAD_DATA,
                               "the covariance matrix has the entry %g in row %zu, column %zu",
                               a[i + j * lda], i + 1, j + 1);
    if (!(largest_diagonal(n, a, lda) + jitter > 0.0))
        return tw_fail(
            ctx, TW_NOT_POSITIVE_DEFINITE,
            "the covariance matrix has no positive entry on its diagonal, so it is not a covariance matrix");
    return TW_OK;
}

static tw_status factor_into(tw_factor *f, const double *a, size_t lda, tw_factor_report *report)
{
    size_t n = f->n;
    copy_with_jitter(n, a, lda, report->jitter, f->l);
    bool positive = tw_cholesky_in_place(n, f->l, n, &report->failed);
    if (!positive && report->jitter > 0.0) report->log_det_change = NAN;
    if (!positive) return reveal_rank(f, a, lda, report);
    f->log_det = tw_cholesky_log_det(n, f->l, n);
    if (report->jitter == 0.0) return TW_OK;
    double plain;
    TW_TRY(log_det_without_jitter(f->ctx, n, a, lda, &plain));
    report->log_det_change = f->log_det - plain;
    return TW_OK;
}

tw_status tw_factor_set(tw_factor *f, const double *a, size_t lda, double jitter, tw_factor_report *report)
{
    TW_TRY(check_arguments(f->ctx, f->n, a, lda, jitter));
    tw_release(f->ctx, f->pivot);
    tw_release(f->ctx, f->triangle);
    f->pivot = NULL;
    f->triangle = NULL;
    f->rank = f->n;
    *report = (tw_factor_report){.jitter = jitter};
    tw_status status = factor_into(f, a, lda, report);
    report->rank = f->rank;
    return status;
}

tw_status tw_factor_new(tw_context *ctx, size_t n, const double *a, size_t lda, double jitter,
                        tw_factor **out, tw_factor_report *report)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(check_order(ctx, n));
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_factor), "a factor", &memory));
    tw_factor *f = memory;
    *f = (tw_factor){.ctx = ctx, .n = n, .rank = n};
    tw_status status = allocate_square(ctx, n, "the factor of the covariance", &f->l);
    if (status == TW_OK) status = tw_factor_set(f, a, lda, jitter, report);
    if (status != TW_OK) {
        tw_factor_free(f);
        return status;
    }
    *out = f;
    return TW_OK;
}
