/* split.c: turn a table into a data set: find the label, the constants and the columns to ignore; the other
 * columns are the inputs.
 *
 * The data set takes over the table's block of values. Columns that are not inputs are copied out first, and
 * the columns after each move up by one.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/readers.h"
#include "data/text.h"

enum { NO_COLUMN = -1, DROP_FIRST = -2 }; /* DROP_FIRST: a libsvm file read for its inputs only */

/* List the column names for a message, as many as fit. */
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

/* Find a column by name; `what` is its role, for messages: "label". */
static tw_status find_name(const tw_table *table, const char *what, const char *wanted, ptrdiff_t *column)
{
    for (size_t j = 0; table->names && j < table->columns; j++) {
        if (strcmp(table->names[j], wanted) != 0) continue;
        if (*column >= 0)
            return tw_fail(table->ctx, TW_BAD_DATA,
                           "columns %td and %zu have the same name %s: give the number of the %s column",
                           *column + 1, j + 1, tw_quote(wanted, wanted + strlen(wanted)).text, what);
        *column = (ptrdiff_t)j;
    }
    return TW_OK;
}

/* Convert "3" or "-1" to a column number from 0. */
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
    return tw_fail(
        table->ctx, TW_BAD_DATA, "unknown %s column %s: give an index from 1 to %ld or -1 to -%ld%s%s%s",
        what, tw_quote(wanted, wanted + strlen(wanted)).text, columns, columns,
        table->names ? ", or one of the names " : "", names, strcmp(what, "label") == 0 ? ", or none" : "");
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
                       "has only one column, so a label leaves no inputs: choose no label column (none)");
    return TW_OK;
}

/* ---- constants and ignored columns ---- */

/* The columns that are not inputs: the label, the constants and the ignored columns. */
typedef struct leaving {
    const tw_reading *reading;
    ptrdiff_t label;
    ptrdiff_t column[TW_DATA_COLUMNS]; /* of the constants */
    bool *out;                         /* for each column of the table */
} leaving;

static tw_status find_column(const tw_table *table, const char *what, const char *wanted, ptrdiff_t *column)
{
    *column = NO_COLUMN;
    TW_TRY(find_name(table, what, wanted, column));
    return *column < 0 ? find_index(table, what, wanted, column) : TW_OK;
}

/* The role of a column: "label", the name of a constant, or NULL. */
static const char *use_of(const leaving *l, ptrdiff_t column, size_t constants)
{
    for (size_t k = 0; k < constants; k++)
        if (l->column[k] == column) return l->reading->columns[k].name;
    return column == l->label ? "label" : NULL;
}

static tw_status find_constant(const tw_table *table, leaving *l, size_t k)
{
    const tw_column_place *place = &l->reading->columns[k];
    TW_TRY(find_column(table, place->name, place->column, &l->column[k]));
    const char *other = use_of(l, l->column[k], k);
    if (other)
        return tw_fail(table->ctx, TW_BAD_DATA,
                       "column %td cannot be both the %s and the %s: choose the column of the %s",
                       l->column[k] + 1, other, place->name, other);
    if (!table->levels || table->levels[l->column[k]].count == 0) return TW_OK;
    const char *text = table->levels[l->column[k]].text[0];
    return tw_fail(table->ctx, TW_BAD_DATA, "the %s column must hold numbers, not text such as %s",
                   place->name, tw_quote(text, text + strlen(text)).text);
}

static tw_status find_ignored(const tw_table *table, leaving *l)
{
    for (size_t k = 0; k < l->reading->ignored; k++) {
        ptrdiff_t column = NO_COLUMN;
        TW_TRY(find_column(table, "ignored", l->reading->ignore[k], &column));
        const char *use = use_of(l, column, l->reading->count);
        if (use)
            return tw_fail(table->ctx, TW_BAD_DATA,
                           "column %td cannot be both ignored and the %s: choose the column of the %s",
                           column + 1, use, use);
        l->out[column] = true;
    }
    return TW_OK;
}

