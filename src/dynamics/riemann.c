/* riemann.c: the phase point: position, metric, force, momentum, energy. See riemann.h for the equations. */
#include "dynamics/riemann.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "gaussian/dense_inside.h"
#include "linalg/vector.h"

void tw_riemann_free(tw_riemann *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    double *arrays[] = {p->v,      p->x,        p->slope,   p->lambda,  p->dlambda, p->s,
                        p->b,      p->diagonal, p->force,   p->pi,      p->pi_half, p->vdot,
                        p->g,      p->base,     p->scatter, p->lt,      p->start,   p->speed,
                        p->solved, p->zeta,     p->z,       p->compact, p->solver};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, p->index);
    tw_release(ctx, p);
}

static tw_status allocate(tw_riemann *p)
{
    size_t n = p->n, r = p->r, depth = p->options.rule.depth;
    struct {
        double **array;
        size_t length;
    } parts[] = {{&p->v, r},        {&p->x, n},
                 {&p->slope, n},    {&p->lambda, n},
                 {&p->dlambda, n},  {&p->s, n},
                 {&p->diagonal, n}, {&p->force, r},
                 {&p->pi, r},       {&p->pi_half, r},
                 {&p->vdot, r},     {&p->g, n},
                 {&p->base, n},     {&p->scatter, n},
                 {&p->lt, n},       {&p->start, n},
                 {&p->speed, n},    {&p->solved, n},
                 {&p->zeta, 2 * n}, {&p->z, 2 * n},
                 {&p->compact, n},  {&p->solver, tw_fixed_point_work(2 * n, depth)}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        TW_TRY(tw_allocate_doubles(p->ctx, parts[i].length, 1, "a Riemannian phase point", parts[i].array));
    void *index = NULL;
    TW_TRY(tw_allocate(p->ctx, n, sizeof *p->index, "the active sites", &index));
    p->index = index;
    return tw_allocate_doubles(p->ctx, n, n, "the factor of the metric", &p->b);
}

static tw_status check(const tw_target *target, const tw_riemann_options *o)
{
    const tw_likelihood *lik = target->model->likelihood;
    tw_context *ctx = target->ctx;
    if (o->metric == TW_METRIC_SMOOTHED && (!lik->smoothed || !o->smoothing))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       lik->smoothed
                           ? "the smoothed metric needs a variance for every site"
                           : "the likelihood \"%s\" has no smoothed curvature: use the hessian metric",
                       lik->name);
    if (o->metric == TW_METRIC_FISHER && !lik->fisher)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the likelihood \"%s\" has no expected information: use the hessian metric",
                       lik->name);
    if (o->metric != TW_METRIC_HESSIAN && o->metric != TW_METRIC_FISHER && o->metric != TW_METRIC_SMOOTHED)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "RMHMC needs a metric that depends on the position");
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
                      .r = target->model->prior->r};
    tw_status status = allocate(p);
    if (status != TW_OK) {
        tw_riemann_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}

/* lambda and dlambda of the metric at x; dlambda may be NULL. */
static void metric_terms(const tw_riemann *p, const double *x, double *lambda, double *dlambda)
{
    const tw_target *t = p->target;
    const tw_model *m = t->model;
    const tw_likelihood *lik = m->likelihood;
    if (p->options.metric == TW_METRIC_HESSIAN) {
        tw_target_sites(t, x, NULL, lambda, dlambda, NULL);
        return;
    }
    if (p->options.metric == TW_METRIC_SMOOTHED)
        lik->smoothed(lik->user, p->n, m->y, m->w, p->options.smoothing, x, lambda, dlambda);
    else
        lik->fisher(lik->user, p->n, m->y, m->w, x, lambda, dlambda);
    for (size_t i = 0; i < p->n; i++) {
        lambda[i] = t->beta * lambda[i] + (t->site_tau ? t->site_tau[i] : 0.0);
        if (dlambda) dlambda[i] *= t->beta;
    }
}

bool tw_riemann_factor(tw_riemann *p, const double *x)
{
    const tw_dense *base = (const tw_dense *)p->target->base;
    size_t n = p->n;
    tw_pivot failed;
    metric_terms(p, x, p->lambda, p->dlambda);
    p->active = 0;
    for (size_t i = 0; i < n; i++) {
        if (p->lambda[i] * base->g.variance[i] <= p->options.threshold) continue;
        p->index[p->active] = i;
        p->s[p->active++] = sqrt(p->lambda[i]);
    }
    p->factored = tw_cholesky_active(p->active, p->index, p->s, base->a, n, p->b, p->active, &failed);
    return p->factored;
}

