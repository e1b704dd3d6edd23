/* profile.c: the best points where one parameter is in a tail of its prior.
 *
 * Where a parameter goes to an end, the likelihood tends to that of a simpler model: white noise as all length
 * scales go to 0, no noise, no signal. The posterior may have a ridge there that leads to no optimum. So each
 * parameter in turn is held at the quantile TAIL of its prior, on either side, and the others are maximised. */
#include "fit/profile.h"

#include <math.h>
#include <string.h>

#include "fit/objective.h"

static const double TAIL = 0.006; /* 2.5 standard deviations of a normal prior */

/* Maximise from the mode with parameter k held at the quantile p. */
static tw_status climb(tw_objective *o, size_t k, double p, const double *mode, tw_profile *out)
{
    const tw_fit_result nothing = {0};
    tw_search search = {.known = &nothing, .best = -INFINITY};
    tw_objective_value value;
    size_t j = o->index[k];
    double low = o->low[k], high = o->high[k];
    double at = tw_prior_quantile(&o->priors->prior[j], tw_problem_parameter(o->problem, j), p);
    for (size_t a = 0; a < o->free_count; a++) out->point[a] = mode[o->index[a]];
    out->point[k] = o->low[k] = o->high[k] = fmin(fmax(at, low), high);
    o->has_sites = false;
    tw_status status = tw_objective_climb(o, &search, out->point, &value);
    o->low[k] = low;
    o->high[k] = high;
    out->log_posterior = value.log_posterior;
    return status;
}

/* Standard deviations of all parameters but k. */
static tw_status measure(tw_objective *o, size_t k, tw_profile *out)
{
    bool moves[TW_PROFILE_MOST], flat;
    double decrement;
    tw_gaussian *none = NULL;
    for (size_t a = 0; a < o->free_count; a++) moves[a] = a != k;
    return tw_objective_curvature(o, out->point, moves, out->sd, &flat, &decrement, &none);
}

tw_status tw_fit_profiles(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                          const tw_optimum *best, double depth, tw_profile *out, size_t *evaluations)
{
    tw_objective *o = NULL;
    TW_TRY(tw_objective_new(problem, priors, options, &o));
    tw_status status = TW_OK;
    for (size_t i = 0; i < 2 * o->free_count && status == TW_OK; i++) {
        status = climb(o, i / 2, i % 2 == 0 ? TAIL : 1.0 - TAIL, best->theta, &out[i]);
        out[i].deep = !(out[i].log_posterior > best->log_posterior - depth);
        if (status == TW_OK && !out[i].deep) status = measure(o, i / 2, &out[i]);
    }
    if (status == TW_OK) status = tw_problem_set_theta(problem, best->theta);
    *evaluations += o->evaluations;
    tw_objective_free(o);
    return status;
}
