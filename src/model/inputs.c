/* inputs.c: the inputs of new cases as the problem's kernel sees them. */
#include "base/context.h"
#include "talweg/problem.h"

size_t tw_problem_inputs(const tw_problem *problem, const char *const **names)
{
    const tw_scaling *scaling = problem->scaling;
    bool all = !scaling || scaling->d_in == scaling->d_out;
    char **known = all ? problem->data->names : scaling->names;
    if (names) *names = (const char *const *)known;
    return scaling ? scaling->d_in : problem->data->d;
}

tw_status tw_problem_take_inputs(const tw_problem *problem, bool new_categories, tw_data *at)
{
    const char *const *names = NULL;
    size_t d = tw_problem_inputs(problem, &names);
    TW_TRY(tw_data_match(at, d, names));
    if (problem->scaling) TW_TRY(tw_scaling_apply(problem->scaling, at));
    return tw_data_match_levels(at, problem->data, new_categories);
}
