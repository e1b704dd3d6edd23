/* setup.c: where to look: the optima of p(theta) Z_EP(theta), and a mixture of the prior and of bells about them, which then learns (rounds.c).
 * Nothing of this enters the estimate. */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "hyper/hyper.h"
#include "talweg/fit.h"

/* Degrees of freedom of a bell. With many parameters nearly all of a t distribution's points are at a distance of about sqrt(d) scales, and its
 * spread of scales costs more points than a posterior's tails need: the prior's part of the mixture bounds the weights there. */
static const double DF = 10.0, DF_MANY = 20.0;

/* The share of the first round's points that the prior has, to find what the search for the mode does not. */
static const double FIRST_PRIOR = 0.25;

static const double WIDER = 3.0;
enum { FEW_ENOUGH = 4 };

static double degrees(const tw_hyper *h)
{
    return h->unknown <= FEW_ENOUGH ? DF : DF_MANY;
}

/* ---- the mode ---- */

static bool watch_fit(void *user, const tw_fit_progress *p)
{
    tw_hyper *h = user;
    tw_progress now = TW_PROGRESS("mode", "evaluations", p->evaluations, 0);
    return !tw_watch_tell(&h->watch, &now);
}

/* Half the distance between the prior's quantiles 0.16 and 0.84: a standard deviation where it is normal. */
static double spread_of(const tw_hyper *h, size_t k)
{
    size_t j = h->index[k];
    const tw_prior *prior = &h->priors->prior[j];
    const tw_parameter *parameter = tw_problem_parameter(h->problem, j);
    return 0.5 * (tw_prior_quantile(prior, parameter, 0.84) - tw_prior_quantile(prior, parameter, 0.16));
}

/* About the best optimum: the curvature's inverse; where there is none, standard deviations of the fit, and of the prior where it has none. */
static tw_status shape_first(tw_hyper *h, const tw_fit_result *fit, tw_proposal *bell)
{
    double sd[TW_HYPER_MOST];
    for (size_t k = 0; k < h->unknown; k++) {
        double found = fit->sd[h->index[k]], widest = spread_of(h, k);
        sd[k] = isfinite(found) ? fmin(found, widest) : widest;
    }
    return fit->curvature && !fit->flat ? tw_proposal_invert(bell, fit->curvature)
                                        : tw_proposal_spread(bell, sd);
}

/* The curvature is known at the best optimum; the bells of the others begin with the standard deviations of that. */
static tw_status add_bell(tw_hyper *h, const tw_fit_result *fit, size_t number)
{
    tw_proposal *bell = NULL;
    double sd[TW_HYPER_MOST];
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, degrees(h), &bell));
    h->g->bell[h->g->bells++] = bell;
    for (size_t k = 0; k < h->unknown; k++) bell->mean[k] = fit->optimum[number].theta[h->index[k]];
    if (number == 0) return shape_first(h, fit, bell);
    for (size_t k = 0; k < h->unknown; k++) sd[k] = sqrt(h->g->bell[0]->shape->variance[k]);
    return tw_proposal_spread(bell, sd);
}

/* A second one about the best optimum, WIDER times as wide, which learns the form of the tails: a posterior is rarely a bell. Of many parameters it
 * begins no narrower than the prior: two inputs that explain the same have length scales on an L, and the first bell is on one arm of it. */
static tw_status add_wide_bell(tw_hyper *h)
{
    const tw_proposal *first = h->g->bell[0];
    tw_proposal *bell = NULL;
    double sd[TW_HYPER_MOST];
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, degrees(h), &bell));
    h->g->bell[h->g->bells++] = bell;
    for (size_t k = 0; k < h->unknown; k++) {
        bell->mean[k] = first->mean[k];
        sd[k] = WIDER * sqrt(first->shape->variance[k]);
        if (h->unknown > FEW_ENOUGH) sd[k] = fmax(sd[k], spread_of(h, k));
    }
    return tw_proposal_spread(bell, sd);
}

static tw_status place_proposal(tw_hyper *h, const tw_fit_result *fit)
{
    size_t bells = fit->optima < TW_MIXTURE_BELLS ? fit->optima : TW_MIXTURE_BELLS;
    TW_TRY(tw_mixture_new(h->ctx, h->unknown, &h->g));
    for (size_t k = 0; k < h->unknown; k++) {
        h->g->prior[k] = &h->priors->prior[h->index[k]];
        h->g->parameter[k] = tw_problem_parameter(h->problem, h->index[k]);
    }
    for (size_t c = 0; c < bells; c++) TW_TRY(add_bell(h, fit, c));
    if (bells < TW_MIXTURE_BELLS) TW_TRY(add_wide_bell(h));
    bells = h->g->bells;
    h->g->share[0] = FIRST_PRIOR;
    for (size_t c = 1; c <= bells; c++) h->g->share[c] = (1.0 - FIRST_PRIOR) / (double)bells;
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
    if (status == TW_OK && fit->optima > 1)
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
        tw_proposal *bell = h->g->bell[0];
        bell->mean[k] += TW_FAULTY(TW_FAULT_PROPOSAL, 0.0, 2.0 * sqrt(bell->shape->variance[k]));
    }
    h->result->proposal_seconds = tw_wall_seconds() - start - h->result->mode_seconds;
    return TW_OK;
}
