/* split.c: a data set out of a table: which columns are the label and the constants of the observations, and the rest as
 * inputs.
 *
 * Splitting moves no more than it must: the data set takes the table's block, what is no input is copied out of it, and
 * the columns behind each move up by one.
 */
#include <errno.h>
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

/* ---- constants ---- */

/* Which columns leave the inputs: that of the label, and those of the constants. */
typedef struct leaving {
    ptrdiff_t label;
    size_t count;
    const tw_column_place *place;
    ptrdiff_t column[TW_DATA_COLUMNS];
} leaving;

/* Column k of the constants must not be the label nor another constant. */
static tw_status check_free(const tw_table *table, const leaving *l, size_t k)
{
    const char *other = l->column[k] == l->label ? "label" : NULL;
    for (size_t i = 0; i < k; i++)
        if (l->column[i] == l->column[k]) other = l->place[i].name;
    if (!other) return TW_OK;
    return tw_fail(table->ctx, TW_BAD_DATA,
                   "column %td cannot be both the %s and the %s: say which column is the %s",
                   l->column[k] + 1, other, l->place[k].name, other);
}

static tw_status find_constants(const tw_table *table, leaving *l)
{
    for (size_t k = 0; k < l->count; k++) {
        const char *name = l->place[k].name, *column = l->place[k].column;
        l->column[k] = NO_COLUMN;
        TW_TRY(find_name(table, name, column, &l->column[k]));
        if (l->column[k] < 0) TW_TRY(find_index(table, name, column, &l->column[k]));
        TW_TRY(check_free(table, l, k));
    }
    if (l->count == 0 || table->columns - (l->label != NO_COLUMN) > l->count) return TW_OK;
    return tw_fail(table->ctx, TW_BAD_DATA, "has no column beside the label and the %s: there are no inputs",
                   l->place[0].name);
}

/* ---- moving ---- */

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

/* Remove all columns that leave, from the right to the left, so that those to come keep their places. */
static void remove_all(tw_table *table, const leaving *l)
{
    ptrdiff_t label = l->label == DROP_FIRST ? 0 : l->label;
    for (size_t j = table->columns; j-- > 0;) {
        bool leaves = (ptrdiff_t)j == label;
        for (size_t k = 0; k < l->count; k++) leaves |= (ptrdiff_t)j == l->column[k];
        if (leaves) remove_column(table, j);
    }
}

/* Move what the table holds into data; the table keeps its own struct only. */
static tw_status split(tw_table *table, const leaving *l, tw_data *data)
{
    data->n = table->rows;
    TW_TRY(copy_out(table, l->label, "the labels", &data->y));
    for (size_t k = 0; k < l->count; k++)
        TW_TRY(
            tw_data_set_column(data, l->place[k].name, table->values + (size_t)l->column[k] * table->rows));
    remove_all(table, l);
    data->d = table->columns;
    data->x = table->values;
    data->names = table->names;
    table->values = NULL;
    table->names = NULL;
    return TW_OK;
}

tw_status tw_data_read_columns(tw_context *ctx, const char *path, const char *label, size_t count,
                               const tw_column_place *columns, tw_data **out)
{
    tw_table *table = NULL;
    tw_data *data = NULL;
    leaving l = {.count = count, .place = columns};
    *out = NULL;
    if (count > TW_DATA_COLUMNS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "data have %d columns beside the inputs at most, not %zu",
                       TW_DATA_COLUMNS, count);
    TW_TRY(tw_table_read(ctx, path, &table));
    tw_status status = find_label(table, label, tw_format_of(path), &l.label);
    if (status == TW_OK) status = find_constants(table, &l);
    if (status == TW_OK) status = tw_data_allocate(ctx, &data);
    if (status == TW_OK) status = split(table, &l, data);
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
    return tw_data_read_columns(ctx, path, label, 0, NULL, out);
}
