/* model_options.c: the tables of the options of data and model, and of the output options. */
#include "cli/model_options.h"

#include <math.h>

#include "cli/common_rows.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_model_options, member)

const tw_option tw_distribute_option_row = {
    .name = "distribute",
    .kind = TW_OPTION_FLAG,
    .offset = FIELD(distribute),
    .help =
        "distribute K and all matrices over the processes of mpirun, for a K that is too large for one "
        "machine: mpirun -n 16 talweg ... --distribute. Approximations agree with those of one process to "
        "about 1e-8, draws in distribution; a singular K needs --jitter"};

const tw_option tw_model_option_rows[TW_MODEL_OPTION_COUNT] = {
    {.name = "DATA",
     .kind = TW_OPTION_OPERAND,
     .offset = FIELD(data),
     .help = "a data file, one case per row: CSV with or without header, libsvm text (.libsvm, .svm) or a "
             "NumPy array (.npy); each may be compressed with gzip (.csv.gz)"},
    {.name = "model",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(model_file),
     .argument = "FILE",
     .help = "a model file written by talweg model or talweg fit, instead of DATA and the options of the "
             "model; options on the command line override it"},
    {.name = "label-column",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(label_column),
     .argument = "NAME|INDEX",
     .help = "the column of y: a name, a number from the left (1, 2, ...) or from the right (-1, ...); "
             "default: the last column"},
    {TW_ROW_IGNORE(FIELD(ignore))},
    {.name = "positive",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(labels.positive),
     .argument = "LABEL",
     .help =
         "the label that means +1; default: the larger number, or the text that is later in the alphabet"},
    {.name = "levels",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(labels.levels),
     .argument = "A,B,...",
     .help = "the labels in order, from the lowest to the highest: they become levels 1, 2, ..."},
    {.name = "standardise",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(standardise),
     .help = "shift and scale each numeric input to mean 0 and standard deviation 1"},
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
     .help =
         "the covariance function: a name, or an expression of sums and products with inputs (default: all) "
         "and parameters, as in 'se(age, ell=2) + matern32(x1, x2) * periodic(t, period=1) + linear(dose)'"},
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
     .help = "add X to the diagonal of K; rarely needed, since a singular K gets a factor of lower rank"},
    {.name = "log-ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(log_ell),
     .argument = "X[,X...]",
     .help = "natural logarithm of the length scale: one, or one per input, in units of the inputs; default: "
             "0, with a warning"},
    {.name = "log-sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(log_sigma),
     .argument = "X",
     .help = "natural logarithm of the latent function's standard deviation; default: 0, with a warning"},
    {.name = "ell",
     .kind = TW_OPTION_NUMBERS,
     .offset = FIELD(ell),
     .argument = "X[,X...]",
     .help = "the length scale, instead of --log-ell"},
    {.name = "sigma",
     .kind = TW_OPTION_NUMBER,
     .offset = FIELD(sigma),
     .argument = "X",
     .positive = true,
     .help = "the latent function's standard deviation, instead of --log-sigma"},
    {.name = "kernel-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(kernel_matrix),
     .argument = "FILE",
     .help = "a covariance matrix (.npy or CSV) instead of a kernel; only the labels of DATA are used"},
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
     .help = "with --precision-matrix: a sparse matrix A (Matrix Market) with one row per case, x = A u; "
             "default: x = u"},
};

#undef FIELD
#define FIELD(member) offsetof(tw_output_options, member)

const tw_option tw_output_option_rows[TW_OUTPUT_OPTION_COUNT] = {
    {.name = "json",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(json),
     .help = "print one JSON object instead of a table; numbers that are not finite are null"},
    {.name = "quiet",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(quiet),
     .help = "print no progress and no notes to standard error, only warnings and errors"},
    {.name = "no-warnings",
     .kind = TW_OPTION_FLAG,
     .offset = FIELD(no_warnings),
     .help = "print no warnings to standard error; --json still contains them"},
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
