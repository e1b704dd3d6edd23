/* leapfrog.h: the leapfrog integrator for a constant metric, all columns of an ensemble in lockstep.
 *
 * In a frame (frame.h) the mass is the identity, H = U(w) + p'p/2 with U = -L_b(w), and a step is
 *   p -= eps/2 dU/dw,  w += eps p,  p -= eps/2 dU/dw.
 * It costs two triangular products (N x N by N x P) and N P site evaluations, and O(N) memory per column.
 *
 * In a Gaussian frame U = w'w/2 - sum e_n + const. If the frame turns, the step integrates the quadratic part
 * exactly (split HMC, Shahbaba et al. 2014):
 *   p += eps/2 d(sum e)/dw,  rotate (w, p) by the angle eps,  p += eps/2 d(sum e)/dw.
 * Then only the excess e of the sites over their Gaussians causes errors. In EP's frame it is small, so steps
 * can be several times as long. The step is a composition of shears and a rotation, so it is reversible and
 * preserves volume.
 */
#ifndef TALWEG_DYNAMICS_LEAPFROG_H
#define TALWEG_DYNAMICS_LEAPFROG_H

#include "dynamics/frame.h"

typedef struct tw_leapfrog {
    tw_context *ctx;
    const tw_frame *frame;
    size_t first, columns; /* columns [first, first + P) of the frame; first is initially 0 */
    double *w, *p;         /* r x P */
    tw_frame_block at;     /* x, gradient and densities at w */
} tw_leapfrog;

tw_status tw_leapfrog_new(const tw_frame *frame, size_t columns, tw_leapfrog **out);
void tw_leapfrog_free(tw_leapfrog *flow);

/* Evaluate x, gradient and densities at w; to be called after w has been changed. */
void tw_leapfrog_refresh(tw_leapfrog *flow);

/* Take `steps` steps; x, gradient and densities are then those at the end. */
void tw_leapfrog_run(tw_leapfrog *flow, double eps, size_t steps);

/* H of one column. */
double tw_leapfrog_energy(const tw_leapfrog *flow, size_t column);

#endif
