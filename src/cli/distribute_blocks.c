/* distribute_blocks.c: --distribute with MPI and ScaLAPACK. */
#include "cli/distribute.h"
#include "cli/ranks.h"
#include "talweg/distributed.h"
#include "talweg/team.h"

static tw_status make_distributed(const tw_data *data, const tw_kernel *kernel,
                                  const tw_likelihood *likelihood, const double *phi, double jitter,
                                  tw_model **out)
{
    tw_status status = tw_model_distributed(data, kernel, likelihood, phi, jitter, MPI_COMM_WORLD, out);
    return status == TW_NOT_POSITIVE_DEFINITE ? tw_fail_within(data->ctx, status, "--distribute, --jitter: ")
                                              : status;
}

tw_status tw_distribute(tw_context *ctx, tw_model_maker **make_model)
{
    if (!tw_context_team(ctx))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--distribute needs several processes, and there is only one: use mpirun -n 4 talweg "
                       "... --distribute");
    *make_model = make_distributed;
    return tw_ranks_keep_step(ctx);
}
