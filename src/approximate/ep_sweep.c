/* ep_sweep.c: sequential EP sweeps (Rasmussen & Williams 2006, Algorithm 3.5) with delayed updates.
 *
 * With s = column n of Sigma, a change (dtau, dnu) of site n changes the posterior by
 *   Sigma  <- Sigma - dtau / (1 + dtau Sigma_nn) s s'
 *   mu     <- mu + (dnu - dtau mu_n) / (1 + dtau Sigma_nn) s
 *   log|B| <- log|B| + log(1 + dtau Sigma_nn).
 * The Algorithm applies each to all of Sigma; here they are collected (gaussian/sweep.h) and columns of Sigma
 * are formed where they are needed, so that a sweep is n^3 flops of level-3 BLAS and O(64 n^2) beside, and
 * the iterates are the same but for small changes of precision, which wait (change_site).
 */
#include <math.h>

#include "approximate/ep.h"
#include "base/team.h"

/* 1 - tau Sigma_nn is the share of the others in a marginal's precision. Where a site has all but ROUNDING of
 * it, the difference is rounding error; the cavity is then so broad that only its order of magnitude matters.
 */
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
    if (variance == 0.0) { /* x is known, as under a linear kernel at 0: a site would change nothing */
        *tau = *nu = 0.0;
        return true;
    }
    if (!tw_ep_cavity(*tau, *nu, mean, variance, &cavity)) return false;
    if (tw_likelihood_tilted(&m->observed, site, cavity.mean, cavity.variance, &tilted) != TW_OK)
        return false;
    double precision = 1.0 / tilted.variance;
    *tau = precision - 1.0 / cavity.variance;
    if (!m->observed.likelihood->peak)
        *tau = fmax(*tau, 0.0); /* log-concave: not negative but for rounding */
    *nu = tilted.mean * precision - cavity.mean / cavity.variance;
    return isfinite(*tau) && isfinite(*nu);
}

/* The variance of a site of the open block, to first order in what Sigma is behind. Where many sites change it together, less may
 * wait from here on. */
static double marginal_variance(tw_ep *ep, size_t site)
{
    static const double MOST = 12.0;
    double variance = ep->result->variance[site], behind = tw_sweep_variance(ep->sweep, site);
    if (fabs(variance - behind) > MOST * ep->wait * behind) ep->wait = fmax(0.5 * ep->wait, ep->skip);
    return variance;
}

/* Put what Sigma is behind at a site into it; `column` is its column there. */
static void catch_up_site(tw_ep *ep, size_t site)
{
    double behind = ep->behind[site], grown = 1.0 + behind * ep->column[site];
    if (!(grown > 0.0)) return;
    tw_sweep_change(ep->sweep, behind / grown, ep->column);
    ep->log_det_b += log1p(behind * ep->column[site]);
    ep->behind[site] = 0.0;
}

/* Change a site of the open block and all that depends on it. Returns the effect in units of the marginal. */
static double change_site(tw_ep *ep, size_t site, double variance, double tau, double nu)
{
    tw_approximation *r = ep->result;
    double dtau = tau - r->tau[site], dnu = nu - r->nu[site], mean = r->mean[site];
    double grown = 1.0 + dtau * variance, narrowing = dtau / grown;
    double shift = (dnu - dtau * mean) / grown;
    double effect = fmax(fabs(narrowing) * variance, fabs(shift) * sqrt(variance));
    if (!(grown > 0.0) || !isfinite(shift)) return INFINITY;
    bool skipped = effect <= ep->skip;
    if (!skipped) ep->behind[site] += dtau;
    bool late = fabs(ep->behind[site]) * variance > ep->wait;
    if (skipped && !late) return effect;
    tw_sweep_column(ep->sweep, site, ep->column);
    if (late) catch_up_site(ep, site);
    if (skipped) return effect;
    for (size_t i = 0; i < ep->model->n; i++) {
        r->mean[i] += shift * ep->column[i];
        r->variance[i] -= narrowing * ep->column[i] * ep->column[i];
    }
    r->tau[site] = tau;
    r->nu[site] = nu;
    return effect;
}

/* The marginals of the sites as they are, from a Sigma that is behind by D:
 *   variance = diag((Sigma^-1 + D)^-1) = diag(Sigma) - (Sigma o Sigma) d + O(d^2)
 *   mean     = Sigma (nu - D mean), by two iterations of this from the mean that the sweep left
 *   log |I + Sigma D| = d' diag(Sigma) - d' (Sigma o Sigma) d / 2 + O(d^3). */
static void set_marginals(tw_ep *ep)
{
    tw_approximation *r = ep->result;
    size_t n = ep->model->n;
    bool late = false;
    tw_sweep_variances(ep->sweep, r->variance);
    ep->log_det_behind = 0.0;
    for (size_t i = 0; i < n; i++) late |= ep->behind[i] != 0.0;
    if (!late) return;
    tw_sweep_multiply_squares(ep->sweep, ep->behind, ep->column);
    for (size_t i = 0; i < n; i++) {
        ep->log_det_behind += ep->behind[i] * (r->variance[i] - 0.5 * ep->column[i]);
        r->variance[i] -= ep->column[i];
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < n; i++) ep->column[i] = r->nu[i] - ep->behind[i] * r->mean[i];
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

/* log p(y_i | x_i). */
static double log_likelihood_at(const tw_model *m, size_t i, double x)
{
    tw_observations one = tw_observations_part(&m->observed, i, 1);
    double value;
    one.likelihood->terms(&one, &x, &value, NULL, NULL, NULL);
    return value;
}

/* With g = nu - T mu, the pull of the sites at the mean, log Z_q = log t(mu) - (g' mu + log|B|)/2 for the product t of the sites;
 * the cavity's mean is mu_n - s_n g_n, s_n its variance, and the integral of cavity times site
 *   log t_n(mu_n) - (s_n g_n^2 + log(1 + tau_n s_n))/2.
 * log t(mu), which is huge where observations are much more precise than the prior, is left out of both. */
void tw_ep_measure(const tw_ep *ep, double log_det, const double *pull, double *log_z, double *residual)
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
        double g = pull ? pull[i] : r->nu[i] - r->tau[i] * r->mean[i];
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
