/* labels.c: code labels for a likelihood: -1 and +1, levels 1, 2, ..., or unchanged numbers. */
#include "base/context.h"
#include "talweg/problem.h"

/* Reject choices that this likelihood cannot use. */
static tw_status check(const tw_likelihood *likelihood, const tw_label_choice *choice, const tw_data *data)
{
    if (choice->count && likelihood->two_classes)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "levels cannot be used with the %s likelihood, which has two classes",
                       likelihood->name);
    if (choice->count && likelihood->levels && choice->count != likelihood->levels)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the %s likelihood has %zu levels, but %zu were given",
                       likelihood->name, likelihood->levels, choice->count);
    if (choice->positive && !likelihood->two_classes)
        return tw_fail(
            data->ctx, TW_BAD_ARGUMENT,
            "a positive label cannot be used with the %s likelihood, which does not have two classes",
            likelihood->name);
    return TW_OK;
}

tw_status tw_labels_take(const tw_likelihood *likelihood, const tw_label_choice *choice,
                         const tw_levels *known, tw_data *data)
{
    const tw_label_choice none = {0};
    if (!choice) choice = &none;
    TW_TRY(check(likelihood, choice, data));
    if (likelihood->two_classes) return tw_data_class_labels(data, choice->positive, known);
    if (known && known->count)
        return tw_data_order_labels(data, known->count, (const char *const *)known->text);
    if (choice->count) return tw_data_order_labels(data, choice->count, choice->level);
    if (data->labels.count == 0) return TW_OK;
    return tw_fail(data->ctx, TW_BAD_DATA,
                   "the labels are text, such as \"%.40s\", but the %s likelihood needs numbers; for an "
                   "ordinal likelihood give the levels, from the lowest to the highest",
                   data->labels.text[0], likelihood->name);
}
