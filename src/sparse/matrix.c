/* matrix.c: build a sparse matrix from entries in any order, by two counting sorts, first by rows and then by
 * columns. */
#include <math.h>
#include <string.h>

#include "linalg/size.h"
#include "sparse/sparse.h"

void tw_sparse_free(tw_sparse *matrix)
{
    if (!matrix) return;
    tw_context *ctx = matrix->ctx;
    tw_release(ctx, matrix->start);
    tw_release(ctx, matrix->row);
    tw_release(ctx, matrix->value);
    tw_release(ctx, matrix);
}

tw_status tw_index_allocate(tw_context *ctx, size_t count, const char *what, uint32_t **out)
{
    void *memory = NULL;
    tw_status status = tw_allocate(ctx, count, sizeof **out, what, &memory);
    *out = memory;
    return status;
}

tw_status tw_start_allocate(tw_context *ctx, size_t count, const char *what, size_t **out)
{
    void *memory = NULL;
    tw_status status = tw_allocate(ctx, count, sizeof **out, what, &memory);
    *out = memory;
    return status;
}

tw_status tw_sparse_allocate(tw_context *ctx, size_t rows, size_t columns, size_t count, tw_sparse **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "a sparse matrix", &memory));
    tw_sparse *m = memory;
    *m = (tw_sparse){.ctx = ctx, .rows = rows, .columns = columns};
    tw_status status = tw_start_allocate(ctx, columns + 1, "the columns of a sparse matrix", &m->start);
    if (status == TW_OK) status = tw_index_allocate(ctx, count, "the rows of a sparse matrix", &m->row);
    if (status == TW_OK)
        status = tw_allocate_doubles(ctx, count, 1, "the entries of a sparse matrix", &m->value);
    if (status == TW_OK)
        *out = m;
    else
        tw_sparse_free(m);
    return status;
}

tw_status tw_sparse_copy(const tw_sparse *from, tw_sparse **out)
{
    size_t count = from->start[from->columns];
    TW_TRY(tw_sparse_allocate(from->ctx, from->rows, from->columns, count, out));
    (*out)->symmetric = from->symmetric;
    memcpy((*out)->start, from->start, (from->columns + 1) * sizeof *from->start);
    memcpy((*out)->row, from->row, count * sizeof *from->row);
    memcpy((*out)->value, from->value, count * sizeof *from->value);
    return TW_OK;
}

tw_status tw_sparse_transpose(const tw_sparse *from, tw_sparse **out)
{
    TW_TRY(tw_sparse_allocate(from->ctx, from->columns, from->rows + 1, from->start[from->columns], out));
    tw_sparse *to = *out;
    size_t *next = to->start + 1; /* count two places further on, so that the sums become starts */
    for (size_t e = 0; e < from->start[from->columns]; e++) to->start[from->row[e] + 2]++;
    for (size_t i = 0; i < from->rows; i++) to->start[i + 2] += to->start[i + 1];
    for (size_t j = 0; j < from->columns; j++)
        for (size_t e = from->start[j]; e < from->start[j + 1]; e++) {
            size_t at = next[from->row[e]]++;
            to->row[at] = (uint32_t)j;
            to->value[at] = from->value[e];
        }
    to->columns = from->rows;
    return TW_OK;
}

/* The entries as given by the caller. */
typedef struct given {
    tw_context *ctx;
    size_t rows, columns, count;
    bool symmetric;
    const uint32_t *row, *column;
    const double *value;
} given;

/* The row and column where entry k is stored; a symmetric matrix stores its lower triangle. */
static uint32_t stored_row(const given *g, size_t k)
{
    return g->symmetric && g->row[k] < g->column[k] ? g->column[k] : g->row[k];
}

static uint32_t stored_column(const given *g, size_t k)
{
    return g->symmetric && g->row[k] < g->column[k] ? g->row[k] : g->column[k];
}

static tw_status check_entries(const given *g)
{
    if (!tw_size_fits(g->rows) || !tw_size_fits(g->columns) || g->rows == 0 || g->columns == 0)
        return tw_fail(g->ctx, TW_BAD_DATA,
                       "a sparse matrix must have 1 to 2^31 - 1 rows and columns, not %zu and %zu", g->rows,
                       g->columns);
    if (g->symmetric && g->rows != g->columns)
        return tw_fail(g->ctx, TW_BAD_DATA, "%zu rows and %zu columns are not a symmetric matrix", g->rows,
                       g->columns);
    for (size_t k = 0; k < g->count; k++) {
        if (g->row[k] >= g->rows || g->column[k] >= g->columns)
            return tw_fail(g->ctx, TW_BAD_DATA,
                           "entry %zu: row %u, column %u is outside the matrix of %zu x %zu", k + 1,
                           g->row[k] + 1, g->column[k] + 1, g->rows, g->columns);
        if (!isfinite(g->value[k]))
            return tw_fail(g->ctx, TW_BAD_DATA, "entry %zu, row %u, column %u: %g is not finite", k + 1,
                           g->row[k] + 1, g->column[k] + 1, g->value[k]);
    }
    return TW_OK;
}

