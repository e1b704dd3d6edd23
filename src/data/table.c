/* table.c: a table of numbers: choose the reader of a file, and manage the table's memory. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "data/number.h"
#include "data/readers.h"

/* Whether the first `length` bytes of path end in `ending`, in either case. */
static bool ends_in_before(const char *path, size_t length, const char *ending)
{
    size_t tail = strlen(ending);
    return length >= tail && strncasecmp(path + length - tail, ending, tail) == 0;
}

static bool ends_in(const char *path, const char *ending)
{
    return ends_in_before(path, strlen(path), ending);
}

tw_format tw_format_of(const char *path)
{
    size_t length = strlen(path) - (ends_in(path, ".gz") ? strlen(".gz") : 0);
    if (ends_in_before(path, length, ".npy")) return TW_FORMAT_NPY;
    if (ends_in_before(path, length, ".libsvm") || ends_in_before(path, length, ".svm"))
        return TW_FORMAT_LIBSVM;
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

tw_status tw_table_flaw(tw_table *table, bool text, size_t column, size_t line, tw_status failed)
{
    void *memory = NULL;
    if (!text || failed != TW_BAD_DATA) return failed;
    if (!table->flaws) {
        TW_TRY(tw_allocate(table->ctx, table->columns, sizeof(tw_flaw), "flaws of columns", &memory));
        table->flaws = memory;
    }
    tw_flaw *flaw = &table->flaws[column];
    if (flaw->words) return TW_OK;
    const char *words = tw_context_message(table->ctx);
    TW_TRY(tw_allocate(table->ctx, strlen(words) + 1, 1, "flaws of columns", &memory));
    *flaw = (tw_flaw){line, memory};
    strcpy(flaw->words, words);
    return TW_OK;
}

static tw_status read_text(const tw_file *file, tw_format format, bool text, tw_table *table)
{
    tw_number_locale locale;
    TW_TRY(tw_file_check_text(file));
    TW_TRY(tw_number_locale_begin(file->ctx, &locale));
    tw_status status =
        format == TW_FORMAT_LIBSVM ? tw_libsvm_read(file, table) : tw_csv_read(file, text, table);
    tw_number_locale_end(&locale);
    return status;
}

static tw_status read_file(const char *path, bool text, tw_table *table)
{
    tw_file file;
    tw_format format = tw_format_of(path);
    tw_status status = tw_file_read(table->ctx, path, &file);
    if (status == TW_OK) status = tw_file_inflate(&file);
    if (status == TW_OK)
        status =
            format == TW_FORMAT_NPY ? tw_npy_read(&file, text, table) : read_text(&file, format, text, table);
    tw_file_release(&file);
    return status;
}

static tw_status read_table(tw_context *ctx, const char *path, bool text, tw_table **out)
{
    void *block = NULL;
    *out = NULL;
    if (!path) return tw_fail(ctx, TW_BAD_ARGUMENT, "no file was given");
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_table), "a table", &block));
    tw_table *table = block;
    table->ctx = ctx;
    tw_status status = read_file(path, text, table);
    if (status == TW_OK) {
        *out = table;
        return TW_OK;
    }
    tw_table_free(table);
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

tw_status tw_table_read(tw_context *ctx, const char *path, tw_table **out)
{
    return read_table(ctx, path, false, out);
}

tw_status tw_table_read_text(tw_context *ctx, const char *path, tw_table **out)
{
    return read_table(ctx, path, true, out);
}

void tw_table_free(tw_table *table)
{
    if (!table) return;
    tw_levels_free(table->ctx, table->columns, table->levels);
    for (size_t j = 0; table->flaws && j < table->columns; j++) tw_release(table->ctx, table->flaws[j].words);
    tw_release(table->ctx, table->flaws);
    tw_release(table->ctx, table->lines);
    tw_release(table->ctx, table->names);
    tw_release(table->ctx, table->values);
    tw_release(table->ctx, table);
}
