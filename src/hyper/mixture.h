/* mixture.h: the distribution of theta from which points are drawn: t distributions (bells), one about each optimum, and the stretched prior,
 *
 *   g(theta) = a_0 p(theta) r(theta) + sum_c a_c t_c(theta),     r = (1/d) sum_k 1 / (pi sqrt(F_k (1 - F_k))),   F_k = P(theta_k or less).
 *
 * Where the likelihood is flat, as it is where a length scale goes to 0 or infinity, the posterior has the tails of the prior, and no bell that was
 * adapted near the mode reaches them. Since r >= 2/pi, the weights p Z / g are at most (pi/2) max Z / a_0: bounded whatever the prior is. In a
 * tail, where F_k goes to 0, r grows like F_k^(-1/2): the weight times |theta_k| is bounded too where the prior of theta_k has a variance, so that
 * the mean of theta_k does not wait for rare points far out. A draw has one of its parameters, each as often, from the arcsine law of F_k. */
#ifndef TALWEG_HYPER_MIXTURE_H
#define TALWEG_HYPER_MIXTURE_H

#include "hyper/proposal.h"
#include "talweg/prior.h"

enum { TW_MIXTURE_BELLS = 4 };

/* Functions of a const one may be called from any thread. The priors and the parameters belong to others. */
typedef struct tw_mixture {
    tw_context *ctx;
    size_t d, bells;
    const tw_prior *prior[TW_PROPOSAL_MOST];
    const tw_parameter *parameter[TW_PROPOSAL_MOST];
    tw_proposal *bell[TW_MIXTURE_BELLS]; /* the largest first */
    double share[1 + TW_MIXTURE_BELLS];  /* of the prior, then of the bells; their sum is 1 */
} tw_mixture;

/* Of d parameters, whose priors the caller fills in, without a bell yet. */
tw_status tw_mixture_new(tw_context *ctx, size_t d, tw_mixture **out);
void tw_mixture_free(tw_mixture *mixture);

/* Another one, learned from weighted points. NULL where no weight is above 0. */
tw_status tw_mixture_learn(const tw_mixture *old, const tw_weighed *from, tw_mixture **out);

/* The theta of d + 1 uniform numbers, the last of which says from which part it is. */
void tw_mixture_draw(const tw_mixture *mixture, const double *u, double *theta);
double tw_mixture_log_density(const tw_mixture *mixture, const double *theta);

#endif
