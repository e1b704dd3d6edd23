/* json.h: what talweg adds to jansson: numbers that may not be finite, and results on standard output or in a file.
 *
 * Functions that make a value return NULL where there is no memory; jansson's json_object_set_new and the
 * rest take NULL for a failure of theirs, so that only the last result needs a look. A number that is not
 * finite is null. Numbers have 17 significant digits, which read back to the same double, in every locale.
 */
#ifndef TALWEG_CLI_JSON_H
#define TALWEG_CLI_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "talweg/base.h"

json_t *tw_json_number(double value);
json_t *tw_json_count(size_t value);
json_t *tw_json_numbers(size_t n, const double *values);
json_t *tw_json_text(const char *words); /* also where it is not UTF-8 */

/* object[name] = value, which is consumed. False, which sticks in *ok, where there was no memory. */
void tw_json_set(json_t *object, const char *name, json_t *value, bool *ok);

/* The same at the end of an array. */
void tw_json_append(json_t *array, json_t *value, bool *ok);

/* Write an object, which is consumed, to a stream, one line for each member. Errors of the stream are the
 * caller's to notice; TW_NO_MEMORY, and nothing is written, where not all was ok when it was made. */
tw_status tw_json_print(tw_context *ctx, json_t *object, bool ok, FILE *to);

#endif
