/* fit.c: search from several starts, collect the distinct optima, and judge the best. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fit/objective.h"

/* Two ends are the same optimum if all parameters agree within NEAR, or within FAR if the log posteriors
 * agree within SAME nats. */
static const double NEAR = 0.05, FAR = 1.0, SAME = 0.01;
static const double DECREMENT = 0.05; /* largest Newton decrement of a maximum, in standard deviations */
static const double EDGE = 0.021;     /* at a bound: a step of curvature.c from here would cross it */

void tw_fit_free(tw_fit_result *r)
{
    if (!r) return;
    tw_context *ctx = r->ctx;
    for (size_t k = 0; r->optimum && k < r->starts; k++) tw_release(ctx, r->optimum[k].theta);
    tw_release(ctx, r->optimum);
    tw_release(ctx, r->sd);
    tw_release(ctx, r->at_bound);
    tw_gaussian_free(r->curvature);
    tw_release(ctx, r);
}

static tw_status allocate_arrays(tw_fit_result *r)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(r->ctx, r->starts, sizeof *r->optimum, "optima", &memory));
    r->optimum = memory;
    for (size_t k = 0; k < r->starts; k++)
        TW_TRY(tw_allocate_doubles(r->ctx, r->count, 1, "an optimum", &r->optimum[k].theta));
    TW_TRY(tw_allocate_doubles(r->ctx, r->count, 1, "standard deviations", &r->sd));
    TW_TRY(tw_allocate(r->ctx, r->count, sizeof *r->at_bound, "bounds", &memory));
    r->at_bound = memory;
    return TW_OK;
}

static tw_status allocate(const tw_objective *o, tw_fit_result **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(o->problem->ctx, 1, sizeof(tw_fit_result), "a fit", &memory));
    tw_fit_result *r = memory;
    *r = (tw_fit_result){.ctx = o->problem->ctx, .count = o->count, .starts = o->options->starts};
    tw_status status = allocate_arrays(r);
    if (status == TW_OK)
        *out = r;
    else
        tw_fit_free(r);
    return status;
}

/* ---- optima ---- */

static double largest_difference(const tw_objective *o, const double *theta, const double *point)
{
    double largest = 0.0;
    for (size_t k = 0; k < o->free_count; k++) largest = fmax(largest, fabs(theta[o->index[k]] - point[k]));
    return largest;
}

static tw_optimum *find_same(const tw_objective *o, tw_fit_result *r, const double *point,
                             const tw_objective_value *value)
{
    for (size_t k = 0; k < r->optima; k++) {
        double apart = largest_difference(o, r->optimum[k].theta, point);
        bool level = fabs(r->optimum[k].log_posterior - value->log_posterior) < SAME;
        if (apart < NEAR || (level && apart < FAR)) return &r->optimum[k];
    }
    return NULL;
}

static void set_optimum(const tw_objective *o, const double *origin, const double *point,
                        const tw_objective_value *value, tw_optimum *to)
{
    memcpy(to->theta, origin, o->count * sizeof *origin);
    for (size_t k = 0; k < o->free_count; k++) to->theta[o->index[k]] = point[k];
    to->log_z = value->log_z;
    to->log_posterior = value->log_posterior;
}

/* Add a new optimum, or count one more start of a known one and keep the higher of the two. The best comes
 * first. */
static void add_optimum(const tw_objective *o, tw_fit_result *r, const double *fixed, const double *point,
                        const tw_objective_value *value)
{
    tw_optimum *to = find_same(o, r, point, value);
    bool is_new = !to;
    if (is_new) to = &r->optimum[r->optima++];
    if (is_new || value->log_posterior > to->log_posterior) set_optimum(o, fixed, point, value, to);
    to->starts++;
    for (size_t k = (size_t)(to - r->optimum); k > 0 && to->log_posterior > r->optimum[k - 1].log_posterior;
         k--) {
        tw_optimum swapped = r->optimum[k];
        r->optimum[k] = r->optimum[k - 1];
        r->optimum[k - 1] = swapped;
        to = &r->optimum[k - 1];
    }
}

/* ---- judgement ---- */

static void warn(tw_fit_result *r, tw_warning_code code, double first, double second)
{
    tw_warnings_add(&r->warnings, &(tw_warning){.code = code, .number = {first, second}});
}

/* Is the bound of this parameter an end of its uniform prior? */
static bool is_at_end(const tw_objective *o, const tw_fit_result *r, size_t j)
{
    const tw_parameter *parameter = tw_problem_parameter(o->problem, j);
    if (!o->priors || !o->priors->has[j] || o->priors->prior[j].flat) return false;
    const tw_prior *prior = &o->priors->prior[j];
    double theta = r->optimum[0].theta[j], low = tw_prior_quantile(prior, parameter, 0.0);
    return prior->family == TW_PRIOR_UNIFORM &&
           fmin(fabs(theta - low), fabs(tw_prior_quantile(prior, parameter, 1.0) - theta)) < 2.0 * EDGE;
}

