/* sweep.h: a covariance under many rank-one changes, one site after another: what sequential EP asks of a Gaussian.
 *
 * The covariance is stored as an n x n matrix (linalg/delayed.h), so only a Gaussian that can fill in the lower triangle
 * of its covariance can be swept. For others EP has its parallel form, which needs conditioning only. Sites come in
 * blocks of TW_SWEEP_BLOCK: open a block; read variances and columns of its sites and change A, at most once for each
 * site; close the block.
 */
#ifndef TALWEG_GAUSSIAN_SWEEP_H
#define TALWEG_GAUSSIAN_SWEEP_H

#include "gaussian/gaussian.h"

typedef struct tw_sweep tw_sweep;

enum { TW_SWEEP_BLOCK = 64 };

/* Can this Gaussian be swept? */
bool tw_sweep_possible(const tw_gaussian *g);

/* A copy of A, to be changed; g is not needed afterwards. tw_sweep_begin then allocates the work space: a second call,
 * so that g can be freed between the two, and the peak of memory is lower. */
tw_status tw_sweep_new(const tw_gaussian *g, tw_sweep **out);
tw_status tw_sweep_begin(tw_sweep *s);
void tw_sweep_free(tw_sweep *s);

/* Open sites [first, first + count), count <= TW_SWEEP_BLOCK; and close them. */
void tw_sweep_open(tw_sweep *s, size_t first, size_t count);
void tw_sweep_close(tw_sweep *s);

/* For a site of the open block: A_ii, and column i of A in full. */
double tw_sweep_variance(const tw_sweep *s, size_t site);
void tw_sweep_column(tw_sweep *s, size_t site, double *column);

/* A <- A - c v v'. */
void tw_sweep_change(tw_sweep *s, double c, const double *v);

/* The diagonal of A, while no block is open. */
void tw_sweep_variances(tw_sweep *s, double *variance);

/* y = A x, and y = (A o A) x with the elements of A squared, likewise. */
void tw_sweep_multiply(tw_sweep *s, const double *x, double *y);
void tw_sweep_multiply_squares(tw_sweep *s, const double *x, double *y);

#endif
