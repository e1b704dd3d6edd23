/* npy.c: read NumPy's array files: 1-D or 2-D real little-endian arrays in C or Fortran order, versions 1-3.
 *
 * A file contains "\x93NUMPY", the major and minor version, the length of the header (2 bytes; 4 from version
 * 2 on), the header and the numbers. The header is a Python dictionary as text:
 *     {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "data/readers.h"

#define NPY_ADVICE "; save it as numpy.save(file, array.astype(float))"

typedef struct npy {
    const tw_file *file;
    const char *header; /* NUL-terminated copy */
    const char *numbers;
    size_t bytes; /* length of the numbers in the file */
    char kind;    /* 'f', 'i', 'u' or 'b' */
    size_t size;  /* bytes of a number */
    bool fortran_order;
    size_t rows, columns;
} npy;

static uint64_t little_endian(const char *p, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) sum |= (uint64_t)(unsigned char)p[i] << (8 * i);
    return sum;
}

/* Find the header and copy it, so that it ends in NUL. */
static tw_status find_header(npy *in, char **header)
{
    const tw_file *file = in->file;
    const char *p = file->bytes;
    if (file->length == 0) return tw_fail(file->ctx, TW_BAD_DATA, "is empty");
    if (file->length < 6 || memcmp(p, "\x93NUMPY", 6) != 0)
        return tw_fail(file->ctx, TW_BAD_DATA,
                       "is not a NumPy array file: if it is text, its name must not end in .npy");
    size_t major = file->length > 6 ? (unsigned char)p[6] : 1;
    if (major < 1 || major > 3)
        return tw_fail(file->ctx, TW_BAD_DATA,
                       "has version %zu of the .npy format, but only versions 1 to 3 are supported", major);
    size_t start = major == 1 ? 10 : 12;
    uint64_t length = file->length < start ? 0 : little_endian(p + 8, start - 8);
    if (file->length < start || length > file->length - start)
        return tw_fail(file->ctx, TW_BAD_DATA, "is truncated in its header, after %zu bytes", file->length);
    void *copy = NULL;
    TW_TRY(tw_allocate(file->ctx, (size_t)length + 1, 1, "the header of the file", &copy));
    memcpy(copy, p + start, (size_t)length);
    in->header = *header = copy;
    in->numbers = p + start + length;
    in->bytes = file->length - start - (size_t)length;
    return TW_OK;
}

/* The value of 'key' in the header; NULL if the key is absent. */
static const char *value_of(const npy *in, const char *key)
{
    const char *p = strstr(in->header, key);
    if (!p) return NULL;
    p += strlen(key);
    while (*p == ' ') p++;
    if (*p++ != ':') return NULL;
    while (*p == ' ') p++;
    return p;
}

static tw_status fail_header(const npy *in, const char *key)
{
    return tw_fail(in->file->ctx, TW_BAD_DATA, "has a damaged header: %s is missing or invalid in %s", key,
                   tw_quote(in->header, in->header + strlen(in->header)).text);
}

static bool known_type(char kind, size_t size)
{
    if (kind == 'f') return size == 4 || size == 8;
    if (kind == 'i' || kind == 'u') return size == 1 || size == 2 || size == 4 || size == 8;
    return kind == 'b' && size == 1;
}

/* Read descr, for example '<f8': byte order, kind, size. */
static tw_status read_type(npy *in)
{
    tw_context *ctx = in->file->ctx;
    const char *p = value_of(in, "'descr'");
    if (p && *p == '[')
        return tw_fail(ctx, TW_BAD_DATA, "holds records with named fields, not plain numbers" NPY_ADVICE);
    if (!p || *p != '\'') return fail_header(in, "'descr'");
    const char *end = strchr(p + 1, '\'');
    if (!end || end - p < 3) return fail_header(in, "'descr'");
    char order = p[1];
    in->kind = p[2];
    in->size = end - p == 4 && p[3] >= '1' && p[3] <= '9' ? (size_t)(p[3] - '0') : 0;
    if (in->kind == 'O') return tw_fail(ctx, TW_BAD_DATA, "holds Python objects, not numbers" NPY_ADVICE);
    if (!known_type(in->kind, in->size))
        return tw_fail(
            ctx, TW_BAD_DATA,
            "holds numbers of type %s, but only float32, float64, integers and bool are supported" NPY_ADVICE,
            tw_quote(p + 1, end).text);
    if (order == '>' && in->size > 1)
        return tw_fail(ctx, TW_BAD_DATA,
                       "holds big-endian numbers, but only little-endian numbers are supported" NPY_ADVICE);
    return order == '<' || order == '|' || order == '=' || order == '>' ? TW_OK : fail_header(in, "'descr'");
}

