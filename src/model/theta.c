/* theta.c: all parameters of a problem as one vector, first the kernel's, then the likelihood's. */
#include <string.h>

#include "talweg/problem.h"

size_t tw_problem_count(const tw_problem *problem)
{
    return tw_kernel_count(problem->kernel) + problem->likelihood->parameters;
}

const tw_parameter *tw_problem_parameter(const tw_problem *problem, size_t j)
{
    size_t count = tw_kernel_count(problem->kernel);
    return j < count ? tw_kernel_parameter(problem->kernel, j) : &problem->likelihood->parameter[j - count];
}

size_t tw_problem_find(const tw_problem *problem, const char *name)
{
    size_t j = 0, count = tw_problem_count(problem);
    while (j < count && strcmp(tw_problem_parameter(problem, j)->name, name) != 0) j++;
    return j;
}

bool tw_problem_is_given(const tw_problem *problem, size_t j)
{
    size_t count = tw_kernel_count(problem->kernel);
    return j < count ? tw_kernel_is_given(problem->kernel, j) : problem->phi_given[j - count];
}

void tw_problem_get_theta(const tw_problem *problem, double *theta)
{
    size_t count = tw_kernel_count(problem->kernel);
    for (size_t j = 0; j < tw_problem_count(problem); j++)
        theta[j] = j < count ? tw_kernel_theta(problem->kernel)[j] : problem->phi[j - count];
}

/* A parameter of the likelihood counts as given once it changes, like one of the kernel. */
static void take_phi(tw_problem *problem, const double *phi)
{
    for (size_t k = 0; k < problem->likelihood->parameters; k++) {
        if (phi[k] == problem->phi[k]) continue;
        problem->phi[k] = phi[k];
        problem->phi_given[k] = true;
    }
}

tw_status tw_problem_set_theta(tw_problem *problem, const double *theta)
{
    const double *phi = theta + tw_kernel_count(problem->kernel);
    tw_kernel *kernel = NULL;
    tw_model *model = NULL;
    tw_status status = tw_kernel_copy(problem->kernel, &kernel);
    if (status == TW_OK) status = tw_kernel_set_theta(kernel, theta);
    if (status == TW_OK)
        status =
            problem->make_model(problem->data, kernel, problem->likelihood, phi, problem->jitter, &model);
    if (status != TW_OK) {
        tw_kernel_free(kernel);
        return status;
    }
    tw_kernel_free(problem->kernel);
    tw_model_free(problem->model);
    problem->kernel = kernel;
    problem->model = model;
    take_phi(problem, phi);
    return TW_OK;
}
