/* single.h: products with a Gaussian's factor in single precision: half the bytes, twice the flops.
 *
 * For what decides how well an algorithm does and not what it converges to: the forces of HMC (dynamics/frame.h). The copy is
 * n^2 numbers of four bytes. What products give is a function of their input alone.
 */
#ifndef TALWEG_GAUSSIAN_SINGLE_H
#define TALWEG_GAUSSIAN_SINGLE_H

#include "gaussian/gaussian.h"

typedef struct tw_single tw_single;

/* A copy of the factor; *out is NULL where there is none to copy: F is not triangular and dense. */
tw_status tw_single_new(const tw_gaussian *g, tw_single **out);
void tw_single_free(tw_single *s);

/* C = F B and C = F' B, for contiguous blocks of n x P. */
void tw_single_spread(const tw_single *s, size_t columns, const float *b, float *c);
void tw_single_pull_back(const tw_single *s, size_t columns, const float *b, float *c);

#endif
