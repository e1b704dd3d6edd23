/* matrix_market.c: read Matrix Market's coordinate format (Boisvert, Pozo & Remington 1996):
 *
 *   %%MatrixMarket matrix coordinate real symmetric
 *   % comments
 *   rows columns entries
 *   i j value
 *
 * with indices from 1, in any order. The sizes are compared with the length of the file before memory is
 * allocated: an entry takes at least four bytes, and a matrix with more rows or columns than the file has
 * bytes is rejected.
 */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "data/file.h"
#include "data/number.h"
#include "linalg/size.h"
#include "sparse/sparse.h"

typedef struct market {
    const tw_file *file;
    const char *at, *end;
    bool pattern, mirrored; /* no values; store both triangles of a symmetric matrix */
    bool symmetric;         /* the file declares it symmetric */
    size_t rows, columns, count, filled;
    uint32_t *row, *column;
    double *value;
} market;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* The word at *p; empty at the end of the line. */
static const char *next_word(const char **p, size_t *length)
{
    const char *begin = *p;
    while (is_blank(*begin)) begin++;
    const char *end = begin;
    while (*end && *end != '\n' && !is_blank(*end)) end++;
    *p = end;
    *length = (size_t)(end - begin);
    return begin;
}

static tw_status fail_at(const market *in, const char *at, const char *expected)
{
    const char *end = tw_file_line_end(in->file, at);
    return tw_fail(in->file->ctx, TW_BAD_DATA, "line %zu: found %s; expected %s",
                   tw_file_line_number(in->file, at), tw_quote(at, end).text, expected);
}

/* Whether the word equals `text`, in either case. */
static bool word_is(const char *word, size_t length, const char *text)
{
    return length == strlen(text) && strncasecmp(word, text, length) == 0;
}

/* %%MatrixMarket matrix coordinate FIELD SYMMETRY */
static tw_status read_head(market *in)
{
    static const char expected[] =
        "\"%%MatrixMarket matrix coordinate real symmetric\" (or integer or pattern, and general)";
    const char *line = in->at, *p = line, *word;
    size_t length;
    const char *const begin[] = {"%%MatrixMarket", "matrix", "coordinate"};
    for (size_t k = 0; k < 3; k++) {
        word = next_word(&p, &length);
        if (!word_is(word, length, begin[k])) return fail_at(in, line, expected);
    }
    word = next_word(&p, &length);
    in->pattern = word_is(word, length, "pattern");
    if (!in->pattern && !word_is(word, length, "real") && !word_is(word, length, "integer"))
        return fail_at(in, line, expected);
    word = next_word(&p, &length);
    in->symmetric = word_is(word, length, "symmetric");
    if (!in->symmetric && !word_is(word, length, "general")) return fail_at(in, line, expected);
    in->at = p;
    return TW_OK;
}

/* Advance to the next line that is neither blank nor a comment; false at the end of the file. */
static bool next_line(market *in)
{
    for (;;) {
        in->at = tw_file_line_end(in->file, in->at);
        if (in->at >= in->end) return false;
        in->at++;
        const char *p = in->at;
        while (is_blank(*p)) p++;
        if (*p && *p != '\n' && *p != '%') return true;
    }
}

/* Read a whole number of at most 18 digits at *p; false if there is none. */
static bool read_size(const char **p, size_t *value)
{
    size_t length, sum = 0;
    const char *word = next_word(p, &length);
    if (length == 0 || length > 18) return false;
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') return false;
        sum = 10 * sum + (size_t)(word[i] - '0');
    }
    *value = sum;
    return true;
}

static bool at_line_end(const char *p)
{
    while (is_blank(*p)) p++;
    return *p == '\n' || *p == '\0';
}

static tw_status read_sizes(market *in)
{
    enum { SHORTEST = 4 }; /* bytes of "1 1\n" */
    tw_context *ctx = in->file->ctx;
    if (!next_line(in))
        return tw_fail(ctx, TW_BAD_DATA,
                       "is truncated: the line with the numbers of rows and columns is missing");
    const char *p = in->at;
    if (!read_size(&p, &in->rows) || !read_size(&p, &in->columns) || !read_size(&p, &in->count) ||
        !at_line_end(p))
        return fail_at(in, in->at, "three whole numbers: rows, columns and entries");
    if (!tw_size_fits(in->rows) || !tw_size_fits(in->columns) || in->rows == 0 || in->columns == 0)
        return tw_fail(ctx, TW_BAD_DATA, "declares %zu rows and %zu columns: each must be from 1 to 2^31 - 1",
                       in->rows, in->columns);
    if (in->count > (in->file->length + 1) / SHORTEST)
        return tw_fail(ctx, TW_BAD_DATA,
                       "declares %zu entries but is only %zu bytes long: it may be truncated", in->count,
                       in->file->length);
    if (in->rows > in->file->length || in->columns > in->file->length)
        return tw_fail(
            ctx, TW_BAD_DATA,
            "declares %zu rows and %zu columns but is only %zu bytes long: most rows would be empty",
            in->rows, in->columns, in->file->length);
    return TW_OK;
}

static tw_status allocate(market *in, bool wanted_symmetric)
{
    tw_context *ctx = in->file->ctx;
    in->mirrored = in->symmetric && !wanted_symmetric;
    size_t room = in->mirrored ? 2 * in->count : in->count;
    TW_TRY(tw_index_allocate(ctx, room, "the entries of the file", &in->row));
    TW_TRY(tw_index_allocate(ctx, room, "the entries of the file", &in->column));
    return tw_allocate_doubles(ctx, room, 1, "the entries of the file", &in->value);
}

