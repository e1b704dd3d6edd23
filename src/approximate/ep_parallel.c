/* ep_parallel.c: EP with parallel, damped updates.
 *
 * It serves Gaussians that cannot be swept site by site, and likelihoods that are not log-concave. A sweep
 * updates every site from the same marginals, with damping eta in natural parameters,
 *   (tau, nu) <- (1 - eta) (tau, nu) + eta (tau', nu'),
 * where (tau', nu') match moments, and then conditions the prior on all sites: one factorisation and the
 * marginal variances. The fixed points are those of sequential sweeps. Undamped updates can oscillate or
 * diverge if sites are strongly coupled, so eta is halved whenever the residual grows, and recovers slowly.
 * Rounding errors do not accumulate, because every sweep computes q from its sites.
 *
 * If the likelihood is not log-concave, tau' may be negative and K^-1 + T not positive definite. Then eta is
 * halved and the sites go back half the way, until it is.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "approximate/ep.h"
#include "linalg/vector.h"

static const double min_eta = 1.0 / 64.0, recovery = 1.2;
static const double first_eta_not_concave = 0.5; /* the first eta if the likelihood is not log-concave */

/* Compute q and the marginals from the current sites. Returns false if K^-1 + T is not positive definite. */
static bool condition(tw_ep *ep, tw_gaussian *q)
{
    tw_approximation *r = ep->result;
    double log_z;
    if (!tw_gaussian_condition(ep->model->prior, 1.0, r->tau, r->nu, q, &log_z)) return false;
    memcpy(r->mean, q->mean, r->n * sizeof *r->mean);
    memcpy(r->variance, q->variance, r->n * sizeof *r->variance);
    ep->log_det_b = ep->model->prior->log_det - q->log_det;
    return true;
}

static tw_status fail_condition(const tw_ep *ep)
{
    return tw_fail(ep->model->ctx, TW_NUMERICAL_FAILURE,
                   "EP's covariance could not be factored: its precisions are too large for double "
                   "precision");
}

/* Update all sites from the current marginals. A site without a proper update is left unchanged. */
static void update_sites(tw_ep *ep, double eta)
{
    tw_approximation *r = ep->result;
    for (size_t i = 0; i < r->n; i++) {
        double tau = r->tau[i], nu = r->nu[i];
        if (!tw_ep_match_moments(ep, i, r->mean[i], r->variance[i], &tau, &nu)) continue;
        r->tau[i] += eta * (tau - r->tau[i]);
        r->nu[i] += eta * (nu - r->nu[i]);
    }
}

/* Start from the sites that the options give, or from the prior. */
static tw_status start(tw_ep *ep, tw_gaussian *q)
{
    tw_approximation *r = ep->result;
    for (size_t i = 0; ep->options->tau && i < r->n; i++) {
        double tau, nu;
        if (!tw_ep_given_site(ep, i, 0.0, 0.0, &tau, &nu)) continue;
        r->tau[i] = tau;
        r->nu[i] = nu;
    }
    return condition(ep, q) ? TW_OK : fail_condition(ep);
}

/* One sweep; while q is not a distribution, halve eta and go half the way back. `kept` (2 n) receives the
 * sites before the sweep, tau and then nu. */
static tw_status sweep(tw_ep *ep, tw_gaussian *q, double *kept, double *eta)
{
    tw_approximation *r = ep->result;
    memcpy(kept, r->tau, r->n * sizeof *kept);
    memcpy(kept + r->n, r->nu, r->n * sizeof *kept);
    update_sites(ep, *eta);
    while (!condition(ep, q)) {
        if (!ep->model->observed.likelihood->peak || *eta < min_eta * min_eta) return fail_condition(ep);
        *eta *= 0.5;
        for (size_t i = 0; i < r->n; i++) {
            r->tau[i] = 0.5 * (r->tau[i] + kept[i]);
            r->nu[i] = 0.5 * (r->nu[i] + kept[i + r->n]);
        }
    }
    return TW_OK;
}

static tw_status iterate(tw_ep *ep, tw_gaussian *q, double *kept)
{
    tw_approximation *r = ep->result;
    bool concave = !ep->model->observed.likelihood->peak;
    double eta = concave ? 1.0 : first_eta_not_concave, log_z = NAN, residual = INFINITY;
    while (!r->converged && r->iterations < ep->options->max_sweeps) {
        double before = log_z;
        TW_TRY(tw_ep_go_on(ep));
        r->iterations++;
        TW_TRY(sweep(ep, q, kept, &eta));
        tw_ep_measure(ep, ep->log_det_b, &log_z, &r->residual);
        tw_ep_report(ep, r->n);
        r->converged = r->residual <= ep->options->site_tolerance && tw_ep_settled(ep, log_z, before);
        eta = r->residual <= residual ? fmin(recovery * eta, 1.0) : fmax(0.5 * eta, min_eta);
        residual = r->residual;
    }
    return TW_OK;
}

tw_status tw_ep_parallel(tw_ep *ep)
{
    tw_gaussian *q = NULL;
    double *kept = NULL;
    tw_status status = tw_gaussian_like(ep->model->prior, false, &q);
    if (status == TW_OK)
        status = tw_allocate_doubles(ep->model->ctx, ep->model->n, 2, "EP's sites of before", &kept);
    if (status == TW_OK) status = start(ep, q);
    if (status == TW_OK) status = iterate(ep, q, kept);
    tw_release(ep->model->ctx, kept);
    tw_gaussian_free(q);
    return status;
}
