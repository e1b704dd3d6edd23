/* agree.c: check that all members of a team have the same problem. They compute parts of one result, so a
 * process that read another copy of a file would silently make the result wrong. */
#include "base/team.h"
#include "model/model.h"

static uint64_t add_numbers(uint64_t sum, size_t count, const double *numbers)
{
    return numbers ? tw_checksum(sum, count, numbers) : tw_checksum_text(sum, "none");
}

/* Parameters may come from a search, whose last digits depend on the processor; therefore they are compared
 * in single precision. */
static uint64_t add_parameters(uint64_t sum, size_t count, const double *theta)
{
    for (size_t k = 0; theta && k < count; k++) sum = add_numbers(sum, 1, &(double){(float)theta[k]});
    return sum;
}

tw_status tw_model_agree(tw_context *ctx, const tw_observations *observed, size_t d, const double *x,
                         const tw_kernel *kernel)
{
    const tw_likelihood *likelihood = observed->likelihood;
    const double sizes[] = {(double)observed->n, (double)d};
    size_t n = observed->n;
    if (tw_team_is_alone(ctx)) return tw_team_status(ctx);
    uint64_t sum = add_numbers(TW_CHECKSUM_START, sizeof sizes / sizeof *sizes, sizes);
    sum = tw_checksum_text(sum, likelihood->name);
    sum = add_numbers(sum, n, observed->y);
    for (size_t k = 0; k < likelihood->columns; k++) sum = add_numbers(sum, n, observed->column[k]);
    sum = add_parameters(sum, likelihood->parameters, observed->phi);
    sum = add_numbers(sum, n * d, x);
    if (kernel) sum = add_parameters(sum, tw_kernel_count(kernel), tw_kernel_theta(kernel));
    return tw_team_agree(ctx, sum, "data and parameters");
}
