/* csv.c: read numbers separated by commas, semicolons, tabs or spaces, with or without a header.
 *
 * The reader makes two passes over the text. The first finds the separator, the header and the number of
 * rows, so the table is allocated once; the second reads each row into it. Almost every row holds plain
 * numbers only: a fast path reads such a row and looks at each byte once. A slow path reads any other row
 * again, field by field; it handles quotes and reports errors. Blank lines and lines that start with # are
 * skipped.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "data/fields.h"
#include "data/number.h"
#include "data/readers.h"
#include "data/text.h"

typedef struct csv {
    const tw_file *file;
    tw_table *table;
    const char *data; /* the first line of numbers */
    const char *end;  /* of the text */
    char separator;
    size_t columns;
    bool text;             /* columns may hold text */
    tw_text_column *texts; /* one for each column; NULL: no text so far */
} csv;

/* The position that a message reports: line, field (from 1) and the column's name if it has one. */
typedef struct place {
    char text[64 + TW_QUOTED_BYTES];
} place;

static place place_of(const csv *in, const char *at, size_t column)
{
    place where;
    size_t line = tw_file_line_number(in->file, at);
    int length = snprintf(where.text, sizeof where.text, "line %zu, column %zu", line, column + 1);
    if (in->table->names && column < in->columns) {
        const char *name = in->table->names[column];
        snprintf(where.text + length, sizeof where.text - (size_t)length, " (%s)",
                 tw_quote(name, name + strlen(name)).text);
    }
    return where;
}

/* The next line at or after p that is neither blank nor a comment, or the end of the text. */
static const char *next_content(const csv *in, const char *p)
{
    while (p < in->end) {
        const char *q = p;
        while (tw_is_blank('\0', *q)) q++;
        if (*q != '\n' && *q != '#' && q < in->end) return p;
        const char *newline = tw_file_line_end(in->file, q);
        p = newline < in->end ? newline + 1 : in->end;
    }
    return in->end;
}

static const char *next_line(const csv *in, const char *p)
{
    const char *newline = tw_file_line_end(in->file, p);
    return next_content(in, newline < in->end ? newline + 1 : in->end);
}

/* The end of the line at p, without trailing blanks. */
static const char *content_end(const csv *in, const char *p)
{
    return tw_trim_end(in->separator, p, tw_file_line_end(in->file, p));
}

/* The second line determines the separator, because it holds data, and numbers contain no separator. If it
 * holds one number only, the first line decides. A file of one column has no separator: the comma then
 * serves. */
static void choose_separator(csv *in, const char *first, const char *second)
{
    if (second < in->end) in->separator = tw_find_separator(second, tw_file_line_end(in->file, second));
    if (in->separator) return;
    in->separator = tw_find_separator(first, tw_file_line_end(in->file, first));
    if (in->separator == '\0' || (in->separator == ' ' && second < in->end)) in->separator = ',';
}

static tw_status fail_quote(const csv *in, const char *at, size_t column, const tw_field *field)
{
    return tw_fail(in->file->ctx, TW_BAD_DATA,
                   "%s: the quotes around %s are not closed, or text follows them: close them on the same "
                   "line, and write a quote inside as \"\"",
                   place_of(in, at, column).text, tw_quote(field->begin, field->end).text);
}

/* Warn if some fields of the header are numbers: it may be a row of data with a typing error. */
static void warn_of_header(const csv *in, const char *line, const tw_field *text, size_t numbers)
{
    tw_quoted quoted = tw_quote(text->begin, text->end);
    double number = (double)tw_file_line_number(in->file, line);
    tw_warn(in->file->ctx, &(tw_warning){.code = TW_WARN_HEADER,
                                         .number = {number, (double)numbers, (double)in->columns},
                                         .name = quoted.text});
}

/* Whether two lines have numbers and text in the same columns, with at least one number. Then the first line
 * is a row of data and not a header. */
