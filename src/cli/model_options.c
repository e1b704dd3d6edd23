/* model_options.c: from options to a problem: read, recode, standardise, build the model. */
#include "cli/model_options.h"

#include <math.h>
#include <string.h>

#include "cli/common_rows.h"
#include "talweg/base.h"

#define FIELD(member) offsetof(tw_model_options, member)

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
             "those typed beside it "
             "have the last word"},
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
    {.name = "kernel-matrix",
     .kind = TW_OPTION_TEXT,
     .offset = FIELD(kernel_matrix),
     .argument = "FILE",
     .help = "a covariance matrix (.npy or CSV) instead of a kernel: of DATA only the labels are used then, "
             "and no kernel option"},
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
     .help = "no warnings, notes or progress on standard error"},
    {.name = "force", .kind = TW_OPTION_FLAG, .offset = FIELD(force), .help = "overwrite existing files"},
};

bool tw_group_is_of_model(const tw_option_group *group)
{
    const tw_option *const heads[] = {tw_model_option_rows, tw_model_option_rows + 1,
                                      tw_model_option_rows + TW_MODEL_OPTION_COUNT - 1,
                                      tw_built_in_option_rows, &tw_likelihood_option_row};
    for (size_t k = 0; k < TW_COUNT(heads); k++)
        if (group->options == heads[k]) return true;
    return false;
}

/* ---- loading ---- */

/* Levels with commas between them, as texts. */
static tw_status order_labels(const char *levels, tw_data *data)
{
    void *memory = NULL;
    size_t count = 0, bytes = strlen(levels) + 1;
    TW_TRY(tw_allocate(data->ctx, bytes * (sizeof(char *) + 1), 1, "the levels", &memory));
    const char **texts = memory;
    char *copy = (char *)(texts + bytes), *rest = NULL;
    memcpy(copy, levels, bytes);
    for (char *c = strtok_r(copy, ",", &rest); c; c = strtok_r(NULL, ",", &rest)) texts[count++] = c;
    tw_status status = tw_data_order_labels(data, count, texts);
    tw_release(data->ctx, memory);
    return status;
}

static tw_status make_labels(const tw_likelihood *likelihood, const tw_label_options *options,
                             const tw_levels *known, tw_data *data)
{
    if (options->levels && likelihood->two_classes)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT,
                       "--levels does not go with the %s likelihood, of two classes", likelihood->name);
    if (options->positive && !likelihood->two_classes)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "--positive does not go with the %s likelihood",
                       likelihood->name);
    if (likelihood->two_classes) return tw_data_class_labels(data, options->positive, known);
    if (known && known->count)
        return tw_data_order_labels(data, known->count, (const char *const *)known->text);
    if (options->levels) return order_labels(options->levels, data);
    if (data->labels.count == 0) return TW_OK;
    return tw_fail(
        data->ctx, TW_BAD_DATA,
        "the labels are text, such as \"%.40s\", and the %s likelihood needs numbers; ordered levels "
        "get theirs with --levels",
        data->labels.text[0], likelihood->name);
}

tw_status tw_labels_for(const tw_likelihood *likelihood, const char *path, const tw_label_options *options,
                        const tw_levels *known, tw_data *data)
{
    tw_status status = make_labels(likelihood, options, known, data);
    return status == TW_OK ? TW_OK : tw_fail_within(data->ctx, status, "%.1000s: ", path);
}

tw_status tw_read_columns(const char *path, size_t count, const tw_column_place *places, tw_data *data)
{
    for (size_t k = 0; k < count; k++) {
        tw_data *column = NULL;
        const tw_reading reading = {.label = "none", .count = 1, .columns = &places[k]};
        TW_TRY(tw_data_read_as(data->ctx, path, &reading, &column));
        tw_status status = tw_data_set_column(data, places[k].name, tw_data_column(column, places[k].name));
        tw_data_free(column);
        TW_TRY(status);
    }
    return TW_OK;
}

tw_status tw_take_last_column(tw_data *data)
{
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, "the labels", &data->y));
    data->d--;
    memcpy(data->y, data->x + data->d * data->n, data->n * sizeof *data->y);
    if (!data->levels) return TW_OK;
    data->labels = data->levels[data->d];
    data->levels[data->d] = (tw_levels){0};
    return TW_OK;
}

