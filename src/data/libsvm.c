/* libsvm.c: read sparse text, "label index:value index:value ... # comment", with increasing indices from 1.
 *
 * The same code makes two passes. The first pass stores nothing: it checks the file and finds the number of
 * rows and the largest index. The second fills the table, whose first column is the label.
 */
#include <math.h>
#include <stdint.h>
#include <strings.h>

#include "data/number.h"
#include "data/readers.h"

typedef struct libsvm {
    const tw_file *file;
    double *values; /* NULL in the first pass */
    size_t stride;  /* rows of the table; second pass only */
    size_t rows;    /* rows read so far */
    size_t largest; /* largest index so far */
} libsvm;

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *skip_spaces(const char *p)
{
    while (is_space(*p)) p++;
    return p;
}

static bool ends_line(char c)
{
    return c == '\n' || c == '#' || c == '\0';
}

static const char *word_end(const char *p)
{
    while (!is_space(*p) && !ends_line(*p)) p++;
    return p;
}

/* Report the word at `at`; entry 0 is the label. */
static tw_status fail_at(const libsvm *in, const char *at, size_t entry, const char *expected)
{
    return tw_fail(in->file->ctx, TW_BAD_DATA, "line %zu, entry %zu: found %s; %s",
                   tw_file_line_number(in->file, at), entry + 1, tw_quote(at, word_end(at)).text, expected);
}

static void store(libsvm *in, size_t column, double value)
{
    if (in->values) in->values[in->rows + column * in->stride] = value;
}

/* Read a finite number at *p up to the end of its word. `word` is the start of the word, for messages. */
static tw_status read_number(const libsvm *in, const char *word, size_t entry, const char **p, double *value)
{
    const char *stop = tw_number_parse(*p, value);
    const char *sign_off = *p + (**p == '-' || **p == '+');
    bool not_finite = strncasecmp(sign_off, "nan", 3) == 0 || strncasecmp(sign_off, "inf", 3) == 0;
    if (*p == word_end(*p) || not_finite || (stop == word_end(*p) && !isfinite(*value)))
        return fail_at(in, word, entry, TW_NOT_FINITE_ADVICE);
    if (stop != word_end(*p)) {
        const char *expected = entry == 0 ? "expected a number as the label" : "expected index:number";
        return fail_at(in, word, entry, expected);
    }
    *p = stop;
    return TW_OK;
}

/* Read an index and its colon at *p; `previous` is the index before it in this line. */
static tw_status read_index(const libsvm *in, size_t entry, size_t previous, const char **p, size_t *index)
{
    const char *q = *p;
    size_t sum = 0;
    for (; *q >= '0' && *q <= '9'; q++) {
        size_t digit = (size_t)(*q - '0');
        if (sum > (SIZE_MAX - digit) / 10) return fail_at(in, *p, entry, "the index is too large");
        sum = 10 * sum + digit;
    }
    if (q == *p || *q != ':') return fail_at(in, *p, entry, "expected index:number");
    if (sum == 0) return fail_at(in, *p, entry, "indices start at 1: add 1 to every index of the file");
    if (sum <= previous)
        return fail_at(in, *p, entry, "the indices of a line must increase: sort them, without duplicates");
    *index = sum;
    *p = q + 1;
    return TW_OK;
}

/* Read the row at p; *stop is its end. */
static tw_status read_row(libsvm *in, const char *p, const char **stop)
{
    double value = 0;
    size_t index = 0;
    TW_TRY(read_number(in, p, 0, &p, &value));
    store(in, 0, value);
    for (size_t entry = 1; p = skip_spaces(p), !ends_line(*p); entry++) {
        const char *word = p;
        TW_TRY(read_index(in, entry, index, &p, &index));
        TW_TRY(read_number(in, word, entry, &p, &value));
        store(in, index, value);
    }
    if (index > in->largest) in->largest = index;
    in->rows++;
    *stop = p;
    return TW_OK;
}

static tw_status read_rows(libsvm *in)
{
    const char *end = in->file->bytes + in->file->length;
    const char *p = tw_file_text(in->file);
    in->rows = 0;
    while (p < end) {
        p = skip_spaces(p);
        if (!ends_line(*p)) TW_TRY(read_row(in, p, &p));
        p = tw_file_line_end(in->file, p);
        if (p < end) p++;
    }
    return TW_OK;
}

tw_status tw_libsvm_read(const tw_file *file, tw_table *table)
{
    libsvm in = {.file = file};
    TW_TRY(read_rows(&in));
    if (in.rows == 0)
        return tw_fail(file->ctx, TW_BAD_DATA, "holds only blank lines and comments, and no data");
    if (in.largest == 0)
        return tw_fail(file->ctx, TW_BAD_DATA, "holds labels only: no line has an index:number entry");
    if (in.largest == SIZE_MAX) return tw_fail(file->ctx, TW_NO_MEMORY, "the largest index is too large");
    TW_TRY(tw_table_size(table, in.rows, in.largest + 1));
    in.values = table->values;
    in.stride = table->rows;
    return read_rows(&in);
}