/* Name the parameters whose bound is an end of their prior, or the others. Returns the space left in r->words. */
static char *name_bounds(const tw_objective *o, tw_fit_result *r, bool ends, char *words)
{
    size_t length = 0, bytes = sizeof r->words - (size_t)(words - r->words);
    for (size_t j = 0; j < r->count && length < bytes; j++)
        if (r->at_bound[j] && is_at_end(o, r, j) == ends)
            length += (size_t)snprintf(
                words + length, bytes - length, "%s%s = %.3g", length ? ", " : "",
                tw_problem_parameter(o->problem, j)->name,
                tw_parameter_value(tw_problem_parameter(o->problem, j), r->optimum[0].theta[j]));
    if (length == 0) return words;
    tw_warnings_add(&r->warnings,
                    &(tw_warning){.code = ends ? TW_WARN_FIT_END : TW_WARN_FIT_BOUND, .name = words});
    return words + (length < bytes ? length + 1 : bytes - 1);
}

static void judge(const tw_objective *o, tw_fit_result *r)
{
    bool bound = false;
    for (size_t j = 0; j < r->count; j++) bound = bound || r->at_bound[j];
    r->converged = !bound && !r->stopped && !r->flat && r->decrement <= DECREMENT;
    if (r->stopped) { /* where unfinished searches are says nothing */
        warn(r, TW_WARN_FIT_STOPPED, (double)r->evaluations, 0.0);
        return;
    }
    name_bounds(o, r, false, name_bounds(o, r, true, r->words));
    if (r->flat) warn(r, TW_WARN_FIT_FLAT, 0.0, 0.0);
    if (!r->flat && !(r->decrement <= DECREMENT)) warn(r, TW_WARN_FIT, r->decrement, (double)r->evaluations);
    if (r->optima > 1)
        warn(r, TW_WARN_FIT_OPTIMA, (double)r->optima,
             r->optimum[0].log_posterior - r->optimum[1].log_posterior);
}

/* Standard deviations at the best optimum, of the parameters that are not at a bound. */
static tw_status measure(tw_objective *o, tw_fit_result *r, double *point, double *sd, bool *moves)
{
    const double *theta = r->optimum[0].theta;
    for (size_t j = 0; j < o->count; j++) r->sd[j] = NAN;
    for (size_t k = 0; k < o->free_count; k++) {
        point[k] = theta[o->index[k]];
        moves[k] = point[k] > o->low[k] + EDGE && point[k] < o->high[k] - EDGE;
        r->at_bound[o->index[k]] = !moves[k];
    }
    r->decrement = NAN;
    if (!r->stopped)
        TW_TRY(tw_objective_curvature(o, point, moves, sd, &r->flat, &r->decrement, &r->curvature));
    for (size_t k = 0; k < o->free_count && !r->stopped; k++) r->sd[o->index[k]] = sd[k];
    return TW_OK;
}

/* ---- the whole fit ---- */

static tw_status search(tw_objective *o, tw_fit_result *r, const double *origin, const double *fixed,
                        double *point)
{
    tw_search s = {.known = r, .best = -INFINITY};
    for (size_t start = 0; start < r->starts && !s.stopped; start++) {
        tw_objective_value value;
        s.start = start + 1;
        tw_objective_start(o, origin, start, point);
        o->has_sites = false; /* no start depends on earlier ones */
        TW_TRY(tw_objective_climb(o, &s, point, &value));
        if (!isnan(value.log_posterior)) add_optimum(o, r, fixed, point, &value);
    }
    r->stopped = s.stopped;
    r->starts_at_best = r->optima > 0 ? r->optimum[0].starts : 0;
    if (r->optima > 0) return TW_OK;
    return tw_fail(r->ctx, TW_NOT_CONVERGED,
                   "log Z could not be computed at any of %zu starting points: give starting values or "
                   "priors on the scale of the data",
                   o->evaluations);
}

/* origin is theta where the caller gave a value, and NaN elsewhere. */
static tw_status fit(tw_objective *o, tw_fit_result *r, double *work, bool *moves)
{
    double *origin = work, *fixed = work + o->count, *point = work + 2 * o->count, *sd = work + 3 * o->count;
    tw_problem_get_theta(o->problem, fixed);
    for (size_t j = 0; j < o->count; j++) origin[j] = tw_problem_is_given(o->problem, j) ? fixed[j] : NAN;
    TW_TRY(search(o, r, origin, fixed, point));
    TW_TRY(measure(o, r, point, sd, moves));
    r->evaluations = o->evaluations;
    r->failures = o->failures;
    judge(o, r);
    return tw_problem_set_theta(o->problem, r->optimum[0].theta);
}

static tw_status fit_with_memory(tw_objective *o, tw_fit_result *r)
{
    double *work = NULL;
    void *moves = NULL;
    tw_status status = tw_allocate_doubles(r->ctx, o->count, 4, "a fit", &work);
    if (status == TW_OK) status = tw_allocate(r->ctx, o->count, sizeof(bool), "a fit", &moves);
    if (status == TW_OK) status = fit(o, r, work, moves);
    tw_release(r->ctx, work);
    tw_release(r->ctx, moves);
    return status;
}

tw_status tw_fit(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                 tw_fit_result **out)
{
    tw_fit_options defaults = TW_FIT_DEFAULTS;
    tw_objective *o = NULL;
    tw_fit_result *r = NULL;
    *out = NULL;
    if (!options) options = &defaults;
    if (options->starts == 0 || options->max_evaluations == 0)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT, "a fit needs at least one start and one evaluation");
    TW_TRY(tw_objective_new(problem, priors, options, &o));
    tw_status status = allocate(o, &r);
    if (status == TW_OK) status = fit_with_memory(o, r);
    tw_objective_free(o);
    if (status == TW_OK)
        *out = r;
    else
        tw_fit_free(r);
    return status;
}
