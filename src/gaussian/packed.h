/* packed.h: a Gaussian's triangular factor, packed for products with many columns (linalg/triangle.h).
 *
 * Single precision serves only where it affects the efficiency of an algorithm and not its limit: the forces of HMC
 * (dynamics/frame.h). F and F' together take about 4 n^2 bytes in single precision and 8 n^2 in double precision. If
 * they are in single precision, a product with F in double precision uses the factor of the Gaussian. The result for
 * a column depends on that column only.
 */
#ifndef TALWEG_GAUSSIAN_PACKED_H
#define TALWEG_GAUSSIAN_PACKED_H

#include "gaussian/gaussian.h"

typedef struct tw_packed tw_packed;

/* *out is NULL unless F is dense and triangular. g must outlive it. */
tw_status tw_packed_new(const tw_gaussian *g, bool single, tw_packed **out);
void tw_packed_free(tw_packed *p);

bool tw_packed_is_single(const tw_packed *p);

/* X = F W for contiguous blocks of n x P, in double precision. */
void tw_packed_spread(const tw_packed *p, size_t columns, const double *w, double *x);

/* W = F' X, for factors packed in double precision. */
void tw_packed_pull_back(const tw_packed *p, size_t columns, const double *x, double *w);

/* Both products, for factors packed in single precision. */
void tw_packed_spread_single(const tw_packed *p, size_t columns, const float *w, float *x);
void tw_packed_pull_back_single(const tw_packed *p, size_t columns, const float *x, float *w);

#endif
