/* labels.c: code the labels of two classes as -1 and +1, and ordered levels as 1, 2, ...
 *
 * {0, 1} becomes {-1, +1}, and {-1, +1} stays. Of any other two values the larger becomes +1, unless the
 * caller names the positive class: the larger of two whole numbers, or the later of two texts in byte order
 * (TRUE after FALSE, yes after no).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"
#include "data/text.h"

enum { VALUES_SHOWN = 5, TEXT = 32 };

/* The distinct label values in order of appearance, at most VALUES_SHOWN + 1, and the first row of each. */
typedef struct different {
    size_t count;
    double values[VALUES_SHOWN + 1];
    size_t rows[VALUES_SHOWN + 1];
} different;

static different different_values(const tw_data *data)
{
    different d = {0};
    for (size_t i = 0; i < data->n && d.count <= VALUES_SHOWN; i++) {
        size_t k = 0;
        while (k < d.count && d.values[k] != data->y[i]) k++;
        if (k < d.count) continue;
        d.values[d.count] = data->y[i];
        d.rows[d.count++] = i + 1;
    }
    return d;
}

/* A label as text: its category, or its value printed into `number`. */
static const char *label_text(const tw_data *data, double y, char number[TEXT])
{
    if (data->labels.count) return data->labels.text[(size_t)y];
    snprintf(number, TEXT, "%.15g", y);
    return number;
}

/* Labels that are not of two classes. `fresh`: the likelihood of new cases cannot be chosen. */
static tw_status fail_labels(const tw_data *data, const different *d, bool fresh)
{
    const char *numbers = "poisson for counts, gaussian or student_t for other numbers";
    bool few = d->count > 2 && d->count <= VALUES_SHOWN, text = data->labels.count > 0;
    char found[400], number[TEXT], ordinal[64] = "", others[200] = "";
    if (few)
        snprintf(ordinal, sizeof ordinal, "ordinal%zu with its %zu levels listed in order", d->count,
                 d->count);
    if (!fresh && (few || !text))
        snprintf(others, sizeof others, " or another likelihood (%s%s%s)", ordinal, few && !text ? ", " : "",
                 text ? "" : numbers);
    size_t length = 0;
    for (size_t k = 0; k < d->count && k < VALUES_SHOWN; k++)
        length += (size_t)snprintf(found + length, sizeof found - length, "%s%.40s (row %zu)", k ? ", " : "",
                                   label_text(data, d->values[k], number), d->rows[k]);
    if (d->count > VALUES_SHOWN) snprintf(found + length, sizeof found - length, ", ...");
    return tw_fail(data->ctx, TW_BAD_DATA,
                   "labels of two classes must be two different whole numbers or texts, but they are %s: "
                   "recode them, or choose another label column%s",
                   found, others);
}

/* Whether the labels are two classes: two texts, or two whole numbers. */
static bool are_two_classes(const tw_data *data, const different *d)
{
    if (d->count != 2) return false;
    return data->labels.count || (rint(d->values[0]) == d->values[0] && rint(d->values[1]) == d->values[1]);
}

/* Whether every value is low or +1. */
static bool all_low_or_one(const different *d, double low)
{
    for (size_t k = 0; k < d->count; k++)
        if (d->values[k] != low && d->values[k] != 1.0) return false;
    return true;
}

static tw_status set_labels(tw_data *data, size_t count, const char *const *texts)
{
    tw_levels copy = {0};
    TW_TRY(tw_levels_copy(data->ctx, &(tw_levels){count, (char **)texts}, &copy));
    tw_release(data->ctx, data->labels.text);
    data->labels = copy;
    return TW_OK;
}

/* Whether every y is a whole number from 0 to count - 1. */
static bool are_indices(const tw_data *data, size_t count)
{
    for (size_t i = 0; i < data->n; i++)
        if (!(data->y[i] >= 0.0 && data->y[i] < (double)count && rint(data->y[i]) == data->y[i]))
            return false;
    return true;
}

