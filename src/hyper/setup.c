/* setup.c: where to look: the mode of p(theta) Z_EP(theta), and a t distribution about it that a few rounds of importance
 * sampling with Z_EP in place of Zhat make wider or narrower. Nothing of this enters the estimate. */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "base/team.h"
#include "hyper/hyper.h"
#include "talweg/fit.h"

static const double DF = 10.0;

/* Sobol scrambles of the rounds; those that count are 0, 1, 2, ... */
static const uint64_t ROUND_SCRAMBLE = UINT64_C(1) << 32;

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

/* The curvature's inverse; where there is none, standard deviations of the fit, and of the prior where it has none. */
static tw_status place_proposal(tw_hyper *h, const tw_fit_result *fit)
{
    double sd[TW_HYPER_MOST];
    for (size_t k = 0; k < h->unknown; k++) {
        double found = fit->sd[h->index[k]], widest = spread_of(h, k);
        sd[k] = isfinite(found) ? fmin(found, widest) : widest;
        h->g->mean[k] = fit->optimum[0].theta[h->index[k]];
    }
    return fit->curvature && !fit->flat ? tw_proposal_invert(h->g, fit->curvature)
                                        : tw_proposal_spread(h->g, sd);
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
                                      .number = {(double)fit->optima, fit->optimum[0].log_posterior -
                                                                          fit->optimum[1].log_posterior}});
    tw_fit_free(fit);
    return status;
}

/* ---- rounds ---- */

typedef struct round_of_points {
    tw_hyper *h;
    size_t points;
    double *theta, *log_z; /* unknown x points, points */
    double *sites;         /* 2 n x points */
    double *log_weight;    /* points */
    tw_guess *guess;       /* points; tau NULL: none */
} round_of_points;

static void release(round_of_points *r)
{
    tw_context *ctx = r->h->ctx;
    void *arrays[] = {r->theta, r->log_z, r->sites, r->log_weight, r->guess};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
}

static tw_status allocate(round_of_points *r)
{
    tw_context *ctx = r->h->ctx;
    void *memory = NULL;
    TW_TRY(tw_allocate_doubles(ctx, r->h->unknown, r->points, "points", &r->theta));
    TW_TRY(tw_allocate_doubles(ctx, r->points, 1, "points", &r->log_z));
    TW_TRY(tw_allocate_doubles(ctx, 2 * r->h->result->n, r->points, "sites", &r->sites));
    TW_TRY(tw_allocate_doubles(ctx, r->points, 1, "weights", &r->log_weight));
    TW_TRY(tw_allocate(ctx, r->points, sizeof *r->guess, "points", &memory));
    r->guess = memory;
    return TW_OK;
}

static tw_status compute(void *user, tw_place *place, size_t item)
{
    const round_of_points *r = user;
    const tw_hyper *h = r->h;
    size_t n = h->result->n;
    tw_approximation *ep = NULL;
    tw_hyper_fill(h, r->theta + item * h->unknown, place->theta);
    TW_TRY(tw_place_approximate(place, r->guess[item].tau ? &r->guess[item] : NULL, &ep));
    r->log_z[item] = ep ? ep->log_z : -INFINITY;
    if (ep) {
        memcpy(r->sites + item * 2 * n, ep->tau, n * sizeof *ep->tau);
        memcpy(r->sites + item * 2 * n + n, ep->nu, n * sizeof *ep->nu);
    }
    tw_approximation_free(ep);
    return TW_OK;
}

static void draw(round_of_points *r, size_t number)
{
    tw_hyper *h = r->h;
    tw_sobol sobol;
    double u[TW_HYPER_MOST + 1];
    tw_sobol_make(h->o->seed, ROUND_SCRAMBLE + number, h->unknown + 1, &sobol);
    for (size_t s = 0; s < r->points; s++) {
        double *theta = r->theta + s * h->unknown;
        tw_sobol_point(&sobol, (uint32_t)s, u);
        tw_proposal_draw(h->g, u, theta);
        if (!tw_library_find(h->library, h->g, theta, &r->guess[s])) r->guess[s] = (tw_guess){NULL, NULL};
    }
}

static void weigh(round_of_points *r)
{
    tw_hyper *h = r->h;
    for (size_t s = 0; s < r->points; s++) {
        const double *theta = r->theta + s * h->unknown;
        tw_hyper_fill(h, theta, h->full);
        double log_prior = tw_priors_log_density(h->priors, h->problem, h->full, NULL);
        r->log_weight[s] = log_prior + r->log_z[s] - tw_proposal_log_density(h->g, theta);
        if (isnan(r->log_weight[s])) r->log_weight[s] = -INFINITY;
    }
}

static tw_status run_round(round_of_points *r, size_t number)
{
    tw_hyper *h = r->h;
    size_t bytes = 2 * h->result->n * sizeof(double);
    draw(r, number);
    TW_TRY(tw_crew_work(h->crew, r->points, compute, r));
    tw_team_gather(h->ctx, r->points, sizeof(double), r->points * sizeof(double), r->log_z);
    tw_team_gather(h->ctx, r->points, bytes, r->points * bytes, r->sites);
    weigh(r);
    for (size_t s = 0; s < r->points; s++)
        if (isfinite(r->log_z[s]))
            tw_library_add(h->library, r->theta + s * h->unknown, r->sites + s * 2 * h->result->n);
    h->result->fits += r->points;
    return tw_proposal_learn(h->g, r->points, r->theta, r->log_weight, (double)(h->unknown + 2));
}

static tw_status adapt(tw_hyper *h)
{
    round_of_points r = {.h = h, .points = h->o->round_points ? h->o->round_points : 16 * (h->unknown + 2)};
    tw_status status = tw_library_new(h->ctx, h->result->n, h->unknown, h->o->rounds * r.points, &h->library);
    if (status == TW_OK) status = allocate(&r);
    for (size_t k = 0; status == TW_OK && k < h->o->rounds; k++) {
        tw_progress now = TW_PROGRESS("proposal", "rounds", k, h->o->rounds);
        status = tw_watch_tell(&h->watch, &now) ? run_round(&r, k) : tw_interrupt(h->ctx);
    }
    release(&r);
    return status;
}

tw_status tw_hyper_set_up(tw_hyper *h)
{
    double start = tw_wall_seconds();
    TW_TRY(tw_proposal_new(h->ctx, h->unknown, DF, &h->g));
    TW_TRY(find_mode(h));
    h->result->mode_seconds = tw_wall_seconds() - start;
    TW_TRY(tw_crew_new(h->problem, h->o, &h->crew));
    TW_TRY(adapt(h));
    for (size_t k = 0; k < h->unknown; k++)
        h->g->mean[k] += TW_FAULTY(TW_FAULT_PROPOSAL, 0.0, 2.0 * sqrt(h->g->shape->variance[k]));
    h->result->proposal_seconds = tw_wall_seconds() - start - h->result->mode_seconds;
    return TW_OK;
}
