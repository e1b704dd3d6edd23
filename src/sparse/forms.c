/* forms.c: b' Q^-1 b = |L^-1 P b|^2 for many sparse vectors b, in blocks of columns. */
#include <string.h>

#include "sparse/factor.h"
#include "sparse/sparse.h"

typedef struct job {
    const tw_sparse *q;
    tw_analysis *analysis;
    tw_front front;
    double *l, *x; /* x: a block, in elimination order */
} job;

static tw_status factor(job *j)
{
    const tw_sparse *q = j->q;
    size_t failed;
    TW_TRY(tw_analysis_new(q->ctx, q->rows, q->start, q->row, NULL, &j->analysis));
    TW_TRY(tw_front_new(j->analysis, &j->front));
    TW_TRY(tw_allocate_doubles(q->ctx, j->analysis->entries, 1, "a sparse factor", &j->l));
    TW_TRY(tw_allocate_doubles(q->ctx, q->rows, TW_SPARSE_COLUMNS, "a block of columns", &j->x));
    for (size_t c = 0; c < q->columns; c++)
        for (size_t e = q->start[c]; e < q->start[c + 1]; e++)
            j->l[tw_analysis_find(j->analysis, q->row[e], c)] = q->value[e];
    if (tw_sparse_factor(j->analysis, &j->front, j->l, &failed)) return TW_OK;
    return tw_fail(q->ctx, TW_NOT_POSITIVE_DEFINITE,
                   "a precision matrix is not positive definite: its factorisation fails at variable %zu",
                   failed + 1);
}

static void block(const job *j, const tw_sparse *b, size_t first, size_t columns, double *form)
{
    const tw_analysis *a = j->analysis;
    memset(j->x, 0, a->n * columns * sizeof *j->x);
    for (size_t c = 0; c < columns; c++)
        for (size_t e = b->start[first + c]; e < b->start[first + c + 1]; e++)
            j->x[c + a->place[b->row[e]] * columns] = b->value[e];
    tw_sparse_solve_lower(a, j->l, columns, j->x);
    for (size_t c = 0; c < columns; c++) form[c] = 0.0;
    for (size_t i = 0; i < a->n; i++)
        for (size_t c = 0; c < columns; c++) form[c] += j->x[c + i * columns] * j->x[c + i * columns];
}

tw_status tw_sparse_forms(const tw_sparse *q, const tw_sparse *b, double *form)
{
    job j = {.q = q};
    tw_status status = factor(&j);
    for (size_t first = 0, columns; status == TW_OK && first < b->columns; first += columns) {
        size_t left = b->columns - first;
        columns = left < TW_SPARSE_COLUMNS ? left : TW_SPARSE_COLUMNS;
        block(&j, b, first, columns, form + first);
    }
    tw_front_free(q->ctx, &j.front);
    tw_release(q->ctx, j.l);
    tw_release(q->ctx, j.x);
    tw_analysis_release(j.analysis);
    return status;
}
