/* distribute.h: --distribute: the matrices of one model over the processes that mpirun started (talweg/distributed.h), which
 * then run in lockstep instead of sharing out chains. distribute_blocks.c where MPI and ScaLAPACK were found at build time,
 * distribute_none.c elsewhere. */
#ifndef TALWEG_CLI_DISTRIBUTE_H
#define TALWEG_CLI_DISTRIBUTE_H

#include "talweg/problem.h"

/* The function that makes a model in that way; refused, with the reason, where it cannot be. */
tw_status tw_distribute(tw_context *ctx, tw_model_maker **make_model);

#endif
