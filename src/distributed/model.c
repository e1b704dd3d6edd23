/* model.c: see talweg/distributed.h. */
#include "model/model.h"

#include "covariance/precision.h"
#include "distributed/inside.h"

/* Reject sparse precisions and given matrices: they fit into one machine's memory. */
static tw_status check(const tw_data *data, const tw_kernel *kernel)
{
    tw_precision p = {0};
    if (tw_kernel_matrix(kernel, NULL))
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "a given kernel matrix cannot be distributed: use a kernel");
    tw_status status = tw_kernel_precision(kernel, data->n - data->hidden, data->d, data->x, data->n, &p);
    bool sparse = p.q;
    tw_precision_release(&p);
    if (status != TW_OK || (!sparse && data->hidden == 0)) return status;
    return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                   "a kernel with a sparse precision cannot be distributed: only dense matrices can");
}

tw_status tw_model_distributed(const tw_data *data, const tw_kernel *kernel, const tw_likelihood *likelihood,
                               const double *phi, double jitter, MPI_Comm comm, tw_model **out)
{
    tw_gaussian *prior = NULL;
    tw_observations observed = tw_data_observed(data, likelihood, phi);
    *out = NULL;
    TW_TRY(check(data, kernel));
    TW_TRY(tw_model_agree(data->ctx, &observed, data->d, data->x, kernel));
    TW_TRY(tw_distributed_new(data, kernel, jitter, comm, &prior));
    TW_TRY(tw_model_from_gaussian(prior, &observed, out));
    (*out)->report.jitter = jitter;
    return TW_OK;
}
