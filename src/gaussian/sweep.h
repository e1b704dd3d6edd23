/* sweep.h: a covariance under many rank-one changes, one site after another: what sequential EP asks of a Gaussian.
 *
 * It is a dense n x n matter (linalg/delayed.h), so a Gaussian has it that can write down the lower triangle of its
 * covariance; one that cannot is served by the parallel form of EP, which needs conditioning alone. The columns of
 * A come in blocks of TW_SWEEP_BLOCK sites: open a block, look at variances and columns of its sites and change
 * them, at most one change for each site, close it.
 */
#ifndef TALWEG_GAUSSIAN_SWEEP_H
#define TALWEG_GAUSSIAN_SWEEP_H

#include "gaussian/gaussian.h"

typedef struct tw_sweep tw_sweep;

enum { TW_SWEEP_BLOCK = 64 };

/* Can this Gaussian be swept? */
bool tw_sweep_possible(const tw_gaussian *g);

/* A copy of A, to be changed; g is not needed afterwards. Then, before the first block, the work space: on its own, so
 * that g can be freed before there is need of it. */
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
void tw_sweep_variances(const tw_sweep *s, double *variance);

#endif
