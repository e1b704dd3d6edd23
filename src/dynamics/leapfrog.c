/* leapfrog.c: the leapfrog of leapfrog.h.
 *
 * The two half kicks between successive steps are merged into one kick. A kick and the drift that follows it
 * are one pass over positions and momenta.
 */
#include "dynamics/leapfrog.h"

#include <math.h>

#include "base/fault.h"
#include "dynamics/vectors.h"
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
    if (tw_frame_narrows(flow->frame)) {
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

void tw_leapfrog_refresh(tw_leapfrog *flow)
{
    tw_frame frame = tw_frame_from(flow->frame, flow->first);
    tw_frame_evaluate(&frame, flow->columns, flow->w, &flow->at);
}

static void evaluate_force(tw_leapfrog *flow)
{
    tw_frame frame = tw_frame_from(flow->frame, flow->first);
    tw_frame_force(&frame, flow->columns, flow->w, &flow->at);
}

/* The coefficients of a kick and a drift (vectors.h). Inside a trajectory of a Gaussian frame f is F' e' of
 * tw_frame_force and the force is f - w; otherwise f is the gradient and the force is -f. If the frame turns,
 * the rotation accounts for the part -w, so the kick uses the force + w. */
static tw_kick_drift kick_and_drift(const tw_frame *frame, bool inside, double kick, double drift)
{
    bool without_w = inside && !frame->linear;
    double own = (without_w ? -1.0 : 0.0) + (frame->turns ? 1.0 : 0.0);
    tw_kick_drift m = {.force = without_w ? kick : -kick, .own = own * kick, .stay = 1.0, .turn = drift};
    if (!frame->turns) return m;
    m.stay = cos(drift);
    m.turn = m.back = sin(drift);
    return m;
}

/* Kick for a time `kick`, then drift for a time `drift`. `inside`: the force is that of tw_frame_force. */
static void move(tw_leapfrog *flow, bool inside, double kick, double drift)
{
    size_t count = flow->frame->r * flow->columns;
    tw_kick_drift m = kick_and_drift(flow->frame, inside, kick, drift);
    float *narrow = tw_frame_narrows(flow->frame) ? flow->at.narrow : NULL;
    if (inside && narrow)
        tw_vectors_move_single(&m, count, narrow + count, flow->w, flow->p, narrow);
    else
        tw_vectors_move(&m, count, flow->at.gradient, flow->w, flow->p, narrow);
}

/* A whole kick and a drift, inside a trajectory. */
static void step(tw_leapfrog *flow, double eps, bool is_first)
{
    bool late = TW_FAULTY(TW_FAULT_LATE_FORCES, false, true);
    if (late) move(flow, !is_first, eps, 0.0);
    evaluate_force(flow);
    move(flow, true, late ? 0.0 : eps, eps);
}

void tw_leapfrog_run(tw_leapfrog *flow, double eps, size_t steps)
{
    if (steps == 0) return;
    move(flow, false, 0.5 * eps, eps);
    for (size_t s = 1; s < steps; s++) step(flow, eps, s == 1);
    tw_leapfrog_refresh(flow);
    move(flow, false, 0.5 * eps, 0.0);
}

double tw_leapfrog_energy(const tw_leapfrog *flow, size_t column)
{
    const double *p = flow->p + column * flow->frame->r;
    return -flow->at.log_density[column] + 0.5 * tw_dot(flow->frame->r, p, p);
}
