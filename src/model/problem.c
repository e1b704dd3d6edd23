/* problem.c: a model together with what it was made of. */
#include "model/problem.h"

#include <string.h>

#include "base/context.h"
#include "covariance/kernel.h"

static tw_status copy_doubles(tw_context *ctx, size_t n, const double *from, const char *what, double **to)
{
    TW_TRY(tw_allocate_doubles(ctx, n, 1, what, to));
    memcpy(*to, from, n * sizeof **to);
    return TW_OK;
}

/* The kernel's name is replaced by the library's own, which outlives every caller's. */
static tw_status copy_covariance(tw_problem *problem, const tw_covariance *from)
{
    TW_TRY(tw_covariance_check(problem->ctx, from, problem->data->d));
    TW_TRY(copy_doubles(problem->ctx, from->scales, from->log_ell, "the length scales", &problem->log_ell));
    problem->covariance = *from;
    problem->covariance.kernel = tw_kernel_find(from->kernel)->name;
    problem->covariance.log_ell = problem->log_ell;
    return TW_OK;
}

tw_observations tw_problem_observed(const tw_problem *problem)
{
    return (tw_observations){.likelihood = problem->likelihood,
                             .n = problem->data->n,
                             .y = problem->data->y,
                             .column = {problem->w}};
}

static tw_status build(tw_problem *problem, const tw_problem *parts)
{
    tw_context *ctx = problem->ctx;
    size_t n = problem->data->n;
    if (parts->w) TW_TRY(copy_doubles(ctx, n, parts->w, "the constants of the observations", &problem->w));
    tw_observations observed = tw_problem_observed(problem);
    if (problem->matrix)
        return tw_model_new(ctx, problem->matrix, n, &observed, problem->jitter, &problem->model);
    TW_TRY(copy_covariance(problem, &parts->covariance));
    return tw_model_from_data(problem->data, &problem->covariance, problem->likelihood, problem->w,
                              problem->jitter, &problem->model);
}

tw_status tw_problem_new(tw_context *ctx, const tw_problem *parts, tw_problem **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_problem), "a problem", &memory));
    tw_problem *problem = memory;
    *problem = (tw_problem){.ctx = ctx,
                            .data = parts->data,
                            .scaling = parts->scaling,
                            .matrix = parts->matrix,
                            .likelihood = parts->likelihood,
                            .jitter = parts->jitter};
    tw_status status = build(problem, parts);
    if (status == TW_OK) {
        *out = problem;
        return TW_OK;
    }
    problem->data = NULL; /* these stay the caller's */
    problem->scaling = NULL;
    problem->matrix = NULL;
    tw_problem_free(problem);
    return status;
}

tw_status tw_problem_check_saved(const tw_problem *problem)
{
    const char *name = problem->likelihood->name;
    if (tw_likelihood_find(name) == problem->likelihood) return TW_OK;
    return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                   "the likelihood \"%s\" is not a built-in one (%s), so no file can bring it back", name,
                   tw_likelihood_names());
}

void tw_problem_free(tw_problem *problem)
{
    if (!problem) return;
    tw_context *ctx = problem->ctx;
    tw_model_free(problem->model);
    tw_data_free(problem->data);
    tw_scaling_free(problem->scaling);
    tw_covariance_free_matrix(ctx, problem->matrix);
    tw_release(ctx, problem->log_ell);
    tw_release(ctx, problem->w);
    tw_release(ctx, problem);
}
