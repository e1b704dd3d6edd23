/* ep_sweep.c: sequential EP sweeps (Rasmussen & Williams 2006, Algorithm 3.5) with delayed updates.
 *
 * With s = column n of Sigma, a change (dtau, dnu) of site n changes the posterior by
 *   Sigma  <- Sigma - dtau / (1 + dtau Sigma_nn) s s'
 *   mu     <- mu + (dnu - dtau mu_n) / (1 + dtau Sigma_nn) s
 *   log|B| <- log|B| + log(1 + dtau Sigma_nn).
 * Algorithm 3.5 applies each update to all of Sigma. Here updates are collected (gaussian/sweep.h) and
 * columns of Sigma are computed when needed, so a sweep costs n^3 flops of level-3 BLAS and O(64 n^2) others.
 * The iterates are the same, except that small changes of tau stay pending (change_site): they change the
 * marginals at once, but Sigma only when they have added up.
 */
#include <math.h>

#include "approximate/ep.h"
#include "base/team.h"

/* The cavity has precision 1/variance - tau, the fraction `rest` of the marginal's. If rest is below
 * ROUNDING, it is rounding error, and the cavity is so broad that only the order of magnitude of its variance
 * matters. */
bool tw_ep_cavity(double tau, double nu, double mean, double variance, tw_cavity *out)
{
    static const double ROUNDING = 1e-12;
    double rest = 1.0 - tau * variance;
    if (!(rest > -ROUNDING) || !(variance > 0.0)) return false;
    out->variance = variance / fmax(rest, ROUNDING);
    out->mean = mean + out->variance * (tau * mean - nu);
    return isfinite(out->mean) && isfinite(out->variance);
}

bool tw_ep_given_site(const tw_ep *ep, size_t site, double mean, double variance, double *tau, double *nu)
{
    (void)mean;
    (void)variance;
    *tau = ep->options->tau[site];
    *nu = ep->options->nu[site];
    return (*tau >= 0.0 || ep->model->observed.likelihood->peak) && isfinite(*tau) && isfinite(*nu);
}

bool tw_ep_match_moments(const tw_ep *ep, size_t site, double mean, double variance, double *tau, double *nu)
{
    const tw_model *m = ep->model;
    tw_cavity cavity;
    tw_tilted tilted;
    if (variance == 0.0) { /* x is known (a linear kernel at 0), so a site would change nothing */
        *tau = *nu = 0.0;
        return true;
    }
    if (!tw_ep_cavity(*tau, *nu, mean, variance, &cavity)) return false;
    if (tw_likelihood_tilted(&m->observed, site, cavity.mean, cavity.variance, &tilted) != TW_OK)
        return false;
    double precision = 1.0 / tilted.variance;
    *tau = precision - 1.0 / cavity.variance;
    if (!m->observed.likelihood->peak) *tau = fmax(*tau, 0.0); /* log-concave: negative only by rounding */
    *nu = tilted.mean * precision - cavity.mean / cavity.variance;
    return isfinite(*tau) && isfinite(*nu);
}

/* The marginal variance of a site of the open block, to first order in the pending precisions. If pending
 * changes of many sites add up to a large difference from Sigma_nn, lower the limit for the rest of the
 * sweep. */
static double marginal_variance(tw_ep *ep, size_t site)
{
    static const double MOST = 12.0;
    double variance = ep->result->variance[site], stored = tw_sweep_variance(ep->sweep, site);
    if (fabs(variance - stored) > MOST * ep->pending_limit * stored)
        ep->pending_limit = fmax(0.5 * ep->pending_limit, ep->skip);
    return variance;
}

/* Put the pending precision of a site into Sigma; ep->column holds that column of Sigma. */
static void apply_pending(tw_ep *ep, size_t site)
{
    double pending = ep->pending[site], grown = 1.0 + pending * ep->column[site];
    if (!(grown > 0.0)) return;
    tw_sweep_change(ep->sweep, pending / grown, ep->column);
    ep->log_det_b += log1p(pending * ep->column[site]);
    ep->pending[site] = 0.0;
}

/* Change a site of the open block to (tau, nu), and update all marginals. An update with an effect below
 * `skip` is not made; a change of tau goes into Sigma when the site's pending precision exceeds its limit.
 * Returns the effect in units of the marginal. */
static double change_site(tw_ep *ep, size_t site, double variance, double tau, double nu)
{
    tw_approximation *r = ep->result;
    double dtau = tau - r->tau[site], dnu = nu - r->nu[site], mean = r->mean[site];
    double grown = 1.0 + dtau * variance, narrowing = dtau / grown;
    double shift = (dnu - dtau * mean) / grown;
    double effect = fmax(fabs(narrowing) * variance, fabs(shift) * sqrt(variance));
    if (!(grown > 0.0) || !isfinite(shift)) return INFINITY;
    bool skipped = effect <= ep->skip;
    if (!skipped) ep->pending[site] += dtau;
    bool due = fabs(ep->pending[site]) * variance > ep->pending_limit;
    if (skipped && !due) return effect;
    tw_sweep_column(ep->sweep, site, ep->column);
    if (due) apply_pending(ep, site);
    if (skipped) return effect;
    for (size_t i = 0; i < ep->model->n; i++) {
        r->mean[i] += shift * ep->column[i];
        r->variance[i] -= narrowing * ep->column[i] * ep->column[i];
    }
    r->tau[site] = tau;
    r->nu[site] = nu;
    return effect;
}

