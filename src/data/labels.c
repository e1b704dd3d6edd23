/* labels.c: labels of two classes, as -1 and +1. */
#include <stdio.h>

#include "base/context.h"
#include "talweg/data.h"

enum { VALUES_SHOWN = 5 };

/* The different values among the labels, in order of appearance; at most VALUES_SHOWN + 1 of them, and the
 * row where each was first seen. Returns how many. */
static size_t different_values(const tw_data *data, double *values, size_t *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < data->n && count <= VALUES_SHOWN; i++) {
        size_t k = 0;
        while (k < count && values[k] != data->y[i]) k++;
        if (k < count) continue;
        values[count] = data->y[i];
        rows[count++] = i + 1;
    }
    return count;
}

static tw_status fail_labels(const tw_data *data, size_t count, const double *values, const size_t *rows)
{
    char found[400];
    size_t length = 0;
    for (size_t k = 0; k < count && k < VALUES_SHOWN; k++)
        length += (size_t)snprintf(found + length, sizeof found - length, "%s%.10g (row %zu)", k ? ", " : "",
                                   values[k], rows[k]);
    if (count > VALUES_SHOWN) snprintf(found + length, sizeof found - length, ", ...");
    return tw_fail(
        data->ctx, TW_BAD_DATA,
        "labels of two classes are -1 and +1, or 0 and 1; found %s: recode them, or choose another "
        "label column",
        found);
}

/* Whether every value is low or +1. */
static bool all_within(size_t count, const double *values, double low)
{
    for (size_t k = 0; k < count; k++)
        if (values[k] != low && values[k] != 1.0) return false;
    return true;
}

tw_status tw_data_binary_labels(tw_data *data)
{
    double values[VALUES_SHOWN + 1] = {0};
    size_t rows[VALUES_SHOWN + 1] = {0};
    if (!data->y)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the data have no labels: choose a label column");
    size_t count = different_values(data, values, rows);
    if (!all_within(count, values, -1.0) && !all_within(count, values, 0.0))
        return fail_labels(data, count, values, rows);
    for (size_t i = 0; i < data->n; i++) data->y[i] = data->y[i] == 1.0 ? 1.0 : -1.0;
    if (count == 1)
        tw_warn(data->ctx, &(tw_warning){.code = TW_WARN_ONE_CLASS, .number = {(double)data->n, values[0]}});
    return TW_OK;
}
