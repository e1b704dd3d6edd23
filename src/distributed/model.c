/* model.c: see talweg/distributed.h. */
#include "model/model.h"

#include "distributed/inside.h"

tw_status tw_model_distributed(const tw_data *data, const tw_kernel *kernel, const tw_likelihood *likelihood,
                               const double *phi, double jitter, MPI_Comm comm, tw_model **out)
{
    tw_gaussian *prior = NULL;
    tw_observations observed = tw_data_observed(data, likelihood, phi);
    *out = NULL;
    TW_TRY(tw_distributed_new(data, kernel, jitter, comm, &prior));
    return tw_model_from_gaussian(prior, &observed, out);
}
