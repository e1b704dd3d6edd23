/* proposal.h: a multivariate t distribution of theta, from which points are drawn. */
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

/* Mean and C become those of weighted points (d x points), drawn towards what they were as `prior_points` points would. Nothing
 * happens where no weight is above 0. */
tw_status tw_proposal_learn(tw_proposal *proposal, size_t points, const double *theta,
                            const double *log_weight, double prior_points);

/* The theta of d + 1 uniform numbers: theta = m + F z sqrt(df / chi2), F F' = C. */
void tw_proposal_draw(const tw_proposal *proposal, const double *u, double *theta);
double tw_proposal_log_density(const tw_proposal *proposal, const double *theta);

/* The squared distance of two thetas in C's metric. */
double tw_proposal_distance2(const tw_proposal *proposal, const double *a, const double *b);

#endif
