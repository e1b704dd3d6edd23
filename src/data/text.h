/* text.h: columns of text: which rows hold which text, and then categories: numbers, and what they stand for. */
#ifndef TALWEG_DATA_TEXT_H
#define TALWEG_DATA_TEXT_H

#include "data/fields.h"
#include "talweg/data.h"

/* The fields of a column that are text, one for each row; where one is a number, it has no bytes. */
typedef struct tw_text_column {
    tw_field *fields; /* NULL: no text so far */
    size_t count;
    const char *line; /* of the first */
    tw_field first;
} tw_text_column;

/* Is this a number with a decimal comma, or an index with a number, "3:1.5"? Such text is a mistake, not a category. */
bool tw_text_is_mistake(const tw_field *field);

/* Are these bytes UTF-8, as names and categories must be to stand in a file? */
bool tw_text_is_utf8(const char *begin, const char *end);

/* Text in a row of a column that has so many rows. */
tw_status tw_text_add(tw_context *ctx, tw_text_column *column, size_t rows, size_t row, const char *line,
                      const tw_field *field);

/* All rows are text: their categories in the order of bytes, and the number of each row's. */
tw_status tw_text_code(tw_context *ctx, const tw_text_column *column, size_t rows, double *codes,
                       tw_levels *levels);

/* What texts there are, for a message: "F", "M", ... */
void tw_levels_list(const tw_levels *levels, char *list, size_t bytes);

/* The number of a text; levels->count where it is none of them. */
size_t tw_levels_find(const tw_levels *levels, const char *text);

#endif
