/* json.c: helpers for JSON output (json.h). */
#include "cli/json.h"

#include <math.h>
#include <string.h>

#include "talweg/warning.h"

json_t *tw_json_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *tw_json_count(size_t value)
{
    return json_integer((json_int_t)value);
}

json_t *tw_json_numbers(size_t n, const double *values)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < n; i++) {
        if (json_array_append_new(array, tw_json_number(values[i])) == 0) continue;
        json_decref(array);
        array = NULL;
    }
    return array;
}

/* JSON must be UTF-8, but names of files need not be:
 * if a text is not, its bytes outside ASCII become "?". */
json_t *tw_json_text(const char *words)
{
    char plain[TW_WARNING_BYTES];
    json_t *text = json_string(words);
    if (text) return text;
    snprintf(plain, sizeof plain, "%s", words);
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c > 126) *c = '?';
    return json_string(plain);
}

void tw_json_set(json_t *object, const char *name, json_t *value, bool *ok)
{
    if (json_object_set_new(object, name, value) != 0) *ok = false;
}

void tw_json_append(json_t *array, json_t *value, bool *ok)
{
    if (json_array_append_new(array, value) != 0) *ok = false;
}

/* Print one line for each member of the object. */
static void print_members(json_t *object, FILE *to)
{
    const char *name;
    json_t *member;
    size_t seen = 0;
    json_object_foreach(object, name, member)
    {
        fprintf(to, "%s\n  \"%s\": ", seen++ ? "," : "{", name);
        json_dumpf(member, to, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY | JSON_COMPACT);
    }
    fputs(seen ? "\n}\n" : "{}\n", to);
}

tw_status tw_json_print(tw_context *ctx, json_t *object, bool ok, FILE *to)
{
    if (ok) print_members(object, to);
    json_decref(object);
    return ok ? TW_OK : tw_fail(ctx, TW_NO_MEMORY, "not enough memory for the JSON text");
}
