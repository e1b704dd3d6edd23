/* method.c: the table of methods, from the list in talweg/sample.h and the rows beside the methods' code. */
#include "sample/method.h"

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

bool tw_method_takes(tw_method method, tw_metric metric)
{
    const tw_method_info *info = tw_method_describe(method);
    for (size_t i = 0; info && i < info->metric_count; i++)
        if (info->metrics[i] == metric) return true;
    return false;
}