/* On entry start[i + 1] is the size of row i; on return start[i] is the beginning of row i. */
static void sum_up(size_t n, size_t *start)
{
    for (size_t i = 0; i < n; i++) start[i + 1] += start[i];
}

/* order: the indices of the entries sorted by rows. next holds rows + 1 zeros on entry. */
static void sort_by_rows(const given *g, size_t *next, size_t *order)
{
    for (size_t k = 0; k < g->count; k++) next[stored_row(g, k) + 1]++;
    sum_up(g->rows, next);
    for (size_t k = 0; k < g->count; k++) order[next[stored_row(g, k)]++] = k;
}

/* Append the entries, in the order of rows, to their columns. A column of a symmetric matrix begins with its
 * diagonal, which is 0 if not given. next has room for `columns` numbers. */
static void fill_columns(const given *g, const size_t *order, size_t *next, tw_sparse *m)
{
    for (size_t j = 0; g->symmetric && j < g->columns; j++) m->start[j + 1] = 1;
    for (size_t k = 0; k < g->count; k++)
        if (!g->symmetric || g->row[k] != g->column[k]) m->start[stored_column(g, k) + 1]++;
    sum_up(g->columns, m->start);
    for (size_t j = 0; j < g->columns; j++) {
        next[j] = m->start[j];
        if (!g->symmetric) continue;
        m->row[next[j]] = (uint32_t)j;
        m->value[next[j]++] = 0.0;
    }
    for (size_t k = 0; k < g->count; k++) {
        size_t e = order[k], j = stored_column(g, e);
        bool diagonal = g->symmetric && g->row[e] == g->column[e];
        size_t at = diagonal ? m->start[j] : next[j]++;
        m->row[at] = stored_row(g, e);
        m->value[at] = diagonal ? m->value[at] + g->value[e] : g->value[e];
    }
}

static tw_status fail_twice(const given *g, size_t i, size_t j)
{
    return tw_fail(
        g->ctx, TW_BAD_DATA, "row %zu, column %zu occurs twice%s: sum duplicate entries first", i + 1, j + 1,
        g->symmetric ? " (for a symmetric matrix, give only one of row i, column j and row j, column i)"
                     : "");
}

/* Fail if an entry is given twice; seen[j] counts the diagonal entries. */
static tw_status check_twice(const given *g, const tw_sparse *m, size_t *seen)
{
    for (size_t j = 0; j < g->columns; j++) seen[j] = 0;
    for (size_t k = 0; g->symmetric && k < g->count; k++)
        if (g->row[k] == g->column[k] && seen[g->row[k]]++ > 0) return fail_twice(g, g->row[k], g->row[k]);
    for (size_t j = 0; j < g->columns; j++)
        for (size_t e = m->start[j] + 1; e < m->start[j + 1]; e++)
            if (m->row[e] == m->row[e - 1]) return fail_twice(g, m->row[e], j);
    return TW_OK;
}

static tw_status fill(const given *g, size_t *next, size_t *order, tw_sparse *m)
{
    sort_by_rows(g, next, order);
    fill_columns(g, order, next, m);
    m->symmetric = g->symmetric;
    return check_twice(g, m, next);
}

tw_status tw_sparse_new(tw_context *ctx, size_t rows, size_t columns, bool symmetric, size_t count,
                        const uint32_t *row, const uint32_t *column, const double *value, tw_sparse **out)
{
    given g = {ctx, rows, columns, count, symmetric, row, column, value};
    size_t *next = NULL, *order = NULL;
    *out = NULL;
    TW_TRY(check_entries(&g));
    TW_TRY(tw_sparse_allocate(ctx, rows, columns, count + (symmetric ? rows : 0), out));
    tw_status status =
        tw_start_allocate(ctx, (rows > columns ? rows : columns) + 1, "sorting a sparse matrix", &next);
    if (status == TW_OK) status = tw_start_allocate(ctx, count, "sorting a sparse matrix", &order);
    if (status == TW_OK) status = fill(&g, next, order, *out);
    tw_release(ctx, next);
    tw_release(ctx, order);
    if (status == TW_OK) return TW_OK;
    tw_sparse_free(*out);
    *out = NULL;
    return status;
}

void tw_sparse_multiply(const tw_sparse *m, const double *x, double *y)
{
    memset(y, 0, m->rows * sizeof *y);
    for (size_t j = 0; j < m->columns; j++)
        for (size_t e = m->start[j]; e < m->start[j + 1]; e++) {
            size_t i = m->row[e];
            y[i] += m->value[e] * x[j];
            if (m->symmetric && i != j) y[j] += m->value[e] * x[i];
        }
}
