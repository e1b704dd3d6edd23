/* hyper.c: a run over unknown parameters, from the options to the result. */
#include "hyper/hyper.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */

static bool is_unknown(const tw_priors *priors, size_t j)
{
    return priors->has[j] && !priors->fixed[j];
}

static tw_status check_priors(const tw_problem *problem, const tw_priors *priors)
{
    size_t unknown = 0;
    for (size_t j = 0; j < priors->count; j++) {
        if (!is_unknown(priors, j)) continue;
        unknown++;
        if (priors->prior[j].flat)
            return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                           "the prior of %s is flat and improper: an unknown parameter needs a proper prior, "
                           "such as normal(0, 1) of its logarithm or uniform(low, high)",
                           tw_problem_parameter(problem, j)->name);
    }
    if (unknown == 0)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "no parameter is unknown: give a prior to a parameter that is not fixed");
    if (unknown > TW_HYPER_MOST)
        return tw_fail(
            problem->ctx, TW_BAD_ARGUMENT,
            "%zu parameters are unknown, but importance sampling allows at most %d: fix some of them",
            unknown, TW_HYPER_MOST);
    return TW_OK;
}

static size_t groups(const tw_hyper_options *o)
{
    return o->method == TW_HYPER_CHAIN ? o->chains : o->scrambles;
}

static tw_status check_options(tw_context *ctx, const tw_hyper_options *o)
{
    if (groups(o) < 2 || o->points < 2 * groups(o))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "a standard error needs at least 2 scrambles (or chains) with 2 points each, not %zu "
                       "with %zu points in total",
                       groups(o), o->points);
    if (o->points >= UINT32_MAX)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu points exceed the length of the Sobol sequence", o->points);
    if (o->method == TW_HYPER_CHAIN && (o->joint_particles > 0 || o->store))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "chains of the parameters do not support evidence estimates or checkpoints");
    if (o->particles == 0 || o->temperatures == 0 || o->leapfrog_steps == 0 || o->starts == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "particles, temperatures, leapfrog steps and starts must be at least 1 each");
    if (o->joint_particles == 1 || (o->joint_particles > 0 && o->joint_temperatures == 0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "joint annealing needs at least 2 particles and 1 temperature");
    if (!(o->eps > 0.0) || !isfinite(o->eps))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "eps must be above 0, not %g", o->eps);
    uint64_t first;
    return tw_streams_take(ctx, TW_STREAMS_HYPER, 0, 2 * (uint64_t)o->points * o->particles, &first);
}

tw_status tw_hyper_check(const tw_problem *problem, const tw_priors *priors, const tw_hyper_options *options)
{
    tw_hyper_options defaults = TW_HYPER_DEFAULTS;
    TW_TRY(check_options(problem->ctx, options ? options : &defaults));
    return check_priors(problem, priors);
}

/* ---- memory ---- */

void tw_hyper_free(tw_hyper_result *r)
{
    if (!r) return;
    tw_context *ctx = r->ctx;
    void *arrays[] = {r->row, r->theta, r->log_weight, r->log_z, r->x, r->log_density};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, r);
}

static tw_status allocate_result(tw_hyper *h)
{
    const tw_hyper_options *o = h->o;
    size_t points = (o->points + groups(o) - 1) / groups(o) * groups(o);
    void *memory = NULL;
    TW_TRY(tw_allocate(h->ctx, 1, sizeof(tw_hyper_result), "a result", &memory));
    tw_hyper_result *r = h->result = memory;
    *r = (tw_hyper_result){.ctx = h->ctx,
                           .n = h->problem->data->n,
                           .unknown = h->unknown,
                           .scrambles = groups(o),
                           .particles = o->particles,
                           .kept = o->kept};
    TW_TRY(tw_allocate(h->ctx, h->unknown, sizeof *r->row, "parameters", &memory));
    r->row = memory;
    TW_TRY(tw_allocate_doubles(h->ctx, h->unknown, points, "points", &r->theta));
    TW_TRY(tw_allocate_doubles(h->ctx, points, 1, "weights", &r->log_weight));
    TW_TRY(tw_allocate_doubles(h->ctx, points, 1, "points", &r->log_z));
    if (o->kept == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(h->ctx, o->kept, points, "draws", &r->log_density));
    return tw_allocate_doubles(h->ctx, r->n, o->kept * points, "draws", &r->x);
}

/* Copy the priors and fix all other parameters, so that a search moves the unknown ones only. */
static tw_status copy_priors(tw_hyper *h, const tw_priors *from)
{
    void *memory = NULL;
    TW_TRY(tw_priors_new(h->problem, &h->priors));
    TW_TRY(tw_allocate(h->ctx, from->count, sizeof *h->index, "the unknown parameters", &memory));
    h->index = memory;
    memcpy(h->priors->prior, from->prior, from->count * sizeof *from->prior);
    for (size_t j = 0; j < from->count; j++) {
        h->priors->has[j] = is_unknown(from, j);
        h->priors->fixed[j] = !is_unknown(from, j);
        if (is_unknown(from, j)) h->index[h->unknown++] = j;
    }
    return TW_OK;
}

static tw_status allocate(tw_hyper *h, const tw_priors *priors)
{
    size_t count = tw_problem_count(h->problem);
    TW_TRY(copy_priors(h, priors));
    TW_TRY(tw_allocate_doubles(h->ctx, count, 1, "theta", &h->origin));
    TW_TRY(tw_allocate_doubles(h->ctx, count, 1, "theta", &h->full));
    tw_problem_get_theta(h->problem, h->origin);
    return allocate_result(h);
}

static void release(tw_hyper *h)
{
    tw_crew_free(h->crew);
    tw_library_free(h->library);
    tw_mixture_free(h->g);
    tw_release(h->ctx, h->origin);
    tw_release(h->ctx, h->full);
    tw_release(h->ctx, h->index);
    tw_priors_free(h->priors);
}

void tw_hyper_fill(const tw_hyper *h, const double *theta, double *full)
{
    memcpy(full, h->origin, tw_problem_count(h->problem) * sizeof *full);
    for (size_t k = 0; k < h->unknown; k++) full[h->index[k]] = theta[k];
}

/* ---- the run ---- */

tw_status tw_hyper_run(tw_problem *problem, const tw_priors *priors, const tw_hyper_options *options,
                       tw_hyper_result **out)
{
    tw_hyper_options defaults = TW_HYPER_DEFAULTS;
    if (!options) options = &defaults;
    tw_hyper h = {.ctx = problem->ctx, .problem = problem, .o = options};
    double cpu = tw_cpu_seconds();
    *out = NULL;
    TW_TRY(tw_hyper_check(problem, priors, options));
    TW_TRY(tw_priors_check_finite(priors, problem));
    h.watch = (tw_watch){.ctx = h.ctx, .progress = options->on_progress, .user = options->user};
    tw_status status = allocate(&h, priors);
    tw_log_mute(h.ctx, true); /* every theta would log the rank of its K */
    if (status == TW_OK) status = tw_hyper_set_up(&h);
    if (status == TW_OK) h.result->cpu_setup = tw_cpu_seconds() - cpu;
    bool chain = options->method == TW_HYPER_CHAIN;
    if (status == TW_OK) status = chain ? tw_hyper_walk(&h) : tw_hyper_compute(&h);
    if (status == TW_OK && !chain) status = tw_hyper_anneal(&h);
    if (status == TW_OK) status = tw_hyper_summarise(&h);
    tw_log_mute(h.ctx, false);
    release(&h);
    if (status == TW_OK)
        *out = h.result;
    else
        tw_hyper_free(h.result);
    return status;
}
