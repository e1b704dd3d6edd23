/* problem.c: a model together with its data, kernel and options. */
#include "model/problem.h"

#include "base/context.h"
#include "covariance/precision.h"
#include "data/readers.h"
#include "model/model.h"

void tw_problem_parts_free(const tw_problem_parts *parts)
{
    tw_data_free(parts->data);
    tw_scaling_free(parts->scaling);
    tw_kernel_free(parts->kernel);
}

tw_observations tw_problem_observed(const tw_problem *problem)
{
    if (problem->data->hidden > 0) return problem->model->observed;
    return tw_data_observed(problem->data, problem->likelihood, problem->phi);
}

void tw_problem_free(tw_problem *problem)
{
    if (!problem) return;
    tw_context *ctx = problem->ctx;
    tw_model_free(problem->model);
    tw_data_free(problem->data);
    tw_scaling_free(problem->scaling);
    tw_kernel_free(problem->kernel);
    tw_release(ctx, problem->phi);
    tw_release(ctx, problem->phi_given);
    tw_release(ctx, problem);
}

static tw_status check(tw_context *ctx, const tw_problem_parts *parts)
{
    const char *missing = !parts->data         ? "data"
                          : !parts->kernel     ? "a kernel"
                          : !parts->likelihood ? "a likelihood"
                                               : NULL;
    if (!missing) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "a problem needs %s", missing);
}

static tw_status copy_parameters(tw_problem *problem, const tw_problem_parts *parts)
{
    const tw_likelihood *likelihood = problem->likelihood;
    const double *phi = parts->phi;
    size_t count = likelihood->parameters;
    void *memory = NULL;
    if (count == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(problem->ctx, count, 1, "the likelihood's parameters", &problem->phi));
    TW_TRY(tw_allocate(problem->ctx, count, sizeof(bool), "the likelihood's parameters", &memory));
    problem->phi_given = memory;
    for (size_t k = 0; k < count; k++) {
        const tw_parameter *parameter = &likelihood->parameter[k];
        problem->phi[k] = phi ? phi[k] : tw_parameter_theta(parameter, parameter->initial);
        problem->phi_given[k] = phi && (!parts->phi_given || parts->phi_given[k]);
    }
    return TW_OK;
}

/* If the cases do not determine the variables of a sparse prior, append the variables as cases without
 * observations. */
static tw_status hide_variables(tw_problem *problem)
{
    tw_data *data = problem->data;
    tw_precision p = {0};
    if (data->hidden > 0 || problem->jitter != 0.0) return TW_OK;
    tw_status status = tw_kernel_precision(problem->kernel, data->n, data->d, data->x, data->n, &p);
    if (status == TW_OK && p.hidden) status = tw_data_hide(data, p.q->rows);
    tw_precision_release(&p);
    return status;
}

/* Give a kernel that was not parsed for these data the names of the inputs, for printing. */
static tw_status name_inputs(const tw_problem *problem)
{
    const tw_data *data = problem->data;
    if (problem->kernel->names) return TW_OK;
    return tw_kernel_set_names(problem->kernel, data->d, (const char *const *)data->names);
}

/* Set the other parts of the problem, phi and the model. */
static tw_status build(tw_problem *problem, const tw_problem_parts *parts)
{
    TW_TRY(copy_parameters(problem, parts));
    TW_TRY(name_inputs(problem));
    TW_TRY(tw_kernel_check_levels(problem->kernel, problem->data));
    TW_TRY(hide_variables(problem));
    return problem->make_model(problem->data, problem->kernel, problem->likelihood, problem->phi,
                               problem->jitter, &problem->model);
}

tw_status tw_problem_new(tw_context *ctx, const tw_problem_parts *parts, tw_problem **out)
{
    void *memory = NULL;
    *out = NULL;
    tw_status status = check(ctx, parts);
    if (status == TW_OK) status = tw_allocate(ctx, 1, sizeof(tw_problem), "a problem", &memory);
    if (status != TW_OK) {
        tw_problem_parts_free(parts);
        return status;
    }
    tw_problem *problem = memory;
    *problem = (tw_problem){.ctx = ctx,
                            .data = parts->data,
                            .scaling = parts->scaling,
                            .kernel = parts->kernel,
                            .likelihood = parts->likelihood,
                            .jitter = parts->jitter,
                            .make_model = parts->make_model ? parts->make_model : tw_model_from_data};
    status = build(problem, parts);
    if (status == TW_OK)
        *out = problem;
    else
        tw_problem_free(problem);
    return status;
}

tw_status tw_problem_check_saved(const tw_problem *problem)
{
    const char *name = problem->likelihood->name;
    if (tw_likelihood_find(name) == problem->likelihood) return TW_OK;
    return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                   "the likelihood \"%s\" is not built in (%s), so it cannot be saved in a file", name,
                   tw_likelihood_names());
}
