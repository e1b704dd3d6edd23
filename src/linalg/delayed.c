/* delayed.c: collected rank-one updates; delayed.h has the equations. */
#include "linalg/delayed.h"

#include <cblas.h>
#include <math.h>
#include <string.h>

#include "linalg/size.h"

void tw_delayed_free(tw_delayed *d)
{
    if (!d) return;
    tw_context *ctx = d->ctx;
    tw_release(ctx, d->columns);
    tw_release(ctx, d->panel);
    tw_release(ctx, d->row);
    tw_release(ctx, d);
}

tw_status tw_delayed_new(tw_context *ctx, size_t n, double *a, tw_delayed **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_delayed), "delayed updates", &memory));
    tw_delayed *d = memory;
    *d = (tw_delayed){.ctx = ctx, .n = n};
    d->a = a;
    tw_status status = tw_allocate_doubles(ctx, n, TW_DELAYED_BLOCK, "delayed updates", &d->columns);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, TW_DELAYED_PANEL, "delayed updates", &d->panel);
    if (status == TW_OK)
        status = tw_allocate_doubles(ctx, TW_DELAYED_PANEL, TW_DELAYED_BLOCK, "delayed updates", &d->row);
    if (status != TW_OK) {
        tw_delayed_free(d);
        return status;
    }
    *out = d;
    return TW_OK;
}

/* The k-th column of M, which fills the panel from its right end. */
static double *minus_column(const tw_delayed *d, size_t k)
{
    return d->panel + (TW_DELAYED_PANEL - 1 - k) * d->n;
}

/* M as a matrix, with its columns in reverse order. */
static const double *minus_panel(const tw_delayed *d)
{
    return d->minus > 0 ? minus_column(d, d->minus - 1) : NULL;
}

/* columns += alpha B (rows [first, first + count) of B)', for a panel B of `width` columns. */
static void add_to_block(tw_delayed *d, double alpha, const double *b, size_t width, size_t count)
{
    int n = to_int(d->n), columns = to_int(count), depth = to_int(width);
    if (width == 0) return;
    for (size_t k = 0; k < width; k++) memcpy(d->row + k * count, b + d->first + k * d->n, count * sizeof *b);
    cblas_dgemm(CblasColMajor, CblasNoTrans, CblasTrans, n, columns, depth, alpha, b, n, d->row, columns, 1.0,
                d->columns, n);
}

void tw_delayed_open(tw_delayed *d, size_t first, size_t count)
{
    size_t n = d->n;
    d->first = first;
    /* Elements above the diagonal block are rows [first, first + count) of earlier columns of the lower
     * triangle; the outer loop over these columns reads contiguous memory. */
    for (size_t k = 0; k < first; k++)
        for (size_t j = 0; j < count; j++) d->columns[k + j * n] = d->a[first + j + k * n];
    for (size_t j = 0; j < count; j++) {
        size_t column = first + j;
        for (size_t k = first; k < column; k++) d->columns[k + j * n] = d->a[column + k * n];
        memcpy(d->columns + column + j * n, d->a + column + column * n, (n - column) * sizeof *d->a);
    }
    add_to_block(d, -1.0, d->panel, d->plus, count);
    add_to_block(d, 1.0, minus_panel(d), d->minus, count);
    d->opened_plus = d->plus;
    d->opened_minus = d->minus;
}

double tw_delayed_diagonal(const tw_delayed *d, size_t j)
{
    double value = d->columns[j + (j - d->first) * d->n];
    for (size_t k = d->opened_plus; k < d->plus; k++) {
        double p = d->panel[j + k * d->n];
        value -= p * p;
    }
    for (size_t k = d->opened_minus; k < d->minus; k++) {
        double m = minus_column(d, k)[j];
        value += m * m;
    }
    return value;
}

/* column += alpha B (row j of B)', for a panel B of `count` columns. */
static void add_panel(tw_delayed *d, double alpha, const double *b, size_t count, size_t j, double *column)
{
    int n = to_int(d->n);
    if (count == 0) return;
    for (size_t k = 0; k < count; k++) d->row[k] = b[j + k * d->n];
    cblas_dgemv(CblasColMajor, CblasNoTrans, n, to_int(count), alpha, b, n, d->row, 1, 1.0, column, 1);
}

void tw_delayed_column(tw_delayed *d, size_t j, double *column)
{
    memcpy(column, d->columns + (j - d->first) * d->n, d->n * sizeof *column);
    add_panel(d, -1.0, d->panel + d->opened_plus * d->n, d->plus - d->opened_plus, j, column);
    add_panel(d, 1.0, minus_panel(d), d->minus - d->opened_minus, j, column);
}

void tw_delayed_update(tw_delayed *d, double c, const double *s)
{
    double scale = sqrt(fabs(c));
    double *to = c >= 0.0 ? d->panel + d->plus++ * d->n : minus_column(d, d->minus++);
    for (size_t i = 0; i < d->n; i++) to[i] = scale * s[i];
}

void tw_delayed_close(tw_delayed *d)
{
    if (d->plus + d->minus > TW_DELAYED_PANEL - TW_DELAYED_BLOCK) tw_delayed_apply(d);
}

void tw_delayed_apply(tw_delayed *d)
{
    int n = to_int(d->n);
    if (d->plus > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, to_int(d->plus), -1.0, d->panel, n, 1.0, d->a,
                    n);
    if (d->minus > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, to_int(d->minus), 1.0, minus_panel(d), n, 1.0,
                    d->a, n);
    d->plus = d->minus = 0;
}

void tw_delayed_multiply(tw_delayed *d, const double *x, double *y)
{
    int n = to_int(d->n);
    tw_delayed_apply(d);
    cblas_dsymv(CblasColMajor, CblasLower, n, 1.0, d->a, n, x, 1, 0.0, y, 1);
}

void tw_delayed_multiply_squares(tw_delayed *d, const double *x, double *y)
{
    size_t n = d->n;
    tw_delayed_apply(d);
    memset(y, 0, n * sizeof *y);
    for (size_t j = 0; j < n; j++) {
        const double *a = d->a + j * n;
        double sum = a[j] * a[j] * x[j];
        for (size_t i = j + 1; i < n; i++) {
            double square = a[i] * a[i];
            y[i] += square * x[j];
            sum += square * x[i];
        }
        y[j] += sum;
    }
}
