/* grid_axes.c: parses the axes of a grid, and finds their parameters in a kernel. */
#include <math.h>
#include <string.h>

#include "cli/grid.h"

/* Parse "A:B:N". */
static tw_status parse_axis(tw_context *ctx, const char *name, const char *text, tw_axis *axis)
{
    double value[3] = {0.0, 0.0, 0.0};
    const char *c = text;
    for (size_t k = 0; c && k < 3; k++) {
        c = tw_options_number(c, k < 2 ? ":" : "", &value[k]);
        if (c && k < 2) c++;
    }
    double n = value[2];
    if (!c || n < 1.0 || n > 1e4 || n != floor(n) || (n > 1.0 && !(value[0] < value[1])))
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--%s needs A:B:N, N values from A up to B (as in 2:5:16), not \"%.60s\"", name, text);
    *axis = (tw_axis){.low = value[0], .high = value[1], .n = (size_t)n};
    return TW_OK;
}

/* Set the axis's name and parameter. "se.log_ell" is the logarithm of the parameter "se.ell": any part of a
 * name may begin with log_. */
static void name_axis(const char *name, size_t length, tw_axis *axis)
{
    snprintf(axis->name, sizeof axis->name, "%.*s", (int)length, name);
    memcpy(axis->parameter, axis->name, sizeof axis->name);
    for (char *c = axis->parameter; c && *c; c = strchr(c, '.')) {
        if (*c == '.') c++;
        axis->as_log = strncmp(c, "log_", 4) == 0;
        if (!axis->as_log) continue;
        memmove(c, c + 4, strlen(c + 4) + 1);
        return;
    }
}

/* Parse "se.ell=1:4:7". */
static tw_status parse_named_axis(tw_context *ctx, const char *text, tw_axis *axis)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    if (length == 0 || length >= TW_AXIS_NAME)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--axis needs NAME=A:B:N, as in 'se.ell=1:4:7', not \"%.60s\"",
                       text);
    TW_TRY(parse_axis(ctx, "axis", equals + 1, axis));
    name_axis(text, length, axis);
    if (axis->as_log || axis->low > 0.0) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--axis %.60s: %s must be above 0", text, axis->parameter);
}

tw_status tw_grid_parse_axes(tw_context *ctx, const tw_grid_axes *options, tw_grid *grid)
{
    const tw_operands *axes = &options->named;
    if (axes->count == 0) {
        TW_TRY(parse_axis(ctx, "log-ell", options->log_ell, &grid->x));
        TW_TRY(parse_axis(ctx, "log-sigma", options->log_sigma, &grid->y));
        name_axis("log_ell", strlen("log_ell"), &grid->x);
        name_axis("log_sigma", strlen("log_sigma"), &grid->y);
        return TW_OK;
    }
    if (axes->count != 2)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "a grid has two axes: give --axis twice, not %zu time%s",
                       axes->count, axes->count == 1 ? "" : "s");
    TW_TRY(parse_named_axis(ctx, axes->item[0], &grid->x));
    return parse_named_axis(ctx, axes->item[1], &grid->y);
}

/* Find the index of an axis's parameter in theta. */
static tw_status find_parameter(tw_context *ctx, const tw_kernel *kernel, tw_axis *axis)
{
    char names[400] = "";
    size_t length = 0, count = tw_kernel_count(kernel);
    axis->place = tw_kernel_find(kernel, axis->parameter);
    if (axis->place < count) return TW_OK;
    for (size_t j = 0; j < count && length < sizeof names - TW_PARAMETER_NAME - 2; j++)
        length += (size_t)snprintf(names + length, sizeof names - length, "%s%s", j ? ", " : "",
                                   tw_kernel_parameter(kernel, j)->name);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "the kernel has no parameter %s; it has %s", axis->parameter, names);
}

/* Without --axis, theta must begin with one length scale and one sigma;
 * a constant and white noise may follow. */
static tw_status check_kernel(tw_context *ctx, const tw_kernel *kernel)
{
    if (tw_kernel_shape(kernel) && tw_kernel_inputs(kernel) == 0) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "--log-ell and --log-sigma need a kernel of one leaf, with or without a constant and "
                   "white noise; for other kernels choose two parameters with --axis");
}

tw_status tw_grid_find_axes(tw_context *ctx, const tw_kernel *kernel, bool named, tw_grid *grid)
{
    if (!named) {
        grid->y.place = 1;
        return check_kernel(ctx, kernel);
    }
    TW_TRY(find_parameter(ctx, kernel, &grid->x));
    TW_TRY(find_parameter(ctx, kernel, &grid->y));
    if (grid->x.place != grid->y.place) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "both axes are %s: choose two parameters", grid->x.parameter);
}
