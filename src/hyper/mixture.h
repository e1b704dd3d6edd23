/* mixture.h: the proposal of theta, a mixture of t distributions and a stretched prior:
 *
 *   g(theta) = a_0 p(theta) r(theta) + |dz/dtheta| sum_c a_c t_c(z(theta)),
 *   r = (1/d) sum_k 1 / (pi sqrt(F_k (1 - F_k))),   F_k the prior distribution function of theta_k.
 *
 * The t distributions are of z_k = theta_k, or z_k = Phi^-1(F_k) where the prior of theta_k is uniform: a
 * posterior that leans against the end of a uniform prior has no t distribution in theta near it, but one in z.
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

enum { TW_MIXTURE_COMPONENTS = 12 };

/* Functions of a const mixture may be called from any thread. It does not own the priors and parameters. */
typedef struct tw_mixture {
    tw_context *ctx;
    size_t d, components;
    size_t clusters; /* learn so many components about clusters of points, after a wide one; 0: adapt the
                        components that there are */
    const tw_prior *prior[TW_PROPOSAL_MOST];
    const tw_parameter *parameter[TW_PROPOSAL_MOST];
    tw_proposal *component[TW_MIXTURE_COMPONENTS]; /* of z; the first is the wide one, or the largest */
    double share[1 + TW_MIXTURE_COMPONENTS];       /* a_0, then those of the t components; their sum is 1 */
} tw_mixture;

/* A mixture for d parameters, whose priors the caller sets, without t components. */
tw_status tw_mixture_new(tw_context *ctx, size_t d, tw_mixture **out);
void tw_mixture_free(tw_mixture *mixture);

/* A new mixture adapted to weighted points of theta. NULL if no weight is above 0. (hyper/learn.c) */
tw_status tw_mixture_learn(const tw_mixture *old, const tw_weighed *from, double leverage, tw_mixture **out);

/* A copy whose t components are `scale` times as wide, with df degrees of freedom. */
tw_status tw_mixture_copy(const tw_mixture *from, double scale, double df, tw_mixture **out);

/* z of theta, with log |dz/dtheta|, and theta of z; whether z_k is another number than theta_k. */
double tw_mixture_warp(const tw_mixture *mixture, const double *theta, double *z);
void tw_mixture_unwarp(const tw_mixture *mixture, const double *z, double *theta);
bool tw_mixture_is_warped(const tw_mixture *mixture, size_t k);

/* Map d + 1 uniform numbers to theta; the last selects the component. */
void tw_mixture_draw(const tw_mixture *mixture, const double *u, double *theta);
double tw_mixture_log_density(const tw_mixture *mixture, const double *theta);

/* The logs of a_0 p r at theta, and of all parts of g, the first of which is given: log a_0 p r, log a_c t_c +
 * log |dz/dtheta|; returns the log of their sum. */
double tw_mixture_log_stretched(const tw_mixture *mixture, const double *theta);
double tw_mixture_log_parts(const tw_mixture *mixture, const double *z, double log_jacobian,
                            double log_stretched, double part[1 + TW_MIXTURE_COMPONENTS]);

#endif
