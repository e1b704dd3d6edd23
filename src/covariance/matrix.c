/* matrix.c: reads or copies a given covariance matrix, checks it, and makes it exactly symmetric. */
#include <math.h>
#include <string.h>

#include "base/context.h"
#include "talweg/covariance.h"
#include "talweg/data.h"

static const double asymmetry_limit = 1e-10;

static tw_status check_diagonal(tw_context *ctx, size_t n, const double *k, size_t ldk)
{
    for (size_t i = 0; i < n; i++)
        if (!(k[i + i * ldk] >= 0.0) || !isfinite(k[i + i * ldk]))
            return tw_fail(ctx, TW_NOT_POSITIVE_DEFINITE,
                           "the covariance matrix has %g on its diagonal, in row %zu: a variance must be "
                           "finite and not negative",
                           k[i + i * ldk], i + 1);
    return TW_OK;
}

static tw_status fail_asymmetric(tw_context *ctx, size_t i, size_t j, double lower, double upper)
{
    return tw_fail(
        ctx, TW_BAD_DATA,
        "the covariance matrix is not symmetric: row %zu, column %zu is %.17g but row %zu, column %zu is "
        "%.17g",
        i + 1, j + 1, lower, j + 1, i + 1, upper);
}

tw_status tw_covariance_check_matrix(tw_context *ctx, size_t n, double *k, size_t ldk)
{
    if (n == 0) return tw_fail(ctx, TW_BAD_DATA, "the covariance matrix is empty");
    TW_TRY(check_diagonal(ctx, n, k, ldk));
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++) {
            double lower = k[i + j * ldk], upper = k[j + i * ldk];
            double scale = sqrt(k[i + i * ldk]) * sqrt(k[j + j * ldk]);
            if (!isfinite(lower) || !isfinite(upper))
                return tw_fail(ctx, TW_BAD_DATA,
                               "the covariance matrix has the entry %g in row %zu, column %zu",
                               isfinite(lower) ? upper : lower, (isfinite(lower) ? j : i) + 1,
                               (isfinite(lower) ? i : j) + 1);
            if (fabs(lower - upper) > asymmetry_limit * scale)
                return fail_asymmetric(ctx, i, j, lower, upper);
            k[i + j * ldk] = k[j + i * ldk] = lower + 0.5 * (upper - lower);
        }
    return TW_OK;
}

tw_status tw_covariance_read_matrix(tw_context *ctx, const char *path, size_t *n, double **k)
{
    tw_table *table = NULL;
    *n = 0;
    *k = NULL;
    TW_TRY(tw_table_read(ctx, path, &table));
    tw_status status;
    if (table->rows != table->columns)
        status = tw_fail(ctx, TW_BAD_DATA,
                         "%s: a covariance matrix must be square, but this file has %zu rows and %zu columns",
                         path, table->rows, table->columns);
    else if ((status = tw_covariance_check_matrix(ctx, table->rows, table->values, table->rows)) != TW_OK)
        status = tw_fail_within(ctx, status, "%s: ", path);
    if (status == TW_OK) {
        *n = table->rows;
        *k = table->values;
        table->values = NULL; /* now owned by the caller */
    }
    tw_table_free(table);
    return status;
}

tw_status tw_covariance_copy_matrix(tw_context *ctx, size_t n, const double *from, size_t ld, double **k)
{
    *k = NULL;
    TW_TRY(tw_allocate_doubles(ctx, n, n, "the kernel matrix", k));
    for (size_t j = 0; j < n; j++) memcpy(*k + j * n, from + j * ld, n * sizeof *from);
    tw_status status = tw_covariance_check_matrix(ctx, n, *k, n);
    if (status == TW_OK) return TW_OK;
    tw_covariance_free_matrix(ctx, *k);
    *k = NULL;
    return status;
}

void tw_covariance_free_matrix(tw_context *ctx, double *k)
{
    tw_release(ctx, k);
}
