/* json.h: helpers for JSON output with jansson.
 *
 * Functions that make a value return NULL if memory runs out. jansson's functions accept NULL and report a
 * failure, which tw_json_set and tw_json_append record in *ok, so that callers check once at the end. A
 * number that is not finite becomes null. Numbers have 17 significant digits, which read back to the same
 * double in every locale.
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
json_t *tw_json_text(const char *words); /* need not be UTF-8 */

/* object[name] = value; takes ownership of value.
 * Sets *ok to false if memory ran out, otherwise leaves it. */
void tw_json_set(json_t *object, const char *name, json_t *value, bool *ok);

/* Append value to an array, in the same way. */
void tw_json_append(json_t *array, json_t *value, bool *ok);

/* Write an object to a stream, one line for each member, and free it. If ok is false, it writes nothing and
 * returns TW_NO_MEMORY. The caller checks the stream for errors. */
tw_status tw_json_print(tw_context *ctx, json_t *object, bool ok, FILE *to);

#endif
