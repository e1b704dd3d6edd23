/* ep.c: tw_ep_fit, which iterates EP to its fixed point and tests convergence.
 *
 *   log Z_EP = log Z_q + sum_n [log Z_n(cavity) - log of the integral of cavity times Gaussian site],
 *   log Z_q  = (nu' mu - log|B|)/2,   B = I + T^1/2 K T^1/2,
 * summed without the terms that cancel (tw_ep_measure).
 *
 * Sequential sweeps converge in practice for log-concave likelihoods; each usually gains about one digit.
 * They update Sigma in place, which accumulates rounding errors. So EP is declared converged only after q has
 * been rebuilt from its sites by a new factorisation and has passed the test again. If the residual stops
 * decreasing, Sigma is recomputed; if that does not help, the double loop (ep_double_loop.c) continues.
 * Parallel updates (ep_parallel.c) serve Gaussians that cannot be swept site by site, and likelihoods that
 * are not log-concave: their sites may have negative precisions, and parallel updates detect a q that is not
 * a distribution.
 */
#include "approximate/ep.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/vector.h"

static void release(tw_ep *ep)
{
    tw_context *ctx = ep->model->ctx;
    tw_sweep_free(ep->sweep);
    tw_release(ctx, ep->column);
    tw_release(ctx, ep->pending);
    tw_release(ctx, ep->outer_precision);
    tw_release(ctx, ep->outer_shift);
}

/* Start from the prior: tau = nu = 0. */
static tw_status start(tw_ep *ep)
{
    const tw_gaussian *prior = ep->model->prior;
    TW_TRY(tw_allocate_doubles(ep->model->ctx, prior->n, 1, "EP's work space", &ep->column));
    TW_TRY(tw_allocate_doubles(ep->model->ctx, prior->n, 1, "EP's work space", &ep->pending));
    TW_TRY(tw_sweep_new(prior, &ep->sweep));
    TW_TRY(tw_sweep_begin(ep->sweep));
    memcpy(ep->result->variance, prior->variance, prior->n * sizeof *prior->variance);
    return TW_OK;
}

/* log Z and residual of the q just rebuilt. The residual is that of q's mean as computed; log Z uses the mean m and
 * the number for m'K^-1 m that belong together (energy.c), where tw_ep_measure puts (nu - T m)'m. */
static tw_status measure_rebuilt(tw_ep *ep)
{
    tw_approximation *a = ep->result;
    const tw_gaussian *q = a->reference->gaussian;
    double log_det = ep->model->prior->log_det - q->log_det, energy, error, ignored;
    tw_ep_measure(ep, log_det, &ep->rebuilt_log_z, &a->residual);
    TW_TRY(tw_approximation_energy(ep->model, a, &energy, &error));
    tw_ep_measure(ep, log_det, &a->log_z, &ignored);
    for (size_t i = 0; i < a->n; i++) {
        tw_cavity cavity;
        double pull = a->nu[i] - a->tau[i] * a->mean[i];
        if (a->variance[i] == 0.0) continue;
        a->log_z += 0.5 * pull * a->mean[i];
        if (tw_ep_cavity(a->tau[i], a->nu[i], a->mean[i], a->variance[i], &cavity))
            error += DBL_EPSILON * cavity.variance * pull * pull; /* a part that cancels in tw_ep_measure */
    }
    a->log_z -= 0.5 * energy;
    memcpy(a->mean, q->mean, a->n * sizeof *a->mean);
    a->rounding = error + tw_approximation_rounding(ep->model, a);
    return TW_OK;
}

/* Rebuild q from its sites by a new factorisation; compute its marginals, log Z and residual. Sigma is freed
 * first, so that at most three n x n matrices exist besides K (one of them the factor of K); restore_sigma
 * computes it again. */
static tw_status rebuild(tw_ep *ep)
{
    tw_sweep_free(ep->sweep);
    ep->sweep = NULL;
    bool concave = !ep->model->observed.likelihood->peak;
    for (size_t i = 0; concave && i < ep->model->n; i++) /* an unfinished double loop can leave tau < 0 */
        ep->result->tau[i] = fmax(ep->result->tau[i], 0.0);
    TW_TRY(tw_approximation_rebuild(ep->model, ep->result));
    return measure_rebuilt(ep);
}

