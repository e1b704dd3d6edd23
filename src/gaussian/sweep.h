/* sweep.h: a covariance with a rank-one update after each site, for sequential EP.
 *
 * The covariance is stored as an n x n matrix (linalg/delayed.h), so the Gaussian must be able to write its
 * lower triangle. For others, EP has a parallel form, which needs conditioning only. Sites are processed in
 * blocks of TW_SWEEP_BLOCK: open a block; read variances and columns of its sites and update A, at most once
 * for each site; close the block.
 */
#ifndef TALWEG_GAUSSIAN_SWEEP_H
#define TALWEG_GAUSSIAN_SWEEP_H

#include "gaussian/gaussian.h"

typedef struct tw_sweep tw_sweep;

enum { TW_SWEEP_BLOCK = 64 };

/* Whether this Gaussian supports sweeps. */
bool tw_sweep_possible(const tw_gaussian *g);

/* Copy A; g is not needed afterwards. tw_sweep_begin then allocates the workspace. It is a separate call so
 * that the caller can free g in between, which lowers the peak of memory. */
tw_status tw_sweep_new(const tw_gaussian *g, tw_sweep **out);
tw_status tw_sweep_begin(tw_sweep *s);
void tw_sweep_free(tw_sweep *s);

/* Open the sites [first, first + count), count <= TW_SWEEP_BLOCK, and close them. */
void tw_sweep_open(tw_sweep *s, size_t first, size_t count);
void tw_sweep_close(tw_sweep *s);

/* For a site i of the open block: A_ii, and the full column i of A. */
double tw_sweep_variance(const tw_sweep *s, size_t site);
void tw_sweep_column(tw_sweep *s, size_t site, double *column);

/* A <- A - c v v'. */
void tw_sweep_change(tw_sweep *s, double c, const double *v);

/* The diagonal of A; no block may be open. */
void tw_sweep_variances(tw_sweep *s, double *variance);

/* y = A x, and y = (A o A) x with the elements of A squared; no block may be open. */
void tw_sweep_multiply(tw_sweep *s, const double *x, double *y);
void tw_sweep_multiply_squares(tw_sweep *s, const double *x, double *y);

#endif
