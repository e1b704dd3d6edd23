/* metric.c: the table of metrics. frame.c implements the constant ones, riemann.c the others. */
#include <string.h>

#include "talweg/dynamics.h"

/* Number, name and properties of each metric. Users can choose those listed with X by name. */
#define CONSTANT(X, Y)                                                                           \
    X(TW_METRIC_IDENTITY, identity, .meaning = "unit mass on x")                                 \
    X(TW_METRIC_PRIOR, prior, .meaning = "the prior's precision", .unit_scale = true)            \
    X(TW_METRIC_EP, ep, .meaning = "EP's precision", .needs_gaussian = true, .unit_scale = true) \
    Y(TW_METRIC_DENSE, dense, .meaning = "a given precision", .needs_gaussian = true, .unit_scale = true)

#define FOLLOWING(X)                                                                           \
    X(TW_METRIC_HESSIAN, hessian, .meaning = "the curvature at x", .position_dependent = true, \
      .unit_scale = true)                                                                      \
    X(TW_METRIC_FISHER, fisher, .meaning = "the expected (Fisher) information at x",           \
      .position_dependent = true, .unit_scale = true)                                          \
    X(TW_METRIC_SMOOTHED, smoothed, .meaning = "the curvature averaged around x",              \
      .position_dependent = true, .needs_smoothing = true, .unit_scale = true)

#define ANCHORED(X)                                                                                        \
    X(TW_METRIC_ANCHORED, anchored, .meaning = "EP's precision plus the excess of the smoothed curvature", \
      .position_dependent = true, .needs_gaussian = true, .needs_smoothing = true, .unit_scale = true)

#define NAMED(value, text, ...) [value] = {.metric = (value), .name = #text, .named = true, __VA_ARGS__},
#define UNNAMED(value, text, ...) [value] = {.metric = (value), .name = #text, __VA_ARGS__},
#define COMMA_NAME(value, text, ...) ", " #text
#define NOTHING(value, text, ...)

static const tw_metric_info table[TW_METRIC_COUNT] = {CONSTANT(NAMED, UNNAMED) FOLLOWING(NAMED)
                                                          ANCHORED(NAMED)};
static const char names[] = CONSTANT(COMMA_NAME, NOTHING) FOLLOWING(COMMA_NAME) ANCHORED(COMMA_NAME);
static const char names_following[] = FOLLOWING(COMMA_NAME);

const tw_metric_info *tw_metric_describe(tw_metric metric)
{
    return (unsigned)metric < TW_METRIC_COUNT ? &table[metric] : NULL;
}

const tw_metric_info *tw_metric_find(const char *name)
{
    for (size_t i = 0; i < TW_METRIC_COUNT; i++)
        if (strcmp(table[i].name, name) == 0) return &table[i];
    return NULL;
}

const char *tw_metric_name(tw_metric metric)
{
    return table[metric].name;
}

const char *tw_metric_names(void)
{
    return names + strlen(", ");
}

const char *tw_metric_names_following(void)
{
    return names_following + strlen(", ");
}

bool tw_metric_fits(tw_metric metric, const tw_likelihood *likelihood)
{
    switch (metric) {
    case TW_METRIC_FISHER: return likelihood->fisher != NULL;
    case TW_METRIC_ANCHORED:
    case TW_METRIC_SMOOTHED: return likelihood->smoothed != NULL;
    default: return true;
    }
}
