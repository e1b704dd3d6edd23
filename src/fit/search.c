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

static const double GAIN = 1e-4, MOVE = 1e-4, BELOW = 100.0, FIRST = 3.0, LITTLE = 0.1;

/* On the slope: within REACH in every parameter, and h* - h below DEPTH nats and from LEAST s - LEVEL to MOST
 * s + LEVEL. */
static const double REACH = 2.0, DEPTH = 6.0, LEAST = 0.375, MOST = 1.1, LEVEL = 1e-3;

typedef struct climb {
    tw_objective *o;
    tw_search *search;
    nlopt_opt optimiser;
    tw_status status;
    double *best_point, lowest;
    tw_objective_value best;
    bool joined;              /* reached the slope of a known optimum */
    const double *low, *high; /* the box of the round */
    bool cut;                 /* the round ended at its box */
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

/* Did the best point of the round stop at an end of its box, beyond which the search may go on? */
static bool is_held(const climb *c)
{
    const tw_objective *o = c->o;
    for (size_t k = 0; k < o->free_count; k++)
        if ((c->best_point[k] - MOVE < c->low[k] && c->low[k] > o->low[k]) ||
            (c->best_point[k] + MOVE > c->high[k] && c->high[k] < o->high[k]))
            return true;
    return false;
}

static double evaluate(unsigned n, const double *point, double *gradient, void *user)
{
    climb *c = user;
    tw_objective_value here;
    (void)n;
    if (c->status != TW_OK || c->joined || c->cut || c->search->stopped)
        return c->lowest; /* the optimiser may still evaluate a few points */
    c->status = tw_objective_at(c->o, point, gradient, &here);
    double before = c->best.log_posterior;
    if (c->status == TW_OK && !isnan(here.log_posterior)) keep_best(c, point, &here);
    c->cut = c->best.log_posterior > before && c->best.log_posterior < before + LITTLE && is_held(c);
    c->search->stopped = c->search->stopped || wants_to_stop(c);
    c->joined = c->status == TW_OK && join_known(c, point, gradient, here.log_posterior);
    if (c->status != TW_OK || c->joined || c->cut || c->search->stopped) nlopt_force_stop(c->optimiser);
    if (!isnan(here.log_posterior)) return here.log_posterior;
    return isnan(c->lowest) ? -1e10 : c->lowest - BELOW;
}

/* The box of one round: `reach` on either side of the point, in the box of the search. */
static void set_round(const tw_objective *o, const double *point, double reach, double *low, double *high)
{
    for (size_t k = 0; k < o->free_count; k++) {
        low[k] = fmax(o->low[k], point[k] - reach);
        high[k] = fmin(o->high[k], point[k] + reach);
    }
}

static tw_status configure(climb *c, size_t evaluations)
{
    bool ok = nlopt_set_max_objective(c->optimiser, evaluate, c) > 0 &&
              nlopt_set_lower_bounds(c->optimiser, c->low) > 0 &&
              nlopt_set_upper_bounds(c->optimiser, c->high) > 0 &&
              nlopt_set_ftol_abs(c->optimiser, GAIN) > 0 && nlopt_set_xtol_abs1(c->optimiser, MOVE) > 0 &&
              nlopt_set_maxeval(c->optimiser, (int)fmin((double)evaluations, 1e9)) > 0;
    return ok ? TW_OK : tw_fail(c->o->problem->ctx, TW_NO_MEMORY, "not enough memory for the optimiser");
}

/* Maximise in rounds, in boxes that double. The gradient at a start may be thousands of nats per unit: the
 * first step of L-BFGS would end in a corner of the whole box, where EP fails and from where it hardly
 * returns. */
static void climb_in_rounds(climb *c, double *moving, double *low, double *high)
{
    const tw_objective *o = c->o;
    size_t end = o->evaluations + o->options->max_evaluations;
    double value = 0.0;
    bool held = true;
    c->low = low;
    c->high = high;
    double reach = FIRST;
    while (held && o->evaluations < end) {
        double before = c->best.log_posterior;
        set_round(o, moving, reach, low, high);
        c->cut = false;
        c->status = configure(c, end - o->evaluations);
        if (c->status != TW_OK) return;
        nlopt_optimize(c->optimiser, moving, &value); /* curvature.c judges the result, not the return code */
        bool gained = !isnan(c->best.log_posterior) && !(c->best.log_posterior <= before + GAIN);
        held = c->status == TW_OK && gained && !c->joined && !c->search->stopped && is_held(c);
        memcpy(moving, c->best_point, o->free_count * sizeof *moving);
        reach *= 2.0;
    }
}

tw_status tw_objective_climb(tw_objective *o, tw_search *search, double *point, tw_objective_value *out)
{
    climb c = {.o = o, .search = search, .best_point = point, .lowest = NAN, .best = {NAN, NAN}};
    double *work = NULL;
    TW_TRY(tw_allocate_doubles(o->problem->ctx, o->free_count, 3, "a place", &work));
    for (size_t k = 0; k < o->free_count; k++) work[k] = fmin(fmax(point[k], o->low[k]), o->high[k]);
    c.optimiser = nlopt_create(NLOPT_LD_LBFGS, (unsigned)o->free_count);
    if (!c.optimiser)
        c.status = tw_fail(o->problem->ctx, TW_NO_MEMORY, "not enough memory for the optimiser");
    if (c.status == TW_OK) climb_in_rounds(&c, work, work + o->free_count, work + 2 * o->free_count);
    if (c.optimiser) nlopt_destroy(c.optimiser);
    tw_release(o->problem->ctx, work);
    *out = c.best;
    return c.status;
}
