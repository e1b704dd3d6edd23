/* evidence_options.c: the names of methods and schedules, and the checks of options before anything is
 * computed. */
#include <math.h>
#include <string.h>

#include "evidence/evidence_plan.h"
#include "sample/method.h"

#define TW_EVIDENCE_NAME(method, name) name,
static const char *const names[] = {TW_EVIDENCE_LIST(TW_EVIDENCE_NAME)};

const char *tw_evidence_method_name(tw_evidence_method method)
{
    return (unsigned)method < TW_EVIDENCE_METHODS ? names[method] : "";
}

const char *tw_evidence_method_names(void)
{
    return "ais, ais-reverse, pt, rm";
}

bool tw_schedule_named(const char *name, tw_schedule_kind *kind)
{
    static const char *const kinds[] = {"geometric", "linear",
                                        "sigmoid"}; /* in the order of tw_schedule_kind */
    for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(name, kinds[k]) == 0) {
            *kind = (tw_schedule_kind)k;
            return true;
        }
    return false;
}

/* Find the method by the first `length` letters of a text. */
static bool find_method(const char *name, size_t length, tw_evidence_method *method)
{
    for (unsigned k = 0; k < TW_EVIDENCE_METHODS; k++)
        if (strlen(names[k]) == length && memcmp(names[k], name, length) == 0) {
            *method = (tw_evidence_method)k;
            return true;
        }
    return false;
}

tw_status tw_evidence_read_methods(tw_context *ctx, const char *text, size_t *count,
                                   tw_evidence_method method[TW_EVIDENCE_METHODS])
{
    unsigned seen = 0;
    *count = 0;
    for (bool more = *text != '\0'; more;) {
        tw_evidence_method next = TW_EVIDENCE_AIS;
        size_t length = strcspn(text, ",");
        if (!find_method(text, length, &next))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown method \"%.*s\"; choose from: %s", (int)length,
                           text, tw_evidence_method_names());
        if (seen & 1u << next)
            return tw_fail(ctx, TW_BAD_ARGUMENT, "the method %s is given twice", names[next]);
        seen |= 1u << next;
        method[(*count)++] = next;
        more = text[length] == ',';
        text += length + more;
    }
    return TW_OK;
}

/* ---- checks ---- */

static tw_status check_metric(tw_context *ctx, const tw_evidence_options *o)
{
    const tw_method_info *method = strcmp(o->kernel_method, "auto") == 0 ? tw_method_describe(TW_METHOD_HMC)
                                                                         : tw_method_find(o->kernel_method);
    if (!method)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown sampler \"%.60s\"; choose from: auto, %s",
                       o->kernel_method, tw_method_names());
    if (strcmp(o->metric, "auto") == 0) return TW_OK;
    return tw_method_check_metric(ctx, method, o->metric);
}

static tw_status check_path(tw_context *ctx, const tw_evidence_options *o)
{
    tw_schedule_kind kind;
    bool known =
        strcmp(o->from, "ep") == 0 || strcmp(o->from, "laplace") == 0 || strcmp(o->from, "prior") == 0;
    if (!o->reference && !known)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "a path must start from ep, laplace, prior or a given Gaussian, not \"%.60s\"",
                       o->from);
    if (o->beta) return tw_schedule_check(ctx, o->temperatures, o->beta);
    if (strcmp(o->schedule, "auto") == 0 || strcmp(o->schedule, "adaptive") == 0 ||
        tw_schedule_named(o->schedule, &kind))
        return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "unknown schedule \"%.60s\"; choose from: auto, geometric, linear, sigmoid, adaptive",
                   o->schedule);
}

tw_status tw_evidence_options_check(tw_context *ctx, const tw_evidence_options *options)
{
    tw_evidence_options defaults = TW_EVIDENCE_DEFAULTS;
    const tw_evidence_options *o = options ? options : &defaults;
    tw_evidence_method method[TW_EVIDENCE_METHODS];
    size_t count = 0;
    TW_TRY(tw_evidence_read_methods(ctx, o->methods, &count, method));
    if (o->particles < 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%zu particle%s cannot give a standard error: use at least 2, preferably 100 or more",
                       o->particles, o->particles == 1 ? "" : "s");
    if (!(o->until_se >= 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the goal for the standard error must be above 0, not %g",
                       o->until_se);
    TW_TRY(check_path(ctx, o));
    return check_metric(ctx, o);
}