/* With a given matrix only the labels matter, so a file with that one column is fine: it stands for the inputs, too. */
static tw_status read_labels(tw_context *ctx, const tw_model_options *options, tw_data **data)
{
    tw_reading reading = {.label = "none", .ignored = options->ignore.count, .ignore = options->ignore.item};
    TW_TRY(tw_data_read_as(ctx, options->data, &reading, data));
    if ((*data)->d == 1 && !options->label_column) {
        TW_TRY(tw_take_last_column(*data));
        (*data)->d = 1;
        return TW_OK;
    }
    tw_data_free(*data);
    reading.label = options->label_column;
    return tw_data_read_as(ctx, options->data, &reading, data);
}

static tw_status read_data(tw_context *ctx, const tw_model_options *options, const tw_likelihood *likelihood,
                           tw_data **data)
{
    tw_column_place places[TW_COLUMNS];
    size_t count = tw_likelihood_options_places(&options->given, likelihood, places);
    const tw_reading reading = {.label = options->label_column,
                                .count = count,
                                .columns = places,
                                .ignored = options->ignore.count,
                                .ignore = options->ignore.item};
    if (!options->kernel_matrix) return tw_data_read_as(ctx, options->data, &reading, data);
    TW_TRY(read_labels(ctx, options, data));
    return tw_read_columns(options->data, count, places, *data);
}

static tw_status read_matrix(const tw_model_options *options, tw_problem_parts *parts)
{
    size_t n = 0;
    double *matrix = NULL;
    tw_context *ctx = parts->data->ctx;
    TW_TRY(tw_covariance_read_matrix(ctx, options->kernel_matrix, &n, &matrix));
    TW_TRY(tw_kernel_given(ctx, n, matrix, &parts->kernel));
    if (n == parts->data->n) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "%.500s: the matrix has %zu rows and %.500s has %zu cases",
                   options->kernel_matrix, n, options->data, parts->data->n);
}

static tw_status standardise(tw_problem_parts *parts)
{
    TW_TRY(tw_scaling_fit(parts->data, &parts->scaling));
    return tw_scaling_apply(parts->scaling, parts->data);
}

/* The likelihood's parameters, and which were typed: memory of the caller. */
typedef struct phi_memory {
    double *phi;
    void *given;
} phi_memory;

static tw_status fill_phi(const tw_model_options *options, tw_problem_parts *parts, phi_memory *memory)
{
    tw_context *ctx = parts->data->ctx;
    size_t count = parts->likelihood->parameters;
    if (count == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(ctx, count, 1, "the likelihood's parameters", &memory->phi));
    TW_TRY(tw_allocate(ctx, count, sizeof(bool), "the likelihood's parameters", &memory->given));
    tw_likelihood_options_phi(&options->given, parts->likelihood, memory->phi, memory->given);
    parts->phi = memory->phi;
    parts->phi_given = memory->given;
    return TW_OK;
}

/* Columns, checked with the file's name, and parameters. */
static tw_status fill_likelihood(const tw_model_options *options, tw_problem_parts *parts, phi_memory *memory)
{
    tw_context *ctx = parts->data->ctx;
    TW_TRY(tw_likelihood_options_fill(&options->given, parts->likelihood, parts->data));
    TW_TRY(fill_phi(options, parts, memory));
    tw_observations observed = tw_data_observed(parts->data, parts->likelihood, parts->phi);
    tw_status status = tw_likelihood_check(ctx, &observed);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", options->data);
}

/* A named kernel, with the parameters that have options of their own. */
static tw_status make_named_kernel(const tw_model_options *options, tw_problem_parts *parts)
{
    tw_context *ctx = parts->data->ctx;
    size_t scales = options->log_ell ? tw_options_numbers(options->log_ell) : 1;
    double *log_ell = NULL, log_sigma = isnan(options->log_sigma) ? 0.0 : options->log_sigma;
    TW_TRY(tw_allocate_doubles(ctx, scales, 1, "the length scales", &log_ell));
    if (options->log_ell) tw_options_read_numbers(options->log_ell, log_ell);
    tw_status status = tw_kernel_simple(ctx, options->kernel, scales, log_ell, log_sigma, options->constant,
                                        options->white, &parts->kernel);
    tw_release(ctx, log_ell);
    if (status != TW_OK) return status;
    if (!options->log_ell) tw_kernel_set_given(parts->kernel, 0, false);
    if (isnan(options->log_sigma)) tw_kernel_set_given(parts->kernel, scales, false);
    return TW_OK;
}

