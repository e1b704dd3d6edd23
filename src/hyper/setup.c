/* setup.c: find the optima of p(theta) Z_EP(theta), make a mixture of the prior and of t components around
 * them, and adapt it (rounds.c). The estimate does not use these points. */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "fit/profile.h"
#include "hyper/hyper.h"
#include "talweg/fit.h"

/* Degrees of freedom of a t component. With many parameters, nearly all points of a t distribution are about
 * sqrt(d) scales from its centre, and its spread of scales costs more points than the posterior's tails
 * require. The prior component bounds the weights there, so lighter tails suffice. */
static const double DF = 10.0, DF_MANY = 20.0;

/* The prior's share of the first round's points, which look for lobes and optima that the search missed. With
 * many parameters the prior finds little. */
static const double FIRST_PRIOR = 0.5, FIRST_PRIOR_MANY = 0.25;

/* The mean of a component in a parameter with a uniform prior, in normal scores (mixture.h), is not beyond this.
 */
static const double INSIDE = 2.3;

static const double WIDER = 3.0;
enum { OPTIMA = 4, CLUSTERS = 8 };

/* Components in the tails of the priors (fit/profile.c): not more nats below the mode, evaluations of a search, their
 * standard deviations relative to those of the curvature, or of the prior if there are none. */
static const double TAIL_DEPTH = 15.0, TAIL_WIDER = 1.5, TAIL_SPREAD = 0.5;
enum { TAIL_EVALUATIONS = 15 };

static double degrees(const tw_hyper *h)
{
    return tw_hyper_explores(h) ? DF : DF_MANY;
}

/* ---- the mode ---- */

static bool watch_fit(void *user, const tw_fit_progress *p)
{
    tw_hyper *h = user;
    tw_progress now = TW_PROGRESS("mode", "evaluations", p->evaluations, 0);
    return !tw_watch_tell(&h->watch, &now);
}

/* Half the distance between the prior's quantiles 0.16 and 0.84; for a normal prior, its standard deviation. */
static double spread_of(const tw_hyper *h, size_t k)
{
    size_t j = h->index[k];
    const tw_prior *prior = &h->priors->prior[j];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, j);
    return 0.5 * (tw_prior_quantile(prior, parameter, 0.84) - tw_prior_quantile(prior, parameter, 0.16));
}

/* Shape of the first component: the inverse Hessian at the best optimum. If it is not available, independent
 * parameters with the standard deviations of the fit, or of the prior if the fit has none; likewise if some
 * parameter is a normal score. */
static tw_status shape_first(tw_hyper *h, const tw_fit_result *fit, tw_proposal *component)
{
    double sd[TW_HYPER_MOST];
    for (size_t k = 0; k < h->unknown; k++) {
        double found = fit->sd[h->index[k]], widest = spread_of(h, k);
        sd[k] = isfinite(found) ? fmin(found, widest) : widest;
    }
    bool warped = false;
    for (size_t k = 0; k < h->unknown; k++) {
        if (!tw_mixture_is_warped(h->g, k)) continue;
        warped = true;
        component->mean[k] = fmin(fmax(component->mean[k], -INSIDE), INSIDE);
        sd[k] = fmin(sd[k] / spread_of(h, k), 1.0);
    }
    return fit->curvature && !fit->flat && !warped ? tw_proposal_invert(component, fit->curvature)
                                                   : tw_proposal_spread(component, sd);
}

/* The Hessian is known at the best optimum only; components at other optima start with its standard
 * deviations. */
static tw_status add_component(tw_hyper *h, const tw_fit_result *fit, size_t number)
{
    tw_proposal *component = NULL;
    double sd[TW_HYPER_MOST];
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, degrees(h), &component));
    h->g->component[h->g->components++] = component;
    double theta[TW_HYPER_MOST];
    for (size_t k = 0; k < h->unknown; k++) theta[k] = fit->optimum[number].theta[h->index[k]];
    tw_mixture_warp(h->g, theta, component->mean);
    if (number == 0) return shape_first(h, fit, component);
    for (size_t k = 0; k < h->unknown; k++) sd[k] = sqrt(h->g->component[0]->shape->variance[k]);
    return tw_proposal_spread(component, sd);
}

/* Add a second component at the best optimum, WIDER times as wide, which adapts to the tails: few posteriors
 * are elliptical. With many parameters it starts no narrower than the prior. For example, if two inputs
 * explain the same, their length scales lie on an L, and the first component covers one arm of it. */
static tw_status add_wide_component(tw_hyper *h)
{
    const tw_proposal *first = h->g->component[0];
    tw_proposal *component = NULL;
    double sd[TW_HYPER_MOST];
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, degrees(h), &component));
    h->g->component[h->g->components++] = component;
    for (size_t k = 0; k < h->unknown; k++) {
        component->mean[k] = first->mean[k];
        sd[k] = WIDER * sqrt(first->shape->variance[k]);
        if (!tw_hyper_explores(h)) sd[k] = fmax(sd[k], spread_of(h, k));
    }
    return tw_proposal_spread(component, sd);
}

/* A component about a point in a tail of the prior of parameter `held`: as wide as the prior there, and about as wide
 * as the posterior in the others, since a ridge may be thin. */