/* Ignore the columns that reading->leave_out names; they may be absent. */
static void leave_out_names(const tw_table *table, leaving *l)
{
    const tw_levels *names = l->reading->leave_out;
    for (size_t j = 0; names && table->names && j < table->columns; j++)
        if (tw_levels_find(names, table->names[j]) < names->count &&
            !use_of(l, (ptrdiff_t)j, l->reading->count))
            l->out[j] = true;
}

/* Whether the first column numbers the rows from 0 or 1 or holds a different text in each row. */
static bool counts_rows(const tw_table *table)
{
    double first = table->values[0];
    if (table->levels && table->levels[0].count) return table->levels[0].count == table->rows;
    for (size_t i = 0; i < table->rows; i++)
        if (table->values[i] != first + (double)i) return false;
    return first == 0.0 || first == 1.0;
}

/* Ignore row names: programs that write data frames put them first, without a name or under a made-up one. */
static void leave_out_row_names(const tw_table *table, leaving *l)
{
    bool unnamed = table->names && (!*table->names[0] || strcmp(table->names[0], "Unnamed: 0") == 0);
    if (!unnamed || table->columns < 2 || table->rows < 2 || l->out[0] || use_of(l, 0, l->reading->count))
        return;
    if (!counts_rows(table)) return;
    l->out[0] = true;
    tw_log(table->ctx, TW_LOG_INFO, "the first column has no name and numbers the rows: it is ignored");
}

/* Report the flaw of a used column; of several, the first in the file. */
static tw_status check_flaws(const tw_table *table, const leaving *l)
{
    const tw_flaw *first = NULL;
    for (size_t j = 0; table->flaws && j < table->columns; j++) {
        const tw_flaw *flaw = &table->flaws[j];
        bool used = !l->out[j] || use_of(l, (ptrdiff_t)j, l->reading->count);
        if (used && flaw->words && (!first || flaw->line < first->line)) first = flaw;
    }
    return first ? tw_fail(table->ctx, TW_BAD_DATA, "%s", first->words) : TW_OK;
}

static tw_status find_leaving(const tw_table *table, tw_format format, leaving *l)
{
    void *memory = NULL;
    size_t left = 0;
    TW_TRY(find_label(table, l->reading->label, format, &l->label));
    for (size_t k = 0; k < l->reading->count; k++) TW_TRY(find_constant(table, l, k));
    TW_TRY(tw_allocate(table->ctx, table->columns, sizeof(bool), "columns", &memory));
    l->out = memory;
    TW_TRY(find_ignored(table, l));
    leave_out_names(table, l);
    leave_out_row_names(table, l);
    l->out[0] = l->out[0] || l->label == DROP_FIRST;
    TW_TRY(check_flaws(table, l));
    for (size_t j = 0; j < table->columns; j++) {
        if (use_of(l, (ptrdiff_t)j, l->reading->count)) l->out[j] = true;
        left += !l->out[j];
    }
    if (left > 0) return TW_OK;
    return tw_fail(table->ctx, TW_BAD_DATA, "has no inputs: all columns are the label%s%s%s",
                   l->reading->count ? " and the " : "", l->reading->count ? l->reading->columns[0].name : "",
                   l->reading->ignored ? " and ignored columns" : "");
}

/* ---- moving columns ---- */

/* Remove column j: columns j+1, j+2, ... move to j, j+1, ... */
static void remove_column(tw_table *table, size_t j)
{
    size_t behind = --table->columns - j;
    double *column = table->values + j * table->rows;
    memmove(column, column + table->rows, behind * table->rows * sizeof(double));
    if (table->names) memmove(table->names + j, table->names + j + 1, behind * sizeof(char *));
    if (table->flaws) {
        tw_release(table->ctx, table->flaws[j].words);
        memmove(table->flaws + j, table->flaws + j + 1, behind * sizeof *table->flaws);
    }
    if (!table->levels) return;
    tw_release(table->ctx, table->levels[j].text);
    memmove(table->levels + j, table->levels + j + 1, behind * sizeof *table->levels);
}

