/* built_in.c: see built_in.h. */
#include "cli/built_in.h"

#include <math.h>

#include "talweg/base.h"

#define FIELD(member) offsetof(tw_model_options, member)

const tw_option tw_built_in_option_rows[TW_BUILT_IN_OPTION_COUNT] = {
    {.name = "DATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .default_value = "",
     .help = "a data file, as for talweg approx; if not given, the built-in problem of two classes"},
    {.name = "log-ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(log_ell),
     .argument = "X[,X...]",
     .help = "natural logarithm of the length scale: one, or one per input; if not given 0, and -1.5 for the "
             "built-in problem"},
    {.name = "log-sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_sigma),
     .argument = "X",
     .help = "natural logarithm of the latent function's standard deviation; if not given 0, and 1.5 for the "
             "built-in problem"},
};

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
    model.data = "the built-in problem";
    if (!model.log_ell) model.log_ell = "-1.5";
    if (isnan(model.log_sigma)) model.log_sigma = 1.5;
    TW_TRY(tw_data_two_classes(ctx, cases, 1, 0, &data));
    return tw_model_options_build(ctx, &model, data, out);
}
