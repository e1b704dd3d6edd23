/* search.c: maximise by NLopt's L-BFGS with bounds (Nocedal 1980; Luksan's code).
 *
 * Where the approximation fails, the optimiser gets a value below all previous ones, so it turns back. It
 * stops when a step gains less than 1e-4 nats or no parameter moves by 1e-4; curvature.c decides whether the
 * result is a maximum. It also stops on the slope of an optimum theta* that an earlier start found. Let h be
 * the log posterior and s = g' (theta* - theta). For a parabola with its maximum at theta*, h* - h = s/2; for
 * a plane, if the optimum is at a bound, h* - h = s. A point near theta* with h* - h between these two
 * values, within tolerances, is on its slope. */
#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "fit/objective.h"

static const double GAIN = 1e-4, MOVE = 1e-4, BELOW = 100.0;

/* On the slope: within REACH in every parameter, and h* - h below DEPTH nats and from LEAST s - LEVEL to MOST
 * s + LEVEL. */
static const double REACH = 0.5, DEPTH = 2.0, LEAST = 0.375, MOST = 1.1, LEVEL = 1e-3;

typedef struct climb {
    tw_objective *o;
    tw_search *search;
    nlopt_opt optimiser;
    tw_status status;
    double *best_point, lowest;
    tw_objective_value best;
    bool joined; /* reached the slope of a known optimum */
} climb;

static bool wants_to_stop(const climb *c)
{
    const tw_fit_options *options = c->o->options;
    tw_fit_progress p = {c->search->start, options->starts, c->o->evaluations, c->search->best};
    return options->on_progress && options->on_progress(options->user, &p);
}

static void keep_best(climb *c, const double *point, const tw_objective_value *here)
{
    if (isnan(c->lowest) || here->log_posterior < c->lowest) c->lowest = here->log_posterior;
    if (!isnan(c->best.log_posterior) && here->log_posterior <= c->best.log_posterior) return;
    c->best = *here;
    memcpy(c->best_point, point, c->o->free_count * sizeof *point);
    c->search->best = fmax(c->search->best, here->log_posterior);
}

static bool is_slope_of(const climb *c, const tw_optimum *top, const double *point, const double *gradient,
                        double value)
{
    double slope = 0.0, gain = top->log_posterior - value;
    for (size_t k = 0; k < c->o->free_count; k++) {
        double away = top->theta[c->o->index[k]] - point[k];
        if (!(fabs(away) < REACH)) return false;
        slope += gradient[k] * away;
    }
    return gain < DEPTH && gain > LEAST * slope - LEVEL && gain < MOST * slope + LEVEL;
}

/* End the search at a known optimum if this point is on its slope. */
static bool join_known(climb *c, const double *point, const double *gradient, double value)
{
    const tw_fit_result *known = c->search->known;
    for (size_t i = 0; gradient && i < known->optima; i++) {
        const tw_optimum *top = &known->optimum[i];
        if (!is_slope_of(c, top, point, gradient, value)) continue;
        c->best = (tw_objective_value){top->log_z, top->log_posterior};
        for (size_t k = 0; k < c->o->free_count; k++) c->best_point[k] = top->theta[c->o->index[k]];
        return true;
    }
    return false;
}

static double evaluate(unsigned n, const double *point, double *gradient, void *user)
{
    climb *c = user;
    tw_objective_value here;
    (void)n;
    if (c->status != TW_OK || c->joined || c->search->stopped)
        return c->lowest; /* the optimiser may still evaluate a few points */
    c->status = tw_objective_at(c->o, point, gradient, &here);
    if (c->status == TW_OK && !isnan(here.log_posterior)) keep_best(c, point, &here);
    c->search->stopped = c->search->stopped || wants_to_stop(c);
    c->joined = c->status == TW_OK && join_known(c, point, gradient, here.log_posterior);
    if (c->status != TW_OK || c->joined || c->search->stopped) nlopt_force_stop(c->optimiser);
    if (!isnan(here.log_posterior)) return here.log_posterior;
    return isnan(c->lowest) ? -1e10 : c->lowest - BELOW;
}

static tw_status configure(climb *c)
{
    const tw_objective *o = c->o;
    bool ok = nlopt_set_max_objective(c->optimiser, evaluate, c) > 0 &&
              nlopt_set_lower_bounds(c->optimiser, o->low) > 0 &&
              nlopt_set_upper_bounds(c->optimiser, o->high) > 0 &&
              nlopt_set_ftol_abs(c->optimiser, GAIN) > 0 && nlopt_set_xtol_abs1(c->optimiser, MOVE) > 0 &&
              nlopt_set_maxeval(c->optimiser, (int)fmin((double)o->options->max_evaluations, 1e9)) > 0;
    return ok ? TW_OK : tw_fail(o->problem->ctx, TW_NO_MEMORY, "not enough memory for the optimiser");
}

tw_status tw_objective_climb(tw_objective *o, tw_search *search, double *point, tw_objective_value *out)
{
    climb c = {.o = o, .search = search, .best_point = point, .lowest = NAN, .best = {NAN, NAN}};
    double *moving = NULL, value = 0.0;
    TW_TRY(tw_allocate_doubles(o->problem->ctx, o->free_count, 1, "a place", &moving));
    for (size_t k = 0; k < o->free_count; k++) moving[k] = fmin(fmax(point[k], o->low[k]), o->high[k]);
    c.optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)o->free_count);
    if (!c.optimiser)
        c.status = tw_fail(o->problem->ctx, TW_NO_MEMORY, "not enough memory for the optimiser");
    if (c.status == TW_OK) c.status = configure(&c);
    if (c.status == TW_OK)
        nlopt_optimize(c.optimiser, moving, &value); /* curvature.c judges the result, not the return code */
    if (c.optimiser) nlopt_destroy(c.optimiser);
    tw_release(o->problem->ctx, moving);
    *out = c.best;
    return c.status;
}
