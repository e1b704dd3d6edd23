/* data.c: a data set out of a table or the caller's arrays.
 *
 * Splitting a table into inputs and label moves no more than it must: the data set takes the table's block,
 * the label is copied out of it and the columns behind the label move up by one.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/readers.h"

enum { NO_COLUMN = -1, DROP_FIRST = -2 }; /* DROP_FIRST: a libsvm file read for its inputs only */

/* All column names, as far as they fit, for a message. */
static void list_names(const tw_table *table, char *list, size_t bytes)
{
    size_t length = 0;
    list[0] = '\0';
    for (size_t j = 0; table->names && j < table->columns && length < bytes; j++) {
        const char *name = table->names[j], *comma = j ? ", " : "";
        bool full = length + TW_QUOTED_BYTES + sizeof ", ..." > bytes;
        tw_quoted quoted = tw_quote(name, name + strlen(name));
        length += (size_t)snprintf(list + length, bytes - length, "%s%s", comma, full ? "..." : quoted.text);
        if (full) break;
    }
}

/* `what` is the column wanted for: "label". */
static tw_status find_name(const tw_table *table, const char *what, const char *wanted, ptrdiff_t *column)
{
    for (size_t j = 0; table->names && j < table->columns; j++) {
        if (strcmp(table->names[j], wanted) != 0) continue;
        if (*column >= 0)
            return tw_fail(table->ctx, TW_BAD_DATA,
                           "columns %td and %zu are both called %s: give the %s's column as a number",
                           *column + 1, j + 1, tw_quote(wanted, wanted + strlen(wanted)).text, what);
        *column = (ptrdiff_t)j;
    }
    return TW_OK;
}

/* "3" or "-1" to a 0-based column. */
static tw_status find_index(const tw_table *table, const char *what, const char *wanted, ptrdiff_t *column)
{
    char *end = NULL;
    char names[600];
    errno = 0;
    long index = strtol(wanted, &end, 10);
    long columns = (long)table->columns;
    bool is_index = end != wanted && *end == '\0' && errno == 0;
    if (is_index && index != 0 && index >= -columns && index <= columns) {
        *column = index > 0 ? index - 1 : columns + index;
        return TW_OK;
    }
    list_names(table, names, sizeof names);
    return tw_fail(table->ctx, TW_BAD_DATA,
                   "the %s column %s is not there: give an index from 1 to %ld or -1 to -%ld%s%s, or none",
                   what, tw_quote(wanted, wanted + strlen(wanted)).text, columns, columns,
                   table->names ? ", or a name out of " : "", names);
}

static tw_status find_label(const tw_table *table, const char *label, tw_format format, ptrdiff_t *column)
{
    bool sparse = format == TW_FORMAT_LIBSVM;
    *column = NO_COLUMN;
    if (label) TW_TRY(find_name(table, "label", label, column));
    if (!label)
        *column = sparse ? 0 : (ptrdiff_t)table->columns - 1;
    else if (*column < 0 && strcmp(label, "none") != 0)
        TW_TRY(find_index(table, "label", label, column));
    else if (*column < 0 && sparse)
        *column = DROP_FIRST;
    if (*column >= 0 && table->columns == 1)
        return tw_fail(table->ctx, TW_BAD_DATA,
                       "has one column only, so with a label there are no inputs: ask for the label none");
    return TW_OK;
}

static tw_status find_constants(const tw_table *table, const char *constants, ptrdiff_t label,
                                ptrdiff_t *column)
{
    *column = NO_COLUMN;
    if (!constants) return TW_OK;
    TW_TRY(find_name(table, "exposure", constants, column));
    if (*column < 0) TW_TRY(find_index(table, "exposure", constants, column));
    if (*column == label)
        return tw_fail(table->ctx, TW_BAD_DATA,
                       "column %td cannot be both the label and the exposure: say which column is the label",
                       label + 1);
    if (table->columns - (label != NO_COLUMN) > 1) return TW_OK;
    return tw_fail(table->ctx, TW_BAD_DATA,
                   "has no column beside the label and the exposure: there are no inputs");
}

/* Columns j+1, j+2, ... move up to j, j+1, ... */
static void remove_column(tw_table *table, size_t j)
{
    size_t behind = --table->columns - j;
    double *column = table->values + j * table->rows;
    memmove(column, column + table->rows, behind * table->rows * sizeof(double));
    if (table->names) memmove(table->names + j, table->names + j + 1, behind * sizeof(char *));
}

/* Column j as an array of its own. */
static tw_status copy_out(const tw_table *table, ptrdiff_t j, const char *what, double **to)
{
    if (j < 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(table->ctx, table->rows, 1, what, to));
    memcpy(*to, table->values + (size_t)j * table->rows, table->rows * sizeof(double));
    return TW_OK;
}

/* Move what the table holds into data; the table keeps its own struct only. */
static tw_status split(tw_table *table, ptrdiff_t label, ptrdiff_t constants, tw_data *data)
{
    TW_TRY(copy_out(table, label, "the labels", &data->y));
    TW_TRY(copy_out(table, constants, "the constants", &data->w));
    ptrdiff_t leaving = label == DROP_FIRST ? 0 : label; /* the one further right first */
    if (constants > leaving) remove_column(table, (size_t)constants);
    if (leaving >= 0) remove_column(table, (size_t)leaving);
    if (constants >= 0 && constants < leaving) remove_column(table, (size_t)constants);
    data->n = table->rows;
    data->d = table->columns;
    data->x = table->values;
    data->names = table->names;
    table->values = NULL;
    table->names = NULL;
    return TW_OK;
}

static tw_status allocate_data(tw_context *ctx, tw_data **out)
{
    void *block = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_data), "a data set", &block));
    *out = block;
    (*out)->ctx = ctx;
    return TW_OK;
}

tw_status tw_data_read_constants(tw_context *ctx, const char *path, const char *label, const char *constants,
                                 tw_data **out)
{
    tw_table *table = NULL;
    tw_data *data = NULL;
    ptrdiff_t y = NO_COLUMN, w = NO_COLUMN;
    *out = NULL;
    TW_TRY(tw_table_read(ctx, path, &table));
    tw_status status = find_label(table, label, tw_format_of(path), &y);
    if (status == TW_OK) status = find_constants(table, constants, y, &w);
    if (status == TW_OK) status = allocate_data(ctx, &data);
    if (status == TW_OK) status = split(table, y, w, data);
    tw_table_free(table);
    if (status == TW_OK) {
        *out = data;
        return TW_OK;
    }
    tw_data_free(data);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

tw_status tw_data_read(tw_context *ctx, const char *path, const char *label, tw_data **out)
{
    return tw_data_read_constants(ctx, path, label, NULL, out);
}

tw_status tw_data_widen(tw_data *data, size_t d)
{
    double *x = NULL;
    if (d < data->d) return tw_fail(data->ctx, TW_BAD_ARGUMENT, "%zu inputs cannot be made %zu", data->d, d);
    if (d == data->d) return TW_OK;
    if (data->names)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "nameless inputs cannot join those with names");
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
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "a data set needs at least one case and one input, and ldx >= n: "
                       "found n = %zu, d = %zu, ldx = %zu",
                       n, d, ldx);
    TW_TRY(allocate_data(ctx, out));
    (*out)->n = n;
    (*out)->d = d;
    tw_status status = copy_arrays(*out, x, ldx, y);
    if (status == TW_OK) return TW_OK;
    tw_data_free(*out);
    *out = NULL;
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
    tw_release(data->ctx, data->w);
    tw_release(data->ctx, data->y);
    tw_release(data->ctx, data->x);
    tw_release(data->ctx, data);
}
