/* proposal.h: a multivariate t distribution of theta, a component of the proposal (mixture.h). */
#ifndef TALWEG_HYPER_PROPOSAL_H
#define TALWEG_HYPER_PROPOSAL_H

#include "gaussian/dense.h"

enum { TW_PROPOSAL_MOST = 16 };

/* For at most TW_PROPOSAL_MOST parameters. Functions of a const proposal may be called from any thread. */
typedef struct tw_proposal {
    tw_context *ctx;
    size_t d;
    double df, log_constant;
    double *mean;       /* d */
    tw_gaussian *shape; /* N(0, C); the t distribution is a scale mixture of it */
} tw_proposal;

/* A proposal without a shape. */
tw_status tw_proposal_new(tw_context *ctx, size_t d, double df, tw_proposal **out);
void tw_proposal_free(tw_proposal *proposal);

/* Set C to the inverse of the covariance of `precision`, or to these standard deviations without
 * correlations. The mean stays. */
tw_status tw_proposal_invert(tw_proposal *proposal, const tw_gaussian *precision);
tw_status tw_proposal_spread(tw_proposal *proposal, const double *sd);

/* Points (d x points) with weights >= 0, to adapt a proposal to; log_density (points): the log density of the
 * distribution that they were drawn from, which only a mixture needs. */
typedef struct tw_weighed {
    size_t points;
    const double *theta, *weight, *log_density;
} tw_weighed;

/* A new proposal with the mean and C of weighted points; C is shrunk towards that of `old` with the weight of
 * `prior_points` points. `widen`: wider by the uncertainty of a few points' moments. NULL if no
 * weight is above 0. */
tw_status tw_proposal_learn(const tw_proposal *old, const tw_weighed *from, double prior_points, bool widen,
                            tw_proposal **out);

/* A copy whose C is that of `from` times scale^2. */
tw_status tw_proposal_scaled(const tw_proposal *from, double scale, tw_proposal **out);

/* Map d + 1 uniform numbers to theta = m + F z sqrt(df / chi2), F F' = C. */
void tw_proposal_draw(const tw_proposal *proposal, const double *u, double *theta);
double tw_proposal_log_density(const tw_proposal *proposal, const double *theta);

/* The squared distance of two thetas in the metric C^-1. */
double tw_proposal_distance2(const tw_proposal *proposal, const double *a, const double *b);

#endif
