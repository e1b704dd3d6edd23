/* proposal.h: a multivariate t distribution of theta: a part of the mixture from which points are drawn (mixture.h). */
#ifndef TALWEG_HYPER_PROPOSAL_H
#define TALWEG_HYPER_PROPOSAL_H

#include "gaussian/dense.h"

enum { TW_PROPOSAL_MOST = 16 };

/* Of at most TW_PROPOSAL_MOST parameters; functions of a const one may be called from any thread. */
typedef struct tw_proposal {
    tw_context *ctx;
    size_t d;
    double df, log_constant;
    double *mean;       /* d */
    tw_gaussian *shape; /* N(0, C), of which the t distribution is a mixture of scales */
} tw_proposal;

/* Without a shape yet. */
tw_status tw_proposal_new(tw_context *ctx, size_t d, double df, tw_proposal **out);
void tw_proposal_free(tw_proposal *proposal);

/* C is the inverse of `precision`'s covariance; or has these standard deviations and no correlations. The mean stays. */
tw_status tw_proposal_invert(tw_proposal *proposal, const tw_gaussian *precision);
tw_status tw_proposal_spread(tw_proposal *proposal, const double *sd);

/* Points with weights of at least 0, d x points: a set that a proposal learns from. */
typedef struct tw_weighed {
    size_t points;
    const double *theta, *weight;
} tw_weighed;

/* Another one, whose mean and C are those of weighted points, C drawn towards that of `old` as `prior_points` points would. NULL where no weight
 * is above 0. */
tw_status tw_proposal_learn(const tw_proposal *old, const tw_weighed *from, double prior_points,
                            tw_proposal **out);

/* The theta of d + 1 uniform numbers: theta = m + F z sqrt(df / chi2), F F' = C. */
void tw_proposal_draw(const tw_proposal *proposal, const double *u, double *theta);
double tw_proposal_log_density(const tw_proposal *proposal, const double *theta);

/* The squared distance of two thetas in C's metric. */
double tw_proposal_distance2(const tw_proposal *proposal, const double *a, const double *b);

#endif
