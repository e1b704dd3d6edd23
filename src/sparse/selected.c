/* selected.c: tw_selected_inverse: factor a matrix and compute its selected inverse, once. */
#include <string.h>

#include "sparse/factor.h"

typedef struct job {
    const tw_sparse *q;
    tw_analysis *analysis;
    tw_front front;
    double *l, *z;
} job;

static tw_status allocate(job *j)
{
    tw_context *ctx = j->q->ctx;
    TW_TRY(tw_analysis_new(ctx, j->q->rows, j->q->start, j->q->row, NULL, &j->analysis));
    TW_TRY(tw_front_new(j->analysis, &j->front));
    TW_TRY(tw_allocate_doubles(ctx, j->analysis->entries, 1, "a sparse factor", &j->l));
    return tw_allocate_doubles(ctx, j->analysis->entries, 1, "a selected inverse", &j->z);
}

static tw_status compute(job *j, double *value, double *log_det)
{
    const tw_sparse *q = j->q;
    const tw_analysis *a = j->analysis;
    size_t failed;
    for (size_t c = 0; c < q->columns; c++)
        for (size_t e = q->start[c]; e < q->start[c + 1]; e++)
            j->l[tw_analysis_find(a, q->row[e], c)] = q->value[e];
    if (!tw_sparse_factor(a, &j->front, j->l, &failed))
        return tw_fail(q->ctx, TW_NOT_POSITIVE_DEFINITE,
                       "the matrix is not positive definite: its factorisation fails at variable %zu",
                       failed + 1);
    if (log_det) *log_det = tw_sparse_log_det(a, j->l);
    if (!value) return TW_OK;
    tw_sparse_select(a, &j->front, j->l, j->z);
    for (size_t c = 0; c < q->columns; c++)
        for (size_t e = q->start[c]; e < q->start[c + 1]; e++)
            value[e] = j->z[tw_analysis_find(a, q->row[e], c)];
    return TW_OK;
}

tw_status tw_selected_inverse(const tw_sparse *q, double *value, double *log_det)
{
    job j = {.q = q};
    if (!q->symmetric) return tw_fail(q->ctx, TW_BAD_ARGUMENT, "a selected inverse needs a symmetric matrix");
    tw_status status = allocate(&j);
    if (status == TW_OK) status = compute(&j, value, log_det);
    tw_front_free(q->ctx, &j.front);
    tw_release(q->ctx, j.l);
    tw_release(q->ctx, j.z);
    tw_analysis_release(j.analysis);
    return status;
}
