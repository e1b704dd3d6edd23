/* packed.h: a Gaussian's triangular factor, packed for products with many columns (linalg/triangle.h).
 *
 * Single precision is for what decides how well an algorithm does and not what it converges to: the forces of HMC
 * (dynamics/frame.h). F and F' take about 4 n^2 bytes in single precision and 8 n^2 in double precision. Where they are in single precision,
 * a product with F in double precision reads the Gaussian's own. What a product gives for a column is a function of that column alone.
 */
#ifndef TALWEG_GAUSSIAN_PACKED_H
#define TALWEG_GAUSSIAN_PACKED_H

#include "gaussian/gaussian.h"

typedef struct tw_packed tw_packed;

/* *out is NULL where F is not triangular and dense. g must outlive it. */
tw_status tw_packed_new(const tw_gaussian *g, bool single, tw_packed **out);
void tw_packed_free(tw_packed *p);

bool tw_packed_is_single(const tw_packed *p);

/* X = F W for contiguous blocks of n x P, in double precision. */
void tw_packed_spread(const tw_packed *p, size_t columns, const double *w, double *x);

/* W = F' X, of factors packed in double precision. */
void tw_packed_pull_back(const tw_packed *p, size_t columns, const double *x, double *w);

/* Both, of factors packed in single precision. */
void tw_packed_spread_single(const tw_packed *p, size_t columns, const float *w, float *x);
void tw_packed_pull_back_single(const tw_packed *p, size_t columns, const float *x, float *w);

#endif
