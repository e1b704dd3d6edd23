/* fields.c: read fields of JSON objects; see fields.h. jansson rejects numbers that overflow, so every real
 * is finite. */
#include "output/fields.h"

#include <math.h>

static const char *kind_of(const json_t *value)
{
    switch (json_typeof(value)) {
    case JSON_OBJECT: return "an object";
    case JSON_ARRAY: return "an array";
    case JSON_STRING: return "text";
    case JSON_INTEGER:
    case JSON_REAL: return "a number";
    case JSON_TRUE:
    case JSON_FALSE: return "true or false";
    default: return "null";
    }
}

static tw_status fail_kind(const tw_fields *in, const char *name, const char *expected, const json_t *found)
{
    return tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\" must be %s, not %s", in->prefix, name, expected,
                   kind_of(found));
}

static tw_status find(const tw_fields *in, const char *name, const json_t **value)
{
    *value = json_object_get(in->object, name);
    if (*value) return TW_OK;
    return tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\" is missing", in->prefix, name);
}

tw_status tw_field_text(const tw_fields *in, const char *name, const char **value)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    if (!json_is_string(found)) return fail_kind(in, name, "text", found);
    *value = json_string_value(found);
    return TW_OK;
}

tw_status tw_field_truth(const tw_fields *in, const char *name, bool *value)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    if (!json_is_boolean(found)) return fail_kind(in, name, "true or false", found);
    *value = json_is_true(found);
    return TW_OK;
}

tw_status tw_field_count(const tw_fields *in, const char *name, size_t *value)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    json_int_t count = json_integer_value(found);
    if (!json_is_integer(found) || count < 0 || count > (json_int_t)1 << 53)
        return tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\" must be a whole number of at least 0",
                       in->prefix, name);
    *value = (size_t)count;
    return TW_OK;
}

tw_status tw_field_number(const tw_fields *in, const char *name, double *value)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    if (!json_is_number(found)) return fail_kind(in, name, "a number", found);
    *value = json_number_value(found);
    return TW_OK;
}

tw_status tw_field_number_or_null(const tw_fields *in, const char *name, double *value)
{
    bool is_null = false;
    TW_TRY(tw_field_is_null(in, name, &is_null));
    *value = NAN;
    return is_null ? TW_OK : tw_field_number(in, name, value);
}

tw_status tw_field_length(const tw_fields *in, const char *name, size_t *length)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    if (!json_is_array(found)) return fail_kind(in, name, "an array of numbers", found);
    *length = json_array_size(found);
    return TW_OK;
}

tw_status tw_field_numbers(const tw_fields *in, const char *name, size_t n, double **values)
{
    size_t length = 0;
    TW_TRY(tw_field_length(in, name, &length));
    if (length != n)
        return tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\" must have %zu numbers, not %zu", in->prefix,
                       name, n, length);
    const json_t *array = json_object_get(in->object, name);
    double *numbers = NULL;
    TW_TRY(tw_allocate_doubles(in->ctx, n, 1, name, &numbers));
    for (size_t i = 0; i < n; i++) {
        const json_t *element = json_array_get(array, i);
        if (!json_is_number(element)) {
            tw_release(in->ctx, numbers);
            return tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\": element %zu must be a number, not %s",
                           in->prefix, name, i + 1, kind_of(element));
        }
        numbers[i] = json_number_value(element);
    }
    *values = numbers;
    return TW_OK;
}

tw_status tw_field_is_null(const tw_fields *in, const char *name, bool *is_null)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    *is_null = json_is_null(found);
    return TW_OK;
}

tw_status tw_field_object_or_null(const tw_fields *in, const char *name, const char *prefix, tw_fields *inner)
{
    const json_t *found = NULL;
    TW_TRY(find(in, name, &found));
    *inner = (tw_fields){in->ctx, json_is_null(found) ? NULL : found, prefix};
    if (json_is_object(found) || json_is_null(found)) return TW_OK;
    return fail_kind(in, name, "an object", found);
}
