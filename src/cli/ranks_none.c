/* ranks_none.c: see ranks.h. Without MPI the program is alone. */
#include <stdlib.h>

#include "cli/ranks.h"

const char *tw_ranks_library(void)
{
    return NULL;
}

/* Ranks that know nothing of each other would overwrite each other's files. */
tw_status tw_ranks_begin(tw_context *ctx)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size) size = getenv("PMI_SIZE");
    if (!size || atoi(size) <= 1) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "this talweg was built without MPI, and mpirun started %d of it: start one, or install "
                   "MPI (Debian: libopenmpi-dev) and build talweg again",
                   atoi(size));
}

tw_status tw_ranks_end(tw_context *ctx, tw_status status)
{
    (void)ctx;
    return status;
}
