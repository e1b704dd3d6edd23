/* resample.h: systematic resampling. */
#ifndef TALWEG_EVIDENCE_RESAMPLE_H
#define TALWEG_EVIDENCE_RESAMPLE_H

#include <stddef.h>

/* Choose the ancestors of `count` new particles from n log weights (not all -inf, none NaN or +inf) and one
 * uniform number u in (0, 1). With W_j the normalised weights, particle j is chosen floor(count W_j) or
 * ceil(count W_j) times, and count W_j times on average over u, so resampling is unbiased for any count. A
 * particle of weight 0 is never chosen. */
void tw_resample_systematic(size_t n, const double *log_weight, double u, size_t count, size_t *ancestor);

#endif