/* Copy Sigma from the q just rebuilt, and free q. */
static tw_status restore_sigma(tw_ep *ep)
{
    tw_reference *q = ep->result->reference;
    TW_TRY(tw_sweep_new(q->gaussian, &ep->sweep));
    ep->log_det_b = ep->model->prior->log_det - q->gaussian->log_det;
    ep->log_det_pending = 0.0;
    memset(ep->pending, 0, ep->model->n * sizeof *ep->pending);
    tw_reference_free(q);
    ep->result->reference = NULL;
    return tw_sweep_begin(ep->sweep);
}

/* One outer step of the double loop: hold the marginals, then inner sweeps until their effect is a tenth of
 * the outer residual. */
static tw_status outer_step(tw_ep *ep, const tw_ep_options *options)
{
    tw_approximation *r = ep->result;
    double aim = 0.1 * fmin(r->residual, 1.0);
    ep->pending_limit = ep->skip;
    TW_TRY(tw_ep_hold_marginals(ep));
    for (int inner = 0; inner < 30 && r->iterations < options->max_sweeps; inner++) {
        r->iterations++;
        if (tw_ep_sweep(ep, tw_ep_inner_update) <= fmax(aim, ep->skip)) break;
    }
    return TW_OK;
}

/* Sequential sweeps have stalled if the residual has not halved in PATIENCE sweeps. */
typedef struct stall_watch {
    double best;
    size_t since;
} stall_watch;

static bool stalled(stall_watch *watch, double residual)
{
    enum { PATIENCE = 10 };
    bool better = isfinite(residual) && residual <= 0.5 * watch->best;
    if (better) watch->best = residual;
    watch->since = better ? 0 : watch->since + 1;
    return watch->since >= PATIENCE;
}

bool tw_ep_settled(const tw_ep *ep, double log_z, double before)
{
    double parts =
        fabs(log_z) + fabs(tw_dot(ep->model->n, ep->result->nu, ep->result->mean)) + fabs(ep->log_det_b);
    return fabs(log_z - before) <= fmax(ep->options->tolerance, 16.0 * DBL_EPSILON * parts);
}

/* Test convergence: q rebuilt from its sites must have the same log Z and a small residual. If it does not,
 * the sweeps continue with a recomputed Sigma. */
static tw_status verify(tw_ep *ep, const tw_ep_options *options, double *log_z)
{
    tw_approximation *r = ep->result;
    TW_TRY(rebuild(ep));
    r->converged = r->residual <= options->site_tolerance && tw_ep_settled(ep, ep->rebuilt_log_z, *log_z);
    *log_z = ep->rebuilt_log_z;
    return r->converged ? TW_OK : restore_sigma(ep);
}

/* The state of the iteration over sweeps. */
typedef struct progress {
    bool double_loop;
    stall_watch watch;
    double effect;  /* largest effect of an update in the last sequential sweep; 0 after the initial sites */
    double before;  /* residual before the last sweep */
    double log_z;   /* after the last sweep; NaN: not measured */
    double rebuilt; /* log Z of the last q rebuilt because sweeps had stalled; NaN: none */
} progress;

/* The limit on pending precisions for the next sweep. Only their second-order effect is neglected, so a limit
 * of the order of sqrt(residual) keeps that error well below the residual. Measured on USPS: the number of
 * sweeps does not change, and Sigma is changed a quarter as often. */
static double pending_limit(const tw_ep *ep, const progress *p)
{
    double residual = ep->result->residual;
    double share = residual <= 0.5 * p->before ? 0.05 : 0.005; /* smaller if sweeps converge slowly */
    return isfinite(residual) ? fmin(fmax(share * sqrt(residual), ep->skip), 0.05) : ep->skip;
}

/* One sequential sweep. If the options give initial sites, the first sweep inserts them: that costs as much
 * as any sweep, and much less than a factorisation and Sigma from it. */
static tw_status sweep_once(tw_ep *ep, progress *p)
{
    bool given = ep->options->tau && ep->result->iterations == 0;
    ep->pending_limit = pending_limit(ep, p);
    ep->result->iterations++;
    p->effect = tw_ep_sweep(ep, given ? tw_ep_given_site : tw_ep_match_moments);
    if (given) p->effect = 0.0;
    return TW_OK;
}

