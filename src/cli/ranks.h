/* ranks.h: the program as one of several processes that mpirun started. All run the same command; rank 0 speaks and writes
 * files, the others lend their processors (talweg/team.h). ranks_mpi.c where MPI was found at build time, ranks_none.c
 * elsewhere. */
#ifndef TALWEG_CLI_RANKS_H
#define TALWEG_CLI_RANKS_H

#include "talweg/base.h"

/* "Open MPI v4.1.4", or NULL: built without MPI. */
const char *tw_ranks_library(void);

/* Join the others, if there are any: from here on only rank 0 is heard. */
tw_status tw_ranks_begin(tw_context *ctx);

/* From here on they do not share out work: all do the same, in lockstep (cli/distribute.h). */
tw_status tw_ranks_keep_step(tw_context *ctx);

/* Wait for the others. Where one of them failed, its status and its words become those of rank 0. */
tw_status tw_ranks_end(tw_context *ctx, tw_status status);

#endif