void tw_riemann_solve(const tw_riemann *p, const double *g, double *compact)
{
    for (size_t k = 0; k < p->active; k++) compact[k] = p->s[k] * g[p->index[k]];
    tw_cholesky_solve(p->active, p->b, p->active, 1, compact, p->active);
}

/* With B factored at x: the sites, diag(G^-1), the force. b becomes the inverse of the factor. */
void tw_riemann_settle(tw_riemann *p)
{
    const double *variance = p->target->base->variance;
    size_t n = p->n;
    double half = TW_FAULTY(TW_FAULT_TRACE_SIGN, 0.5, -0.5);
    tw_site_sums sums;
    if (p->options.metric == TW_METRIC_HESSIAN) {
        tw_target_sites(p->target, p->x, p->slope, p->lambda, p->dlambda, &sums);
    } else {
        tw_target_sites(p->target, p->x, p->slope, NULL, NULL, &sums);
        metric_terms(p, p->x, p->lambda, p->dlambda);
    }
    p->log_likelihood = sums.log_likelihood;
    p->log_density = sums.tempered - 0.5 * tw_dot(p->r, p->v, p->v) + tw_target_base_constant(p->target);
    p->log_det_b = tw_cholesky_log_det(p->active, p->b, p->active);
    tw_cholesky_invert(p->active, p->b, p->active, p->diagonal);
    /* (G^-1)_nn is (1 - (B^-1)_nn)/lambda_n where the site is active, A_nn where it is not. */
    for (size_t i = 0; i < n; i++) p->scatter[i] = half * p->dlambda[i] * variance[i] - p->slope[i];
    for (size_t k = 0; k < p->active; k++) {
        size_t i = p->index[k];
        p->scatter[i] = half * p->dlambda[i] / p->lambda[i] * (1.0 - p->diagonal[k]) - p->slope[i];
    }
    tw_gaussian_pull_back(p->target->base, 1, p->scatter, p->force);
    for (size_t i = 0; i < p->r; i++) p->force[i] += p->v[i];
}

tw_step tw_riemann_set_position(tw_riemann *p, const double *v)
{
    const tw_target *t = p->target;
    memcpy(p->v, v, p->r * sizeof *v);
    tw_gaussian_positions(t->base, 1, v, p->x);
    p->near_cap = false;
    if (!tw_riemann_factor(p, p->x)) return TW_STEP_FACTORISATION;
    tw_riemann_settle(p);
    return TW_STEP_FINE;
}

/* The fault of a stale metric: S a with S of the base's mean. */
static void draw_stale(tw_riemann *p, const double *normals)
{
    memset(p->lt, 0, p->n * sizeof *p->lt);
    metric_terms(p, p->target->base->mean ? p->target->base->mean : p->lt, p->scatter, NULL);
    for (size_t i = 0; i < p->n; i++) p->scatter[i] = sqrt(p->scatter[i]) * normals[i];
}

void tw_riemann_draw_momentum(tw_riemann *p, const double *normals)
{
    memset(p->scatter, 0, p->n * sizeof *p->scatter);
    for (size_t k = 0; k < p->active; k++) p->scatter[p->index[k]] = p->s[k] * normals[p->index[k]];
    if (TW_FAULTY(TW_FAULT_STALE_MOMENTUM, false, true)) draw_stale(p, normals);
    tw_gaussian_pull_back(p->target->base, 1, p->scatter, p->pi);
    for (size_t i = 0; i < p->r; i++) p->pi[i] += normals[p->n + i];
}

double tw_riemann_energy(tw_riemann *p)
{
    /* pi' vdot = pi'pi - g'z with g'z = (S g)' B^-1 (S g) = |L_B^-1 S g|^2 */
    tw_gaussian_spread(p->target->base, 1, p->pi, p->g);
    double gz = 0.0;
    for (size_t k = 0; k < p->active; k++) p->compact[k] = p->s[k] * p->g[p->index[k]];
    memcpy(p->start, p->compact, p->active * sizeof *p->start);
    tw_cholesky_inverse_multiply(p->active, p->b, p->active, p->compact);
    gz = tw_dot(p->active, p->start, p->compact);
    double log_det = TW_FAULTY(TW_FAULT_NO_LOG_DET, p->log_det_b, 0.0);
    return -p->log_density + 0.5 * (log_det + tw_dot(p->r, p->pi, p->pi) - gz);
}
