/* distribute_none.c: --distribute in a build without MPI or ScaLAPACK. */
#include "cli/distribute.h"

tw_status tw_distribute(tw_context *ctx, tw_model_maker **make_model)
{
    (void)make_model;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "--distribute needs MPI and ScaLAPACK, and this talweg was built without them: install "
                   "them (Debian: libopenmpi-dev, libscalapack-mpi-dev) and rebuild talweg");
}
