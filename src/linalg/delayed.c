/* delayed.c: see delayed.h. */
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
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, TW_DELAYED_BLOCK, "delayed updates", &d->panel);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, TW_DELAYED_BLOCK, 1, "delayed updates", &d->row);
    if (status != TW_OK) {
        tw_delayed_free(d);
        return status;
    }
    *out = d;
    return TW_OK;
}

void tw_delayed_open(tw_delayed *d, size_t first, size_t count)
{
    size_t n = d->n;
    d->first = first;
    d->plus = d->minus = 0;
    /* Above the block: rows [first, first + count) of earlier columns, read along the columns. */
    for (size_t k = 0; k < first; k++)
        for (size_t j = 0; j < count; j++) d->columns[k + j * n] = d->a[first + j + k * n];
    for (size_t j = 0; j < count; j++) {
        size_t column = first + j;
        for (size_t k = first; k < column; k++) d->columns[k + j * n] = d->a[column + k * n];
        memcpy(d->columns + column + j * n, d->a + column + column * n, (n - column) * sizeof *d->a);
    }
}

/* The k-th column of M: M fills the panel from its right end. */
static double *minus_column(const tw_delayed *d, size_t k)
{
    return d->panel + (TW_DELAYED_BLOCK - 1 - k) * d->n;
}

double tw_delayed_diagonal(const tw_delayed *d, size_t j)
{
    double value = d->columns[j + (j - d->first) * d->n];
    for (size_t k = 0; k < d->plus; k++) {
        double p = d->panel[j + k * d->n];
        value -= p * p;
    }
    for (size_t k = 0; k < d->minus; k++) {
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
    add_panel(d, -1.0, d->panel, d->plus, j, column);
    if (d->minus > 0) add_panel(d, 1.0, minus_column(d, d->minus - 1), d->minus, j, column);
}

void tw_delayed_update(tw_delayed *d, double c, const double *s)
{
    double scale = sqrt(fabs(c));
    double *to = c >= 0.0 ? d->panel + d->plus++ * d->n : minus_column(d, d->minus++);
    for (size_t i = 0; i < d->n; i++) to[i] = scale * s[i];
}

void tw_delayed_close(tw_delayed *d)
{
    int n = to_int(d->n);
    if (d->plus > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, to_int(d->plus), -1.0, d->panel, n, 1.0, d->a,
                    n);
    if (d->minus > 0)
        cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, to_int(d->minus), 1.0,
                    minus_column(d, d->minus - 1), n, 1.0, d->a, n);
    d->plus = d->minus = 0;
}