static bool have_same_kinds(const csv *in, const char *first, const char *second)
{
    const char *p = first, *q = second, *first_end = content_end(in, first),
               *second_end = content_end(in, second);
    size_t numbers = 0;
    if (!in->text || second == in->end) return false;
    while (p && q) {
        tw_field a, b;
        double ignored;
        p = tw_next_field(in->separator, p, first_end, &a);
        q = tw_next_field(in->separator, q, second_end, &b);
        tw_field_kind kind = tw_field_value(&a, &ignored);
        if (kind != tw_field_value(&b, &ignored)) return false;
        numbers += kind == TW_FIELD_NUMBER;
    }
    return !p && !q && numbers > 0;
}

/* A line with a text field is a header, unless the second line has the same kinds of fields: then some
 * columns hold text. */
static tw_status look_for_header(csv *in, const char *line, const char *second, bool *is_header)
{
    const char *end = content_end(in, line);
    size_t numbers = 0;
    tw_field field, text = {0};
    in->columns = 0;
    *is_header = false;
    for (const char *p = line; p;) {
        double ignored;
        p = tw_next_field(in->separator, p, end, &field);
        in->columns++;
        if (!field.well_formed) return fail_quote(in, line, in->columns - 1, &field);
        tw_field_kind kind = tw_field_value(&field, &ignored);
        numbers += kind == TW_FIELD_NUMBER;
        if (kind == TW_FIELD_TEXT && !*is_header) text = field;
        if (kind == TW_FIELD_TEXT) *is_header = true;
    }
    if (*is_header && have_same_kinds(in, line, second)) *is_header = false;
    if (*is_header && numbers) warn_of_header(in, line, &text, numbers);
    return TW_OK;
}

/* Copy the column names. One block holds the pointers and, after them, the texts. */
static tw_status read_header(csv *in, const char *line)
{
    const char *end = content_end(in, line);
    size_t pointers = in->columns * sizeof(char *);
    void *block = NULL;
    TW_TRY(tw_allocate(in->file->ctx, pointers + (size_t)(end - line) + in->columns, 1, "the column names",
                       &block));
    in->table->names = block;
    char *name = (char *)block + pointers;
    for (size_t j = 0; j < in->columns; j++) {
        tw_field field;
        line = tw_next_field(in->separator, line, end, &field);
        in->table->names[j] = name;
        name = tw_field_copy(&field, name) + 1;
    }
    return TW_OK;
}

static tw_status find_layout(csv *in)
{
    const char *first = next_content(in, tw_file_text(in->file));
    tw_context *ctx = in->file->ctx;
    bool is_header = false;
    if (first == in->end)
        return tw_fail(ctx, TW_BAD_DATA, "holds only blank lines and comments, and no data");
    const char *second = next_line(in, first);
    choose_separator(in, first, second);
    TW_TRY(look_for_header(in, first, second, &is_header));
    in->data = is_header ? second : first;
    if (in->data == in->end)
        return tw_fail(ctx, TW_BAD_DATA, "holds only a header, on line %zu: add rows of numbers below it",
                       tw_file_line_number(in->file, first));
    return is_header ? read_header(in, first) : TW_OK;
}

/* The number of rows to allocate. A row of c fields takes at least c bytes, its newline included, so the
 * length of the text bounds the number of complete rows. Without this bound, a broken file could request far
 * more memory than it can fill. */
static size_t count_rows(const csv *in)
{
    size_t most = ((size_t)(in->end - in->data) + 1) / in->columns;
    size_t rows = 0;
    for (const char *p = in->data; p < in->end; p = next_line(in, p)) rows++;
    return rows <= most ? rows : most > 0 ? most : 1;
}

/* The fast path: read one plain finite number for each column into row[0], row[stride], ... Returns the end
 * of the line, or NULL if the line holds anything else. */
