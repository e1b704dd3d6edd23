/* packed.h: a Gaussian's triangular factor, packed for products with many columns (linalg/triangle.h).
 *
 * Single precision serves only where it affects the efficiency of an algorithm and not its limit: the forces
 * of HMC (dynamics/frame.h). F and F' in single precision take about 4 n^2 bytes together; in double
 * precision the factor of the Gaussian is used. The result for a column depends on that column only.
 */
#ifndef TALWEG_GAUSSIAN_PACKED_H
#define TALWEG_GAUSSIAN_PACKED_H

#include "gaussian/gaussian.h"

typedef struct tw_packed tw_packed;

/* *out is NULL unless F is dense and triangular. g must outlive it. */
tw_status tw_packed_new(const tw_gaussian *g, tw_packed **out);
void tw_packed_free(tw_packed *p);

/* X = F W in double precision, C = F B and C = F' B in single precision, for contiguous blocks of n x P. */
void tw_packed_spread(const tw_packed *p, size_t columns, const double *w, double *x);
void tw_packed_spread_single(const tw_packed *p, size_t columns, const float *b, float *c);
void tw_packed_pull_back_single(const tw_packed *p, size_t columns, const float *b, float *c);

#endif
