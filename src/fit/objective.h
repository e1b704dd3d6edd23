/* objective.h: log Z + log prior as a function of the parameters that are free. */
#ifndef TALWEG_FIT_OBJECTIVE_H
#define TALWEG_FIT_OBJECTIVE_H

#include "base/context.h"
#include "gaussian/gaussian.h"
#include "talweg/fit.h"

typedef struct tw_objective {
    tw_problem *problem;
    const tw_priors *priors; /* NULL: none */
    const tw_fit_options *options;
    size_t count, free_count;
    size_t *index;            /* free_count: the place of a free parameter in theta */
    double *theta, *gradient; /* count each: of the last evaluation */
    double *low, *high;       /* free_count each: the box in which to search */
    double *tau, *nu;         /* n each: the sites at the last theta where EP converged */
    bool has_sites;
    size_t evaluations, failures;
} tw_objective;

/* What there is at a theta. */
typedef struct tw_height {
    double log_z, log_posterior; /* NaN where log Z cannot be had there */
} tw_height;

tw_status tw_objective_new(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                           tw_objective **out);
void tw_objective_free(tw_objective *o);

/* At `place`, the free parameters; gradient (free_count) NULL: not wanted. */
tw_status tw_objective_at(tw_objective *o, const double *place, double *gradient, tw_height *out);

/* Search from `place` upwards, which becomes the best place found (fit/search.c). */
typedef struct tw_search {
    const tw_fit_result *known; /* optima that earlier starts ended at */
    size_t start;
    double best; /* over all starts */
    bool stopped;
} tw_search;
tw_status tw_objective_climb(tw_objective *o, tw_search *search, double *place, tw_height *out);

/* Standard deviations at `place`, for the free parameters that move (fit/curvature.c): from central differences of the gradient. *flat: the
 * curvature is not that of a maximum, or an sd is above 3. *decrement: how far the maximum is, in standard deviations. *out: a
 * Gaussian whose covariance is the Hessian of minus the log posterior in all free parameters, for the caller to free; NULL where some do not move,
 * or it is not positive definite. */
tw_status tw_objective_curvature(tw_objective *o, const double *place, const bool *moves, double *sd,
                                 bool *flat, double *decrement, tw_gaussian **out);

#endif
