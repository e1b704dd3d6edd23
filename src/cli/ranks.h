/* ranks.h: the program as one of several processes that mpirun started. All run the same command; only rank 0
 * prints and writes files (talweg/team.h). ranks_mpi.c is compiled if MPI was found, otherwise
 * ranks_none.c. */
#ifndef TALWEG_CLI_RANKS_H
#define TALWEG_CLI_RANKS_H

#include "talweg/base.h"

/* The MPI library, such as "Open MPI v4.1.4"; NULL: built without MPI. */
const char *tw_ranks_library(void);

/* Join the other ranks, if there are any. From here on only rank 0 prints. */
tw_status tw_ranks_begin(tw_context *ctx);

/* From here on the ranks do not divide work: all do the same, in lockstep (cli/distribute.h). */
tw_status tw_ranks_keep_step(tw_context *ctx);

/* Wait for the other ranks. If one of them failed, rank 0 takes over its status and message. */
tw_status tw_ranks_end(tw_context *ctx, tw_status status);

#endif
