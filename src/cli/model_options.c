/* model_options.c: the tables of the options that say which data and which model, and the built-in problem. */
#include "cli/model_options.h"

#include <math.h>

#include "cli/common_rows.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_model_options, member)

const tw_option tw_distribute_option_row = {
    .name = "distribute",
    .kind = TW_OPTION_FLAG,
    .offset = FIELD(distribute),
    .help = "spread K and all matrices over the processes that mpirun "
            "started, for a K that is too large for one machine: "
            "mpirun -n 16 talweg ... --distribute. Approximations are those of "
            "one process to about 1e-8, not to the bit, and draws are of the same distribution; a "
            "singular K needs --jitter"};

const tw_option tw_model_option_rows[TW_MODEL_OPTION_COUNT] = {
    {.name = "DATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .help = "a data file, one case per row: CSV with or without header, libsvm text (.libsvm, .svm) or a "
             "NumPy array (.npy); any of them compressed by gzip (.csv.gz)"},
    {.name = "model",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(model_file),
     .argument = "FILE",
     .help = "a model file that talweg model or talweg fit wrote, for DATA and all options of the model; "
             "options on the command line override it"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX",
     .help = "which column is y, by name, from the left (1, 2, ...) or from the right (-1, ...); the last "
             "one if not given"},
    {TW_ROW_IGNORE(FIELD(ignore))},
    {.name = "positive",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(labels.positive),
     .argument = "LABEL",
     .help = "which of two labels is +1; if not given the larger number, or the text later in the alphabet"},
    {.name = "levels",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(labels.levels),
     .argument = "A,B,...",
     .help = "labels that are ordered levels, from the lowest to the highest: they become 1, 2, ..."},
    {.name = "standardise",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(standardise),
     .help =
         "shift and scale each input to mean 0 and standard deviation 1; columns of text stay as they are"},
    {.name = "likelihood",
     .kind = TW_OPTION_CHOICE,
     .offset = FIELD(likelihood),
     .argument = "NAME",
     .default_value = "probit",
     .choices = tw_likelihood_names,
     .help = "p(y | x); labels of two classes are -1 and +1, 0 and 1, or any two whole numbers or texts"},
    {.name = "kernel",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(kernel),
     .argument = "NAME|EXPRESSION",
     .default_value = "se",
     .choices = tw_kernel_names,
     .help = "the covariance function: the name of its shape; or sums and products with their inputs (all, "
             "if none is "
             "named) and parameters, as in 'se(age, ell=2) + matern32(x1, x2) * periodic(t, period=1) + "
             "linear(dose)'"},
    {.name = "constant",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(constant),
     .argument = "X",
     .default_value = "0",
     .most = INFINITY,
     .help = "variance of a constant offset of the latent function"},
    {.name = "white",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(white),
     .argument = "X",
     .default_value = "0",
     .most = INFINITY,
     .help = "variance of independent noise on the latent function"},
    {.name = "jitter",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(jitter),
     .argument = "X",
     .default_value = "0",
     .most = INFINITY,
     .help = "added to the diagonal of K; rarely needed, since a singular K gets a factor of lower rank"},
    {.name = "log-ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(log_ell),
     .argument = "X[,X...]",
     .help = "natural logarithm of the length scale: one, or one per input, in units of the inputs; if not "
             "given 0, with a warning"},
    {.name = "log-sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_sigma),
     .argument = "X",
     .help = "natural logarithm of the latent function's standard deviation; if not given 0, with a warning"},
    {.name = "ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(ell),
     .argument = "X[,X...]",
     .help = "the length scale itself, instead of its logarithm"},
    {.name = "sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(sigma),
     .argument = "X",
     .positive = true,
     .help = "the latent function's standard deviation itself, instead of its logarithm"},
    {.name = "kernel-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(kernel_matrix),
     .argument = "FILE",
     .help = "a covariance matrix (.npy or CSV) instead of a kernel: of DATA only the labels are used then, "
             "and no kernel option"},
    {.name = "precision-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(precision_matrix),
     .argument = "FILE",
     .help =
         "a sparse precision matrix Q (Matrix Market) instead of a kernel: u ~ N(0, Q^-1); the same as the "
         "kernel precision(matrix=FILE)"},
    {.name = "design-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(design_matrix),
     .argument = "FILE",
     .help = "with --precision-matrix: a sparse matrix A (Matrix Market) with one row per case, x = A u; if "
             "not given x = u"},
};

#undef FIELD
#define FIELD(member) offsetof(tw_output_options, member)

const tw_option tw_output_option_rows[TW_OUTPUT_OPTION_COUNT] = {
    {.name = "json",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object instead of a table; a number that is not finite is null"},
    {.name = "quiet",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(quiet),
     .help = "no progress and no notes on standard error; warnings and errors stay"},
    {.name = "no-warnings",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(no_warnings),
     .help = "no warnings on standard error; --json has them all the same"},
    {.name = "force", .kind = TW_OPTION_FLAG, .offset = FIELD(force), .help = "overwrite existing files"},
};

bool tw_group_is_of_model(const tw_option_group *group)
{
    const tw_option *const heads[] = {tw_model_option_rows,
                                      tw_model_option_rows + 1,
                                      tw_model_option_rows + TW_MODEL_OPTION_COUNT - 5,
                                      tw_model_option_rows + TW_MODEL_OPTION_COUNT - 3,
                                      tw_built_in_option_rows,
                                      &tw_likelihood_option_row};
    for (size_t k = 0; k < TW_COUNT(heads); k++)
        if (group->options == heads[k]) return true;
    return false;
}
