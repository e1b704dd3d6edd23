/* defaults.c: describe the kernel's parameters that were not given. Their initial values do not depend on the
 * data, so a model with them may be far from the data. */
#include <stdio.h>

#include "talweg/problem.h"
#include "talweg/warning.h"

enum { MOST_NAMED = 6, WORDS = 512 };

/* "ell = 1, sigma = 1", with at most MOST_NAMED of them. */
void tw_problem_describe_defaults(const tw_problem *problem, char *words, size_t bytes)
{
    const tw_kernel *kernel = problem->kernel;
    size_t named = 0, length = 0;
    words[0] = '\0';
    for (size_t j = 0; j < tw_kernel_count(kernel) && length < bytes; j++) {
        const tw_parameter *parameter = tw_kernel_parameter(kernel, j);
        double value = tw_parameter_value(parameter, tw_kernel_theta(kernel)[j]);
        if (tw_kernel_is_given(kernel, j)) continue;
        if (named == MOST_NAMED) {
            snprintf(words + length, bytes - length, ", ...");
            return;
        }
        length += (size_t)snprintf(words + length, bytes - length, "%s%s = %g", named++ ? ", " : "",
                                   parameter->name, value);
    }
}

void tw_problem_warn_defaults(const tw_problem *problem)
{
    char words[WORDS];
    tw_problem_describe_defaults(problem, words, sizeof words);
    if (*words) tw_warn(problem->ctx, &(tw_warning){.code = TW_WARN_DEFAULTS, .name = words});
}
