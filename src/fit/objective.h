/* objective.h: log Z + log prior as a function of the free parameters. */
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
    size_t *index;            /* free_count: the index of each free parameter in theta */
    double *theta, *gradient; /* count each: the last evaluation */
    tw_prior *usual;          /* free_count: the default priors */
    double *low, *high;       /* free_count each: the box of the search */
    double *tau, *nu;         /* n each: EP's sites at the last theta where it converged */
    bool has_sites;
    size_t evaluations, failures;
} tw_objective;

/* The value at one theta. */
typedef struct tw_objective_value {
    double log_z, log_posterior; /* NaN if the approximation failed there */
} tw_objective_value;

tw_status tw_objective_new(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                           tw_objective **out);
void tw_objective_free(tw_objective *o);

/* Evaluate at `point`, the free parameters. gradient (free_count) may be NULL. */
tw_status tw_objective_at(tw_objective *o, const double *point, double *gradient, tw_objective_value *out);

/* Where search `start` begins, from 0: origin is theta where a value was given, and NaN elsewhere
 * (fit/starts.c). */
void tw_objective_start(const tw_objective *o, const double *origin, size_t start, double *point);

/* Maximise from `point`, which becomes the best point found (fit/search.c). */
typedef struct tw_search {
    const tw_fit_result *known; /* the optima of earlier starts */
    size_t start;
    double best; /* the largest log posterior of all starts */
    bool stopped;
} tw_search;
tw_status tw_objective_climb(tw_objective *o, tw_search *search, double *point, tw_objective_value *out);

/* Standard deviations at `point` for the free parameters that move, from central differences of the gradient
 * (fit/curvature.c). *flat: the Hessian is not that of a maximum, or a standard deviation is above 3.
 * *decrement: the distance to the maximum in standard deviations. *out: a Gaussian whose covariance is the
 * Hessian of minus the log posterior in all free parameters, which the caller frees; NULL if some parameters
 * do not move or it is not positive definite. */
tw_status tw_objective_curvature(tw_objective *o, const double *point, const bool *moves, double *sd,
                                 bool *flat, double *decrement, tw_gaussian **out);

#endif
