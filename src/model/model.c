/* model.c: the model x ~ N(0, K) with observations y: check and copy the observations, and factor K once. */
#include "model/model.h"

#include <string.h>

#include "covariance/precision.h"
#include "gaussian/sparse.h"
#include "likelihood/likelihood.h"
#include "linalg/size.h"
#include "linalg/vector.h"

/* Warn of a dense model with more cases than this: it has n x n numbers, and n^3 flops for each factor. */
enum { MANY = 5000 };

void tw_model_free(tw_model *model)
{
    if (!model) return;
    tw_context *ctx = model->ctx;
    tw_gaussian_free(model->prior);
    tw_release(ctx, model->values);
    tw_release(ctx, model->partial);
    tw_release(ctx, model);
}

/* Check all observations except the last `hidden`, which are missing. */
static tw_status check_observations(tw_context *ctx, const tw_observations *observed, size_t hidden)
{
    size_t n = observed->n;
    if (n == 0) return tw_fail(ctx, TW_BAD_DATA, "a model needs at least one observation");
    if (!tw_size_fits(n))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu observations are more than talweg can handle", n);
    if (!observed->y)
        return tw_fail(ctx, TW_BAD_DATA, "the data have no observations: choose a label column");
    tw_observations seen = tw_observations_part(observed, 0, n - hidden);
    return tw_likelihood_check(ctx, &seen);
}

static tw_status hide_sites(tw_model *model)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_partial), "a likelihood", &memory));
    model->partial = memory;
    tw_partial_fill(&model->observed, model->partial);
    model->observed.likelihood = &model->partial->table;
    return TW_OK;
}

/* A model with its observations but no prior. */
static tw_status allocate_model(tw_context *ctx, const tw_observations *observed, size_t hidden,
                                tw_model **out)
{
    void *memory = NULL;
    TW_TRY(check_observations(ctx, observed, hidden));
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_model), "a model", &memory));
    tw_model *model = memory;
    *model = (tw_model){.ctx = ctx, .n = observed->n};
    tw_status status = tw_observations_copy(ctx, observed, &model->observed, &model->values);
    if (status == TW_OK && hidden > 0) status = hide_sites(model);
    if (status == TW_OK)
        *out = model;
    else
        tw_model_free(model);
    return status;
}

/* On success set *out to the model; on failure free it. */
static tw_status finish(tw_status status, tw_model *model, tw_model **out)
{
    if (status == TW_OK)
        *out = model;
    else
        tw_model_free(model);
    return status;
}

static tw_status give_matrix(tw_model *model, const double *k, size_t ldk, double jitter)
{
    tw_context *ctx = model->ctx;
    size_t n = model->n;
    TW_TRY(tw_gaussian_dense_new(ctx, n, k, ldk, &model->prior));
    TW_TRY(tw_covariance_check_matrix(ctx, n, tw_gaussian_dense_matrix(model->prior), n));
    return tw_gaussian_dense_factor(model->prior, jitter, &model->report);
}

tw_status tw_model_new(tw_context *ctx, const double *k, size_t ldk, const tw_observations *observed,
                       double jitter, tw_model **out)
{
    tw_model *model = NULL;
    *out = NULL;
    TW_TRY(allocate_model(ctx, observed, 0, &model));
    tw_status status = tw_model_agree(ctx, observed, 0, NULL, NULL);
    if (status != TW_OK) return finish(status, model, out);
    return finish(give_matrix(model, k, ldk, jitter), model, out);
}

/* The hidden cases of the data become the variables of the prior. */
static tw_status show_variables(const tw_data *data, size_t cases, tw_precision *p)
{
    if (p->q && p->q->rows == data->hidden) return tw_precision_show_variables(p, cases);
    return tw_fail(data->ctx, TW_BAD_DATA, "there are %zu hidden variables, but the prior has %zu",
                   data->hidden, p->q ? p->q->rows : 0);
}

/* log |Q| by a formula, or, where the factor of Q has lost digits, by that of a matrix of smaller condition. */
static tw_status sharpen(tw_model *model, const tw_data *data, const tw_kernel *kernel, const tw_precision *p)
{
    static const double enough = 1e-6;
    bool known = p->has_log_det;
    double log_det = p->log_det;
    if (!known && model->prior->rounding > enough)
        TW_TRY(tw_kernel_precision_log_det(kernel, model->n - data->hidden, data->d, data->x, model->n,
                                           &known, &log_det));
    if (known) tw_gaussian_sparse_know(model->prior, log_det);
    return TW_OK;
}

