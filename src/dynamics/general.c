/* general.c: the phase point of a general target: set-up, position, momentum, energy and its gradient.
 *
 *     H       = -log p + 1/2 log |G| + 1/2 p' G^-1 p
 *     dH/dx_k = -d log p/dx_k + 1/2 tr(G^-1 dG/dx_k) - 1/2 p' G^-1 dG/dx_k G^-1 p
 *
 * The last two terms of dH/dx are contractions of third derivatives with the weights of softabs.h. The trace
 * term does not depend on p, so it is computed once per point.
 */
#include "dynamics/general.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "linalg/eigen.h"
#include "linalg/size.h"
#include "math/random.h"

enum { ANDERSON_DEPTH = 3, POINTS = 4 };

bool tw_general_update_metric(tw_general *g, tw_general_point *point)
{
    if (g->metric == TW_GENERAL_CONSTANT) return true;
    g->target.hessian(g->target.user, point->x, point->metric.q);
    return tw_softabs_update(&point->metric, g->eigen);
}

static bool all_finite(size_t n, const double *a)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(a[i])) return false;
    return true;
}

bool tw_general_update(tw_general *g, tw_general_point *point)
{
    const tw_general_target *target = &g->target;
    size_t d = target->d;
    point->value = target->value(target->user, point->x);
    if (!isfinite(point->value) || !tw_general_update_metric(g, point)) return false;
    target->gradient(target->user, point->x, point->slope);
    for (size_t i = 0; i < d; i++) point->slope[i] = -point->slope[i];
    if (g->metric == TW_GENERAL_SOFTABS) {
        tw_softabs_trace_weights(&point->metric, g->weights);
        target->third(target->user, point->x, g->weights, g->force);
        for (size_t i = 0; i < d; i++) point->slope[i] += 0.5 * g->force[i];
    }
    return all_finite(d, point->slope);
}

void tw_general_energy_slope(tw_general *g, tw_general_point *point, const double *p, double *slope)
{
    size_t d = g->target.d;
    memcpy(slope, point->slope, d * sizeof *slope);
    if (g->metric == TW_GENERAL_CONSTANT) return;
    double sign = TW_FAULTY(TW_FAULT_VELOCITY_SIGN, -1.0, 1.0);
    tw_softabs_quadratic_weights(&point->metric, p, g->weights);
    g->target.third(g->target.user, point->x, g->weights, g->force);
    for (size_t i = 0; i < d; i++) slope[i] += sign * 0.5 * g->force[i];
}

double tw_general_energy(const tw_general *g)
{
    const tw_general_point *here = &g->here;
    double log_det = TW_FAULTY(TW_FAULT_NO_LOG_DET, here->metric.log_det, 0.0);
    return -here->value + 0.5 * log_det + 0.5 * tw_softabs_inverse_inner(&here->metric, here->p, here->p);
}

tw_status tw_general_set_position(tw_general *g, const double *x)
{
    memcpy(g->here.x, x, g->target.d * sizeof *x);
    memset(g->here.p, 0, g->target.d * sizeof *x);
    if (tw_general_update(g, &g->here)) return TW_OK;
    return tw_fail(g->ctx, TW_NUMERICAL_FAILURE,
                   "the log density (%g) or a derivative is not finite at the position; choose another start",
                   g->here.value);
}

void tw_general_set_momentum(tw_general *g, const double *p)
{
    memcpy(g->here.p, p, g->target.d * sizeof *p);
}

void tw_general_draw_momentum(tw_general *g, uint64_t seed, uint64_t chain, uint64_t iteration)
{
    tw_stream stream = tw_stream_at(seed, TW_STREAM_MOMENTUM, chain, iteration);
    tw_stream_normals(&stream, g->target.d, g->trial);
    tw_softabs_root(&g->here.metric, g->trial, g->here.p);
}

void tw_general_reverse(tw_general *g)
{
    for (size_t i = 0; i < g->target.d; i++) g->here.p[i] = -g->here.p[i];
}

const double *tw_general_position(const tw_general *g)
{
    return g->here.x;
}

const double *tw_general_momentum(const tw_general *g)
{
    return g->here.p;
}

/* All arrays of a point are contiguous, x first, so one memcpy copies them. */
void tw_general_copy(const tw_general *g, const tw_general_point *from, tw_general_point *to)
{
    memcpy(to->x, from->x, g->point_doubles * sizeof *to->x);
    to->value = from->value;
    to->metric.log_det = from->metric.log_det;
}

/* ---- set-up ---- */