static tw_status make_kernel(const tw_model_options *options, tw_problem_parts *parts)
{
    tw_context *ctx = parts->data->ctx;
    bool others =
        options->log_ell || !isnan(options->log_sigma) || options->constant != 0.0 || options->white != 0.0;
    if (options->kernel_matrix) return read_matrix(options, parts);
    if (tw_kernel_is_shape(options->kernel)) return make_named_kernel(options, parts);
    tw_status status = tw_kernel_parse_for(ctx, options->kernel, parts->data, &parts->kernel);
    if (status != TW_OK) return tw_fail_within(ctx, status, "--kernel: ");
    if (!others) return TW_OK;
    return tw_fail(
        ctx, TW_BAD_ARGUMENT,
        "--log-ell, --log-sigma, --constant and --white go with a kernel that is only named; in an "
        "expression, parameters stand with their leaf, as in se(ell=2, sigma=1.5)");
}

static tw_status fill_parts(tw_context *ctx, const tw_model_options *options, tw_problem_parts *parts,
                            phi_memory *phi)
{
    parts->likelihood = tw_likelihood_find(options->likelihood);
    parts->jitter = options->jitter;
    if (options->kernel_matrix && options->standardise)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "--standardise changes inputs, and with --kernel-matrix there are none");
    TW_TRY(tw_likelihood_options_check(ctx, &options->given, parts->likelihood));
    if (!parts->data) TW_TRY(read_data(ctx, options, parts->likelihood, &parts->data));
    if (!parts->data->y)
        return tw_fail(ctx, TW_BAD_DATA, "%.1000s: a model needs labels: give a --label-column",
                       options->data);
    TW_TRY(tw_labels_for(parts->likelihood, options->data, &options->labels, NULL, parts->data));
    TW_TRY(fill_likelihood(options, parts, phi));
    if (options->standardise) TW_TRY(standardise(parts));
    return make_kernel(options, parts);
}

tw_status tw_model_options_build(tw_context *ctx, const tw_model_options *options, tw_data *data,
                                 tw_problem **out)
{
    tw_problem_parts parts = {.data = data};
    phi_memory phi = {0};
    *out = NULL;
    tw_status status = fill_parts(ctx, options, &parts, &phi);
    if (status != TW_OK) {
        tw_problem_parts_free(&parts);
    } else if ((status = tw_problem_new(ctx, &parts, out)) != TW_OK && options->kernel_matrix) {
        tw_fail_within(ctx, status, "%.1000s: ", options->kernel_matrix);
    }
    tw_release(ctx, phi.phi); /* the problem has copies */
    tw_release(ctx, phi.given);
    return status;
}

tw_status tw_model_options_load(tw_context *ctx, const tw_model_options *options, tw_problem **out)
{
    return tw_model_options_build(ctx, options, NULL, out);
}

/* ---- without DATA: the built-in problem of two classes, for which other parameters suit ---- */

#undef FIELD
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

/* ---- describing ---- */

static void print_kernel(const tw_problem *problem, FILE *to)
{
    char *words = NULL;
    const char *shape = tw_kernel_shape(problem->kernel);
    size_t d = problem->data->d;
    if (tw_kernel_matrix(problem->kernel, NULL)) {
        fprintf(to, ", a given kernel matrix");
        return;
    }
    fprintf(to, ", %s%skernel of %zu input%s%s\n", shape ? shape : "", shape ? " " : "", d, d == 1 ? "" : "s",
            problem->scaling ? ", standardised" : "");
    if (tw_kernel_describe(problem->kernel, d, &words) == TW_OK) fputs(words, to);
    tw_release(problem->ctx, words);
}

void tw_model_print(const tw_problem *problem, FILE *to)
{
    tw_model_info info = tw_model_describe(problem->model);
    fprintf(to, "%zu case%s, %s likelihood", info.n, info.n == 1 ? "" : "s", problem->likelihood->name);
    char words[400];
    tw_problem_describe_constants(problem, words, sizeof words);
    if (*words) fprintf(to, " (%s)", words);
    print_kernel(problem, to);
    if (info.jitter > 0.0) fprintf(to, "; jitter %g", info.jitter);
    if (info.rank < info.n) fprintf(to, "; K has rank %zu of %zu", info.rank, info.n);
    fprintf(to, "\n");
}