static const char *read_plain_row(const csv *in, const char *p, double *row, size_t stride)
{
    const char separator = in->separator;
    for (size_t j = 0; j < in->columns; j++) {
        double value;
        if (j > 0 && separator != ' ' && *p++ != separator) return NULL;
        while (tw_is_blank(separator, *p)) p++;
        p = tw_number_parse(p, &value);
        if (!p || !isfinite(value)) return NULL;
        row[j * stride] = value;
        if (separator == ' ' && !tw_is_blank(separator, *p) && *p != '\n' && *p != '\0') return NULL;
        while (tw_is_blank(separator, *p)) p++;
    }
    return *p == '\n' || p == in->end ? p : NULL;
}

static tw_status fail_text(const csv *in, const char *line, size_t column, const tw_field *field)
{
    const char *comma = memchr(field->begin, ',', (size_t)(field->end - field->begin));
    const char *colon = memchr(field->begin, ':', (size_t)(field->end - field->begin));
    const char *advice = comma   ? "; write a decimal point, not a comma"
                         : colon ? "; the name of a libsvm file must end in .libsvm or .svm"
                                 : "; code text as numbers, or remove the column";
    return tw_fail(in->file->ctx, TW_BAD_DATA, "%s: found %s, which is not a number%s",
                   place_of(in, line, column).text, tw_quote(field->begin, field->end).text, advice);
}

/* Record a failure that concerns column j only; see tw_table_flaw. */
static tw_status record_flaw(csv *in, const char *line, size_t j, tw_status failed)
{
    return tw_table_flaw(in->table, in->text, j, tw_file_line_number(in->file, line), failed);
}

/* Names and categories must be UTF-8 because the files that talweg writes are. */
static tw_status fail_encoding(const csv *in, const char *line, size_t column, const tw_field *field)
{
    return tw_fail(in->file->ctx, TW_BAD_DATA,
                   "%s: found %s, which is not UTF-8: save the file as UTF-8 (from the usual Windows "
                   "encoding: iconv -f WINDOWS-1252 -t UTF-8 OLD > NEW), or ignore the column by its number",
                   place_of(in, line, column).text, tw_quote(field->begin, field->end).text);
}

/* Store the text in column j of row `row`. */
static tw_status take_text(csv *in, const char *line, size_t j, size_t row, const tw_field *field)
{
    void *memory = NULL;
    bool beyond = row >= in->table->rows; /* beyond the bound of count_rows no row is complete */
    if (!in->text || beyond) return fail_text(in, line, j, field);
    if (tw_text_is_mistake(field)) return record_flaw(in, line, j, fail_text(in, line, j, field));
    if (!tw_text_is_utf8(field->begin, field->end))
        return record_flaw(in, line, j, fail_encoding(in, line, j, field));
    if (!in->texts) {
        TW_TRY(tw_allocate(in->file->ctx, in->columns, sizeof(tw_text_column), "columns of text", &memory));
        in->texts = memory;
    }
    return tw_text_add(in->file->ctx, &in->texts[j], in->table->rows, row, line, field);
}

static tw_status fail_missing(const csv *in, const char *line, size_t column, const tw_field *field)
{
    return tw_fail(in->file->ctx, TW_BAD_DATA, "%s: found %s; " TW_NOT_FINITE_ADVICE,
                   place_of(in, line, column).text, tw_quote(field->begin, field->end).text);
}

/* The slow path: handles quotes, text, missing values and rows of wrong length. */
static tw_status read_row(csv *in, const char *line, double *row, size_t stride)
{
    const char *end = content_end(in, line), *p = line;
    size_t found = tw_count_fields(in->separator, line, end);
    for (size_t j = 0; j < found; j++) {
        tw_field field;
        double value = 0;
        p = tw_next_field(in->separator, p, end, &field);
        if (!field.well_formed) return fail_quote(in, line, j, &field);
        if (found != in->columns) continue;
        tw_field_kind kind = tw_field_value(&field, &value);
        if (kind == TW_FIELD_TEXT) TW_TRY(take_text(in, line, j, (size_t)(row - in->table->values), &field));
        if (kind == TW_FIELD_MISSING) TW_TRY(record_flaw(in, line, j, fail_missing(in, line, j, &field)));
        row[j * stride] = value;
    }
    if (found == in->columns) return TW_OK;
    return tw_fail(
        in->file->ctx, TW_BAD_DATA,
        "line %zu: expected %zu fields, as in the %s, but found %zu: complete the row or remove it",
        tw_file_line_number(in->file, line), in->columns, in->table->names ? "header" : "first row", found);
}

