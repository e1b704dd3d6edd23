/* inside.h: the Gaussian whose matrices lie in blocks over many processes, for the files of this room.
 *
 * N(0, K): F = L, the lower triangular Cholesky factor of K; K itself is not kept, K x = L (L' x).
 * Conditioned on sites of precision tau, with M = I + L' T L = R R': the covariance is L M^-1 L', so that
 *   F = L R'^-1,   a full matrix,    F w = x has the solution w = R' L^-1 x.
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
    tw_block_matrix metric;            /* R; part NULL: F is L */
    const struct tw_distributed *base; /* whose L it is; NULL: its own */
} tw_distributed;

/* N(0, K) of a kernel's K with jitter on its diagonal. */
tw_status tw_distributed_new(const tw_data *data, const tw_kernel *kernel, double jitter, MPI_Comm comm,
                             tw_gaussian **out);

/* The factor R of M = I + F' diag(lambda) F into `metric`; work is a matrix of the same size. False where M cannot be
 * factored. *log_det = log |M|. */
bool tw_distributed_metric(const tw_distributed *d, const double *lambda, tw_block_matrix *work,
                           tw_block_matrix *metric, double *log_det);

/* work = F R'^-1: the sums of squares of its rows are the diagonal of (A^-1 + Lambda)^-1. */
void tw_distributed_fold(const tw_distributed *d, const tw_block_matrix *metric, tw_block_matrix *work);

/* curved.c */
tw_status tw_distributed_curve(const tw_gaussian *g, size_t sites, tw_curved **out);

#endif
