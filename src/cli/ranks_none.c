/* ranks_none.c: ranks.h without MPI: the program is the only rank. */
#include <stdlib.h>

#include "cli/ranks.h"

const char *tw_ranks_library(void)
{
    return NULL;
}

/* Fail if mpirun started several processes, since they would overwrite each other's files. */
tw_status tw_ranks_begin(tw_context *ctx)
{
    const char *text = getenv("OMPI_COMM_WORLD_SIZE");
    if (!text) text = getenv("PMI_SIZE");
    long size = text ? strtol(text, NULL, 10) : 1;
    if (size <= 1) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "mpirun started %ld processes, but this talweg was built without MPI: start one process, "
                   "or install MPI (Debian: libopenmpi-dev) and rebuild talweg",
                   size);
}

tw_status tw_ranks_keep_step(tw_context *ctx)
{
    (void)ctx;
    return TW_OK;
}

tw_status tw_ranks_end(tw_context *ctx, tw_status status)
{
    (void)ctx;
    return status;
}
