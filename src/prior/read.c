/* read.c: parse names of parameters and priors; see read.h. */
#include "prior/read.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "covariance/kernel.h"
#include "data/number.h"
#include "prior/family.h"

enum { NAMES = 2048 };

static const char *skip(const char *text)
{
    while (isspace((unsigned char)*text)) text++;
    return text;
}

/* ---- names ---- */

/* log_ell, log_se.ell and se.log_ell mean ell and se.ell, as logarithms. */
static void strip_log(tw_named *name)
{
    char *dot = strrchr(name->name, '.'), *at = name->name;
    if (strncmp(at, "log_", 4) != 0 && dot) at = dot + 1;
    name->as_log = strncmp(at, "log_", 4) == 0;
    if (name->as_log) memmove(at, at + 4, strlen(at + 4) + 1);
}

bool tw_name_means(const tw_problem *problem, const tw_named *name, size_t j)
{
    const char *own = tw_problem_parameter(problem, j)->name;
    size_t length = strlen(name->name);
    if (strncmp(own, name->name, length) != 0) return false;
    if (!own[length]) return true;
    return own[length] == '.' && strspn(own + length + 1, "0123456789") == strlen(own + length + 1);
}

static tw_status fail_unknown(const tw_problem *problem, const tw_named *name)
{
    char names[NAMES] = "", nearest[TW_NAME_BYTES];
    size_t length = 0;
    for (size_t j = 0; j < tw_problem_count(problem) && length < sizeof names; j++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", j ? ", " : "",
                                   tw_problem_parameter(problem, j)->name);
    tw_nearest_name(name->name, names, nearest);
    return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "unknown parameter \"%s\"%s%s%s; choose from: %.400s%s",
                   name->name, *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", names,
                   length > 400 ? "..." : "");
}

static tw_status check_meaning(const tw_problem *problem, const tw_named *name)
{
    for (size_t j = 0; j < tw_problem_count(problem); j++) {
        const tw_parameter *parameter = tw_problem_parameter(problem, j);
        if (!tw_name_means(problem, name, j)) continue;
        if (!name->as_log || parameter->transform == TW_TRANSFORM_LOG) return TW_OK;
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "%s may be negative, and has no logarithm",
                       parameter->name);
    }
    return fail_unknown(problem, name);
}

tw_status tw_name_read(const tw_problem *problem, const char *text, const char *ends, tw_named *out,
                       const char **rest)
{
    const char *start = skip(text);
    size_t length = strcspn(start, ends), end = length;
    *rest = start + length + (start[length] != '\0');
    while (end > 0 && isspace((unsigned char)start[end - 1])) end--;
    if (end == 0 || end >= sizeof out->name)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "\"%.60s\" does not start with the name of a parameter",
                       text);
    memcpy(out->name, start, end);
    out->name[end] = '\0';
    strip_log(out);
    return check_meaning(problem, out);
}

/* ---- densities ---- */

static tw_status fail_density(tw_context *ctx, const char *text)
{
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "\"%.60s\" is not a prior: write one as in gamma(25, 4); choose from: %s", text,
                   tw_prior_names());
}

/* Parse "(1, 2)", at most 3 numbers. Returns its end, or NULL on an error. */
static const char *read_numbers(const char *text, double *numbers, size_t *count)
{
    *count = 0;
    text = skip(text);
    if (*text != '(') return text;
    do {
        if (*count == 3) return NULL;
        text = tw_number_parse(skip(text + 1), &numbers[(*count)++]);
        if (!text) return NULL;
        text = skip(text);
    } while (*text == ',');
    return *text == ')' ? skip(text + 1) : NULL;
}

static tw_status check_numbers(tw_context *ctx, const tw_prior *prior, size_t count)
{
    const tw_family *family = tw_family_of(prior->family);
    bool ordered = prior->family != TW_PRIOR_UNIFORM || prior->flat || prior->a[0] < prior->a[1];
    bool share = prior->family != TW_PRIOR_PC || prior->a[1] < 1.0;
    if (count != family->most && count != family->least)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%s takes %zu numbers, %s(%s), not %zu", family->name,
                       family->most, family->name, family->arguments, count);
    for (size_t k = 0; k < count; k++)
        if (!isfinite(prior->a[k]) || (family->positive[k] && !(prior->a[k] > 0.0)))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "number %zu of %s(%s) must be %s, not %g", k + 1,
                           family->name, family->arguments, family->positive[k] ? "above 0" : "finite",
                           prior->a[k]);
    if (ordered && share) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   ordered ? "alpha of pc(u, alpha) must be below 1, not %g"
                           : "low must be below high in uniform(low, high), not %g",
                   ordered ? prior->a[1] : prior->a[0]);
}

/* A penalised-complexity prior depends on the number of inputs of a length scale, and must be one of the
 * value, not of its logarithm. */
static tw_status finish_pc(const tw_problem *problem, size_t j, tw_prior *prior)
{
    tw_length length;
    if (prior->of_log)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "pc(u, alpha) must be a prior of %s, not of its logarithm",
                       tw_problem_parameter(problem, j)->name);
    bool is_length = j < tw_kernel_count(problem->kernel) &&
                     tw_kernel_length(problem->kernel, j, problem->data->d, &length);
    prior->a[2] = is_length ? 0.5 * (double)length.count : 0.0;
    return TW_OK;
}

tw_status tw_prior_read(const tw_problem *problem, size_t j, bool as_log, const char *text, tw_prior *out)
{
    tw_context *ctx = problem->ctx;
    tw_number_locale locale;
    const char *start = skip(text);
    size_t length = strcspn(start, " \t(,"), count = 0;
    *out = (tw_prior){.of_log = as_log};
    if (!tw_family_find(start, length, &out->family)) return fail_density(ctx, start);
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    const char *end = read_numbers(start + length, out->a, &count);
    tw_number_locale_end(&locale);
    if (!end || *end) return fail_density(ctx, start);
    out->flat = out->family == TW_PRIOR_UNIFORM && count == 0;
    TW_TRY(check_numbers(ctx, out, count));
    const tw_family *family = tw_family_of(out->family);
    bool of_value = !as_log && tw_problem_parameter(problem, j)->transform == TW_TRANSFORM_LOG;
    if (of_value && !family->only_positive && !out->flat && !(family->cdf(out->a, 0.0) < 1.0 - 1e-12))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%.60s has no density above 0, but %s is positive", start,
                       tw_problem_parameter(problem, j)->name);
    return out->family == TW_PRIOR_PC ? finish_pc(problem, j, out) : TW_OK;
}