static tw_status compute_matrix(tw_model *model, const tw_data *data, const tw_kernel *kernel, double jitter)
{
    size_t n = model->n, cases = n - data->hidden;
    tw_precision p = {0};
    tw_status status = jitter == 0.0 ? tw_kernel_precision(kernel, cases, data->d, data->x, n, &p) : TW_OK;
    bool sparse = p.q;
    if (status == TW_OK && data->hidden > 0) status = show_variables(data, cases, &p);
    if (status == TW_OK && sparse)
        status = tw_gaussian_sparse_new(model->ctx, p.q, p.design, &p.constraints, TW_ELIMINATION_LITTLE_FILL,
                                        &model->prior);
    if (status == TW_OK && sparse) status = sharpen(model, data, kernel, &p);
    tw_precision_release(&p);
    if (status != TW_OK || sparse) return status;
    if (n > MANY && tw_kernel_is_mixed(kernel))
        tw_warn(model->ctx, &(tw_warning){.code = TW_WARN_DENSE, .number = {(double)n}});
    bool first;
    TW_TRY(tw_gaussian_dense_common(model->ctx, n, &model->prior, &first));
    size_t rank;
    TW_TRY(tw_kernel_rank(kernel, n, data->d, data->x, n, &rank));
    tw_gaussian_dense_expect(model->prior, rank);
    if (first)
        status = tw_kernel_gram(kernel, n, data->d, data->x, n, tw_gaussian_dense_matrix(model->prior), n);
    if (first && status == TW_OK) status = tw_gaussian_dense_factor(model->prior, jitter, &model->report);
    return tw_gaussian_dense_share(model->prior, first, status, &model->report);
}

tw_observations tw_data_observed(const tw_data *data, const tw_likelihood *likelihood, const double *phi)
{
    tw_observations observed = {
        .likelihood = likelihood, .phi = phi, .n = data->n, .y = data->y, .line = data->lines};
    for (size_t k = 0; k < likelihood->columns; k++)
        observed.column[k] = tw_data_column(data, likelihood->column[k].name);
    return observed;
}

/* Every column of the data must belong to the likelihood. */
static tw_status check_columns(const tw_data *data, const tw_likelihood *likelihood)
{
    for (size_t k = 0; k < data->columns; k++)
        if (tw_likelihood_column(likelihood, data->column[k].name) == likelihood->columns)
            return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the column %s cannot be used with the %s likelihood",
                           data->column[k].name, likelihood->name);
    return TW_OK;
}

tw_status tw_model_from_data(const tw_data *data, const tw_kernel *kernel, const tw_likelihood *likelihood,
                             const double *phi, double jitter, tw_model **out)
{
    tw_model *model = NULL;
    tw_observations observed = tw_data_observed(data, likelihood, phi);
    *out = NULL;
    TW_TRY(check_columns(data, likelihood));
    TW_TRY(allocate_model(data->ctx, &observed, data->hidden, &model));
    tw_status status = tw_model_agree(data->ctx, &observed, data->d, data->x, kernel);
    if (status != TW_OK) return finish(status, model, out);
    return finish(compute_matrix(model, data, kernel, jitter), model, out);
}

tw_status tw_model_from_gaussian(tw_gaussian *prior, const tw_observations *observed, tw_model **out)
{
    tw_model *model = NULL;
    *out = NULL;
    tw_status status =
        prior->n == observed->n
            ? allocate_model(prior->ctx, observed, 0, &model)
            : tw_fail(prior->ctx, TW_BAD_ARGUMENT, "the prior has %zu sites, but there are %zu observations",
                      prior->n, observed->n);
    if (status == TW_OK)
        model->prior = prior;
    else
        tw_gaussian_free(prior);
    return finish(status, model, out);
}

size_t tw_model_threads(const tw_model *model, size_t threads)
{
    return threads == 0 || model->prior->kind->collective ? 1 : threads;
}

tw_status tw_model_from_precision(const tw_sparse *q, const tw_sparse *design,
                                  const tw_observations *observed, tw_model **out)
{
    tw_gaussian *prior = NULL;
    *out = NULL;
    TW_TRY(tw_gaussian_sparse_new(q->ctx, q, design, NULL, TW_ELIMINATION_LITTLE_FILL, &prior));
    return tw_model_from_gaussian(prior, observed, out);
}

tw_status tw_model_check_new(const tw_model *model, size_t m, const double *cross, const double *diagonal)
{
    static const double allowed = 1e-3; /* of k**: files may have few digits, and K^-1 magnifies errors */
    const tw_gaussian *prior = model->prior;
    double *u = NULL, explained = 0.0;
    size_t j = 0;
    TW_TRY(tw_allocate_doubles(model->ctx, prior->r, 1, "a whitened column", &u));
    for (; j < m; j++) {
        tw_gaussian_solve(prior, 1, cross + j * prior->n, u);
        explained = tw_dot(prior->r, u, u);
        if (!(explained <= (1.0 + allowed) * diagonal[j])) break;
    }
    tw_release(model->ctx, u);
    if (j == m) return TW_OK;
    return tw_fail(model->ctx, TW_BAD_DATA,
                   "new case %zu has prior variance %g, but the training cases explain %g of it: the "
                   "cross-covariances and the diagonal do not match the kernel matrix",
                   j + 1, diagonal[j], explained);
}

tw_model_info tw_model_describe(const tw_model *model)
{
    return (tw_model_info){.n = model->n,
                           .rank = model->prior->r,
                           .residual = model->report.residual,
                           .jitter = model->report.jitter,
                           .log_det = model->prior->log_det,
                           .log_det_change = model->report.log_det_change};
}
