/* objective.c: evaluate log Z + log prior and its gradient at theta: build the model, run EP or Laplace,
 * compute the gradient (approximate/gradient.c).
 *
 * EP starts from the sites of the previous theta, which is near in a search. If it does not converge from
 * them, it starts again without sites, so that the result does not depend on the path of the search. The
 * search is restricted to a box: WIDTH standard deviations of the default prior (tw_prior_default) on either
 * side, extended to the range of the given prior and around a given value, and cut at the ends of a
 * uniform prior. */
#include "fit/objective.h"

#include <math.h>
#include <string.h>

static const double WIDTH = 5.0, ROOM = 1.0, RARE = 1e-3;

void tw_objective_free(tw_objective *o)
{
    if (!o) return;
    tw_context *ctx = o->problem->ctx;
    void *arrays[] = {o->index, o->theta, o->gradient, o->usual, o->low, o->high, o->tau, o->nu};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, o);
}

static tw_status allocate(tw_objective *o)
{
    tw_context *ctx = o->problem->ctx;
    size_t n = o->problem->data->n;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, o->count, sizeof(size_t), "the free parameters", &memory));
    o->index = memory;
    TW_TRY(tw_allocate(ctx, o->count, sizeof *o->usual, "the default priors", &memory));
    o->usual = memory;
    TW_TRY(tw_allocate_doubles(ctx, o->count, 1, "theta", &o->theta));
    TW_TRY(tw_allocate_doubles(ctx, o->count, 1, "a gradient", &o->gradient));
    TW_TRY(tw_allocate_doubles(ctx, o->count, 1, "bounds", &o->low));
    TW_TRY(tw_allocate_doubles(ctx, o->count, 1, "bounds", &o->high));
    TW_TRY(tw_allocate_doubles(ctx, n, 1, "sites", &o->tau));
    return tw_allocate_doubles(ctx, n, 1, "sites", &o->nu);
}

/* Cut the box at the ends of a uniform prior; INSIDE prevents rounding from crossing them. An end at 0 of a
 * positive parameter is none of its logarithm. */
static void cut_box(tw_objective *o, size_t k, const tw_prior *prior, const tw_parameter *parameter)
{
    static const double INSIDE = 1e-9;
    if (prior->family != TW_PRIOR_UNIFORM || prior->flat) return;
    double low = tw_prior_quantile(prior, parameter, 0.0), high = tw_prior_quantile(prior, parameter, 1.0);
    double margin = INSIDE * (isfinite(low) ? high - low : 1.0);
    o->low[k] = fmax(o->low[k], low + margin);
    o->high[k] = fmin(o->high[k], high - margin);
}

static tw_status set_box(tw_objective *o)
{
    for (size_t k = 0; k < o->free_count; k++) {
        size_t j = o->index[k];
        const tw_parameter *parameter = tw_problem_parameter(o->problem, j);
        tw_prior *usual = &o->usual[k];
        TW_TRY(tw_prior_default(o->problem, j, usual));
        o->low[k] = usual->a[0] - WIDTH * usual->a[1];
        o->high[k] = usual->a[0] + WIDTH * usual->a[1];
        if (tw_problem_is_given(o->problem, j)) {
            o->low[k] = fmin(o->low[k], o->theta[j] - ROOM);
            o->high[k] = fmax(o->high[k], o->theta[j] + ROOM);
        }
        if (!o->priors || !o->priors->has[j] || o->priors->prior[j].flat) continue;
        o->low[k] = fmin(o->low[k], tw_prior_quantile(&o->priors->prior[j], parameter, RARE));
        o->high[k] = fmax(o->high[k], tw_prior_quantile(&o->priors->prior[j], parameter, 1.0 - RARE));
        cut_box(o, k, &o->priors->prior[j], parameter);
    }
    return TW_OK;
}

