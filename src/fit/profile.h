/* profile.h: points in the tails of the priors from which a posterior is explored (fit/profile.c). */
#ifndef TALWEG_FIT_PROFILE_H
#define TALWEG_FIT_PROFILE_H

#include "talweg/fit.h"

enum { TW_PROFILE_MOST = 16 };

/* The best point with one free parameter held in a tail of its prior. Arrays are of the free parameters, at most
 * TW_PROFILE_MOST. */
typedef struct tw_profile {
    double log_posterior; /* NaN: none was found */
    bool deep;            /* more than `depth` nats below the best optimum, or NaN */
    double point[TW_PROFILE_MOST];
    double
        sd[TW_PROFILE_MOST]; /* from the curvature of the others, unless it is deep; NaN if not available */
} tw_profile;

/* The lower and the upper tail of each free parameter, which has a prior. Afterwards the problem
 * is at the best optimum. Adds to *evaluations. */
tw_status tw_fit_profiles(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                          const tw_optimum *best, double depth, tw_profile *out, size_t *evaluations);

#endif
