/* leapfrog.h: the leapfrog integrator for a constant metric, all columns of an ensemble in lockstep.
 *
 * In a frame (frame.h) the mass is the identity, H = -L_b(w) + p'p/2, and a step is
 *   p -= eps/2 dU/dw,  w += eps p,  p -= eps/2 dU/dw:
 * two triangular products of N x N x P and N P site evaluations. O(N) memory per column.
 *
 * A Gaussian frame has U = w'w/2 - sum e_n + const. Where it turns, the first part is integrated exactly,
 *   p += eps/2 d(sum e)/dw,  (w, p) turns by the angle eps,  p += eps/2 d(sum e)/dw
 * (Shahbaba et al. 2014, split HMC). Errors then come from the sites' excess e over their Gaussians alone, which in EP's frame is small, so
 * that steps are several times as long. It is a composition of shears and a rotation: reversible, with the same volume.
 */
#ifndef TALWEG_DYNAMICS_LEAPFROG_H
#define TALWEG_DYNAMICS_LEAPFROG_H

#include "dynamics/frame.h"

typedef struct tw_leapfrog {
    tw_context *ctx;
    const tw_frame *frame;
    size_t first, columns; /* columns [first, first + P) of the frame; first is 0 unless set */
    double *w, *p;         /* r x P */
    tw_frame_block at;     /* what belongs to w */
} tw_leapfrog;

tw_status tw_leapfrog_new(const tw_frame *frame, size_t columns, tw_leapfrog **out);
void tw_leapfrog_free(tw_leapfrog *flow);

/* Evaluate everything at w, after w was written. */
void tw_leapfrog_refresh(tw_leapfrog *flow);

/* Take steps; densities are those of the end. */
void tw_leapfrog_run(tw_leapfrog *flow, double eps, size_t steps);

/* H of one column. */
double tw_leapfrog_energy(const tw_leapfrog *flow, size_t column);

#endif
