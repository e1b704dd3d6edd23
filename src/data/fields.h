/* fields.h: the fields of one line of separated text, quoted or not (RFC 4180).
 *
 * The separator is a comma, a semicolon or a tab, or ' ' for any run of spaces and tabs. Spaces around a
 * field are not part of it. A field in double quotes may contain separators, and "" for a quote.
 */
#ifndef TALWEG_DATA_FIELDS_H
#define TALWEG_DATA_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_field {
    const char *begin, *end; /* without the quotes */
    bool quoted;
    bool well_formed; /* false: a quote is not closed, or text follows the closing quote */
} tw_field;

typedef enum tw_field_kind { TW_FIELD_NUMBER, TW_FIELD_MISSING, TW_FIELD_TEXT } tw_field_kind;

/* Blanks inside a line: spaces, tabs unless they separate, and the '\r' before a newline. */
static inline bool tw_is_blank(char separator, char c)
{
    return c == ' ' || c == '\r' || (c == '\t' && separator != '\t');
}

/* The separator of the line from begin to end; '\0' if it contains none. */
char tw_find_separator(const char *begin, const char *end);

/* The end of the line without its trailing blanks. */
const char *tw_trim_end(char separator, const char *begin, const char *end);

/* Read the field at p of a line whose trimmed end is `end`. Returns the start of the next field, or NULL
 * after the last. */
const char *tw_next_field(char separator, const char *p, const char *end, tw_field *field);

/* The number of fields of a trimmed line. */
size_t tw_count_fields(char separator, const char *p, const char *end);

/* The kind of a field: a finite number, stored in *value; missing, that is empty or a word for a missing or
 * non-finite value (NaN, NA, ?, inf, ...); or other text. */
tw_field_kind tw_field_value(const tw_field *field, double *value);

/* Copy a field to name as a string, with "" as one quote: at most end - begin bytes and a NUL. Returns its
 * end. */
char *tw_field_copy(const tw_field *field, char *name);

#endif
