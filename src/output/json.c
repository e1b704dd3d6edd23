/* json.c: see json.h. */
#include "output/json.h"

#include <math.h>

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

void tw_json_set(json_t *object, const char *name, json_t *value, bool *ok)
{
    if (json_object_set_new(object, name, value) != 0) *ok = false;
}

/* An object's members on lines of their own, everything else compact: a line per field, however long. */
static void print_value(json_t *value, int depth, FILE *to)
{
    const char *name;
    json_t *member;
    size_t seen = 0;
    if (!json_is_object(value)) {
        json_dumpf(value, to, JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY | JSON_COMPACT);
        return;
    }
    fputs("{\n", to);
    json_object_foreach(value, name, member)
    {
        fprintf(to, "%*s\"%s\": ", 2 * (depth + 1), "", name);
        print_value(member, depth + 1, to);
        fputs(++seen < json_object_size(value) ? ",\n" : "\n", to);
    }
    fprintf(to, "%*s}", 2 * depth, "");
}

tw_status tw_json_print(tw_context *ctx, json_t *value, FILE *to)
{
    if (!value) return tw_fail(ctx, TW_NO_MEMORY, "there is no memory for the JSON text");
    print_value(value, 0, to);
    fputc('\n', to);
    json_decref(value);
    return TW_OK;
}
