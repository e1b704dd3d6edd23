/* ep.c: fitting EP: sweeps until a verdict.
 *
 * Sequential sweeps converge in practice for log-concave likelihoods, usually gaining a digit or so each;
 * where the residual stops falling, the double loop takes over. Sigma is updated in place over many sweeps,
 * so before anything is called converged, q is rebuilt from its sites by a fresh factorisation and measured
 * again. log Z_EP = log Z_q + sum_n [log Z_n(cavity) - log of cavity times Gaussian site], log Z_q = (nu'mu -
 * log|B|)/2.
 */
#include "approximate/ep.h"

#include <math.h>
#include <string.h>

#include "linalg/product.h"

static void release(tw_ep *ep)
{
    tw_context *ctx = ep->model->ctx;
    tw_delayed_free(ep->delayed);
    tw_release(ctx, ep->sigma);
    tw_release(ctx, ep->column);
    tw_release(ctx, ep->outer_precision);
    tw_release(ctx, ep->outer_shift);
}

static tw_status allocate_sigma(tw_ep *ep)
{
    size_t n = ep->model->n;
    TW_TRY(tw_allocate_doubles(ep->model->ctx, n, n, "EP's covariance", &ep->sigma));
    return tw_delayed_new(ep->model->ctx, n, ep->sigma, &ep->delayed);
}

/* Start from the prior: all sites 1. */
static tw_status start(tw_ep *ep)
{
    size_t n = ep->model->n;
    TW_TRY(allocate_sigma(ep));
    TW_TRY(tw_allocate_doubles(ep->model->ctx, n, 1, "EP's work space", &ep->column));
    memcpy(ep->sigma, ep->model->k, n * n * sizeof *ep->sigma);
    for (size_t i = 0; i < n; i++) ep->result->variance[i] = ep->sigma[i + i * n];
    return TW_OK;
}

/* q from its sites by a fresh factorisation: exact marginals, log Z and residual. Sigma is released
 * meanwhile, so that there are never more than three n x n matrices beside K; restore_sigma brings it back.
 */
static tw_status rebuild(tw_ep *ep)
{
    tw_context *ctx = ep->model->ctx;
    tw_delayed_free(ep->delayed);
    tw_release(ctx, ep->sigma);
    ep->delayed = NULL;
    ep->sigma = NULL;
    TW_TRY(tw_approximation_rebuild(ep->model, ep->result));
    tw_ep_measure(ep, ep->result->reference->log_z, &ep->result->log_z, &ep->result->residual);
    return TW_OK;
}

static tw_status restore_sigma(tw_ep *ep)
{
    tw_reference *q = ep->result->reference;
    TW_TRY(allocate_sigma(ep));
    tw_product_self(ep->model->n, q->factor->rank, q->factor->l, ep->model->n, ep->sigma, ep->model->n);
    ep->log_det_b = tw_dot(ep->model->n, ep->result->nu, ep->result->mean) - 2.0 * q->log_z;
    tw_reference_free(q);
    ep->result->reference = NULL;
    return TW_OK;
}

static double tracked_log_z_q(const tw_ep *ep)
{
    return 0.5 * (tw_dot(ep->model->n, ep->result->nu, ep->result->mean) - ep->log_det_b);
}

/* The inner sweeps of one outer step of the double loop: at least one, until they settle well below the outer
 * residual. */
static tw_status outer_step(tw_ep *ep, const tw_ep_options *options)
{
    tw_approximation *r = ep->result;
    double aim = 0.1 * fmin(r->residual, 1.0);
    TW_TRY(tw_ep_hold_marginals(ep));
    for (int inner = 0; inner < 30 && r->iterations < options->max_sweeps; inner++) {
        r->iterations++;
        if (tw_ep_sweep(ep, tw_ep_inner_update) <= fmax(aim, ep->skip)) break;
    }
    return TW_OK;
}

/* Has the residual stopped falling? It must halve within ten sweeps. */
typedef struct stall_watch {
    double best;
    size_t since;
} stall_watch;

static bool stalled(stall_watch *watch, double residual)
{
    enum { PATIENCE = 10 };
    if (residual <= 0.5 * watch->best) {
        watch->best = residual;
        watch->since = 0;
    } else {
        watch->since++;
    }
    return watch->since >= PATIENCE;
}

static tw_status iterate(tw_ep *ep, const tw_ep_options *options)
{
    tw_approximation *r = ep->result;
    bool double_loop = options->method == TW_EP_DOUBLE_LOOP;
    stall_watch watch = {INFINITY, 0};
    double log_z = NAN;
    r->residual = INFINITY;
    while (!r->converged && r->iterations < options->max_sweeps) {
        if (double_loop) {
            TW_TRY(outer_step(ep, options));
        } else {
            r->iterations++;
            tw_ep_sweep(ep, tw_ep_match_moments);
        }
        double before = log_z;
        tw_ep_measure(ep, tracked_log_z_q(ep), &log_z, &r->residual);
        if (r->residual <= options->site_tolerance && fabs(log_z - before) <= options->tolerance) {
            TW_TRY(rebuild(ep));
            r->converged =
                r->residual <= options->site_tolerance && fabs(r->log_z - log_z) <= options->tolerance;
            if (!r->converged) TW_TRY(restore_sigma(ep));
            log_z = r->log_z;
        } else if (!double_loop && options->method == TW_EP_AUTO && stalled(&watch, r->residual)) {
            tw_log(ep->model->ctx, TW_LOG_INFO,
                   "EP's sequential sweeps stopped converging at sweep %zu (residual %.2g); the double loop "
                   "takes over",
                   r->iterations, r->residual);
            double_loop = true;
        }
    }
    return r->converged ? TW_OK : rebuild(ep);
}

tw_status tw_ep_fit(const tw_model *model, const tw_ep_options *options, tw_approximation **out)
{
    tw_ep_options defaults = TW_EP_DEFAULTS;
    tw_ep ep = {.model = model};
    *out = NULL;
    if (!options) options = &defaults;
    if (options->max_sweeps == 0 || !(options->tolerance > 0.0) || !(options->site_tolerance > 0.0))
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "EP needs at least one sweep and tolerances above 0");
    TW_TRY(tw_approximation_allocate(model, TW_EP, &ep.result));
    ep.skip = 0.03 * options->site_tolerance;
    tw_status status = start(&ep);
    if (status == TW_OK) status = iterate(&ep, options);
    release(&ep);
    if (status != TW_OK) {
        tw_approximation_free(ep.result);
        return status;
    }
    *out = ep.result;
    return TW_OK;
}
