/* leapfrog.c: see leapfrog.h. Half steps of the momentum between two steps are taken together. */
#include "dynamics/leapfrog.h"

#include <math.h>

#include "base/fault.h"
#include "linalg/vector.h"

void tw_leapfrog_free(tw_leapfrog *flow)
{
    if (!flow) return;
    tw_context *ctx = flow->ctx;
    double *arrays[] = {flow->w,        flow->p,           flow->at.x,           flow->at.slope,
                        flow->at.solve, flow->at.gradient, flow->at.log_density, flow->at.log_likelihood};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, flow->at.narrow);
    tw_release(ctx, flow);
}

static tw_status allocate(tw_leapfrog *flow)
{
    tw_context *ctx = flow->ctx;
    size_t n = flow->frame->n, r = flow->frame->r, columns = flow->columns;
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the positions", &flow->w));
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the momenta", &flow->p));
    TW_TRY(tw_allocate_doubles(ctx, n, columns, "the latent values", &flow->at.x));
    TW_TRY(tw_allocate_doubles(ctx, n, columns, "the slopes", &flow->at.slope));
    if (flow->frame->linear)
        TW_TRY(tw_allocate_doubles(ctx, n, columns, "the prior's solves", &flow->at.solve));
    if (flow->frame->packed) {
        void *narrow = NULL;
        TW_TRY(tw_allocate(ctx, 2 * n * columns, sizeof *flow->at.narrow, "products in single precision",
                           &narrow));
        flow->at.narrow = narrow;
    }
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the gradients", &flow->at.gradient));
    TW_TRY(tw_allocate_doubles(ctx, columns, 1, "the densities", &flow->at.log_density));
    return tw_allocate_doubles(ctx, columns, 1, "the likelihoods", &flow->at.log_likelihood);
}

tw_status tw_leapfrog_new(const tw_frame *frame, size_t columns, tw_leapfrog **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(frame->target->ctx, 1, sizeof(tw_leapfrog), "the integrator", &memory));
    tw_leapfrog *flow = memory;
    *flow = (tw_leapfrog){.ctx = frame->target->ctx, .frame = frame, .columns = columns};
    tw_status status = allocate(flow);
    if (status != TW_OK) {
        tw_leapfrog_free(flow);
        return status;
    }
    *out = flow;
    return TW_OK;
}

static void evaluate(tw_leapfrog *flow, const tw_frame_block *at)
{
    tw_frame frame = tw_frame_from(flow->frame, flow->first);
    tw_frame_evaluate(&frame, flow->columns, flow->w, at);
}

void tw_leapfrog_refresh(tw_leapfrog *flow)
{
    evaluate(flow, &flow->at);
}

/* Where the frame turns, the part w of the gradient is the drift's. */
static void kick(tw_leapfrog *flow, double eps)
{
    size_t count = flow->frame->r * flow->columns;
    double *p = flow->p;
    const double *gradient = flow->at.gradient, *w = flow->w;
    if (flow->frame->turns)
        for (size_t i = 0; i < count; i++) p[i] -= eps * (gradient[i] - w[i]);
    else
        for (size_t i = 0; i < count; i++) p[i] -= eps * gradient[i];
}

static void turn(size_t count, double angle, double *w, double *p)
{
    double c = cos(angle), s = sin(angle);
    for (size_t i = 0; i < count; i++) {
        double position = w[i], momentum = p[i];
        w[i] = c * position + s * momentum;
        p[i] = c * momentum - s * position;
    }
}

static void drift(tw_leapfrog *flow, double eps)
{
    size_t count = flow->frame->r * flow->columns;
    if (flow->frame->turns)
        turn(count, eps, flow->w, flow->p);
    else
        for (size_t i = 0; i < count; i++) flow->w[i] += eps * flow->p[i];
}

void tw_leapfrog_run(tw_leapfrog *flow, double eps, size_t steps)
{
    tw_frame_block inside = flow->at; /* on the way only gradients are needed */
    inside.log_density = inside.log_likelihood = NULL;
    if (steps == 0) return;
    kick(flow, 0.5 * eps);
    for (size_t s = 1; s <= steps; s++) {
        bool late = TW_FAULTY(TW_FAULT_LATE_FORCES, false, s < steps);
        drift(flow, eps);
        if (late) kick(flow, eps);
        evaluate(flow, s < steps ? &inside : &flow->at);
        if (!late) kick(flow, s < steps ? eps : 0.5 * eps);
    }
}

double tw_leapfrog_energy(const tw_leapfrog *flow, size_t column)
{
    const double *p = flow->p + column * flow->frame->r;
    return -flow->at.log_density[column] + 0.5 * tw_dot(flow->frame->r, p, p);
}
