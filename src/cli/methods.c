/* methods.c: help on methods and metrics, and checks of their options (methods.h). */
#include "cli/methods.h"

#include <stdarg.h>
#include <string.h>

#include "talweg/base.h"

enum { LIST_BYTES = 256 };

TW_PRINTF(3, 4) static void add(char *text, size_t bytes, const char *format, ...)
{
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, bytes - used, format, arguments);
    va_end(arguments);
}

/* Append the method's metrics that a user can name; the first is the default, followed by after_first. */
static void list_metrics(const tw_method_info *method, const char *after_first, char *text, size_t bytes)
{
    for (size_t k = 0; k < method->metric_count; k++)
        if (tw_metric_describe(method->metrics[k])->named)
            add(text, bytes, "%s%s%s", k ? ", " : "", tw_metric_name(method->metrics[k]),
                k ? "" : after_first);
}

void tw_methods_help(char *text, size_t bytes)
{
    for (int m = 0; m < TW_METHOD_COUNT; m++) {
        const tw_method_info *method = tw_method_describe((tw_method)m);
        add(text, bytes, "; %s: %s", method->name, method->meaning);
    }
}

void tw_methods_help_metrics(char *text, size_t bytes)
{
    for (int m = 0; m < TW_METHOD_COUNT; m++) {
        const tw_method_info *method = tw_method_describe((tw_method)m);
        add(text, bytes, "; %s: ", method->name);
        list_metrics(method, " (the default)", text, bytes);
    }
}

tw_status tw_methods_check_metric(tw_context *ctx, const tw_method_info *method, const char *metric)
{
    const tw_metric_info *wanted = tw_metric_find(metric);
    char list[LIST_BYTES] = "";
    if (wanted && wanted->named && tw_method_takes(method->method, wanted->metric)) return TW_OK;
    list_metrics(method, "", list, sizeof list);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "the metric %s cannot be used with %s; choose from: %s", metric,
                   method->name, list);
}

static bool has_eps(const tw_method_info *method)
{
    return method && method->has_eps;
}

static bool has_steps(const tw_method_info *method)
{
    return method && method->has_steps;
}

/* Fail: the option belongs only to the methods for which `has` is true. */
static tw_status refuse(tw_context *ctx, const char *option, bool (*has)(const tw_method_info *method),
                        const tw_method_info *method)
{
    char list[LIST_BYTES] = "";
    for (int m = 0; m < TW_METHOD_COUNT; m++) {
        const tw_method_info *other = tw_method_describe((tw_method)m);
        if (has(other)) add(list, sizeof list, "%s%s", *list ? " or " : "", other->name);
    }
    return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is an option of --method %s, not of %s", option, list,
                   method ? method->name : "auto");
}

tw_status tw_methods_check_tuning(tw_context *ctx, const tw_method_info *method, bool eps, bool steps)
{
    if (eps && !has_eps(method)) return refuse(ctx, "--eps", has_eps, method);
    if (steps && !has_steps(method)) return refuse(ctx, "--steps", has_steps, method);
    return TW_OK;
}