/* Copy the label and move its categories. */
static tw_status take_label(tw_table *table, ptrdiff_t j, tw_data *data)
{
    if (j < 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(table->ctx, table->rows, 1, "the labels", &data->y));
    memcpy(data->y, table->values + (size_t)j * table->rows, table->rows * sizeof(double));
    if (table->names) TW_TRY(tw_data_set_source(data, "label", table->names[j]));
    if (!table->levels) return TW_OK;
    data->labels = table->levels[j];
    table->levels[j] = (tw_levels){0};
    return TW_OK;
}

static tw_status take_constants(const tw_table *table, const leaving *l, tw_data *data)
{
    for (size_t k = 0; k < l->reading->count; k++) {
        const char *name = l->reading->columns[k].name;
        size_t j = (size_t)l->column[k];
        TW_TRY(tw_data_set_column(data, name, table->values + j * table->rows));
        if (table->names) TW_TRY(tw_data_set_source(data, name, table->names[j]));
    }
    return TW_OK;
}

/* Whether column j is ignored and no used column has the same name. */
static bool is_ignored(const tw_table *table, const leaving *l, size_t j)
{
    if (!l->out[j] || !*table->names[j]) return false;
    for (size_t k = 0; k < table->columns; k++) {
        bool used = !l->out[k] || use_of(l, (ptrdiff_t)k, l->reading->count);
        if (used && strcmp(table->names[k], table->names[j]) == 0) return false;
    }
    return true;
}

/* Keep the names of ignored columns, to ignore them in new cases too. */
static tw_status keep_ignored(const tw_table *table, const leaving *l, tw_data *data)
{
    void *memory = NULL;
    size_t count = 0;
    if (!table->names) return TW_OK;
    TW_TRY(tw_allocate(table->ctx, table->columns, sizeof(char *), "the names", &memory));
    const char **names = memory;
    for (size_t j = 0; j < table->columns; j++)
        if (is_ignored(table, l, j)) names[count++] = table->names[j];
    tw_status status = tw_levels_copy(table->ctx, &(tw_levels){count, (char **)names}, &data->ignored);
    tw_release(table->ctx, memory);
    return status;
}

/* Move the contents of the table into data. Columns are removed from right to left, so that the positions of
 * the remaining ones stay valid. */
static tw_status split(tw_table *table, const leaving *l, tw_data *data)
{
    data->n = table->rows;
    TW_TRY(take_label(table, l->label, data));
    TW_TRY(take_constants(table, l, data));
    TW_TRY(keep_ignored(table, l, data));
    for (size_t j = table->columns; j-- > 0;)
        if (l->out[j]) remove_column(table, j);
    data->d = table->columns;
    data->x = table->values;
    data->names = table->names;
    data->levels = table->levels;
    data->lines = table->lines;
    table->lines = NULL;
    table->values = NULL;
    table->names = NULL;
    table->levels = NULL;
    return TW_OK;
}

tw_status tw_data_read_as(tw_context *ctx, const char *path, const tw_reading *reading, tw_data **out)
{
    tw_table *table = NULL;
    tw_data *data = NULL;
    leaving l = {.reading = reading};
    *out = NULL;
    if (reading->count > TW_DATA_COLUMNS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "data can have at most %d columns besides the inputs, not %zu",
                       TW_DATA_COLUMNS, reading->count);
    TW_TRY(tw_table_read_text(ctx, path, &table));
    tw_status status = find_leaving(table, tw_format_of(path), &l);
    if (status == TW_OK) status = tw_data_allocate(ctx, &data);
    if (status == TW_OK) status = split(table, &l, data);
    tw_table_free(table);
    tw_release(ctx, l.out);
    if (status == TW_OK) {
        *out = data;
        return TW_OK;
    }
    tw_data_free(data);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

tw_status tw_data_read_columns(tw_context *ctx, const char *path, const char *label, size_t count,
                               const tw_column_place *columns, tw_data **out)
{
    return tw_data_read_as(ctx, path, &(tw_reading){.label = label, .count = count, .columns = columns}, out);
}

tw_status tw_data_read(tw_context *ctx, const char *path, const char *label, tw_data **out)
{
    return tw_data_read_as(ctx, path, &(tw_reading){.label = label}, out);
}