tw_status tw_objective_new(tw_problem *problem, const tw_priors *priors, const tw_fit_options *options,
                           tw_objective **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(problem->ctx, 1, sizeof(tw_objective), "a fit", &memory));
    tw_objective *o = memory;
    *o = (tw_objective){
        .problem = problem, .priors = priors, .options = options, .count = tw_problem_count(problem)};
    tw_status status = allocate(o);
    if (status == TW_OK) {
        for (size_t j = 0; j < o->count; j++)
            if (!priors || !priors->fixed[j]) o->index[o->free_count++] = j;
        tw_problem_get_theta(problem, o->theta);
        status = o->free_count > 0
                     ? set_box(o)
                     : tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                               "there is nothing to fit: all parameters of the model are fixed");
    }
    if (status == TW_OK)
        *out = o;
    else
        tw_objective_free(o);
    return status;
}

static tw_status approximate(tw_objective *o, bool warm, tw_approximation **out)
{
    const tw_model *model = o->problem->model;
    tw_ep_options options = TW_EP_DEFAULTS;
    if (o->options->kind == TW_LAPLACE) return tw_laplace_fit(model, NULL, out);
    if (warm) {
        options.tau = o->tau;
        options.nu = o->nu;
    }
    return tw_ep_fit(model, &options, out);
}

/* An approximation that converged, or NULL. */
static tw_status find_approximation(tw_objective *o, tw_approximation **out)
{
    bool warm = o->has_sites && !o->options->cold;
    TW_TRY(approximate(o, warm, out));
    if (!(*out)->converged && warm) {
        tw_approximation_free(*out);
        *out = NULL;
        TW_TRY(approximate(o, false, out));
    }
    if ((*out)->converged) return TW_OK;
    tw_approximation_free(*out);
    *out = NULL;
    return TW_OK;
}

static void keep_sites(tw_objective *o, const tw_approximation *a)
{
    memcpy(o->tau, a->tau, a->n * sizeof *a->tau);
    memcpy(o->nu, a->nu, a->n * sizeof *a->nu);
    o->has_sites = true;
}

/* log Z and the whole gradient at o->theta. */
static tw_status evaluate(tw_objective *o, bool wants_gradient, double *log_z)
{
    tw_approximation *a = NULL;
    TW_TRY(tw_problem_set_theta(o->problem, o->theta));
    TW_TRY(find_approximation(o, &a));
    *log_z = a ? a->log_z : NAN;
    tw_status status = a && wants_gradient ? tw_approximation_gradient(o->problem, a, o->gradient) : TW_OK;
    if (a) keep_sites(o, a);
    tw_approximation_free(a);
    return status;
}

/* Whether a failure concerns this theta only, so that the search can continue elsewhere. */
static bool is_local(tw_status status)
{
    return status == TW_BAD_ARGUMENT || status == TW_NOT_POSITIVE_DEFINITE ||
           status == TW_NUMERICAL_FAILURE || status == TW_NOT_CONVERGED || status == TW_BAD_DATA;
}

tw_status tw_objective_at(tw_objective *o, const double *point, double *gradient, tw_objective_value *out)
{
    double log_prior = 0.0;
    *out = (tw_objective_value){NAN, NAN};
    for (size_t k = 0; k < o->free_count; k++) o->theta[o->index[k]] = point[k];
    o->evaluations++;
    tw_status status = evaluate(o, gradient != NULL, &out->log_z);
    if (status == TW_OK && o->priors)
        log_prior = tw_priors_log_density(o->priors, o->problem, o->theta, gradient ? o->gradient : NULL);
    if (status == TW_OK && isfinite(log_prior)) out->log_posterior = out->log_z + log_prior;
    if (status != TW_OK) out->log_z = NAN;
    if (isnan(out->log_posterior)) o->failures++;
    for (size_t k = 0; gradient && k < o->free_count; k++)
        gradient[k] = isnan(out->log_posterior) ? 0.0 : o->gradient[o->index[k]];
    return is_local(status) ? TW_OK : status;
}
