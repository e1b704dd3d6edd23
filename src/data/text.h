/* text.h: columns of text, and the categories that they become: a number for each row, and the text of each
 * number. */
#ifndef TALWEG_DATA_TEXT_H
#define TALWEG_DATA_TEXT_H

#include "data/fields.h"
#include "talweg/data.h"

/* The text fields of a column, one for each row; a row that holds a number has an empty field. */
typedef struct tw_text_column {
    tw_field *fields; /* NULL: no text so far */
    size_t count;
    const char *line; /* the line of the first text */
    tw_field first;
} tw_text_column;

/* Whether a field is a number with a decimal comma, or an index with a number ("3:1.5"). Such text is a
 * mistake and not a category. */
bool tw_text_is_mistake(const tw_field *field);

/* Whether the bytes are valid UTF-8; names and categories must be, because the files that hold them are. */
bool tw_text_is_utf8(const char *begin, const char *end);

/* Store the text of one row; the column has `rows` rows. */
tw_status tw_text_add(tw_context *ctx, tw_text_column *column, size_t rows, size_t row, const char *line,
                      const tw_field *field);

/* Code a column that is text in every row: its categories in byte order, and the category number of each
 * row. */
tw_status tw_text_code(tw_context *ctx, const tw_text_column *column, size_t rows, double *codes,
                       tw_levels *levels);

/* List the texts for a message: "F", "M", ... */
void tw_levels_list(const tw_levels *levels, char *list, size_t bytes);

/* The number of a text; levels->count if it is not a category. */
size_t tw_levels_find(const tw_levels *levels, const char *text);

#endif