static tw_status add_tail(tw_hyper *h, const tw_profile *tail, size_t held)
{
    tw_proposal *component = NULL;
    double sd[TW_HYPER_MOST];
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, degrees(h), &component));
    h->g->component[h->g->components++] = component;
    tw_mixture_warp(h->g, tail->point, component->mean);
    for (size_t k = 0; k < h->unknown; k++) {
        double spread = spread_of(h, k), found = k == held ? spread : TAIL_WIDER * tail->sd[k];
        sd[k] = isfinite(found) ? fmin(found, spread) : TAIL_SPREAD * spread;
        if (tw_mixture_is_warped(h->g, k)) sd[k] /= spread;
    }
    return tw_proposal_spread(component, sd);
}

/* The best points in the tails of the priors, for rounds that look for lobes; otherwise all are deep, since wide
 * components in many parameters waste points. It moves the problem. */
static tw_status find_tails(tw_hyper *h, const tw_fit_result *fit, tw_profile *tail)
{
    tw_fit_options o = TW_FIT_DEFAULTS;
    o.max_evaluations = TAIL_EVALUATIONS;
    o.user = h;
    o.on_progress = watch_fit;
    for (size_t i = 0; i < 2 * h->unknown; i++) tail[i].deep = true;
    if (!tw_hyper_explores(h)) return TW_OK;
    return tw_fit_profiles(h->problem, h->priors, &o, &fit->optimum[0], TAIL_DEPTH, tail, &h->result->fits);
}

/* Components about them, the best first. */
static tw_status add_tails(tw_hyper *h, tw_profile *tail)
{
    while (h->g->components < TW_MIXTURE_COMPONENTS) {
        tw_profile *best = NULL;
        for (size_t i = 0; i < 2 * h->unknown; i++)
            if (!tail[i].deep && (!best || tail[i].log_posterior > best->log_posterior)) best = &tail[i];
        if (!best) break;
        TW_TRY(add_tail(h, best, (size_t)(best - tail) / 2));
        best->deep = true; /* it has its component */
    }
    return TW_OK;
}

static tw_status place_proposal(tw_hyper *h, const tw_fit_result *fit)
{
    size_t components = fit->optima < OPTIMA ? fit->optima : OPTIMA;
    tw_profile tail[2 * TW_HYPER_MOST] = {{0}};
    TW_TRY(find_tails(h, fit, tail)); /* before the mixture points to parameters of the problem */
    TW_TRY(tw_mixture_new(h->ctx, h->unknown, &h->g));
    for (size_t k = 0; k < h->unknown; k++) {
        h->g->prior[k] = &h->priors->prior[h->index[k]];
        h->g->parameter[k] = tw_problem_parameter(h->problem, h->index[k]);
    }
    bool few = tw_hyper_explores(h);
    h->g->clusters = few ? CLUSTERS : 0;
    for (size_t c = 0; c < components; c++) TW_TRY(add_component(h, fit, c));
    if (components < OPTIMA) TW_TRY(add_wide_component(h));
    TW_TRY(add_tails(h, tail));
    components = h->g->components;
    double prior = few ? FIRST_PRIOR : FIRST_PRIOR_MANY;
    h->g->share[0] = prior;
    for (size_t c = 1; c <= components; c++) h->g->share[c] = (1.0 - prior) / (double)components;
    return TW_OK;
}

static tw_status find_mode(tw_hyper *h)
{
    tw_fit_options o = TW_FIT_DEFAULTS;
    tw_fit_result *fit = NULL;
    o.starts = h->o->starts;
    o.seed = h->o->seed;
    o.user = h;
    o.on_progress = watch_fit;
    TW_TRY(tw_fit(h->problem, h->priors, &o, &fit));
    tw_status status = fit->stopped ? tw_interrupt(h->ctx) : place_proposal(h, fit);
    h->result->fits += fit->evaluations;
    bool near = fit->optima > 1 && fit->optimum[1].log_posterior > fit->optimum[0].log_posterior - TAIL_DEPTH;
    if (status == TW_OK && near)
        tw_warnings_add(&h->result->warnings,
                        &(tw_warning){.code = TW_WARN_FIT_OPTIMA,
                                      .name = "is2",
                                      .number = {(double)fit->optima, fit->optimum[0].log_posterior -
                                                                          fit->optimum[1].log_posterior}});
    tw_fit_free(fit);
    return status;
}

tw_status tw_hyper_set_up(tw_hyper *h)
{
    double start = tw_wall_seconds();
    TW_TRY(find_mode(h));
    h->result->mode_seconds = tw_wall_seconds() - start;
    TW_TRY(tw_crew_new(h->problem, h->o, &h->crew));
    TW_TRY(tw_hyper_adapt(h));
    for (size_t k = 0; k < h->unknown; k++) {
        tw_proposal *component = h->g->component[0];
        component->mean[k] += TW_FAULTY(TW_FAULT_PROPOSAL, 0.0, 2.0 * sqrt(component->shape->variance[k]));
    }
    h->result->proposal_seconds = tw_wall_seconds() - start - h->result->mode_seconds;
    return TW_OK;
}
