/* table.c: a plain table: which reader for which file, and its memory. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/number.h"
#include "data/readers.h"

static bool ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);
    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}

tw_format tw_format_of(const char *path)
{
    if (ends_in(path, ".npy")) return TW_FORMAT_NPY;
    if (ends_in(path, ".libsvm") || ends_in(path, ".svm")) return TW_FORMAT_LIBSVM;
    return TW_FORMAT_CSV;
}

tw_status tw_table_size(tw_table *table, size_t rows, size_t columns)
{
    char what[80];
    snprintf(what, sizeof what, "a table of %zu rows and %zu columns", rows, columns);
    table->rows = rows;
    table->columns = columns;
    return tw_allocate_doubles(table->ctx, rows, columns, what, &table->values);
}

static tw_status read_text(const tw_file *file, tw_format format, tw_table *table)
{
    tw_number_locale locale;
    TW_TRY(tw_file_check_text(file));
    TW_TRY(tw_number_locale_begin(file->ctx, &locale));
    tw_status status = format == TW_FORMAT_LIBSVM ? tw_libsvm_read(file, table) : tw_csv_read(file, table);
    tw_number_locale_end(&locale);
    return status;
}

static tw_status read_file(const char *path, tw_table *table)
{
    tw_file file;
    tw_format format = tw_format_of(path);
    tw_status status = tw_file_read(table->ctx, path, &file);
    if (status == TW_OK)
        status = format == TW_FORMAT_NPY ? tw_npy_read(&file, table) : read_text(&file, format, table);
    tw_file_release(&file);
    return status;
}

tw_status tw_table_read(tw_context *ctx, const char *path, tw_table **out)
{
    void *block = NULL;
    *out = NULL;
    if (!path) return tw_fail(ctx, TW_BAD_ARGUMENT, "no file was named");
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_table), "a table", &block));
    tw_table *table = block;
    table->ctx = ctx;
    tw_status status = read_file(path, table);
    if (status == TW_OK) {
        *out = table;
        return TW_OK;
    }
    tw_table_free(table);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

void tw_table_free(tw_table *table)
{
    if (!table) return;
    tw_release(table->ctx, table->names);
    tw_release(table->ctx, table->values);
    tw_release(table->ctx, table);
}
