/* fields.h: the fields of one line of separated text, quoted or not (RFC 4180).
 *
 * The separator is a comma, semicolon or tab, or ' ' for any run of spaces and tabs. Spaces around a field
 * do not belong to it. A field in double quotes may hold separators, and "" for a quote.
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

/* Blank inside a line: a space, or a tab that does not separate, or the '\r' before a newline. */
static inline bool tw_is_blank(char separator, char c)
{
    return c == ' ' || c == '\r' || (c == '\t' && separator != '\t');
}

/* The separator that a line from begin to end is written with, '\0' where it holds none. */
char tw_find_separator(const char *begin, const char *end);

/* The end of the line without its trailing blanks. */
const char *tw_trim_end(char separator, const char *begin, const char *end);

/* Take the field at p from a line that ends (trimmed) at end. Returns where the next field starts, or NULL
 * behind the last. */
const char *tw_next_field(char separator, const char *p, const char *end, tw_field *field);

/* How many fields a trimmed line has. */
size_t tw_count_fields(char separator, const char *p, const char *end);

/* What a field holds: a finite number, which goes to *value; nothing, or a word for a missing or not finite
 * value (NaN, NA, ?, inf, ...); or other text. */
tw_field_kind tw_field_value(const tw_field *field, double *value);

/* Copy a field to name as a string, "" undoubled; at most end - begin bytes and a NUL. Returns its end. */
char *tw_field_copy(const tw_field *field, char *name);

#endif
