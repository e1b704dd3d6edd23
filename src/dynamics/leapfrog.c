/* leapfrog.c: see leapfrog.h. Half steps of the momentum between two steps are taken together. */
#include "dynamics/leapfrog.h"

#include "linalg/product.h"

void tw_leapfrog_free(tw_leapfrog *l)
{
    if (!l) return;
    tw_context *ctx = l->ctx;
    double *arrays[] = {l->w,        l->p,           l->at.x,           l->at.slope,
                        l->at.solve, l->at.gradient, l->at.log_density, l->at.log_likelihood};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, l);
}

static tw_status allocate(tw_leapfrog *l)
{
    tw_context *ctx = l->ctx;
    size_t n = l->frame->n, r = l->frame->r, columns = l->columns;
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the positions", &l->w));
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the momenta", &l->p));
    TW_TRY(tw_allocate_doubles(ctx, n, columns, "the latent values", &l->at.x));
    TW_TRY(tw_allocate_doubles(ctx, n, columns, "the slopes", &l->at.slope));
    if (l->frame->linear) TW_TRY(tw_allocate_doubles(ctx, n, columns, "the prior's solves", &l->at.solve));
    TW_TRY(tw_allocate_doubles(ctx, r, columns, "the gradients", &l->at.gradient));
    TW_TRY(tw_allocate_doubles(ctx, columns, 1, "the densities", &l->at.log_density));
    return tw_allocate_doubles(ctx, columns, 1, "the likelihoods", &l->at.log_likelihood);
}

tw_status tw_leapfrog_new(const tw_frame *frame, size_t columns, tw_leapfrog **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(frame->target->ctx, 1, sizeof(tw_leapfrog), "the integrator", &memory));
    tw_leapfrog *l = memory;
    *l = (tw_leapfrog){.ctx = frame->target->ctx, .frame = frame, .columns = columns};
    tw_status status = allocate(l);
    if (status != TW_OK) {
        tw_leapfrog_free(l);
        return status;
    }
    *out = l;
    return TW_OK;
}

void tw_leapfrog_refresh(tw_leapfrog *l)
{
    tw_frame_evaluate(l->frame, l->columns, l->w, &l->at);
}

static void kick(tw_leapfrog *l, double eps)
{
    size_t count = l->frame->r * l->columns;
    for (size_t i = 0; i < count; i++) l->p[i] -= eps * l->at.gradient[i];
}

static void drift(tw_leapfrog *l, double eps)
{
    size_t count = l->frame->r * l->columns;
    for (size_t i = 0; i < count; i++) l->w[i] += eps * l->p[i];
}

void tw_leapfrog_run(tw_leapfrog *l, double eps, size_t steps)
{
    tw_frame_block inside = l->at; /* on the way only gradients are needed */
    inside.log_density = inside.log_likelihood = NULL;
    if (steps == 0) return;
    kick(l, 0.5 * eps);
    for (size_t s = 1; s <= steps; s++) {
        drift(l, eps);
        tw_frame_evaluate(l->frame, l->columns, l->w, s < steps ? &inside : &l->at);
        kick(l, s < steps ? eps : 0.5 * eps);
    }
}

double tw_leapfrog_energy(const tw_leapfrog *l, size_t column)
{
    const double *p = l->p + column * l->frame->r;
    return -l->at.log_density[column] + 0.5 * tw_dot(l->frame->r, p, p);
}
