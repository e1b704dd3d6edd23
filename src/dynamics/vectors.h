/* vectors.h: the vector operations of a leapfrog step, compiled for several kinds of processor
 * (math/machine.h).
 *
 * Each reads and writes its arrays once. A result does not depend on its place in the array or on the
 * processor, because multiplications and additions are not fused.
 */
#ifndef TALWEG_DYNAMICS_VECTORS_H
#define TALWEG_DYNAMICS_VECTORS_H

#include <stddef.h>

/* A kick and the drift that follows it:
 *   p1 = p + force f + own w,   w' = stay w + turn p1,   p' = stay p1 - back w.
 * A straight drift for a time t has stay = 1, turn = t, back = 0; a rotation by the angle t has stay = cos t,
 * turn = back = sin t. */
typedef struct tw_kick_drift {
    double force, own, stay, turn, back;
} tw_kick_drift;

/* Move w and p, with f in double or in single precision. narrow receives w' in single precision (NULL: not
 * wanted). */
void tw_vectors_move(const tw_kick_drift *move, size_t count, const double *f, double *w, double *p,
                     float *narrow);
void tw_vectors_move_single(const tw_kick_drift *move, size_t count, const float *f, double *w, double *p,
                            float *narrow);

/* a = w - a, and a = w - f with f in single precision. */
void tw_vectors_subtract_from(size_t count, const double *w, double *a);
void tw_vectors_subtract_single(size_t count, const double *w, const float *f, double *a);

/* to = a, rounded to single precision. */
void tw_vectors_narrow(size_t count, const double *a, float *to);

/* x += centre, in double or single precision. */
void tw_vectors_shift(size_t n, const double *centre, double *x);
void tw_vectors_shift_single(size_t n, const double *centre, float *x);

/* slope -= nu - tau x, in double or single precision. */
void tw_vectors_remove_sites(size_t n, const double *nu, const double *tau, const double *x, double *slope);
void tw_vectors_remove_sites_single(size_t n, const double *nu, const double *tau, const float *x,
                                    float *slope);

#endif
