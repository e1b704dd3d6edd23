/* mixture.h: the proposal of theta, a mixture of t distributions, one around each optimum, and a stretched
 * prior:
 *
 *   g(theta) = a_0 p(theta) r(theta) + sum_c a_c t_c(theta),
 *   r = (1/d) sum_k 1 / (pi sqrt(F_k (1 - F_k))),   F_k the prior distribution function of theta_k.
 *
 * Where the likelihood is flat, for example as a length scale goes to 0 or infinity, the posterior has the
 * tails of the prior, and no t distribution adapted near the mode covers them. Since r >= 2/pi, the weights
 * p Z / g are at most (pi/2) max Z / a_0, so they are bounded for every prior. In a tail, as F_k goes to 0,
 * r grows like F_k^(-1/2). Therefore the weight times |theta_k| is bounded too if the prior of theta_k has a
 * variance, and the mean of theta_k does not depend on rare points far out. To draw from p r, choose one
 * parameter k at random and draw its F_k from the arcsine distribution. */
#ifndef TALWEG_HYPER_MIXTURE_H
#define TALWEG_HYPER_MIXTURE_H

#include "hyper/proposal.h"
#include "talweg/prior.h"

enum { TW_MIXTURE_COMPONENTS = 4 };

/* Functions of a const mixture may be called from any thread. It does not own the priors and parameters. */
typedef struct tw_mixture {
    tw_context *ctx;
    size_t d, components;
    const tw_prior *prior[TW_PROPOSAL_MOST];
    const tw_parameter *parameter[TW_PROPOSAL_MOST];
    tw_proposal *component[TW_MIXTURE_COMPONENTS]; /* the largest first */
    double share[1 + TW_MIXTURE_COMPONENTS];       /* a_0, then those of the t components; their sum is 1 */
} tw_mixture;

/* A mixture for d parameters, whose priors the caller sets, without t components. */
tw_status tw_mixture_new(tw_context *ctx, size_t d, tw_mixture **out);
void tw_mixture_free(tw_mixture *mixture);

/* A new mixture adapted to weighted points. NULL if no weight is above 0. */
tw_status tw_mixture_learn(const tw_mixture *old, const tw_weighed *from, tw_mixture **out);

/* Map d + 1 uniform numbers to theta; the last selects the component. */
void tw_mixture_draw(const tw_mixture *mixture, const double *u, double *theta);
double tw_mixture_log_density(const tw_mixture *mixture, const double *theta);

#endif