static tw_status read_order(npy *in)
{
    const char *p = value_of(in, "'fortran_order'");
    in->fortran_order = p && strncmp(p, "True", 4) == 0;
    bool understood = in->fortran_order || (p && strncmp(p, "False", 5) == 0);
    return understood ? TW_OK : fail_header(in, "'fortran_order'");
}

/* Read shape: (), (n,), (n, d) or longer. Lengths after the third are ignored. */
static tw_status read_shape(npy *in)
{
    uint64_t length[3] = {0, 1, 0};
    size_t dimensions = 0;
    const char *p = value_of(in, "'shape'");
    if (!p || *p++ != '(') return fail_header(in, "'shape'");
    while (*p != ')') {
        if (*p < '0' || *p > '9') return fail_header(in, "'shape'");
        uint64_t sum = 0;
        for (; *p >= '0' && *p <= '9'; p++) {
            if (sum > UINT64_MAX / 20) return fail_header(in, "'shape'");
            sum = 10 * sum + (uint64_t)(*p - '0');
        }
        if (dimensions < 3) length[dimensions] = sum;
        dimensions++;
        while (*p == ',' || *p == ' ') p++;
    }
    if (dimensions < 1 || dimensions > 2)
        return tw_fail(in->file->ctx, TW_BAD_DATA,
                       "holds an array of %zu dimensions, but only 1 or 2 are supported", dimensions);
    in->rows = (size_t)length[0];
    in->columns = (size_t)length[1];
    if (in->rows == 0 || in->columns == 0)
        return tw_fail(in->file->ctx, TW_BAD_DATA, "holds an array of %zu rows and %zu columns, without data",
                       in->rows, in->columns);
    return TW_OK;
}

/* Compare in double precision: it cannot overflow, and byte counts are exact up to 2^53. */
static tw_status check_length(const npy *in)
{
    double needed = (double)in->rows * (double)in->columns * (double)in->size, there = (double)in->bytes;
    if (needed == there) return TW_OK;
    return tw_fail(in->file->ctx, TW_BAD_DATA,
                   "is %s: %zu rows and %zu columns of %zu-byte numbers need %.0f bytes, not %zu",
                   needed > there ? "truncated" : "too long", in->rows, in->columns, in->size, needed,
                   in->bytes);
}

static double number_at(const npy *in, size_t index)
{
    uint64_t bits = little_endian(in->numbers + index * in->size, in->size);
    uint32_t bits32 = (uint32_t)bits;
    float single;
    double value;
    if (in->kind == 'u' || in->kind == 'b') return (double)bits;
    if (in->kind == 'i') {
        uint64_t sign = UINT64_C(1) << (8 * in->size - 1); /* two's complement of any width */
        return bits & sign ? -(double)((sign << 1) - bits) : (double)bits;
    }
    if (in->size == 4) {
        memcpy(&single, &bits32, sizeof single);
        return (double)single;
    }
    memcpy(&value, &bits, sizeof value);
    return value;
}

static tw_status read_numbers(const npy *in, bool text, tw_table *table)
{
    TW_TRY(tw_table_size(table, in->rows, in->columns));
    for (size_t j = 0; j < in->columns; j++) {
        for (size_t i = 0; i < in->rows; i++) {
            double value = number_at(in, in->fortran_order ? i + j * in->rows : i * in->columns + j);
            if (!isfinite(value))
                TW_TRY(tw_table_flaw(table, text, j, i + 1,
                                     tw_fail(in->file->ctx, TW_BAD_DATA,
                                             "row %zu, column %zu: found %g; " TW_NOT_FINITE_ADVICE, i + 1,
                                             j + 1, value)));
            table->values[i + j * in->rows] = value;
        }
    }
    return TW_OK;
}

tw_status tw_npy_read(const tw_file *file, bool text, tw_table *table)
{
    npy in = {.file = file, .header = ""};
    char *header = NULL;
    tw_status status = find_header(&in, &header);
    if (status == TW_OK) status = read_type(&in);
    if (status == TW_OK) status = read_order(&in);
    if (status == TW_OK) status = read_shape(&in);
    tw_release(file->ctx, header);
    TW_TRY(status);
    TW_TRY(check_length(&in));
    return read_numbers(&in, text, table);
}
