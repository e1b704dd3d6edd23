/* priors.c: the priors of all parameters of a problem. */
#include <math.h>
#include <string.h>

#include "data/number.h"
#include "prior/read.h"

void tw_priors_free(tw_priors *priors)
{
    if (!priors) return;
    tw_context *ctx = priors->ctx;
    tw_release(ctx, priors->prior);
    tw_release(ctx, priors->has);
    tw_release(ctx, priors->fixed);
    tw_release(ctx, priors);
}

static tw_status allocate(tw_priors *p)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(p->ctx, p->count, sizeof *p->prior, "the priors", &memory));
    p->prior = memory;
    TW_TRY(tw_allocate(p->ctx, p->count, sizeof *p->has, "the priors", &memory));
    p->has = memory;
    TW_TRY(tw_allocate(p->ctx, p->count, sizeof *p->fixed, "the priors", &memory));
    p->fixed = memory;
    return TW_OK;
}

tw_status tw_priors_new(const tw_problem *problem, tw_priors **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(problem->ctx, 1, sizeof(tw_priors), "the priors", &memory));
    tw_priors *priors = memory;
    *priors = (tw_priors){.ctx = problem->ctx, .count = tw_problem_count(problem)};
    tw_status status = allocate(priors);
    if (status == TW_OK)
        *out = priors;
    else
        tw_priors_free(priors);
    return status;
}

static tw_status read_defaults(tw_priors *priors, const tw_problem *problem)
{
    for (size_t j = 0; j < priors->count; j++) {
        if (priors->has[j] || priors->fixed[j] || tw_problem_is_given(problem, j)) continue;
        TW_TRY(tw_prior_default(problem, j, &priors->prior[j]));
        priors->has[j] = true;
    }
    return TW_OK;
}

tw_status tw_priors_read(tw_priors *priors, const tw_problem *problem, const char *text)
{
    tw_named name;
    const char *density = NULL;
    if (strcmp(text, "default") == 0) return read_defaults(priors, problem);
    if (!strchr(text, '~'))
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "\"%.60s\" is not a prior: write one as in 'ell ~ gamma(25, 4)', or default", text);
    TW_TRY(tw_name_read(problem, text, "~", &name, &density));
    for (size_t j = 0; j < priors->count; j++) {
        if (!tw_name_means(problem, &name, j)) continue;
        if (priors->has[j] || priors->fixed[j])
            return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "%s %s", tw_problem_parameter(problem, j)->name,
                           priors->fixed[j] ? "is fixed and cannot have a prior" : "has two priors");
        TW_TRY(tw_prior_read(problem, j, name.as_log, density, &priors->prior[j]));
        priors->has[j] = true;
    }
    return TW_OK;
}

/* Read the number after "=". */
static tw_status read_value(tw_context *ctx, const char *text, double *value)
{
    tw_number_locale locale;
    TW_TRY(tw_number_locale_begin(ctx, &locale));
    const char *end = tw_number_parse(text + strspn(text, " \t"), value);
    tw_number_locale_end(&locale);
    if (end && !end[strspn(end, " \t")] && isfinite(*value)) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "\"%.60s\" is not a number: fix a parameter as in ell=2", text);
}

static tw_status fix_at(tw_priors *priors, tw_problem *problem, const tw_named *name, const double *value)
{
    double *theta = NULL;
    TW_TRY(tw_allocate_doubles(problem->ctx, priors->count, 1, "theta", &theta));
    tw_problem_get_theta(problem, theta);
    for (size_t j = 0; j < priors->count; j++) {
        const tw_parameter *parameter = tw_problem_parameter(problem, j);
        if (!tw_name_means(problem, name, j)) continue;
        if (value) theta[j] = name->as_log ? *value : tw_parameter_theta(parameter, *value);
    }
    tw_status status = value ? tw_problem_set_theta(problem, theta) : TW_OK;
    for (size_t j = 0; status == TW_OK && j < priors->count; j++)
        if (tw_name_means(problem, name, j)) priors->fixed[j] = true;
    tw_release(problem->ctx, theta);
    return status;
}

static tw_status fix_all(tw_priors *priors, const tw_problem *problem)
{
    for (size_t j = 0; j < priors->count; j++) {
        if (priors->has[j])
            return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "%s is fixed and cannot have a prior",
                           tw_problem_parameter(problem, j)->name);
        priors->fixed[j] = true;
    }
    return TW_OK;
}

tw_status tw_priors_fix(tw_priors *priors, tw_problem *problem, const char *text)
{
    tw_named name;
    const char *rest = NULL;
    double value = NAN;
    if (strcmp(text, "all") == 0) return fix_all(priors, problem);
    TW_TRY(tw_name_read(problem, text, "=", &name, &rest));
    bool has_value = strchr(text, '=') != NULL;
    if (has_value) TW_TRY(read_value(problem->ctx, rest, &value));
    for (size_t j = 0; j < priors->count; j++) {
        const tw_parameter *parameter = tw_problem_parameter(problem, j);
        if (!tw_name_means(problem, &name, j)) continue;
        if (priors->has[j])
            return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "%s is fixed and cannot have a prior",
                           parameter->name);
        if (value <= 0.0 && !name.as_log && parameter->transform == TW_TRANSFORM_LOG)
            return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "%s must be above 0, not %g", parameter->name,
                           value);
    }
    return fix_at(priors, problem, &name, has_value ? &value : NULL);
}

double tw_priors_log_density(const tw_priors *priors, const tw_problem *problem, const double *theta,
                             double *gradient)
{
    double sum = 0.0;
    for (size_t j = 0; j < priors->count; j++) {
        double slope = 0.0;
        if (!priors->has[j] || priors->fixed[j]) continue;
        sum += tw_prior_log_density(&priors->prior[j], tw_problem_parameter(problem, j), theta[j], &slope);
        if (gradient) gradient[j] += slope;
    }
    return sum;
}

tw_status tw_priors_complete(tw_priors *priors, const tw_problem *problem)
{
    for (size_t j = 0; j < priors->count; j++) {
        if (priors->has[j] || priors->fixed[j]) continue;
        TW_TRY(tw_prior_default(problem, j, &priors->prior[j]));
        priors->has[j] = true;
    }
    return TW_OK;
}