static tw_status check_target(tw_context *ctx, const tw_general_target *target, const tw_general_options *o)
{
    if (target->d == 0 || !tw_size_fits(34 * target->d))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a target cannot have %zu dimensions", target->d);
    if (!target->value || !target->gradient)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a target needs a value and a gradient");
    if (o->metric == TW_GENERAL_SOFTABS && (!target->hessian || !target->third))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "the SoftAbs metric needs a Hessian and third derivatives; give them, or use "
                       "TW_GENERAL_CONSTANT");
    return TW_OK;
}

static bool positive(double a)
{
    return a > 0.0 && isfinite(a);
}

static tw_status check_options(tw_context *ctx, size_t d, const tw_general_options *o)
{
    if (o->metric != TW_GENERAL_CONSTANT && o->metric != TW_GENERAL_SOFTABS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown metric %d", (int)o->metric);
    if (!positive(o->eps) || !positive(o->alpha) || !positive(o->tolerance))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "eps (%g), alpha (%g) and tolerance (%g) must be positive and finite", o->eps,
                       o->alpha, o->tolerance);
    if (o->cap == 0 || !(o->reversal >= 0.0))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "cap (%zu) must be positive, and reversal (%g) not negative",
                       o->cap, o->reversal);
    for (size_t i = 0; o->mass && i < d; i++)
        if (!positive(o->mass[i]))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "mass %zu is %g, and must be positive and finite", i + 1,
                           o->mass[i]);
    return TW_OK;
}

/* Take the next `count` doubles of a block of memory. */
static double *take(double **memory, size_t count)
{
    double *taken = *memory;
    *memory += count;
    return taken;
}

static tw_general_point divide_point(size_t d, double alpha, double **memory)
{
    tw_general_point point = {0};
    point.x = take(memory, d);
    point.p = take(memory, d);
    point.slope = take(memory, d);
    point.metric = tw_softabs_divide(d, alpha, take(memory, tw_softabs_doubles(d)));
    return point;
}

static tw_status divide_memory(tw_general *g, double alpha)
{
    size_t d = g->target.d, solver = tw_fixed_point_work(d, ANDERSON_DEPTH), eigen = tw_eigen_work(d);
    g->point_doubles = 3 * d + tw_softabs_doubles(d);
    size_t total = POINTS * g->point_doubles + d * d + 5 * d + solver + eigen;
    TW_TRY(tw_allocate_doubles(g->ctx, total, 1, "the phase point of a general target", &g->memory));
    double *memory = g->memory;
    tw_general_point *points[POINTS] = {&g->here, &g->next, &g->start, &g->end};
    for (size_t i = 0; i < POINTS; i++) *points[i] = divide_point(d, alpha, &memory);
    g->weights = take(&memory, d * d);
    g->force = take(&memory, d);
    g->half = take(&memory, d);
    g->velocity = take(&memory, d);
    g->trial = take(&memory, d);
    g->image = take(&memory, d);
    g->solver = take(&memory, solver);
    g->eigen = take(&memory, eigen);
    return TW_OK;
}

/* Set the constant metric at both points that a step uses. */
static void set_mass(tw_general *g, const double *mass)
{
    for (size_t i = 0; i < g->target.d; i++) g->trial[i] = mass ? mass[i] : 1.0;
    tw_softabs_set_constant(&g->here.metric, g->trial);
    tw_softabs_set_constant(&g->next.metric, g->trial);
}

tw_status tw_general_new(tw_context *ctx, const tw_general_target *target, const tw_general_options *options,
                         tw_general **out)
{
    tw_general_options o = options ? *options : TW_GENERAL_DEFAULTS;
    *out = NULL;
    TW_TRY(check_target(ctx, target, &o));
    TW_TRY(check_options(ctx, target->d, &o));
    void *block = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_general), "a general target", &block));
    tw_general *g = block;
    g->ctx = ctx;
    g->target = *target;
    g->metric = o.metric;
    g->eps = o.eps;
    g->reversal = o.reversal;
    g->rule = (tw_fixed_point_rule){.tolerance = o.tolerance, .cap = o.cap, .depth = ANDERSON_DEPTH};
    tw_status status = divide_memory(g, o.alpha);
    if (status != TW_OK) {
        tw_general_free(g);
        return status;
    }
    if (o.metric == TW_GENERAL_CONSTANT) set_mass(g, o.mass);
    *out = g;
    return TW_OK;
}

void tw_general_free(tw_general *g)
{
    if (!g) return;
    tw_release(g->ctx, g->memory);
    tw_release(g->ctx, g);
}
