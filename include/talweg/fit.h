/* fit.h: fit the parameters of a problem that are not fixed, by maximising log Z (EP's or Laplace's) + log prior. */
#ifndef TALWEG_FIT_H
#define TALWEG_FIT_H

#include <stdbool.h>
#include <stdint.h>

#include <talweg/approximate.h>
#include <talweg/base.h>
#include <talweg/prior.h>
#include <talweg/problem.h>
#include <talweg/warning.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The progress of a fit. */
typedef struct tw_fit_progress {
    size_t start, starts; /* the current start, from 1, and the number of starts */
    size_t evaluations;   /* of log Z, of all starts */
    double best;          /* the largest log posterior so far; -inf before the first */
} tw_fit_progress;

/* How to search. */
typedef struct tw_fit_options {
    tw_approximation_kind kind; /* the approximation whose log Z is maximised */
    size_t starts; /* the first is at the values of the problem, and at the median of the prior (or default
                      prior) for parameters that were not given; in the others signal or noise dominates, with
                      long or short length scales */
    size_t max_evaluations; /* of log Z, for each start */
    bool cold;              /* EP always starts without sites, not from those of the last theta */
    uint64_t seed;
    void *user;
    /* True ends the fit with the best result so far. May be NULL. */
    bool (*on_progress)(void *user, const tw_fit_progress *p);
} tw_fit_options;
#define TW_FIT_DEFAULTS ((tw_fit_options){.kind = TW_EP, .starts = 8, .max_evaluations = 200, .seed = 1})

/* A maximum. */
typedef struct tw_optimum {
    double *theta;               /* all parameters */
    double log_z, log_posterior; /* the second is log Z + log prior */
    size_t starts;               /* number of starts that ended here */
} tw_optimum;

/* The result of a fit. The texts of its warnings live as long as it does. */
typedef struct tw_fit_result {
    tw_context *ctx;
    size_t count;        /* parameters */
    size_t optima;       /* distinct ones, at least 1 */
    tw_optimum *optimum; /* the best first */
    double *sd; /* count: of theta at the best optimum, from the curvature of the log posterior; NaN if not
                   available */
    bool *at_bound; /* count */
    /* Internal: the curvature at the best optimum, of all parameters that are not fixed; NULL if it is not that
     * of a maximum. */
    struct tw_gaussian *curvature;
    bool flat;          /* some direction is hardly determined */
    bool converged;     /* the gradient at the best is small in units of sd, and none is at a bound */
    double decrement;   /* distance to the maximum, in standard deviations; NaN if the direction is flat */
    size_t evaluations; /* of log Z, in total */
    size_t failures;    /* evaluations in which EP did not converge or K could not be factored */
    size_t starts;
    size_t starts_at_best; /* how many searches ended at the best optimum */
    bool stopped;          /* by on_progress */
    char words[512];       /* names for the warnings */
    tw_warnings warnings;
} tw_fit_result;

/* Fit. priors NULL: no priors, and no fixed parameters. options NULL: the defaults. Afterwards the problem is at
 * the best optimum. Returns TW_OK even if it did not converge: check the result. TW_NOT_CONVERGED if log Z could
 * not be computed at any start. TW_BAD_ARGUMENT if no parameter is free. */
TW_API tw_status tw_fit(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                        tw_fit_result **out);
TW_API void tw_fit_free(tw_fit_result *result);

#ifdef __cplusplus
}
#endif

#endif
