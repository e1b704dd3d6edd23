/* draws.c: equally weighted draws of (theta, x) from weighted points, by systematic resampling and a shuffle
 * (Fisher and Yates). Without the shuffle, other programs would take equal neighbours for a slow chain.
 * Copies of one point use its particles in turn. */
#include <math.h>
#include <string.h>

#include "evidence/resample.h"
#include "hyper/hyper.h"
#include "math/random.h"

/* The stream's chain number, after those of all particles. */
static uint64_t chain_of(const tw_hyper_result *r)
{
    return tw_streams_of(TW_STREAMS_HYPER).first + r->points * r->particles;
}

static void shuffle(tw_stream *stream, size_t count, size_t *point, size_t *copy)
{
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(tw_stream_uniform(stream) * (double)i), p = point[j], c = copy[j];
        point[j] = point[i - 1];
        copy[j] = copy[i - 1];
        point[i - 1] = p;
        copy[i - 1] = c;
    }
}

tw_status tw_hyper_draw(const tw_hyper_result *r, uint64_t seed, size_t count, size_t *point, size_t *copy)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_RESAMPLE, chain_of(r), 0);
    bool any = false;
    for (size_t s = 0; s < r->points; s++) any |= r->log_weight[s] > -INFINITY;
    if (!any) return tw_fail(r->ctx, TW_NUMERICAL_FAILURE, "all points have weight 0: nothing can be drawn");
    tw_resample_systematic(r->points, r->log_weight, tw_stream_uniform(&stream), count, point);
    for (size_t i = 0, seen = 0; i < count; i++) {
        seen = i > 0 && point[i] == point[i - 1] ? seen + 1 : 0;
        copy[i] = r->kept ? seen % r->kept : 0;
    }
    shuffle(&stream, count, point, copy);
    return TW_OK;
}

double tw_hyper_reported(const tw_problem *problem, const tw_hyper_result *r, size_t k, size_t point)
{
    double theta = r->theta[k + point * r->unknown];
    return r->row[k].as_log ? theta
                            : tw_parameter_value(tw_problem_parameter(problem, r->row[k].index), theta);
}

/* ---- draws in memory ---- */

static tw_status allocate(tw_context *ctx, size_t n, size_t count, tw_draws **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_draws), "the draws", &memory));
    tw_draws *d = *out = memory;
    *d = (tw_draws){.ctx = ctx, .method = TW_METHOD_HMC, .n = n, .chains = 1, .draws = count};
    TW_TRY(tw_allocate_doubles(ctx, n, count, "the draws", &d->x));
    TW_TRY(tw_allocate(ctx, count, sizeof *d->records, "the records of the draws", &memory));
    d->records = memory;
    return tw_allocate_doubles(ctx, count, 1, "the log likelihoods of the draws", &d->log_likelihood);
}

/* The record common to all draws: the transitions of all points. */
static void fill_totals(const tw_hyper_result *r, tw_draws *d)
{
    double transitions = (double)(r->points * r->particles * r->estimate.temperatures);
    d->tuning = (tw_tuning){.eps = NAN, .steps = 0};
    d->sampling.transitions = (size_t)transitions;
    d->sampling.acceptance = r->estimate.acceptance * transitions;
    d->sampling.energy_divergence = (size_t)(r->estimate.failures * transitions + 0.5);
    d->interrupted = r->stopped;
}

typedef struct filling {
    const tw_problem *problem;
    const tw_priors *priors;
    const tw_hyper_result *r;
    double *theta, *value; /* all parameters; n */
} filling;

static void fill_draw(const filling *f, size_t i, size_t point, size_t copy, tw_draws *d)
{
    const tw_hyper_result *r = f->r;
    const tw_problem *problem = f->problem;
    double *x = d->x + i * d->n, sum = 0.0;
    for (size_t k = 0; k < r->unknown; k++) f->theta[r->row[k].index] = r->theta[k + point * r->unknown];
    tw_observations observed =
        tw_data_observed(problem->data, problem->likelihood, f->theta + tw_kernel_count(problem->kernel));
    memcpy(x, r->x + (point * r->kept + copy) * d->n, d->n * sizeof *x);
    problem->likelihood->terms(&observed, x, f->value, NULL, NULL, NULL);
    for (size_t n = 0; n < d->n; n++) sum += f->value[n];
    d->log_likelihood[i] = sum;
    d->records[i] = (tw_record){.log_density = r->log_density[point * r->kept + copy] +
                                               tw_priors_log_density(f->priors, problem, f->theta, NULL),
                                .energy = NAN,
                                .energy_error = NAN,
                                .acceptance_rate = r->estimate.acceptance,
                                .accepted = true};
}

static tw_status fill_draws(filling *f, uint64_t seed, size_t *point, size_t *copy, tw_draws *d)
{
    tw_context *ctx = d->ctx;
    TW_TRY(tw_hyper_draw(f->r, seed, d->draws, point, copy));
    tw_status status = tw_allocate_doubles(ctx, tw_problem_count(f->problem), 1, "theta", &f->theta);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, d->n, 1, "log likelihoods", &f->value);
    if (status == TW_OK) {
        tw_problem_get_theta(f->problem, f->theta);
        for (size_t i = 0; i < d->draws; i++) fill_draw(f, i, point[i], copy[i], d);
        fill_totals(f->r, d);
    }
    tw_release(ctx, f->theta);
    tw_release(ctx, f->value);
    return status;
}

tw_status tw_hyper_draws(const tw_problem *problem, const tw_priors *priors, const tw_hyper_result *r,
                         uint64_t seed, size_t *point, tw_draws **out)
{
    filling f = {.problem = problem, .priors = priors, .r = r};
    void *copy = NULL;
    *out = NULL;
    if (!r->x) return tw_fail(r->ctx, TW_BAD_ARGUMENT, "no particles were kept, so there are no draws of x");
    TW_TRY(tw_allocate(r->ctx, r->points, sizeof(size_t), "the draws", &copy));
    tw_status status = allocate(r->ctx, r->n, r->points, out);
    if (status == TW_OK) status = fill_draws(&f, seed, point, copy, *out);
    tw_release(r->ctx, copy);
    if (status == TW_OK) return TW_OK;
    tw_draws_free(*out);
    *out = NULL;
    return status;
}
