/* place.c: an unbiased estimate Zhat(theta) by annealed importance sampling from a Gaussian q(x; theta):
 *
 *   log w = sum_{k=1}^{T} (b_k - b_{k-1}) R(x_{k-1}),   R = log p(y, x) - log q(x),
 *   x_0 ~ q,   x_k by a transition at b_k.
 *
 * Zhat is the mean of w over the particles. It is unbiased for any q that depends on theta alone, so EP need
 * not converge tightly: a tolerance of ROUGH standard deviations costs no effective points on the data of
 * bench_hyper. If EP fails, Laplace's Gaussian or the prior replaces it. A last transition at b = 1 moves the
 * particles, which keep their weights. */
#include "hyper/place.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "covariance/kernel.h"
#include "evidence/resample.h"
#include "evidence/walk.h"
#include "math/random.h"
#include "talweg/diagnose.h"

static const double LOOSE = 1e-2; /* tolerance if log Z_EP itself is used */
static const double ROUGH = 0.3;
enum { SWEEPS = 60, SWEEPS_LOOSE = 20, LONGER = 8 };

tw_status tw_place_new(tw_context *ctx, const tw_problem *problem, const tw_hyper_options *options,
                       tw_place *out)
{
    void *memory = NULL;
    tw_kernel mine = *problem->kernel; /* tw_kernel_copy uses the context of its argument */
    mine.ctx = ctx;
    *out = (tw_place){.ctx = ctx, .problem = problem, .data = *problem->data};
    out->data.ctx = ctx;
    TW_TRY(tw_kernel_copy(&mine, &out->kernel));
    TW_TRY(tw_allocate_doubles(ctx, tw_problem_count(problem), 1, "theta", &out->theta));
    TW_TRY(tw_allocate_doubles(ctx, options->particles, 1, "the particles' weights", &out->log_weight));
    TW_TRY(tw_allocate(ctx, options->kept, sizeof(size_t), "particles", &memory));
    out->ancestor = memory;
    return TW_OK;
}

static void free_model(tw_place *p)
{
    tw_model_free(p->model);
    p->model = NULL;
}

void tw_place_release(tw_place *p)
{
    if (!p->ctx) return;
    free_model(p);
    tw_kernel_free(p->kernel);
    tw_release(p->ctx, p->theta);
    tw_release(p->ctx, p->log_weight);
    tw_release(p->ctx, p->ancestor);
}

/* Whether a failure concerns this theta, and not the machine or the user. */
static bool is_local(tw_status status)
{
    return status == TW_BAD_ARGUMENT || status == TW_NOT_POSITIVE_DEFINITE ||
           status == TW_NUMERICAL_FAILURE || status == TW_NOT_CONVERGED || status == TW_BAD_DATA;
}

static tw_status ignore_local(tw_status status)
{
    return is_local(status) ? TW_OK : status;
}

tw_status tw_place_model(tw_place *p, tw_model **out)
{
    const tw_problem *problem = p->problem;
    *out = NULL;
    tw_status status = tw_kernel_set_theta(p->kernel, p->theta);
    if (status == TW_OK)
        status = tw_model_from_data(&p->data, p->kernel, problem->likelihood,
                                    p->theta + tw_kernel_count(p->kernel), problem->jitter, out);
    return ignore_local(status);
}

static tw_status make_model(tw_place *p)
{
    free_model(p);
    return tw_place_model(p, &p->model);
}

/* ---- approximations ---- */

/* Whether the fit can serve as q. Tests can force failures. */
static bool is_usable(const tw_approximation *fit)
{
    bool no_ep = TW_FAULTY(TW_FAULT_NO_EP, false, true), none = TW_FAULTY(TW_FAULT_NO_FIT, false, true);
    return fit->converged && !none && !(no_ep && fit->kind == TW_EP);
}

/* EP. If it does not converge from the guess, it starts again without sites, so that the result is a function
 * of theta. */
static tw_status fit_ep(const tw_place *p, const tw_guess *guess, double tolerance, tw_approximation **out)
{
    tw_ep_options o = TW_EP_DEFAULTS;
    o.max_sweeps = tolerance == LOOSE ? SWEEPS_LOOSE : SWEEPS;
    o.tolerance = tolerance;
    o.site_tolerance = tolerance;
    *out = NULL;
    for (int attempt = guess ? 0 : 1; attempt < 2 && !*out; attempt++) {
        o.tau = attempt == 0 ? guess->tau : NULL;
        o.nu = attempt == 0 ? guess->nu : NULL;
        TW_TRY(ignore_local(tw_ep_fit(p->model, &o, out)));
        if (!*out || is_usable(*out)) continue;
        tw_approximation_free(*out);
        *out = NULL;
    }
    return TW_OK;
}

static tw_status fit_laplace(const tw_place *p, tw_approximation **out)
{
    TW_TRY(ignore_local(tw_laplace_fit(p->model, NULL, out)));
    if (!*out || is_usable(*out)) return TW_OK;
    tw_approximation_free(*out);
    *out = NULL;
    return TW_OK;
}

tw_status tw_place_approximate(tw_place *p, const tw_guess *guess, tw_approximation **out)
{
    *out = NULL;
    TW_TRY(make_model(p));
    return p->model ? fit_ep(p, guess, LOOSE, out) : TW_OK;
}

