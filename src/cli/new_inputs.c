/* new_inputs.c: see new_inputs.h. */
#include "cli/new_inputs.h"

#include <string.h>

#include "base/context.h"
#include "cli/model_options.h"
#include "data/readers.h"

void tw_new_inputs_free(tw_new_inputs *inputs)
{
    tw_data_free(inputs->data);
    tw_table_free(inputs->cross);
    tw_table_free(inputs->variance);
}

/* Columns are contiguous, so the last one leaves the inputs by being copied and no longer counted. */
static tw_status split_last_column(tw_data *data)
{
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, "the labels", &data->y));
    data->d--;
    memcpy(data->y, data->x + data->d * data->n, data->n * sizeof *data->y);
    return TW_OK;
}

static tw_status fail_inputs(const tw_problem *problem, const char *path, size_t found, size_t expected)
{
    return tw_fail(problem->ctx, TW_BAD_DATA,
                   "%.1000s: found %zu inputs, and the approximation was made with %zu: give the same "
                   "columns in the same order, with or without one more for the label",
                   path, found, expected);
}

tw_status tw_new_inputs_read(const tw_problem *problem, const char *path, const char *label,
                             tw_new_inputs *out)
{
    tw_context *ctx = problem->ctx;
    size_t expected = problem->scaling ? problem->scaling->d_in : problem->data->d;
    bool sparse = tw_format_of(path) == TW_FORMAT_LIBSVM;
    TW_TRY(tw_data_read(ctx, path, label || sparse ? label : "none", &out->data));
    tw_data *data = out->data;
    out->m = data->n;
    if (!label && !sparse && data->d == expected + 1) TW_TRY(split_last_column(data));
    if (data->d != expected) return fail_inputs(problem, path, data->d, expected);
    if (data->y) TW_TRY(tw_labels_for(problem->likelihood, path, data));
    if (problem->scaling) TW_TRY(tw_scaling_apply(problem->scaling, data));
    out->y = data->y;
    return TW_OK;
}

/* ---- a given matrix ---- */

static tw_status read_cross(const tw_problem *problem, const char *path, tw_new_inputs *out)
{
    size_t n = problem->data->n;
    TW_TRY(tw_table_read(problem->ctx, path, &out->cross));
    out->m = out->cross->columns;
    if (out->cross->rows == n) return TW_OK;
    return tw_fail(problem->ctx, TW_BAD_DATA,
                   "%.1000s: found %zu rows and %zu columns; a cross-covariance matrix has one row for each "
                   "of the %zu training cases and one column for each new case%s",
                   path, out->cross->rows, out->cross->columns, n,
                   out->cross->columns == n ? ": transpose it" : "");
}

static tw_status read_diagonal(const tw_problem *problem, const char *path, tw_new_inputs *out)
{
    TW_TRY(tw_table_read(problem->ctx, path, &out->variance));
    const tw_table *table = out->variance;
    size_t shorter = table->rows < table->columns ? table->rows : table->columns;
    if (shorter != 1 || table->rows * table->columns != out->m)
        return tw_fail(
            problem->ctx, TW_BAD_DATA,
            "%.1000s: found %zu rows and %zu columns; the prior variances of %zu new cases are one "
            "row or column of as many numbers",
            path, table->rows, table->columns, out->m);
    for (size_t i = 0; i < out->m; i++)
        if (!(table->values[i] >= 0.0))
            return tw_fail(problem->ctx, TW_BAD_DATA, "%.1000s: number %zu is %g; a variance is not negative",
                           path, i + 1, table->values[i]);
    return TW_OK;
}

/* One column of labels, or a column among others. */
static tw_status read_labels(const tw_problem *problem, const char *path, const char *label,
                             tw_new_inputs *out)
{
    TW_TRY(tw_data_read(problem->ctx, path, "none", &out->data));
    if (out->data->d == 1 && !label) {
        TW_TRY(split_last_column(out->data));
    } else {
        tw_data_free(out->data);
        out->data = NULL;
        TW_TRY(tw_data_read(problem->ctx, path, label, &out->data));
    }
    if (out->data->n != out->m)
        return tw_fail(problem->ctx, TW_BAD_DATA, "%.1000s: found %zu cases, and covariances for %zu", path,
                       out->data->n, out->m);
    if (out->data->y) TW_TRY(tw_labels_for(problem->likelihood, path, out->data));
    out->y = out->data->y;
    return TW_OK;
}

tw_status tw_new_covariances_read(const tw_problem *problem, const char *cross, const char *diagonal,
                                  const char *path, const char *label, tw_new_inputs *out)
{
    if (!cross || !diagonal)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "the approximation was made with a given kernel matrix: give the covariances of the "
                       "new cases with --cross-kernel-matrix and their prior variances with --diagonal");
    TW_TRY(read_cross(problem, cross, out));
    TW_TRY(read_diagonal(problem, diagonal, out));
    return *path ? read_labels(problem, path, label, out) : TW_OK;
}
