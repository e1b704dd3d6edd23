/* riemann.c: the phase point: position, metric, force, momentum, energy. riemann.h has the equations. */
#include "dynamics/riemann.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "linalg/vector.h"

/* c_n (F F')_nn in the metric anchored. */
static const double ANCHOR_WIDTH = 0.2;

/* If the rounding error of an energy exceeds this many nats, the energy is NaN. */
static const double MAX_ROUNDING = 0.01;

void tw_riemann_free(tw_riemann *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    double *arrays[] = {p->v,           p->x,       p->slope,  p->lambda,   p->dlambda,  p->force,
                        p->pi,          p->pi_half, p->first,  p->g,        p->middle,   p->sites,
                        p->coordinates, p->start,   p->speed,  p->solved,   p->response, p->rest,
                        p->zeta,        p->z,       p->solver, p->departed, p->weight,   p->diagonal};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_curved_free(p->curved);
    tw_release(ctx, p);
}

static tw_status allocate(tw_riemann *p)
{
    size_t n = p->n, r = p->r, depth = p->options.rule.depth;
    struct {
        double **array;
        size_t length;
    } parts[] = {{&p->v, r},        {&p->x, n},           {&p->slope, n},
                 {&p->lambda, n},   {&p->dlambda, n},     {&p->force, r},
                 {&p->pi, r},       {&p->pi_half, r},     {&p->first, n},
                 {&p->g, n},        {&p->middle, n},      {&p->sites, n},
                 {&p->start, n},    {&p->coordinates, r}, {&p->speed, n},
                 {&p->solved, n},   {&p->response, n},    {&p->rest, n},
                 {&p->zeta, 2 * n}, {&p->z, 2 * n},       {&p->solver, tw_fixed_point_work(2 * n, depth)},
                 {&p->departed, n}, {&p->weight, n},      {&p->diagonal, n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TW_TRY(tw_allocate_doubles(p->ctx, parts[i].length, 1, "a Riemannian phase point", parts[i].array));
    return tw_curved_new(p->base, n, &p->curved);
}

static tw_status check(const tw_target *target, const tw_riemann_options *o)
{
    const tw_likelihood *lik = target->model->observed.likelihood;
    tw_context *ctx = target->ctx;
    bool smooths = o->metric == TW_METRIC_SMOOTHED || o->metric == TW_METRIC_ANCHORED;
    if (smooths && (!lik->smoothed || !o->smoothing))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       lik->smoothed
                           ? "the metrics smoothed and anchored need a variance for every site"
                           : "the likelihood \"%s\" has no smoothed curvature: use the hessian metric",
                       lik->name);
    if (o->metric == TW_METRIC_FISHER && !lik->fisher)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the likelihood \"%s\" has no expected information: use the hessian metric",
                       lik->name);
    if (o->metric == TW_METRIC_HESSIAN && lik->peak)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the likelihood \"%s\" is not log-concave, so its hessian is not a metric: use fisher "
                       "or smoothed",
                       lik->name);
    if (!tw_metric_describe(o->metric)->position_dependent)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "RMHMC needs a metric that depends on the position");
    if (o->metric == TW_METRIC_ANCHORED && (!o->anchor || !o->anchor->gaussian || o->anchor->linear))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the metric anchored needs a fit by EP or Laplace's method, and a path from the prior "
                       "or from that fit");
    if (!(o->rule.tolerance > 0.0) || (o->rule.cap == 0 && o->rule.fixed == 0))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the implicit equations need a tolerance above 0 and at least one iteration");
    return TW_OK;
}

