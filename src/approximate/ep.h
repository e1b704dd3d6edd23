/* ep.h: the state of expectation propagation (EP) and the functions that its algorithms share.
 *
 * q(x) is proportional to N(x; 0, K) prod_n exp(nu_n x_n - tau_n x_n^2/2), with T = diag(tau), and has
 * marginals N(mu_n, Sigma_nn). The cavity of site n is its marginal divided by the site; the tilted
 * distribution is the cavity times the likelihood. At EP's fixed point the mean and variance of the tilted
 * distribution equal those of the marginal at every site.
 *
 * Sequential sweeps do not put every change of tau into Sigma at once (ep_sweep.c): Sigma belongs to the
 * precisions tau - pending, and the marginals are corrected for pending.
 */
#ifndef TALWEG_APPROXIMATE_EP_H
#define TALWEG_APPROXIMATE_EP_H

#include "approximate/approximate.h"
#include "gaussian/sweep.h"

typedef struct tw_ep {
    const tw_model *model;
    const tw_ep_options *options;
    tw_approximation *result; /* tau and nu, with the mean and variance of q at these sites */
    tw_sweep *sweep;          /* Sigma; NULL in parallel EP */
    double *column;           /* n: work space */
    double skip;              /* an update with a smaller effect is not made */
    double *pending;          /* n: the part of tau that is not yet in Sigma, the diagonal of D */
    double pending_limit;     /* the largest |pending_n| Sigma_nn that may remain after an update */
    double log_det_b;         /* log |B| = log |I + T^1/2 K T^1/2| without the pending part */
    double log_det_pending;   /* log |I + Sigma D|; log |B| is the sum of both */
    double rebuilt_log_z;     /* log Z of the last q rebuilt, by the sums of sweeps */
    bool stopped;             /* the caller's on_progress asked to stop */

    /* The double loop's outer parameters: marginal precisions and shifts, n each; NULL before it starts. */
    double *outer_precision, *outer_shift;
} tw_ep;

/* The cavity of a site (tau, nu) with the marginal (mean, variance). Returns false if it has no positive,
 * finite variance. */
typedef struct tw_cavity {
    double mean, variance;
} tw_cavity;
bool tw_ep_cavity(double tau, double nu, double mean, double variance, tw_cavity *out);

/* Computes a site's new (tau, nu) from its marginal; on entry *tau and *nu are the current ones. Returns
 * false if there is no proper update; the caller then leaves the site unchanged. */
typedef bool tw_ep_site_update(const tw_ep *ep, size_t site, double mean, double variance, double *tau,
                               double *nu);

/* Update all sites in order, each with the marginals after the previous update. Returns the largest effect of
 * an update in units of the marginals (standard deviations of the mean, relative change of the variance),
 * infinite if a site had no proper update. */
double tw_ep_sweep(tw_ep *ep, tw_ep_site_update *update);

/* Call the caller's on_progress after `sites` sites of this sweep and record whether it asks to stop.
 * tw_ep_go_on returns TW_INTERRUPTED if it did, or if the context was interrupted. */
void tw_ep_report(tw_ep *ep, size_t sites);
tw_status tw_ep_go_on(const tw_ep *ep);

/* The updates: the initial sites of the options; moment matching; the inner problem of the double loop. */
tw_ep_site_update tw_ep_given_site;
tw_ep_site_update tw_ep_match_moments;
tw_ep_site_update tw_ep_inner_update;

/* The double loop's outer step: set the outer parameters to the current marginals. */
tw_status tw_ep_hold_marginals(tw_ep *ep);

/* Iterate parallel updates until convergence or max_sweeps (ep_parallel.c). */
tw_status tw_ep_parallel(tw_ep *ep);

/* Do two values of log Z agree to the tolerance, or to the rounding error of their largest part? */
bool tw_ep_settled(const tw_ep *ep, double log_z, double before);

/* log Z and the residual (see tw_ep_options) of the current sites and marginals, with log_det = log|B|. */
void tw_ep_measure(const tw_ep *ep, double log_det, double *log_z, double *residual);

#endif