tw_status tw_data_set_label_texts(tw_data *data, size_t count, const char *const *texts)
{
    if (!data->y)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the data have no labels: choose a label column");
    if (!are_indices(data, count))
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "labels of %zu texts must be whole numbers from 0 to below %zu", count, count);
    for (size_t k = 1; k < count; k++)
        if (strcmp(texts[k - 1], texts[k]) >= 0)
            return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the label texts must be sorted and different");
    return set_labels(data, count, texts);
}

/* Replace each label by first + step k, where k is its position among the texts. */
static tw_status recode(tw_data *data, const tw_levels *texts, double first, double step)
{
    char number[TEXT], list[300];
    for (size_t i = 0; i < data->n; i++) {
        const char *word = label_text(data, data->y[i], number);
        if (tw_levels_find(texts, word) < texts->count) continue;
        char line[32] = "";
        if (data->lines) snprintf(line, sizeof line, " (line %zu)", data->lines[i]);
        tw_levels_list(texts, list, sizeof list);
        return tw_fail(data->ctx, TW_BAD_DATA, "row %zu: found the label %s, but the labels are %s%s", i + 1,
                       tw_quote(word, word + strlen(word)).text, list, line);
    }
    for (size_t i = 0; i < data->n; i++) {
        const char *word = label_text(data, data->y[i], number);
        data->y[i] = first + step * (double)tw_levels_find(texts, word);
    }
    return set_labels(data, texts->count, (const char *const *)texts->text);
}

/* Code two values other than {0, 1} and {-1, +1}, or any two values if the caller named the positive class. */
static tw_status code_two_values(tw_data *data, const different *d, const char *positive)
{
    char number[2][TEXT];
    bool swapped = d->values[0] > d->values[1]; /* texts are sorted, so their numbers are in order */
    const char *low = label_text(data, d->values[swapped ? 1 : 0], number[0]);
    const char *high = label_text(data, d->values[swapped ? 0 : 1], number[1]);
    bool turned = positive && strcmp(positive, low) == 0;
    if (positive && !turned && strcmp(positive, high) != 0)
        return tw_fail(data->ctx, TW_BAD_DATA, "no label is %s: the labels are %s and %s",
                       tw_quote(positive, positive + strlen(positive)).text,
                       tw_quote(low, low + strlen(low)).text, tw_quote(high, high + strlen(high)).text);
    const char *texts[2] = {turned ? high : low, turned ? low : high};
    tw_levels both = {0}; /* a copy: recode() replaces the labels, which may own the texts */
    TW_TRY(tw_levels_copy(data->ctx, &(tw_levels){2, (char **)texts}, &both));
    tw_status status = recode(data, &both, -1.0, 2.0);
    if (status == TW_OK)
        tw_log(data->ctx, TW_LOG_INFO, "labels: %.60s is +1, %.60s is -1", both.text[1], both.text[0]);
    tw_release(data->ctx, both.text);
    return status;
}

tw_status tw_data_class_labels(tw_data *data, const char *positive, const tw_levels *known)
{
    if (!data->y)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the data have no labels: choose a label column");
    if (known && known->count == 2) return recode(data, known, -1.0, 2.0);
    different d = different_values(data);
    bool usual = data->labels.count == 0 && (all_low_or_one(&d, -1.0) || all_low_or_one(&d, 0.0));
    if (!usual && (known || !are_two_classes(data, &d))) return fail_labels(data, &d, known != NULL);
    if (d.count == 2 && (!usual || positive)) return code_two_values(data, &d, positive);
    for (size_t i = 0; i < data->n; i++) data->y[i] = data->y[i] == 1.0 ? 1.0 : -1.0;
    if (d.count == 1)
        tw_warn(data->ctx,
                &(tw_warning){.code = TW_WARN_ONE_CLASS, .number = {(double)data->n, d.values[0]}});
    return TW_OK;
}

tw_status tw_data_binary_labels(tw_data *data)
{
    return tw_data_class_labels(data, NULL, NULL);
}

tw_status tw_data_order_labels(tw_data *data, size_t count, const char *const *levels)
{
    if (!data->y)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the data have no labels: choose a label column");
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < k; i++)
            if (strcmp(levels[i], levels[k]) == 0)
                return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the level %s is given twice",
                               tw_quote(levels[k], levels[k] + strlen(levels[k])).text);
    return recode(data, &(tw_levels){count, (char **)levels}, 1.0, 1.0);
}
