/* cross.c: covariances of new cases with those of a model, from the kernel or, if the prior has a sparse
 * precision and no covariance function, from the variables on which the new cases depend. */
#include "covariance/precision.h"
#include "model/model.h"

/* The variables determine new cases with e = 0 only. */
static tw_status check_determined(const tw_precision *p, size_t first, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (p->at_variance[i] > 0.0)
            return tw_fail(p->ctx, TW_BAD_ARGUMENT,
                           "new case %zu has a time or category that no training case has, so its covariance "
                           "with other such cases is not available. Predict such cases without joint draws",
                           first + i + 1);
    return TW_OK;
}

static tw_status see_variables(const tw_model *model, const tw_kernel *kernel, const tw_data *train,
                               const tw_data *at, size_t first, size_t count, bool determined, double *cross,
                               double *diagonal)
{
    tw_precision p;
    tw_sparse *rows = NULL;
    if (!model->prior->kind->reach)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "%s has no variables for new cases",
                       model->prior->kind->name);
    tw_status status = tw_kernel_precision_at(kernel, train->n - train->hidden, train->d, train->x, train->n,
                                              count, at->x + first, at->n, &p);
    if (status == TW_OK && determined) status = check_determined(&p, first, count);
    if (status == TW_OK) status = tw_sparse_transpose(p.at_design, &rows);
    if (status == TW_OK) model->prior->kind->reach(model->prior, rows, p.at_variance, cross, diagonal);
    tw_sparse_free(rows);
    tw_precision_release(&p);
    return status;
}

bool tw_model_sees_variables(const tw_kernel *kernel)
{
    return tw_kernel_has_precision_only(kernel) && !tw_kernel_is_mixed(kernel);
}

tw_status tw_model_cross_determined(const tw_model *model, const tw_kernel *kernel, const tw_data *train,
                                    const tw_data *at, double *cross, double *diagonal)
{
    return see_variables(model, kernel, train, at, 0, at->n, true, cross, diagonal);
}

tw_status tw_model_cross(const tw_model *model, const tw_kernel *kernel, const tw_data *train,
                         const tw_data *at, size_t first, size_t count, double *cross, double *diagonal)
{
    if (tw_model_sees_variables(kernel))
        return see_variables(model, kernel, train, at, first, count, false, cross, diagonal);
    TW_TRY(tw_kernel_cross(kernel, train->n, train->d, train->x, train->n, count, at->x + first, at->n, cross,
                           train->n));
    return tw_kernel_diagonal(kernel, count, at->d, at->x + first, at->n, diagonal);
}
