/* ep.h: the state of expectation propagation, shared by its sweeps.
 *
 * q(x) = N(x; 0, K) prod exp(nu_n x_n - tau_n x_n^2/2): marginals N(mu_n, Sigma_nn). The cavity of site n is
 * its marginal with the site divided out; the tilted distribution is the cavity times the likelihood; at EP's
 * fixed point tilted and marginal moments agree at every site.
 */
#ifndef TALWEG_APPROXIMATE_EP_H
#define TALWEG_APPROXIMATE_EP_H

#include "approximate/approximate.h"
#include "gaussian/sweep.h"

typedef struct tw_ep {
    const tw_model *model;
    const tw_ep_options *options;
    tw_approximation *result; /* tau, nu; mean and variance are kept current */
    tw_sweep *sweep;          /* Sigma under changes of sites; NULL: EP in its parallel form */
    double *column;           /* n: work */
    double log_det_b;         /* log |I + T^1/2 K T^1/2| */
    double skip;              /* an update whose effect is below this is left out */
    double *behind;           /* n: what of tau is not in Sigma yet */
    double log_det_behind;    /* log |I + Sigma D| for it; the whole is log_det_b + log_det_behind */
    double wait;              /* Sigma may be behind by so much, in units of the marginal */
    bool stopped;             /* by the caller's on_progress */

    /* The double loop's outer parameters: marginal precision and shift, n each; NULL before it starts. */
    double *outer_precision, *outer_shift;
} tw_ep;

/* The cavity of site n for a marginal (mean, variance). False when it is not a proper distribution. */
typedef struct tw_cavity {
    double mean, variance;
} tw_cavity;
bool tw_ep_cavity(double tau, double nu, double mean, double variance, tw_cavity *out);

/* A site's new parameters from its current marginal; false leaves the site alone. */
typedef bool tw_ep_site_update(const tw_ep *ep, size_t site, double mean, double variance, double *tau,
                               double *nu);

/* One pass over all sites in order, each update seen by the next. Returns the largest effect of an update, in
 * units of the marginals. */
double tw_ep_sweep(tw_ep *ep, tw_ep_site_update *update);

/* Tell the caller's on_progress how many sites of this sweep are done, and ask before the next whether to go on:
 * TW_INTERRUPTED where not. */
void tw_ep_report(tw_ep *ep, size_t sites);
tw_status tw_ep_go_on(const tw_ep *ep);

/* The kinds of update: the sites that the options give, moment matching, and the inner problem of the double
 * loop. */
tw_ep_site_update tw_ep_given_site;
tw_ep_site_update tw_ep_match_moments;
tw_ep_site_update tw_ep_inner_update;

/* The double loop's outer step: hold the current marginals. */
tw_status tw_ep_hold_marginals(tw_ep *ep);

/* Parallel updates, each of all sites, until a verdict (ep_parallel.c). */
tw_status tw_ep_parallel(tw_ep *ep);

/* Are two values of log Z the same, to the tolerance or to the rounding error of their largest part? */
bool tw_ep_settled(const tw_ep *ep, double log_z, double before);

/* log Z and the residual (see tw_ep_options) of the current sites and marginals, with log_det = log|B|. pull: nu - T mu, where
 * it is known better than that difference is; else NULL. */
void tw_ep_measure(const tw_ep *ep, double log_det, const double *pull, double *log_z, double *residual);

#endif
