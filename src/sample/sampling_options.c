/* sampling_options.c: check the options of a sampling plan before anything is computed. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sample/method.h"
#include "sample/sampling_plan.h"
#include "sample/warmup.h"

static bool has_eps(const tw_method_info *method)
{
    return method->has_eps;
}

static bool has_steps(const tw_method_info *method)
{
    return method->has_steps;
}

/* Check that the method has the option `what`; the message lists the methods that have it. method NULL:
 * auto. */
static tw_status check_takes(tw_context *ctx, const tw_method_info *method, const char *what,
                             bool (*has)(const tw_method_info *method))
{
    char takers[128] = "";
    if (method && has(method)) return TW_OK;
    for (unsigned m = 0; m < TW_METHOD_COUNT; m++) {
        size_t used = strlen(takers);
        const tw_method_info *other = tw_method_describe((tw_method)m);
        if (has(other))
            snprintf(takers + used, sizeof takers - used, "%s%s", used ? " or " : "", other->name);
    }
    return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is an option of %s, not of %s", what, takers,
                   method ? method->name : "auto");
}

static tw_status check_method(tw_context *ctx, const tw_sampling_options *o)
{
    const tw_method_info *method = tw_method_find(o->method);
    bool named = strcmp(o->metric, "auto") != 0;
    if (!method && strcmp(o->method, "auto") != 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown method \"%.60s\"; choose from: auto, %s", o->method,
                       tw_method_names());
    if (!method && named)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the metric %.60s needs a method that supports it, not auto",
                       o->metric);
    if (named) TW_TRY(tw_method_check_metric(ctx, method, o->metric));
    if (o->eps != 0.0) TW_TRY(check_takes(ctx, method, "eps", has_eps));
    return o->steps > 0 ? check_takes(ctx, method, "steps", has_steps) : TW_OK;
}

static tw_status check_target(tw_context *ctx, const tw_sampling_options *o)
{
    bool known = strcmp(o->from, "ep") == 0 || strcmp(o->from, "prior") == 0;
    if (!o->reference && !known)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "q at beta = 0 must be prior, ep or a given Gaussian, not \"%.60s\"", o->from);
    if (!o->positions && strcmp(o->init, "ep") != 0 && strcmp(o->init, "prior") != 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown init \"%.60s\"; choose from: ep, prior", o->init);
    if (!(o->beta >= 0.0 && o->beta <= 1.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "beta must be from 0 to 1, not %g", o->beta);
    return TW_OK;
}

tw_status tw_sampling_options_check(tw_context *ctx, const tw_sampling_options *options)
{
    tw_sampling_options defaults = TW_SAMPLING_DEFAULTS;
    const tw_sampling_options *o = options ? options : &defaults;
    if (o->chains == 0) return tw_fail(ctx, TW_BAD_ARGUMENT, "a run needs at least one chain");
    TW_TRY(check_target(ctx, o));
    TW_TRY(check_method(ctx, o));
    if (o->draws == 0 && !(o->until_ess > 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a run needs a number of draws or an ESS goal above 0, not %g",
                       o->until_ess);
    if (!(o->max_seconds >= 0.0) || !isfinite(o->max_seconds))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the time limit must be above 0 seconds, not %g",
                       o->max_seconds);
    const tw_method_info *method = tw_method_find(o->method);
    tw_chains_options run = tw_sampling_chains(o);
    return tw_chains_options_check(ctx, method, &run);
}
