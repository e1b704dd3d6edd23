/* inside.h: the Gaussian whose matrices are distributed over processes; private to this room.
 *
 * For N(0, K), F = L is the lower triangular Cholesky factor of K. K is not kept: K x = L (L' x).
 * Given sites of precision tau, T = diag(tau) and M = I + L' T L = R R', the covariance is L M^-1 L', so
 *   F = L R'^-1, a full matrix, and F w = x has the solution w = R' L^-1 x.
 */
#ifndef TALWEG_DISTRIBUTED_INSIDE_H
#define TALWEG_DISTRIBUTED_INSIDE_H

#include "distributed/blocks.h"
#include "gaussian/curved.h"
#include "talweg/distributed.h"

typedef struct tw_distributed {
    tw_gaussian g;
    tw_blocks *blocks;
    tw_block_matrix factor;            /* F */
    tw_block_matrix metric;            /* R; its part is NULL if F = L */
    const struct tw_distributed *base; /* the prior, which owns L; NULL if this is the prior */
} tw_distributed;

/* N(0, K + jitter I) with the matrix K of a kernel. */
tw_status tw_distributed_new(const tw_data *data, const tw_kernel *kernel, double jitter, MPI_Comm comm,
                             tw_gaussian **out);

/* Factor M = I + F' diag(lambda) F = R R' into `metric`; work is a matrix of the same size. False if M cannot
 * be factored. *log_det = log |M|. */
bool tw_distributed_metric(const tw_distributed *d, const double *lambda, tw_block_matrix *work,
                           tw_block_matrix *metric, double *log_det);

/* work = F R'^-1; the sums of squares of its rows are the diagonal of (A^-1 + Lambda)^-1. */
void tw_distributed_fold(const tw_distributed *d, const tw_block_matrix *metric, tw_block_matrix *work);

/* curved.c */
tw_status tw_distributed_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