/* Recompute the marginals of the current sites from Sigma and the pending precisions d, D = diag(d):
 *   variance = diag((Sigma^-1 + D)^-1) = diag(Sigma) - (Sigma o Sigma) d + O(d^2)
 *   mean     = Sigma (nu - D mean), by two fixed-point iterations from the mean at the end of the sweep
 *   log |I + Sigma D| = d' diag(Sigma) - d' (Sigma o Sigma) d / 2 + O(d^3). */
static void set_marginals(tw_ep *ep)
{
    tw_approximation *r = ep->result;
    size_t n = ep->model->n;
    bool any_pending = false;
    tw_sweep_variances(ep->sweep, r->variance);
    ep->log_det_pending = 0.0;
    for (size_t i = 0; i < n; i++) any_pending |= ep->pending[i] != 0.0;
    if (!any_pending) return;
    tw_sweep_multiply_squares(ep->sweep, ep->pending, ep->column);
    for (size_t i = 0; i < n; i++) {
        ep->log_det_pending += ep->pending[i] * (r->variance[i] - 0.5 * ep->column[i]);
        r->variance[i] -= ep->column[i];
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) ep->column[i] = r->nu[i] - ep->pending[i] * r->mean[i];
        tw_sweep_multiply(ep->sweep, ep->column, r->mean);
    }
}

void tw_ep_report(tw_ep *ep, size_t sites)
{
    const tw_ep_options *o = ep->options;
    const tw_approximation *r = ep->result;
    tw_progress now = TW_PROGRESS("expectation propagation", "sweeps", r->iterations, 0);
    now.share = (double)sites / (double)ep->model->n;
    now.residual = r->iterations > 1 ? r->residual : INFINITY;
    bool stops = o->on_progress && tw_team_leads(ep->model->ctx) && o->on_progress(o->user, &now);
    if (tw_team_stops(ep->model->ctx, stops)) ep->stopped = true;
}

tw_status tw_ep_go_on(const tw_ep *ep)
{
    return ep->stopped ? tw_interrupt(ep->model->ctx) : tw_poll(ep->model->ctx);
}

double tw_ep_sweep(tw_ep *ep, tw_ep_site_update *update)
{
    tw_approximation *r = ep->result;
    size_t n = ep->model->n;
    double largest = 0.0;
    for (size_t first = 0; first < n; first += TW_SWEEP_BLOCK) {
        size_t count = n - first < TW_SWEEP_BLOCK ? n - first : TW_SWEEP_BLOCK;
        tw_sweep_open(ep->sweep, first, count);
        for (size_t site = first; site < first + count; site++) {
            double variance = marginal_variance(ep, site);
            double tau = r->tau[site], nu = r->nu[site];
            bool proper = update(ep, site, r->mean[site], variance, &tau, &nu);
            largest = fmax(largest, proper ? change_site(ep, site, variance, tau, nu) : INFINITY);
        }
        tw_sweep_close(ep->sweep);
        tw_ep_report(ep, first + count);
    }
    set_marginals(ep);
    return largest;
}

/* log p(y_i | x). */
static double log_likelihood_at(const tw_model *m, size_t i, double x)
{
    tw_observations one = tw_observations_part(&m->observed, i, 1);
    double value;
    one.likelihood->terms(&one, &x, &value, NULL, NULL, NULL);
    return value;
}

/* Let g = nu - T mu (the pull of the sites at the mean) and t_n(x) = exp(nu_n x - tau_n x^2/2) with product
 * t. Then
 *   log Z_q = (nu' mu - log|B|)/2 = log t(mu) - (g' mu + log|B|)/2.
 * The cavity of variance s_n has mean mu_n - s_n g_n, and the log of the integral of cavity times site is
 *   log t_n(mu_n) - (s_n g_n^2 + log(1 + tau_n s_n))/2.
 * log t(mu) cancels in log Z_EP. It is huge if observations are much more precise than the prior, so it is
 * left out of both terms. */
void tw_ep_measure(const tw_ep *ep, double log_det, double *log_z, double *residual)
{
    const tw_model *m = ep->model;
    const tw_approximation *r = ep->result;
    *log_z = -0.5 * log_det;
    *residual = 0.0;
    for (size_t i = 0; i < m->n; i++) {
        tw_cavity cavity;
        tw_tilted tilted;
        if (r->variance[i] == 0.0) {
            *log_z += log_likelihood_at(m, i, r->mean[i]);
            continue;
        }
        double g = r->nu[i] - r->tau[i] * r->mean[i];
        bool proper = tw_ep_cavity(r->tau[i], r->nu[i], r->mean[i], r->variance[i], &cavity);
        cavity.mean = proper ? r->mean[i] - cavity.variance * g : 0.0;
        if (!proper ||
            tw_likelihood_tilted(&m->observed, i, cavity.mean, cavity.variance, &tilted) != TW_OK) {
            *log_z = NAN;
            *residual = INFINITY;
            return;
        }
        *log_z += tilted.log_z +
                  0.5 * (cavity.variance * g * g + log1p(r->tau[i] * cavity.variance) - g * r->mean[i]);
        double mean_gap = fabs(tilted.mean - r->mean[i]) / sqrt(r->variance[i]);
        double variance_gap = fabs(tilted.variance / r->variance[i] - 1.0);
        *residual = fmax(*residual, fmax(mean_gap, variance_gap));
    }
}
