/* text.c: columns of text as categories. The texts of a column are sorted, so their numbers depend only on
 * the set of texts and not on the order of the rows. */
#include "data/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/readers.h"

bool tw_text_is_mistake(const tw_field *field)
{
    const char *p = field->begin, *end = field->end;
    size_t before = 0, after = 0;
    if (p < end && (*p == '-' || *p == '+')) p++;
    for (; p < end && *p >= '0' && *p <= '9'; p++) before++;
    bool joined = p < end && (*p == ',' || *p == ':');
    if (joined) p++;
    for (; p < end && strchr("0123456789.-+eE", *p); p++) after++;
    return before > 0 && joined && after > 0 && p == end;
}

/* The length of the UTF-8 character at p, 0 if it is invalid (RFC 3629: neither overlong forms nor
 * surrogates). */
static size_t character_length(const unsigned char *p, size_t left)
{
    static const unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *p < 0x80 ? 1 : *p < 0xc0 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf8 ? 4 : 0;
    if (length < 2 || length > left) return length <= left ? length : 0;
    unsigned code = *p & (0x7fU >> length);
    for (size_t k = 1; k < length; k++) {
        if ((p[k] & 0xc0) != 0x80) return 0;
        code = code << 6 | (p[k] & 0x3fU);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code >= least[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

bool tw_text_is_utf8(const char *begin, const char *end)
{
    while (begin < end) {
        size_t length = character_length((const unsigned char *)begin, (size_t)(end - begin));
        if (length == 0) return false;
        begin += length;
    }
    return true;
}

tw_status tw_text_add(tw_context *ctx, tw_text_column *column, size_t rows, size_t row, const char *line,
                      const tw_field *field)
{
    void *memory = NULL;
    if (!column->fields) {
        TW_TRY(tw_allocate(ctx, rows, sizeof(tw_field), "a column of text", &memory));
        column->fields = memory;
        column->line = line;
        column->first = *field;
    }
    column->fields[row] = *field;
    column->count++;
    return TW_OK;
}

/* Compare two const tw_field ** by bytes, for qsort. */
static int compare(const void *a, const void *b)
{
    const tw_field *p = *(const tw_field *const *)a, *q = *(const tw_field *const *)b;
    size_t m = (size_t)(p->end - p->begin), n = (size_t)(q->end - q->begin);
    int order = memcmp(p->begin, q->begin, m < n ? m : n);
    return order ? order : (m > n) - (m < n);
}

/* Sort pointers to the fields and remove duplicates; *count pointers remain. */
static void sort_unique(const tw_field *fields, size_t rows, const tw_field **sorted, size_t *count)
{
    for (size_t i = 0; i < rows; i++) sorted[i] = &fields[i];
    qsort(sorted, rows, sizeof *sorted, compare);
    *count = 0;
    for (size_t i = 0; i < rows; i++)
        if (i == 0 || compare(&sorted[i], &sorted[*count - 1]) != 0) sorted[(*count)++] = sorted[i];
}

/* Copy fields as strings into one block. */
static tw_status copy_texts(tw_context *ctx, size_t count, const tw_field *const *fields, tw_levels *levels)
{
    void *block = NULL;
    size_t bytes = count * (sizeof(char *) + 1);
    for (size_t k = 0; k < count; k++) bytes += (size_t)(fields[k]->end - fields[k]->begin);
    TW_TRY(tw_allocate(ctx, bytes, 1, "categories", &block));
    levels->text = block;
    levels->count = count;
    char *text = (char *)(levels->text + count);
    for (size_t k = 0; k < count; k++) {
        levels->text[k] = text;
        text = tw_field_copy(fields[k], text) + 1;
    }
    return TW_OK;
}

tw_status tw_text_code(tw_context *ctx, const tw_text_column *column, size_t rows, double *codes,
                       tw_levels *levels)
{
    void *memory = NULL;
    size_t count = 0;
    TW_TRY(tw_allocate(ctx, rows, sizeof(tw_field *), "categories", &memory));
    const tw_field **sorted = memory;
    sort_unique(column->fields, rows, sorted, &count);
    for (size_t i = 0; i < rows; i++) {
        const tw_field *field = &column->fields[i];
        const tw_field *const *found = bsearch(&field, sorted, count, sizeof *sorted, compare);
        codes[i] = (double)(found - (const tw_field *const *)sorted);
    }
    tw_status status = copy_texts(ctx, count, sorted, levels);
    tw_release(ctx, memory);
    return status;
}

void tw_levels_list(const tw_levels *levels, char *list, size_t bytes)
{
    size_t length = 0;
    list[0] = '\0';
    for (size_t k = 0; k < levels->count && length < bytes; k++) {
        const char *text = levels->text[k], *comma = k ? ", " : "";
        bool full = length + TW_QUOTED_BYTES + sizeof ", ..." > bytes;
        tw_quoted quoted = tw_quote(text, text + strlen(text));
        length += (size_t)snprintf(list + length, bytes - length, "%s%s", comma, full ? "..." : quoted.text);
        if (full) break;
    }
}

size_t tw_levels_find(const tw_levels *levels, const char *text)
{
    size_t k = 0;
    while (k < levels->count && strcmp(levels->text[k], text) != 0) k++;
    return k;
}

tw_status tw_levels_copy(tw_context *ctx, const tw_levels *from, tw_levels *to)
{
    *to = (tw_levels){0};
    if (from->count == 0) return TW_OK;
    TW_TRY(tw_names_copy(ctx, from->count, (const char *const *)from->text, &to->text));
    to->count = from->count;
    return TW_OK;
}
