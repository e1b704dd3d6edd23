/* fields.h: read a JSON object field by field, with messages that name the field. */
#ifndef TALWEG_OUTPUT_FIELDS_H
#define TALWEG_OUTPUT_FIELDS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/context.h"

/* An object and its prefix in messages: "" for the whole file, otherwise such as "approximation.". */
typedef struct tw_fields {
    tw_context *ctx;
    const json_t *object;
    const char *prefix;
} tw_fields;

/* Each fails with TW_BAD_DATA if the field is missing, of another kind, or out of range. */
tw_status tw_field_text(const tw_fields *in, const char *name, const char **value); /* owned by the object */
tw_status tw_field_truth(const tw_fields *in, const char *name, bool *value);
tw_status tw_field_count(const tw_fields *in, const char *name, size_t *value); /* 0 .. 2^53 */
tw_status tw_field_number(const tw_fields *in, const char *name, double *value);
tw_status tw_field_number_or_null(const tw_fields *in, const char *name, double *value); /* null: NaN */

/* An array of n numbers, newly allocated. */
tw_status tw_field_numbers(const tw_fields *in, const char *name, size_t n, double **values);

/* An object inside; inner->object is NULL if it is null. `prefix` is its prefix in messages. */
tw_status tw_field_object_or_null(const tw_fields *in, const char *name, const char *prefix,
                                  tw_fields *inner);
tw_status tw_field_is_null(const tw_fields *in, const char *name, bool *is_null);

/* The number of elements of the array. */
tw_status tw_field_length(const tw_fields *in, const char *name, size_t *length);

#endif