static void store(market *in, size_t i, size_t j, double value)
{
    in->row[in->filled] = (uint32_t)i;
    in->column[in->filled] = (uint32_t)j;
    in->value[in->filled++] = value;
}

static tw_status read_entry(market *in)
{
    const char *p = in->at;
    size_t i, j;
    double value = 1.0;
    if (!read_size(&p, &i) || !read_size(&p, &j))
        return fail_at(in, in->at, in->pattern ? "row and column" : "row, column and value");
    if (i < 1 || i > in->rows || j < 1 || j > in->columns)
        return tw_fail(in->file->ctx, TW_BAD_DATA,
                       "line %zu: row %zu, column %zu is outside the matrix of %zu x %zu",
                       tw_file_line_number(in->file, in->at), i, j, in->rows, in->columns);
    if (!in->pattern) {
        while (is_blank(*p)) p++;
        p = tw_number_parse(p, &value);
        if (!p || !isfinite(value)) return fail_at(in, in->at, "row, column and a finite value");
    }
    if (!at_line_end(p)) return fail_at(in, in->at, in->pattern ? "row and column" : "row, column and value");
    store(in, i - 1, j - 1, value);
    if (in->mirrored && i != j) store(in, j - 1, i - 1, value);
    return TW_OK;
}

static tw_status read_entries(market *in)
{
    size_t read = 0;
    for (; next_line(in); read++) {
        if (read == in->count)
            return tw_fail(in->file->ctx, TW_BAD_DATA, "line %zu: more entries than the %zu declared",
                           tw_file_line_number(in->file, in->at), in->count);
        TW_TRY(read_entry(in));
    }
    if (read < in->count)
        return tw_fail(in->file->ctx, TW_BAD_DATA, "is truncated: it has %zu of %zu entries", read,
                       in->count);
    return TW_OK;
}

/* ---- a general matrix that should be symmetric ---- */

/* The entry (i, j) of a general matrix; 0 if it is not stored. */
static double entry(const tw_sparse *m, size_t i, size_t j)
{
    size_t low = m->start[j], high = m->start[j + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (m->row[middle] < i)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->start[j + 1] && m->row[low] == i ? m->value[low] : 0.0;
}

static tw_status check_symmetric(const tw_sparse *m)
{
    double largest = 0.0;
    if (m->rows != m->columns)
        return tw_fail(m->ctx, TW_BAD_DATA, "has %zu rows and %zu columns, but must be symmetric", m->rows,
                       m->columns);
    for (size_t e = 0; e < m->start[m->columns]; e++) largest = fmax(largest, fabs(m->value[e]));
    for (size_t j = 0; j < m->columns; j++)
        for (size_t e = m->start[j]; e < m->start[j + 1]; e++) {
            double other = entry(m, j, m->row[e]);
            if (fabs(m->value[e] - other) <= 1e-12 * largest) continue;
            return tw_fail(m->ctx, TW_BAD_DATA,
                           "is not symmetric: row %u, column %zu is %g, but row %zu, column %u is %g",
                           m->row[e] + 1, j + 1, m->value[e], j + 1, m->row[e] + 1, other);
        }
    return TW_OK;
}

/* Reduce a general matrix that equals its transpose to its lower triangle. */
static tw_status lower_triangle(market *in, tw_sparse **matrix)
{
    tw_sparse *general = *matrix;
    *matrix = NULL;
    tw_status status = check_symmetric(general);
    in->filled = 0;
    for (size_t j = 0; status == TW_OK && j < general->columns; j++)
        for (size_t e = general->start[j]; e < general->start[j + 1]; e++)
            if (general->row[e] >= j) store(in, general->row[e], j, general->value[e]);
    tw_sparse_free(general);
    TW_TRY(status);
    return tw_sparse_new(in->file->ctx, in->rows, in->columns, true, in->filled, in->row, in->column,
                         in->value, matrix);
}

/* ---- the file ---- */

static tw_status parse(market *in, bool symmetric, tw_sparse **out)
{
    TW_TRY(tw_file_check_text(in->file));
    in->at = tw_file_text(in->file);
    in->end = in->file->bytes + in->file->length;
    TW_TRY(read_head(in));
    TW_TRY(read_sizes(in));
    TW_TRY(allocate(in, symmetric));
    TW_TRY(read_entries(in));
    TW_TRY(tw_sparse_new(in->file->ctx, in->rows, in->columns, symmetric && in->symmetric, in->filled,
                         in->row, in->column, in->value, out));
    return symmetric && !in->symmetric ? lower_triangle(in, out) : TW_OK;
}

static tw_status parse_in_locale(const tw_file *file, bool symmetric, tw_sparse **out)
{
    market in = {.file = file};
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(file->ctx, &locale));
    tw_status status = parse(&in, symmetric, out);
    tw_number_locale_end(&locale);
    tw_release(file->ctx, in.row);
    tw_release(file->ctx, in.column);
    tw_release(file->ctx, in.value);
    return status;
}

tw_status tw_sparse_read(tw_context *ctx, const char *path, bool symmetric, tw_sparse **out)
{
    tw_file file;
    *out = NULL;
    tw_status status = tw_file_read(ctx, path, &file);
    if (status == TW_OK) status = tw_file_inflate(&file);
    if (status == TW_OK) status = parse_in_locale(&file, symmetric, out);
    tw_file_release(&file);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", path);
}