/* ---- annealing ---- */

typedef struct annealing {
    const tw_hyper_options *o;
    size_t steps;
    uint64_t chain;
    tw_kept kept;
    tw_walk *walk;
} annealing;

/* One transition of all particles at temperature number k. */
static tw_status move(const annealing *a, size_t k)
{
    tw_move m = {.eps = a->o->eps,
                 .steps = a->o->leapfrog_steps,
                 .seed = a->o->seed,
                 .iteration = k,
                 .first_chain = a->chain};
    TW_TRY(tw_walk_temper(a->walk, (double)k / (double)a->steps));
    tw_walk_move(a->walk, &m);
    return TW_OK;
}

static tw_status anneal_particles(const annealing *a, double *log_weight)
{
    size_t particles = a->o->particles;
    memset(log_weight, 0, particles * sizeof *log_weight);
    TW_TRY(tw_walk_start(a->walk, a->o->seed, a->chain));
    for (size_t k = 1; k <= a->steps; k++) {
        tw_walk_measure(a->walk);
        for (size_t j = 0; j < particles; j++) log_weight[j] += a->walk->log_ratio[j] / (double)a->steps;
        TW_TRY(move(a, k));
    }
    return TW_OK;
}

static void keep(const tw_place *p, const annealing *a)
{
    size_t n = p->model->n, kept = a->o->kept;
    const double *from = tw_sampler_positions(a->walk->sampler);
    const double *log_density = tw_sampler_log_density(a->walk->sampler);
    tw_stream stream = tw_stream_at(a->o->seed, TW_STREAM_RESAMPLE, a->chain, 0);
    tw_resample_systematic(a->o->particles, p->log_weight, tw_stream_uniform(&stream), kept, p->ancestor);
    for (size_t k = 0; k < kept; k++) {
        memcpy(a->kept.x + k * n, from + p->ancestor[k] * n, n * sizeof *from);
        a->kept.log_density[k] = log_density[p->ancestor[k]];
    }
}

static tw_status anneal(tw_place *p, const tw_reference *q, annealing *a, tw_point *out)
{
    tw_sampler_options kernel = TW_SAMPLER_DEFAULTS;
    bool sites = q->kind == TW_REFERENCE_SITES;
    kernel.metric = sites ? TW_METRIC_EP : TW_METRIC_PRIOR;
    kernel.gaussian = sites ? q : NULL;
    a->steps = a->o->temperatures * (sites ? 1 : LONGER);
    TW_TRY(tw_walk_new(p->model, q, &kernel, a->o->particles, &a->walk));
    tw_status status = anneal_particles(a, p->log_weight);
    if (status == TW_OK) {
        out->log_z = tw_log_mean_exp(a->o->particles, p->log_weight, NULL);
        out->acceptance = a->walk->acceptance;
        out->failures = a->walk->failures;
        out->transitions = a->walk->transitions;
        if (a->kept.x && isfinite(out->log_z)) keep(p, a);
    }
    tw_walk_free(a->walk);
    a->walk = NULL;
    return status;
}

/* Anneal from a fit, which may be NULL. */
static tw_status anneal_from(tw_place *p, const tw_approximation *fit, annealing *a, tw_point *out)
{
    return fit ? anneal(p, fit->reference, a, out) : TW_NOT_CONVERGED;
}

static tw_status estimate(tw_place *p, const tw_guess *guess, annealing *a, tw_point *out)
{
    tw_approximation *fit = NULL;
    tw_reference *prior = NULL;
    tw_status status = TW_NOT_CONVERGED;
    for (tw_hyper_start s = TW_HYPER_EP; s < TW_HYPER_FAILED && is_local(status); s++) {
        if (s == TW_HYPER_LAPLACE && p->model->observed.likelihood->peak)
            continue; /* not log-concave: the mode may be one of several */
        out->start = s;
        if (s == TW_HYPER_EP) TW_TRY(fit_ep(p, guess, ROUGH, &fit));
        if (s == TW_HYPER_LAPLACE) TW_TRY(fit_laplace(p, &fit));
        if (s == TW_HYPER_PRIOR) TW_TRY(tw_reference_prior(p->model, &prior));
        status = s == TW_HYPER_PRIOR ? anneal(p, prior, a, out) : anneal_from(p, fit, a, out);
        if (status == TW_OK && isnan(out->log_z)) status = TW_NUMERICAL_FAILURE;
        tw_approximation_free(fit);
        fit = NULL;
    }
    tw_reference_free(prior);
    if (is_local(status)) out->start = TW_HYPER_FAILED;
    return ignore_local(status);
}

tw_status tw_place_estimate(tw_place *p, const tw_guess *guess, const tw_hyper_options *options,
                            uint64_t chain, tw_point *out, tw_kept kept)
{
    annealing a = {.o = options, .chain = chain, .kept = kept};
    *out = (tw_point){.log_z = -INFINITY, .start = TW_HYPER_FAILED};
    TW_TRY(make_model(p));
    tw_status status = p->model ? estimate(p, guess, &a, out) : TW_OK;
    free_model(p);
    if (out->start == TW_HYPER_FAILED) out->log_z = -INFINITY;
    return status;
}
