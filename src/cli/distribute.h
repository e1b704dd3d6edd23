/* distribute.h: --distribute, which distributes the matrices of one model over the processes that mpirun
 * started (talweg/distributed.h). The processes then run in lockstep instead of dividing the chains.
 * distribute_blocks.c is compiled if MPI and ScaLAPACK were found, otherwise distribute_none.c. */
#ifndef TALWEG_CLI_DISTRIBUTE_H
#define TALWEG_CLI_DISTRIBUTE_H

#include "talweg/problem.h"

/* The function that makes a distributed model; fails if this build or this run cannot. */
tw_status tw_distribute(tw_context *ctx, tw_model_maker **make_model);

#endif