/* The number of newlines in [p, q). */
static size_t lines_between(const char *p, const char *q)
{
    size_t lines = 0;
    while (p < q && (p = memchr(p, '\n', (size_t)(q - p)))) {
        lines++;
        p++;
    }
    return lines;
}

/* A row beyond the bound of count_rows is incomplete: it fails before its last column is written, so the
 * writes stay inside the table. */
static tw_status read_rows(csv *in)
{
    const size_t stride = in->table->rows;
    double *row = in->table->values;
    size_t line = tw_file_line_number(in->file, in->data);
    for (const char *p = in->data, *last = p; p < in->end; row++) {
        line += lines_between(last, p);
        last = p;
        size_t i = (size_t)(row - in->table->values);
        if (in->table->lines && i < stride) in->table->lines[i] = line;
        const char *stop = read_plain_row(in, p, row, stride);
        if (!stop) {
            TW_TRY(read_row(in, p, row, stride));
            stop = p;
        }
        p = next_line(in, stop);
    }
    return TW_OK;
}

/* A column that is text in every row becomes categories; text among numbers is an error. */
static tw_status code_texts(csv *in)
{
    void *memory = NULL;
    size_t rows = in->table->rows;
    if (!in->texts) return TW_OK;
    for (size_t j = 0; j < in->columns; j++)
        if (in->texts[j].count > 0 && in->texts[j].count < rows)
            TW_TRY(record_flaw(in, in->texts[j].line, j,
                               fail_text(in, in->texts[j].line, j, &in->texts[j].first)));
    TW_TRY(tw_allocate(in->file->ctx, in->columns, sizeof(tw_levels), "categories", &memory));
    in->table->levels = memory;
    for (size_t j = 0; j < in->columns; j++)
        if (in->texts[j].count == rows)
            TW_TRY(tw_text_code(in->file->ctx, &in->texts[j], rows, in->table->values + j * rows,
                                &in->table->levels[j]));
    return TW_OK;
}

/* A column whose name is not UTF-8 has a flaw. */
static tw_status check_names(csv *in)
{
    const char *line = next_content(in, tw_file_text(in->file)), *end = content_end(in, line), *p = line;
    for (size_t j = 0; in->table->names && j < in->columns; j++) {
        tw_field field;
        p = tw_next_field(in->separator, p, end, &field);
        if (!tw_text_is_utf8(field.begin, field.end))
            TW_TRY(record_flaw(in, line, j, fail_encoding(in, line, j, &field)));
    }
    return TW_OK;
}

static void release_texts(csv *in)
{
    for (size_t j = 0; in->texts && j < in->columns; j++) tw_release(in->file->ctx, in->texts[j].fields);
    tw_release(in->file->ctx, in->texts);
}

static tw_status allocate_lines(tw_table *table)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(table->ctx, table->rows, sizeof(size_t), "the lines of the rows", &memory));
    table->lines = memory;
    return TW_OK;
}

tw_status tw_csv_read(const tw_file *file, bool text, tw_table *table)
{
    csv in = {.file = file, .table = table, .end = file->bytes + file->length, .columns = 1, .text = text};
    TW_TRY(find_layout(&in));
    TW_TRY(tw_table_size(table, count_rows(&in), in.columns));
    if (text) TW_TRY(allocate_lines(table));
    if (text) TW_TRY(check_names(&in));
    tw_status status = read_rows(&in);
    if (status == TW_OK) status = code_texts(&in);
    release_texts(&in);
    return status;
}