tw_status tw_riemann_new(const tw_target *target, const tw_riemann_options *options, tw_riemann **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(check(target, options));
    TW_TRY(tw_allocate(target->ctx, 1, sizeof(tw_riemann), "a Riemannian phase point", &memory));
    tw_riemann *p = memory;
    *p = (tw_riemann){.ctx = target->ctx,
                      .target = target,
                      .options = *options,
                      .n = target->model->n,
                      .r = target->model->prior->r,
                      .base = options->anchor ? options->anchor->gaussian : target->model->prior};
    tw_status status = allocate(p);
    if (status != TW_OK) {
        tw_riemann_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

/* Replace the smoothed curvatures s_n by their excess h(e_n) over the anchor's tau_n, and the derivatives
 * accordingly: with share = e^2/(e^2 + c^2), h = e share and dh/de = share (3 - 2 share). */
static void take_excess(const tw_riemann *p, double *lambda, double *dlambda)
{
    const double *tau = p->options.anchor->tau, *variance = p->options.anchor->gaussian->variance;
    for (size_t i = 0; i < p->n; i++) {
        double c = ANCHOR_WIDTH / variance[i], e = fmax(lambda[i] - tau[i] - c, 0.0);
        double sum = e * e + c * c, share = sum > 0.0 ? e * e / sum : 0.0;
        lambda[i] = e * share;
        if (dlambda) dlambda[i] *= share * (3.0 - 2.0 * share);
    }
}

/* The metric ignores Gaussian sites with a negative precision: it must be positive definite, and the
 * sampler is exact with any metric. */
void tw_riemann_curvature(const tw_riemann *p, const double *x, double *lambda, double *dlambda)
{
    const tw_target *t = p->target;
    const tw_model *m = t->model;
    const tw_likelihood *lik = m->observed.likelihood;
    if (p->options.metric == TW_METRIC_HESSIAN) {
        tw_target_sites(t, x, NULL, lambda, dlambda, NULL);
        return;
    }
    if (p->options.metric == TW_METRIC_FISHER)
        lik->fisher(&m->observed, x, lambda, dlambda);
    else
        lik->smoothed(&m->observed, p->options.smoothing, x, lambda, dlambda);
    for (size_t i = 0; i < p->n; i++) {
        lambda[i] = t->beta * lambda[i] + (t->site_tau ? fmax(t->site_tau[i], 0.0) : 0.0);
        if (dlambda) dlambda[i] *= t->beta;
    }
    if (p->options.anchor) take_excess(p, lambda, dlambda);
}

/* The diagonal is computed right away: a step seldom factors twice, so it will need this one. Computing it
 * inverts a dense factor, and afterwards a velocity costs a product instead of a solve. */
bool tw_riemann_factor(tw_riemann *p, const double *x)
{
    tw_riemann_curvature(p, x, p->lambda, p->dlambda);
    p->factored = tw_curved_factor(p->curved, p->base, p->lambda, p->options.threshold);
    if (p->factored) tw_curved_diagonal(p->curved, p->diagonal);
    return p->factored;
}

/* The norm of velocities weights each site by its scale: its curvature plus the base's marginal precision. */
static void weigh_velocities(tw_riemann *p)
{
    const double *variance = p->base->variance;
    for (size_t i = 0; i < p->n; i++)
        p->weight[i] = variance[i] > 0.0 ? p->lambda[i] + 1.0 / variance[i] : 0.0;
}

void tw_riemann_settle(tw_riemann *p)
{
    double half = TW_FAULTY(TW_FAULT_TRACE_SIGN, 0.5, -0.5);
    const tw_frame *anchor = p->options.anchor;
    tw_site_sums sums;
    double constant =
        anchor ? tw_frame_constant(anchor) : p->target->log_constant + tw_gaussian_log_constant(p->base);
    if (anchor) {
        sums.tempered = tw_frame_excess(anchor, p->x, p->slope, &sums.log_likelihood);
        tw_riemann_curvature(p, p->x, p->lambda, p->dlambda);
    } else if (p->options.metric == TW_METRIC_HESSIAN) {
        tw_target_sites(p->target, p->x, p->slope, p->lambda, p->dlambda, &sums);
    } else {
        tw_target_sites(p->target, p->x, p->slope, NULL, NULL, &sums);
        tw_riemann_curvature(p, p->x, p->lambda, p->dlambda);
    }
    weigh_velocities(p);
    p->log_likelihood = sums.log_likelihood;
    p->log_density = sums.tempered - 0.5 * tw_dot(p->r, p->v, p->v) + constant;
    for (size_t i = 0; i < p->n; i++) p->sites[i] = half * p->dlambda[i] * p->diagonal[i] - p->slope[i];
    tw_gaussian_pull_back(p->base, 1, p->sites, p->force);
    for (size_t i = 0; i < p->r; i++) p->force[i] += p->v[i];
}

const tw_gaussian *tw_riemann_base(const tw_riemann *p)
{
    if (p->options.anchor) return p->options.anchor->gaussian;
    return p->own ? p->own : p->target->base;
}

tw_step tw_riemann_set_position(tw_riemann *p, const double *v)
{
    p->base = tw_riemann_base(p);
    memcpy(p->v, v, p->r * sizeof *v);
    tw_gaussian_positions(p->base, 1, v, p->x);
    p->near_cap = p->doubtful = false;
    if (!tw_riemann_factor(p, p->x)) return TW_STEP_FACTORISATION;
    tw_riemann_settle(p);
    return TW_STEP_FINE;
}

#ifdef TALWEG_FAULTS
/* The fault of a stale metric: S a with S taken at the base's mean. */
static void draw_stale(tw_riemann *p, const double *normals)
{
    memset(p->rest, 0, p->n * sizeof *p->rest);
    tw_riemann_curvature(p, p->base->mean ? p->base->mean : p->rest, p->sites, NULL);
    for (size_t i = 0; i < p->n; i++) p->sites[i] = sqrt(p->sites[i]) * normals[i];
}
#endif

void tw_riemann_draw_momentum(tw_riemann *p, const double *normals)
{
    for (size_t i = 0; i < p->n; i++) p->sites[i] = p->curved->root[i] * normals[i];
    TW_FAULTY(TW_FAULT_STALE_MOMENTUM, (void)0, draw_stale(p, normals));
    tw_gaussian_pull_back(p->base, 1, p->sites, p->pi);
    for (size_t i = 0; i < p->r; i++) p->pi[i] += normals[p->n + i];
}

double tw_riemann_energy(tw_riemann *p)
{
    double log_det = TW_FAULTY(TW_FAULT_NO_LOG_DET, p->curved->log_det, 0.0);
    tw_gaussian_spread(p->base, 1, p->pi, p->g);
    tw_curved_velocity(p->curved, p->g, NULL, p->sites); /* sites = z, and pi' vdot = pi'pi - g'z */
    double square = tw_dot(p->r, p->pi, p->pi), kinetic = square - tw_dot(p->n, p->g, p->sites);
    if (DBL_EPSILON * square > MAX_ROUNDING) return NAN;
    return -p->log_density + 0.5 * (log_det + kinetic);
}