/* log Z and the residual after a sweep. Measuring costs one tilted moment per site, so while the largest
 * effect of an update is far above the tolerance, that effect is used as the residual. */
static void measure(tw_ep *ep, progress *p)
{
    static const double FAR = 100.0;
    tw_approximation *r = ep->result;
    p->before = r->residual;
    p->log_z = NAN;
    r->residual = p->effect;
    if (p->double_loop || p->effect <= FAR * ep->options->site_tolerance)
        tw_ep_measure(ep, ep->log_det_b + ep->log_det_pending, &p->log_z, &r->residual);
}

/* Sequential sweeps have stalled. The first time, recompute Sigma, since it accumulates rounding errors; the
 * second time, switch to the double loop. */
static tw_status after_stall(tw_ep *ep, const tw_ep_options *options, progress *p)
{
    bool tried = !isnan(p->rebuilt);
    p->watch = (stall_watch){INFINITY, 0};
    TW_TRY(verify(ep, options, &p->rebuilt));
    if (!tried || ep->result->converged || options->method != TW_EP_AUTO) return TW_OK;
    tw_log(ep->model->ctx, TW_LOG_INFO,
           "EP stopped converging at sweep %zu (residual %.2g); continuing with the double loop",
           ep->result->iterations, ep->result->residual);
    p->double_loop = true;
    return TW_OK;
}

/* Measure after a sweep; test convergence, and choose the next algorithm. */
static tw_status judge(tw_ep *ep, const tw_ep_options *options, progress *p)
{
    tw_approximation *r = ep->result;
    double before = p->log_z;
    measure(ep, p);
    if (r->residual <= options->site_tolerance && tw_ep_settled(ep, p->log_z, before))
        return verify(ep, options, &p->log_z);
    if (p->double_loop) return TW_OK;
    if (options->method == TW_EP_DOUBLE_LOOP) {
        /* One sequential sweep came first, because the double loop takes tiny steps from the prior. */
        p->double_loop = true;
        return verify(ep, options, &p->rebuilt);
    }
    return stalled(&p->watch, r->residual) ? after_stall(ep, options, p) : TW_OK;
}

static tw_status iterate(tw_ep *ep, const tw_ep_options *options)
{
    tw_approximation *r = ep->result;
    progress p = {.watch = {INFINITY, 0}, .before = INFINITY, .log_z = NAN, .rebuilt = NAN};
    r->residual = INFINITY;
    while (!r->converged && r->iterations < options->max_sweeps) {
        TW_TRY(tw_ep_go_on(ep));
        TW_TRY(p.double_loop ? outer_step(ep, options) : sweep_once(ep, &p));
        TW_TRY(judge(ep, options, &p));
    }
    return r->converged ? TW_OK : rebuild(ep);
}

tw_status tw_ep_fit(const tw_model *model, const tw_ep_options *options, tw_approximation **out)
{
    tw_ep_options defaults = TW_EP_DEFAULTS;
    tw_ep ep = {.model = model};
    *out = NULL;
    if (!options) options = &defaults;
    ep.options = options;
    if (options->max_sweeps == 0 || !(options->tolerance > 0.0) || !(options->site_tolerance > 0.0))
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "EP needs at least one sweep and tolerances above 0");
    if (!options->tau != !options->nu)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "EP needs both tau and nu to start from given sites");
    TW_TRY(tw_approximation_allocate(model, TW_EP, &ep.result));
    ep.skip = 0.03 * options->site_tolerance;
    bool concave = !model->observed.likelihood->peak;
    bool parallel = options->method == TW_EP_PARALLEL ||
                    (options->method == TW_EP_AUTO && (!concave || !tw_sweep_possible(model->prior)));
    tw_status status = parallel ? tw_ep_parallel(&ep) : start(&ep);
    if (status == TW_OK) status = parallel ? rebuild(&ep) : iterate(&ep, options);
    release(&ep);
    if (status == TW_OK && !(ep.result->rounding <= TW_MOST_ROUNDING)) ep.result->log_z = NAN;
    if (status != TW_OK) {
        tw_approximation_free(ep.result);
        return status;
    }
    *out = ep.result;
    return TW_OK;
}
