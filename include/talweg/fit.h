/* fit.h: parameters by the maximum of the approximate evidence: log Z (EP's or Laplace's) + log prior, over all parameters of a
 * problem that are not fixed.
 */
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

/* Where a fit stands. */
typedef struct tw_fit_progress {
    size_t start, starts; /* the start at hand, from 1, and all */
    size_t evaluations;   /* of log Z, of all starts */
    double best;          /* the largest log posterior so far; -inf before the first */
} tw_fit_progress;

/* How to search. */
typedef struct tw_fit_options {
    tw_approximation_kind kind; /* whose log Z */
    size_t
        starts; /* the first is where the problem is, with the centre of the prior, or of the default one, for
                                   what was not given; the others are drawn from the priors */
    size_t max_evaluations; /* of log Z, for each start */
    bool cold;              /* EP starts from nothing each time, not from the sites of the last theta */
    uint64_t seed;
    void *user;
    bool (*on_progress)(void *user,
                        const tw_fit_progress *p); /* true ends the fit with what there is; NULL: none */
} tw_fit_options;
#define TW_FIT_DEFAULTS ((tw_fit_options){.kind = TW_EP, .starts = 3, .max_evaluations = 200, .seed = 1})

/* A maximum. */
typedef struct tw_optimum {
    double *theta;               /* all parameters */
    double log_z, log_posterior; /* the second is log Z + log prior */
    size_t starts;               /* so many of them ended here */
} tw_optimum;

/* What was found. The texts of its warnings live as long as it does. */
typedef struct tw_fit_result {
    tw_context *ctx;
    size_t count;        /* parameters */
    size_t optima;       /* distinct ones, at least 1 */
    tw_optimum *optimum; /* the best first */
    double
        *sd; /* count: of theta at the best, from the curvature of the log posterior; NaN where it has none */
    bool *at_bound; /* count */
    /* The library's own: the curvature at the best, of all parameters that are not fixed; NULL where it is not that of a
     * maximum. */
    struct tw_gaussian *curvature;
    bool flat;          /* some direction is hardly determined */
    bool converged;     /* the gradient at the best is small in units of sd, and none is at a bound */
    double decrement;   /* how far the maximum still is, in standard deviations; NaN where it is flat */
    size_t evaluations; /* of log Z, all told */
    size_t failures;    /* those among them where EP did not converge or K could not be factored */
    size_t starts;
    bool stopped;    /* by on_progress */
    char words[512]; /* names for the warnings */
    tw_warnings warnings;
} tw_fit_result;

/* Fit. priors NULL: there are none, and none is fixed. options NULL: the defaults. Afterwards the problem is at the best
 * optimum. TW_OK also where it did not converge: the result says so. TW_NOT_CONVERGED where log Z could be computed at no
 * start. TW_BAD_ARGUMENT where no parameter is free. */
TW_API tw_status tw_fit(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                        tw_fit_result **out);
TW_API void tw_fit_free(tw_fit_result *result);

#ifdef __cplusplus
}
#endif

#endif
