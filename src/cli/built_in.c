/* built_in.c: the built-in problem of commands without DATA: two classes, or observations of another
 * likelihood at the same inputs.
 *
 * The latent value of case i is f = sin(2 x_1) - x_2. Its observation is E[y | f] + (2 u_i - 1) sd[y | f]
 * with quasi-random u_i in [0, 1), moved to a nearby number that the likelihood supports. These are not draws
 * from the model, but they serve as well for checks of derivatives, integrators and samplers.
 */
#include <math.h>

#include "cli/model_options.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_model_options, member)

const tw_option tw_built_in_option_rows[TW_BUILT_IN_OPTION_COUNT] = {
    {.name = "DATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .default_value = "",
     .help = "a data file, as for talweg approx; default: the built-in problem of two classes"},
    {.name = "log-ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(log_ell),
     .argument = "X[,X...]",
     .help = "natural logarithm of the length scale: one, or one per input; default: 0, or -1.5 for the "
             "built-in problem"},
    {.name = "log-sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_sigma),
     .argument = "X",
     .help = "natural logarithm of the latent function's standard deviation; default: 0, or 1.5 for the "
             "built-in problem"},
};

/* ---- observations ---- */

/* Fill in the columns that the likelihood requires: five trials for each case. */
static tw_status fill_required(const tw_likelihood *likelihood, tw_data *data)
{
    for (size_t k = 0; k < likelihood->columns; k++)
        if (likelihood->column[k].required && !tw_data_column(data, likelihood->column[k].name))
            TW_TRY(tw_data_repeat_column(data, likelihood->column[k].name, 5.0));
    return TW_OK;
}

/* Set y[i] to the first of a few numbers near `near` that the likelihood supports: `near` itself, the
 * integers around it, its absolute value, or 0, 1, 2. */
static bool find_supported(const tw_observations *o, size_t i, double near, double *y)
{
    const double below = floor(near), tries[] = {near, below, below + 1.0, fabs(near), 0.0, 1.0, 2.0};
    for (size_t k = 0; k < TW_COUNT(tries); k++) {
        y[i] = tries[k];
        if (o->likelihood->supports(o, i)) return true;
    }
    return false;
}

static tw_status observe(const tw_likelihood *likelihood, const tw_likelihood_options *given, tw_data *data)
{
    const double golden = 0.61803398874989485; /* its multiples modulo 1 are evenly spread */
    TW_TRY(tw_likelihood_options_fill(given, likelihood, data));
    TW_TRY(fill_required(likelihood, data));
    tw_observations all = tw_data_observed(data, likelihood, NULL);
    for (size_t i = 0; i < data->n; i++) {
        double u = fmod(golden * (double)(i + 1), 1.0), mean, variance;
        double x = sin(2.0 * data->x[i]) - data->x[i + data->n];
        tw_observations one = tw_observations_part(&all, i, 1);
        TW_TRY(tw_likelihood_expect(&one, &x, 0.0, &mean, &variance));
        if (!find_supported(&all, i, mean + sqrt(variance) * (2.0 * u - 1.0), data->y))
            return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                           "the %s likelihood has no built-in observations: give DATA", likelihood->name);
    }
    return TW_OK;
}

/* ---- the problem ---- */

tw_status tw_built_in_load(tw_context *ctx, const tw_model_options *options, size_t cases, tw_problem **out)
{
    tw_model_options model = *options;
    tw_data *data = NULL;
    bool given = *model.data;
    const char *lacking = model.kernel_matrix  ? "kernel-matrix"
                          : model.label_column ? "label-column"
                                               : tw_likelihood_options_file(&model.given);
    *out = NULL;
    if (given) return tw_model_options_load(ctx, &model, out);
    if (lacking) return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s needs DATA", lacking);
    const tw_likelihood *likelihood = tw_likelihood_find(model.likelihood);
    model.data = "the built-in problem";
    if (tw_kernel_is_shape(model.kernel)) {
        if (!model.log_ell && !model.ell) model.log_ell = "-1.5";
        if (isnan(model.log_sigma) && isnan(model.sigma))
            model.log_sigma = likelihood->two_classes ? 1.5 : 0.0;
    }
    TW_TRY(tw_data_two_classes(ctx, cases, 1, 0, &data));
    tw_status status = likelihood->two_classes ? TW_OK : observe(likelihood, &model.given, data);
    if (status != TW_OK) tw_data_free(data);
    return status == TW_OK ? tw_model_options_build(ctx, &model, data, out) : status;
}
