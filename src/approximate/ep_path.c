/* ep_path.c: see ep_path.h. */
#include "approximate/ep_path.h"

#include <math.h>
#include <string.h>

#include "base/context.h"

/* In units of the marginals, as EP's residual. Measured: a prediction this good saves the sweep that it takes. */
static const double worst_error = 0.1;

static const double weights[TW_EP_PATH_POINTS][TW_EP_PATH_POINTS] = {
    {1.0, 0.0, 0.0, 0.0}, {2.0, -1.0, 0.0, 0.0}, {3.0, -3.0, 1.0, 0.0}, {4.0, -6.0, 4.0, -1.0}};

tw_status tw_ep_path_new(tw_context *ctx, size_t n, tw_ep_path *path)
{
    *path = (tw_ep_path){.ctx = ctx, .n = n};
    tw_ep_path_restart(path);
    return tw_allocate_doubles(ctx, 2 * n, TW_EP_PATH_POINTS + 1, "the sites of a path", &path->sites);
}

void tw_ep_path_release(tw_ep_path *path)
{
    tw_release(path->ctx, path->sites);
}

void tw_ep_path_restart(tw_ep_path *path)
{
    path->state.points = path->state.order = 0;
    path->state.error = INFINITY;
}

/* (tau, nu) of a site, extrapolated; that of the last point where tau would be negative. */
static void extrapolate(const tw_ep_path *p, size_t order, size_t site, double *tau, double *nu)
{
    const double *last = p->sites + site;
    *tau = *nu = 0.0;
    for (size_t k = 0; k <= order; k++) {
        *tau += weights[order][k] * last[2 * k * p->n];
        *nu += weights[order][k] * last[(2 * k + 1) * p->n];
    }
    if (*tau >= 0.0) return;
    *tau = last[0];
    *nu = last[p->n];
}

/* By how much the marginals would have been wrong: |dtau| variance and |dnu - dtau mean| sd, at the worst site. */
static double error_of(const tw_ep_path *p, size_t order, const tw_approximation *ep)
{
    double worst = 0.0;
    for (size_t i = 0; i < p->n; i++) {
        double tau, nu;
        extrapolate(p, order, i, &tau, &nu);
        double dtau = tau - ep->tau[i], dnu = nu - ep->nu[i], sd = sqrt(ep->variance[i]);
        worst = fmax(worst, fmax(fabs(dtau) * sd * sd, fabs(dnu - dtau * ep->mean[i]) * sd));
    }
    return worst;
}

void tw_ep_path_predict(tw_ep_path *p, tw_ep_options *options)
{
    double *tau = p->sites + 2 * p->n * TW_EP_PATH_POINTS, *nu = tau + p->n;
    if (!(p->state.error <= worst_error)) return;
    for (size_t i = 0; i < p->n; i++) extrapolate(p, p->state.order, i, &tau[i], &nu[i]);
    options->tau = tau;
    options->nu = nu;
}

void tw_ep_path_learn(tw_ep_path *p, const tw_approximation *ep)
{
    size_t block = 2 * p->n, points = p->state.points;
    tw_ep_path_restart(p);
    if (!ep->converged) return;
    for (size_t order = 0; order < points; order++) {
        double error = error_of(p, order, ep);
        if (error >= p->state.error) continue;
        p->state.error = error;
        p->state.order = order;
    }
    memmove(p->sites + block, p->sites, (TW_EP_PATH_POINTS - 1) * block * sizeof *p->sites);
    memcpy(p->sites, ep->tau, p->n * sizeof *ep->tau);
    memcpy(p->sites + p->n, ep->nu, p->n * sizeof *ep->nu);
    p->state.points = points < TW_EP_PATH_POINTS ? points + 1 : points;
}
