/* method.c: the table of methods. It points to the rows in the methods' files, in the order of
 * TW_METHOD_LIST. */
#include "sample/method.h"

#include <stdio.h>
#include <string.h>

#define ADDRESS(value, name) [value] = &tw_method_##name,
#define COMMA_NAME(value, name) ", " #name

static const tw_method_row *const table[TW_METHOD_COUNT] = {TW_METHOD_LIST(ADDRESS)};
static const char names[] = TW_METHOD_LIST(COMMA_NAME);

const tw_method_row *tw_method_row_of(tw_method method)
{
    return (unsigned)method < TW_METHOD_COUNT ? table[method] : NULL;
}

const tw_method_info *tw_method_describe(tw_method method)
{
    const tw_method_row *row = tw_method_row_of(method);
    return row ? &row->info : NULL;
}

const tw_method_info *tw_method_find(const char *name)
{
    for (size_t i = 0; i < TW_METHOD_COUNT; i++)
        if (strcmp(table[i]->info.name, name) == 0) return &table[i]->info;
    return NULL;
}

const char *tw_method_name(tw_method method)
{
    return table[method]->info.name;
}

const char *tw_method_names(void)
{
    return names + strlen(", ");
}

tw_form tw_sampler_form(const tw_sampler_options *o)
{
    const tw_method_info *info = tw_method_describe(o->method);
    return info && o->metric != TW_METRIC_ANCHORED ? info->form : TW_FORM_OPEN;
}

bool tw_method_takes(tw_method method, tw_metric metric)
{
    const tw_method_info *info = tw_method_describe(method);
    for (size_t i = 0; info && i < info->metric_count; i++)
        if (info->metrics[i] == metric) return true;
    return false;
}

tw_status tw_method_check_metric(tw_context *ctx, const tw_method_info *method, const char *name)
{
    const tw_metric_info *metric = tw_metric_find(name);
    if (metric && metric->named && tw_method_takes(method->method, metric->metric)) return TW_OK;
    char metrics[256] = "auto";
    for (size_t k = 0, used = 4; k < method->metric_count && used < sizeof metrics; k++)
        if (tw_metric_describe(method->metrics[k])->named)
            used += (size_t)snprintf(metrics + used, sizeof metrics - used, ", %s",
                                     tw_metric_name(method->metrics[k]));
    return tw_fail(ctx, TW_BAD_ARGUMENT, "the metric %.60s cannot be used with %s; choose from: %s", name,
                   method->name, metrics);
}
