/* distributed.h: a model whose covariance matrix is distributed over the processes of an MPI communicator. In the
 * library talweg_distributed, which is built if MPI and ScaLAPACK are found; use it with the static library.
 *
 *     tw_context_new(NULL, &ctx);                          on every rank, without a team
 *     tw_model_distributed(data, kernel, likelihood, NULL, 0.0, MPI_COMM_WORLD, &model);
 *     ... the same calls on every rank: Laplace, EP, samplers, evidence, predictions ...
 *     tw_model_free(model);                                on every rank, before MPI_Finalize
 *
 * Each rank computes its blocks of K, which are overwritten by the factor L; a fit has two more matrices. Each
 * matrix is block-cyclic, 8 n^2 / R bytes on each of R ranks. Data and vectors are the same on all ranks, which run
 * in lockstep: each has all results, and rank 0 may print them. Results agree with those of a local model to about
 * 1e-8, since the order of sums differs.
 */
#ifndef TALWEG_DISTRIBUTED_H
#define TALWEG_DISTRIBUTED_H

#include <mpi.h>
#include <talweg/covariance.h>
#include <talweg/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The model of data, as tw_model_from_data makes it; all ranks of comm call it with the same arguments. jitter is
 * added to the diagonal of K. TW_NOT_POSITIVE_DEFINITE if K is singular (a pivoted factorisation is not
 * available), with a sufficient jitter in the message. The samplers of such a model use one thread. */
TW_API tw_status tw_model_distributed(const tw_data *data, const tw_kernel *kernel,
                                      const tw_likelihood *likelihood, const double *phi, double jitter,
                                      MPI_Comm comm, tw_model **out);

#ifdef __cplusplus
}
#endif

#endif
