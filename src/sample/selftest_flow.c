/* selftest_flow.c: one interface to the leapfrog integrator and the generalised one, for checks that apply to
 * both. In a phase point (q, p), q is in coordinates in which the metric is the identity for the first, and
 * in whitened coordinates for the second. */
#include <math.h>
#include <string.h>

#include "math/random.h"
#include "sample/selftest.h"

/* Far above the rounding error of a trajectory, and far too small to affect the Metropolis test. */
static const double leapfrog_return_limit = 1e-8;

/* The largest standard deviation. With x = c + F w a unit change of a coordinate changes latent i by at most
 * the norm of row i of F, its standard deviation. */
static double largest_deviation(const tw_gaussian *g)
{
    double largest = 0.0;
    for (size_t i = 0; i < g->n; i++) largest = fmax(largest, sqrt(g->variance[i]));
    return largest;
}

static tw_status allocate_work(tw_flow *flow)
{
    return tw_allocate_doubles(flow->c->ctx, flow->c->model->n + flow->r, 3, "a phase point", &flow->work);
}

tw_status tw_flow_hmc(const tw_selftest_case *c, tw_flow *out)
{
    *out = (tw_flow){.name = "leapfrog (HMC, metric ep)",
                     .cure = "the gradient of the likelihood does not match its value",
                     .return_limit = leapfrog_return_limit,
                     .c = c};
    TW_TRY(tw_frame_make(c->target, TW_METRIC_EP, c->ep->reference, &out->frame));
    out->r = out->frame.r;
    out->stretch = largest_deviation(out->frame.gaussian);
    TW_TRY(allocate_work(out));
    return tw_leapfrog_new(&out->frame, 1, &out->leapfrog);
}

tw_metric tw_selftest_metric(const tw_selftest_case *c)
{
    tw_metric wanted = c->options->metric;
    bool smooths = tw_metric_fits(TW_METRIC_SMOOTHED, c->model->observed.likelihood);
    return wanted == TW_METRIC_SMOOTHED && !smooths ? TW_METRIC_HESSIAN : wanted;
}

tw_status tw_flow_rmhmc(const tw_selftest_case *c, double solver_tolerance, tw_flow *out)
{
    const tw_selftest_options *options = c->options;
    tw_riemann_options o = TW_RIEMANN_DEFAULTS;
    *out =
        (tw_flow){.name = "generalised leapfrog (RMHMC)",
                  .cure = options->fixed_point
                              ? "a fixed number of iterations does not solve the implicit equations: solve "
                                "them to a tolerance"
                              : "the curvature of the likelihood or its slope is wrong, or the implicit "
                                "equations are solved too loosely",
                  .return_limit = TW_REVERSAL_LIMIT,
                  .c = c};
    o.metric = tw_selftest_metric(c);
    o.smoothing = c->ep->variance;
    o.rule.tolerance = solver_tolerance;
    o.rule.fixed = options->fixed_point;
    o.rule.cap = 200;
    TW_TRY(tw_riemann_new(c->target, &o, &out->riemann));
    out->r = out->riemann->r;
    out->stretch = largest_deviation(c->model->prior);
    return allocate_work(out);
}

void tw_flow_free(tw_flow *flow)
{
    tw_leapfrog_free(flow->leapfrog);
    tw_riemann_free(flow->riemann);
    tw_release(flow->c->ctx, flow->work);
}

bool tw_flow_put(tw_flow *flow, const double *phase)
{
    size_t bytes = flow->r * sizeof *phase;
    if (flow->riemann) {
        bool fine = tw_riemann_set_position(flow->riemann, phase) == TW_STEP_FINE;
        memcpy(flow->riemann->pi, phase + flow->r, bytes);
        return fine;
    }
    memcpy(flow->leapfrog->w, phase, bytes);
    memcpy(flow->leapfrog->p, phase + flow->r, bytes);
    tw_leapfrog_refresh(flow->leapfrog);
    return isfinite(tw_leapfrog_energy(flow->leapfrog, 0)) != 0;
}

void tw_flow_get(const tw_flow *flow, double *phase)
{
    size_t bytes = flow->r * sizeof *phase;
    memcpy(phase, flow->riemann ? flow->riemann->v : flow->leapfrog->w, bytes);
    memcpy(phase + flow->r, flow->riemann ? flow->riemann->pi : flow->leapfrog->p, bytes);
}

bool tw_flow_step(tw_flow *flow, double eps)
{
    if (flow->riemann) return tw_riemann_leapfrog(flow->riemann, eps) == TW_STEP_FINE;
    tw_leapfrog_run(flow->leapfrog, eps, 1);
    return isfinite(tw_leapfrog_energy(flow->leapfrog, 0)) != 0;
}

double tw_flow_energy(tw_flow *flow)
{
    return flow->riemann ? tw_riemann_energy(flow->riemann) : tw_leapfrog_energy(flow->leapfrog, 0);
}

/* HMC's momentum is N(0, I), the first r of the normals; RMHMC computes its own from all of them. */
bool tw_flow_start(tw_flow *flow, uint64_t index)
{
    const tw_selftest_case *c = flow->c;
    size_t n = c->model->n, r = flow->r;
    double *work = flow->work, *x = work + n, *phase = x + n, *normals = phase + 2 * r;
    tw_stream stream = tw_stream_at(c->options->seed, TW_STREAM_MOMENTUM, 0, index);
    tw_selftest_position(c, index, work, x);
    tw_stream_normals(&stream, n + r, normals);
    memcpy(phase + r, normals, r * sizeof *phase);
    if (flow->riemann)
        tw_target_whiten(c->target, 1, x, phase);
    else
        tw_frame_coordinates(&flow->frame, 1, x, phase);
    bool fine = tw_flow_put(flow, phase);
    if (fine && flow->riemann) tw_riemann_draw_momentum(flow->riemann, normals);
    return fine;
}
