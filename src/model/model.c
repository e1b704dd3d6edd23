/* model.c: x ~ N(0, K), observations y: checked, copied, K factored once. */
#include "model/model.h"

#include <string.h>

#include "linalg/product.h"
#include "linalg/size.h"

void tw_model_free(tw_model *model)
{
    if (!model) return;
    tw_context *ctx = model->ctx;
    tw_release(ctx, model->k);
    tw_factor_free(model->factor);
    tw_release(ctx, model->y);
    tw_release(ctx, model->w);
    tw_release(ctx, model);
}

static tw_status copy_vector(tw_context *ctx, size_t n, const double *from, const char *what, double **to)
{
    TW_TRY(tw_allocate_doubles(ctx, n, 1, what, to));
    memcpy(*to, from, n * sizeof **to);
    return TW_OK;
}

static tw_status check_observations(tw_context *ctx, size_t n, const tw_likelihood *likelihood,
                                    const double *y, const double *w)
{
    if (n == 0) return tw_fail(ctx, TW_BAD_DATA, "a model needs at least one observation; there are none");
    if (!tw_size_fits(n))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu observations are more than talweg can handle", n);
    if (!y) return tw_fail(ctx, TW_BAD_DATA, "the data have no observations: name the label column");
    return tw_likelihood_check(ctx, likelihood, n, y, w);
}

/* A model with its observations and room for K, which the caller fills before factor_kernel. */
static tw_status allocate_model(tw_context *ctx, size_t n, const tw_likelihood *likelihood, const double *y,
                                const double *w, tw_model **out)
{
    void *memory = NULL;
    TW_TRY(check_observations(ctx, n, likelihood, y, w));
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_model), "a model", &memory));
    tw_model *model = memory;
    *model = (tw_model){.ctx = ctx, .n = n, .likelihood = likelihood};
    tw_status status = copy_vector(ctx, n, y, "the observations", &model->y);
    if (status == TW_OK && w) status = copy_vector(ctx, n, w, "the constants of the observations", &model->w);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, n, n, "the kernel matrix", &model->k);
    if (status == TW_OK)
        *out = model;
    else
        tw_model_free(model);
    return status;
}

static tw_status factor_kernel(tw_model *model, double jitter)
{
    size_t n = model->n;
    TW_TRY(tw_factor_new(model->ctx, n, model->k, n, jitter, &model->factor, &model->report));
    for (size_t i = 0; i < n; i++) model->k[i + i * n] += jitter;
    return TW_OK;
}

tw_status tw_model_new(tw_context *ctx, size_t n, const double *k, size_t ldk,
                       const tw_likelihood *likelihood, const double *y, const double *w, double jitter,
                       tw_model **out)
{
    tw_model *model = NULL;
    *out = NULL;
    TW_TRY(allocate_model(ctx, n, likelihood, y, w, &model));
    for (size_t j = 0; j < n; j++) memcpy(model->k + j * n, k + j * ldk, n * sizeof *k);
    tw_status status = tw_covariance_check_matrix(ctx, n, model->k, n);
    if (status == TW_OK) status = factor_kernel(model, jitter);
    if (status == TW_OK)
        *out = model;
    else
        tw_model_free(model);
    return status;
}

tw_status tw_model_from_data(const tw_data *data, const tw_covariance *covariance,
                             const tw_likelihood *likelihood, const double *w, double jitter, tw_model **out)
{
    tw_model *model = NULL;
    size_t n = data->n;
    *out = NULL;
    TW_TRY(allocate_model(data->ctx, n, likelihood, data->y, w, &model));
    tw_status status = tw_covariance_gram(data->ctx, covariance, n, data->d, data->x, n, model->k, n);
    if (status == TW_OK) status = factor_kernel(model, jitter);
    if (status == TW_OK)
        *out = model;
    else
        tw_model_free(model);
    return status;
}

tw_status tw_model_check_new(const tw_model *model, size_t m, const double *cross, const double *diagonal)
{
    static const double allowed = 1e-3; /* of k**: files may have few digits, and K^-1 enlarges errors */
    const tw_factor *factor = model->factor;
    double *u = NULL, explained = 0.0;
    size_t j = 0;
    TW_TRY(tw_allocate_doubles(model->ctx, factor->rank, 1, "a whitened column", &u));
    for (; j < m; j++) {
        tw_factor_solve(factor, 1, cross + j * factor->n, factor->n, NULL, u, factor->rank);
        explained = tw_dot(factor->rank, u, u);
        if (!(explained <= (1.0 + allowed) * diagonal[j])) break;
    }
    tw_release(model->ctx, u);
    if (j == m) return TW_OK;
    return tw_fail(model->ctx, TW_BAD_DATA,
                   "new case %zu has prior variance %g, and the training cases alone explain %g of it: these "
                   "cross-covariances and this diagonal are not of the kernel that made the kernel matrix",
                   j + 1, diagonal[j], explained);
}

tw_model_info tw_model_describe(const tw_model *model)
{
    return (tw_model_info){.n = model->n,
                           .rank = model->factor->rank,
                           .residual = model->report.residual,
                           .jitter = model->report.jitter,
                           .log_det = model->factor->log_det,
                           .log_det_change = model->report.log_det_change};
}
