/* search.c: upwards by L-BFGS with bounds, NLopt's (Nocedal 1980; Luksan's code).
 *
 * Where log Z cannot be had, the search is told of a value below all it has seen, so that it turns back. It ends where log
 * posterior gains less than 1e-4 nats in a step or no parameter moves by 1e-4; whether that is a maximum, the curvature says. It also ends on the
 * slope of an optimum theta* that an earlier start found: near it, with a gradient that explains the height that is missing. With
 * s = g' (theta* - theta), h* - h is s/2 of a parabola with its top there, and s of a plane, where the optimum is at a bound. */
#include <float.h>
#include <math.h>
#include <nlopt.h>
#include <string.h>

#include "fit/objective.h"

static const double GAIN = 1e-4, MOVE = 1e-4, BELOW = 100.0;

/* How near, in every parameter, and how far below, in nats, a known optimum is looked for; between which multiples of s. */
static const double REACH = 0.5, DEPTH = 2.0, LEAST = 0.375, MOST = 1.1, LEVEL = 1e-3;

typedef struct climb {
    tw_objective *o;
    tw_search *search;
    nlopt_opt optimiser;
    tw_status status;
    double *best_place, lowest;
    tw_height best;
    bool joined; /* a known optimum */
} climb;

static bool wants_to_stop(const climb *c)
{
    const tw_fit_options *options = c->o->options;
    tw_fit_progress p = {c->search->start, options->starts, c->o->evaluations, c->search->best};
    return options->on_progress && options->on_progress(options->user, &p);
}

static void keep_best(climb *c, const double *place, const tw_height *here)
{
    if (isnan(c->lowest) || here->log_posterior < c->lowest) c->lowest = here->log_posterior;
    if (!isnan(c->best.log_posterior) && here->log_posterior <= c->best.log_posterior) return;
    c->best = *here;
    memcpy(c->best_place, place, c->o->free_count * sizeof *place);
    c->search->best = fmax(c->search->best, here->log_posterior);
}

static bool is_slope_of(const climb *c, const tw_optimum *top, const double *place, const double *gradient,
                        double height)
{
    double slope = 0.0, gain = top->log_posterior - height;
    for (size_t k = 0; k < c->o->free_count; k++) {
        double away = top->theta[c->o->index[k]] - place[k];
        if (!(fabs(away) < REACH)) return false;
        slope += gradient[k] * away;
    }
    return gain < DEPTH && gain > LEAST * slope - LEVEL && gain < MOST * slope + LEVEL;
}

/* Where this is the slope of a known optimum, the search ends there. */
static bool join_known(climb *c, const double *place, const double *gradient, double height)
{
    const tw_fit_result *known = c->search->known;
    for (size_t i = 0; gradient && i < known->optima; i++) {
        const tw_optimum *top = &known->optimum[i];
        if (!is_slope_of(c, top, place, gradient, height)) continue;
        c->best = (tw_height){top->log_z, top->log_posterior};
        for (size_t k = 0; k < c->o->free_count; k++) c->best_place[k] = top->theta[c->o->index[k]];
        return true;
    }
    return false;
}

static double evaluate(unsigned n, const double *place, double *gradient, void *user)
{
    climb *c = user;
    tw_height here;
    (void)n;
    if (c->status != TW_OK || c->joined || c->search->stopped)
        return c->lowest; /* the optimiser may ask on for a while */
    c->status = tw_objective_at(c->o, place, gradient, &here);
    if (c->status == TW_OK && !isnan(here.log_posterior)) keep_best(c, place, &here);
    c->search->stopped = c->search->stopped || wants_to_stop(c);
    c->joined = c->status == TW_OK && join_known(c, place, gradient, here.log_posterior);
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

tw_status tw_objective_climb(tw_objective *o, tw_search *search, double *place, tw_height *out)
{
    climb c = {.o = o, .search = search, .best_place = place, .lowest = NAN, .best = {NAN, NAN}};
    double *moving = NULL, value = 0.0;
    TW_TRY(tw_allocate_doubles(o->problem->ctx, o->free_count, 1, "a place", &moving));
    for (size_t k = 0; k < o->free_count; k++) moving[k] = fmin(fmax(place[k], o->low[k]), o->high[k]);
    c.optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)o->free_count);
    if (!c.optimiser)
        c.status = tw_fail(o->problem->ctx, TW_NO_MEMORY, "not enough memory for the optimiser");
    if (c.status == TW_OK) c.status = configure(&c);
    if (c.status == TW_OK)
        nlopt_optimize(c.optimiser, moving, &value); /* its code is no verdict: see curvature.c */
    if (c.optimiser) nlopt_destroy(c.optimiser);
    tw_release(o->problem->ctx, moving);
    *out = c.best;
    return c.status;
}
