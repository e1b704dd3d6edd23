/* data.c: build a data set from the caller's arrays, and set its columns of constants. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/readers.h"

tw_status tw_data_allocate(tw_context *ctx, tw_data **out)
{
    void *block = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_data), "a data set", &block));
    *out = block;
    (*out)->ctx = ctx;
    return TW_OK;
}

tw_status tw_data_widen(tw_data *data, size_t d)
{
    double *x = NULL;
    if (d < data->d)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "%zu inputs cannot be reduced to %zu", data->d, d);
    if (d == data->d) return TW_OK;
    if (data->names)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "inputs without names cannot be added to inputs with names");
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, d, "the inputs", &x));
    memcpy(x, data->x, data->n * data->d * sizeof *x);
    tw_release(data->ctx, data->x);
    data->x = x;
    data->d = d;
    return TW_OK;
}

static tw_status copy_column(tw_context *ctx, size_t n, const double *from, const char *what, size_t column,
                             double *to)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(from[i]))
            return tw_fail(ctx, TW_BAD_DATA, "row %zu of %s %zu: found %g; " TW_NOT_FINITE_ADVICE, i + 1,
                           what, column, from[i]);
        to[i] = from[i];
    }
    return TW_OK;
}

static tw_status copy_arrays(tw_data *data, const double *x, size_t ldx, const double *y)
{
    tw_context *ctx = data->ctx;
    const size_t n = data->n;
    TW_TRY(tw_allocate_doubles(ctx, n, data->d, "the inputs", &data->x));
    for (size_t j = 0; j < data->d; j++)
        TW_TRY(copy_column(ctx, n, x + j * ldx, "input", j + 1, data->x + j * n));
    if (!y) return TW_OK;
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "the labels", &data->y));
    return copy_column(ctx, n, y, "label", 1, data->y);
}

tw_status tw_data_new(tw_context *ctx, size_t n, size_t d, const double *x, size_t ldx, const double *y,
                      tw_data **out)
{
    *out = NULL;
    if (n == 0 || d == 0 || !x || ldx < n)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "a data set needs at least one case and one input, and ldx >= n, not n = %zu, d = %zu, ldx = %zu",
            n, d, ldx);
    TW_TRY(tw_data_allocate(ctx, out));
    (*out)->n = n;
    (*out)->d = d;
    tw_status status = copy_arrays(*out, x, ldx, y);
    if (status == TW_OK) return TW_OK;
    tw_data_free(*out);
    *out = NULL;
    return status;
}

/* Extend each column from n to n + more numbers; the new ones equal `with`. */
static tw_status lengthen(tw_context *ctx, size_t n, size_t columns, size_t more, double with, double **array)
{
    double *longer = NULL;
    if (!*array) return TW_OK;
    TW_TRY(tw_allocate_doubles(ctx, n + more, columns, "hidden variables", &longer));
    for (size_t k = 0; k < columns; k++) {
        memcpy(longer + k * (n + more), *array + k * n, n * sizeof *longer);
        for (size_t i = n; i < n + more; i++) longer[i + k * (n + more)] = with;
    }
    tw_release(ctx, *array);
    *array = longer;
    return TW_OK;
}

tw_status tw_data_hide(tw_data *data, size_t more)
{
    TW_TRY(lengthen(data->ctx, data->n, data->d, more, 0.0, &data->x));
    TW_TRY(lengthen(data->ctx, data->n, 1, more, NAN, &data->y));
    for (size_t k = 0; k < data->columns; k++)
        TW_TRY(lengthen(data->ctx, data->n, 1, more, data->column[k].values[0], &data->column[k].values));
    tw_release(data->ctx, data->lines);
    data->lines = NULL;
    data->n += more;
    data->hidden = more;
    return TW_OK;
}

tw_status tw_data_take_hidden(tw_data *data, const double *y)
{
    size_t first = data->n;
    while (first > 0 && isnan(y[first - 1])) first--;
    data->hidden = data->n - first;
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, "the labels", &data->y));
    memcpy(data->y, y, data->n * sizeof *y);
    return TW_OK;
}

const double *tw_data_column(const tw_data *data, const char *name)
{
    for (size_t k = 0; k < data->columns; k++)
        if (strcmp(data->column[k].name, name) == 0) return data->column[k].values;
    return NULL;
}

/* Find the column of that name, or take the next free place for it, without values. */
static tw_status place_column(tw_data *data, const char *name, tw_constants **out)
{
    for (size_t k = 0; k < data->columns; k++)
        if (strcmp(data->column[k].name, name) == 0) {
            *out = &data->column[k];
            return TW_OK;
        }
    if (data->columns == TW_DATA_COLUMNS || strlen(name) >= sizeof data->column->name)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "data can have at most %d columns besides the inputs, with names of up to %zu "
                       "letters: the column %.60s does not fit",
                       TW_DATA_COLUMNS, sizeof data->column->name - 1, name);
    *out = &data->column[data->columns];
    return TW_OK;
}

tw_status tw_data_set_column(tw_data *data, const char *name, const double *values)
{
    tw_constants *column = NULL;
    double *copy = NULL;
    TW_TRY(place_column(data, name, &column));
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, name, &copy));
    memcpy(copy, values, data->n * sizeof *copy);
    if (column == &data->column[data->columns]) data->columns++;
    tw_release(data->ctx, column->values);
    column->values = copy;
    snprintf(column->name, sizeof column->name, "%s", name);
    return TW_OK;
}

tw_status tw_data_repeat_column(tw_data *data, const char *name, double value)
{
    double *values = NULL;
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, name, &values));
    for (size_t i = 0; i < data->n; i++) values[i] = value;
    tw_status status = tw_data_set_column(data, name, values);
    tw_release(data->ctx, values);
    return status;
}

tw_status tw_names_copy(tw_context *ctx, size_t count, const char *const *from, char ***to)
{
    void *block = NULL;
    size_t bytes = count * sizeof(char *);
    for (size_t i = 0; i < count; i++) bytes += (from[i] ? strlen(from[i]) : 0) + 1;
    TW_TRY(tw_allocate(ctx, bytes, 1, "the names", &block));
    *to = block;
    char *text = (char *)(*to + count);
    for (size_t i = 0; i < count; i++) {
        (*to)[i] = text;
        if (from[i]) strcpy(text, from[i]);
        text += strlen(text) + 1;
    }
    return TW_OK;
}

void tw_data_free(tw_data *data)
{
    if (!data) return;
    tw_release(data->ctx, data->names);
    tw_levels_free(data->ctx, data->d, data->levels);
    tw_release(data->ctx, data->labels.text);
    for (size_t k = 0; k < data->columns; k++) {
        tw_release(data->ctx, data->column[k].values);
        tw_release(data->ctx, data->column[k].source);
    }
    tw_release(data->ctx, data->label_source);
    tw_release(data->ctx, data->ignored.text);
    tw_release(data->ctx, data->lines);
    tw_release(data->ctx, data->y);
    tw_release(data->ctx, data->x);
    tw_release(data->ctx, data);
}
