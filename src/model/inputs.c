/* inputs.c: prepare the inputs of new cases for the problem's kernel. */
#include "base/context.h"
#include "covariance/kernel.h"
#include "talweg/problem.h"

size_t tw_problem_inputs(const tw_problem *problem, const char *const **names)
{
    const tw_scaling *scaling = problem->scaling;
    bool all = !scaling || scaling->d_in == scaling->d_out;
    char **known = all ? problem->data->names : scaling->names;
    if (names) *names = (const char *const *)known;
    return scaling ? scaling->d_in : problem->data->d;
}

/* Mark the inputs that the kernel uses: `used` by number after scaling, `needed` by number before. */
static void mark_inputs(const tw_problem *problem, bool *used, bool *needed)
{
    const tw_scaling *scaling = problem->scaling;
    size_t d = problem->data->d;
    tw_kernel_mark_inputs(problem->kernel, d, used);
    for (size_t k = 0; k < d; k++) needed[scaling ? scaling->column[k] : k] = used[k];
}

static tw_status take(const tw_problem *problem, size_t d, const char *const *names, const bool *marks,
                      bool new_categories, tw_data *at)
{
    TW_TRY(tw_data_match(at, d, names, marks + d));
    if (problem->scaling) TW_TRY(tw_scaling_apply(problem->scaling, at));
    return tw_data_match_levels(at, problem->data, marks, new_categories);
}

tw_status tw_problem_take_inputs(const tw_problem *problem, bool new_categories, tw_data *at)
{
    const char *const *names = NULL;
    size_t d = tw_problem_inputs(problem, &names);
    void *memory = NULL;
    TW_TRY(tw_allocate(problem->ctx, 2 * d, sizeof(bool), "which inputs are needed", &memory));
    bool *marks = memory; /* zeros: inputs constant in the training data are not needed either */
    mark_inputs(problem, marks, marks + d);
    tw_status status = take(problem, d, names, marks, new_categories, at);
    tw_release(problem->ctx, memory);
    return status;
}
