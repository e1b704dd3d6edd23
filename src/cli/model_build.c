/* model_build.c: builds a problem from options:
 * reads the data, recodes labels, standardises, makes kernel and model. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "cli/distribute.h"
#include "cli/model_file.h"
#include "cli/model_options.h"
#include "cli/warnings.h"
#include "talweg/base.h"

/* The option that gives a matrix instead of a kernel; NULL: none. */
static const char *given_matrix(const tw_model_options *o)
{
    return o->kernel_matrix ? "kernel-matrix" : o->precision_matrix ? "precision-matrix" : NULL;
}

/* Recode labels by --levels, a comma-separated list. */
static tw_status take_levels(const tw_likelihood *likelihood, const char *levels, tw_data *data)
{
    void *memory = NULL;
    size_t count = 0, bytes = strlen(levels) + 1;
    TW_TRY(tw_allocate(data->ctx, bytes * (sizeof(char *) + 1), 1, "the levels", &memory));
    const char **texts = memory;
    char *copy = (char *)(texts + bytes), *rest = NULL;
    memcpy(copy, levels, bytes);
    for (char *c = strtok_r(copy, ",", &rest); c; c = strtok_r(NULL, ",", &rest)) texts[count++] = c;
    tw_status status = tw_labels_take(likelihood, &(tw_label_choice){NULL, count, texts}, NULL, data);
    tw_release(data->ctx, memory);
    return status;
}

tw_status tw_labels_for(const tw_likelihood *likelihood, const char *path, const tw_label_options *options,
                        const tw_levels *known, tw_data *data)
{
    tw_label_choice choice = {.positive = options->positive};
    tw_status status = options->levels ? take_levels(likelihood, options->levels, data)
                                       : tw_labels_take(likelihood, &choice, known, data);
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

/* Read labels for a given matrix. The inputs are not used, so the file may have only the column of labels; it
 * then also counts as the one input that tw_data requires. */
static tw_status read_labels(tw_context *ctx, const tw_model_options *options, tw_data **data)
{
    tw_reading reading = {.label = "none", .ignored = options->ignore.count, .ignore = options->ignore.item};
    TW_TRY(tw_data_read_as(ctx, options->data, &reading, data));
    if ((*data)->d == 1 && !options->label_column) {
        TW_TRY(tw_data_take(*data, 0, "label"));
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
    if (!given_matrix(options)) return tw_data_read_as(ctx, options->data, &reading, data);
    TW_TRY(read_labels(ctx, options, data));
    return tw_read_columns(options->data, count, places, *data);
}

/* Make the kernel precision(matrix="...", design="...") from --precision-matrix and --design-matrix. */
static tw_status make_precision(const tw_model_options *options, tw_problem_parts *parts)
{
    const char *q = options->precision_matrix, *a = options->design_matrix;
    tw_context *ctx = parts->data->ctx;
    void *text = NULL;
    size_t bytes = strlen(q) + (a ? strlen(a) : 0) + sizeof "precision(matrix=\"\", design=\"\")";
    if (strchr(q, '"') || (a && strchr(a, '"')))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s: the name of a matrix file must not contain \"",
                       strchr(q, '"') ? "precision-matrix" : "design-matrix");
    TW_TRY(tw_allocate(ctx, bytes, 1, "an expression", &text));
    snprintf(text, bytes, "precision(matrix=\"%s\"%s%s%s)", q, a ? ", design=\"" : "", a ? a : "",
             a ? "\"" : "");
    tw_status status = tw_kernel_parse_for(ctx, text, parts->data, &parts->kernel);
    tw_release(ctx, text);
    return status;
}

static tw_status read_matrix(const tw_model_options *options, tw_problem_parts *parts)
{
    size_t n = 0;
    double *matrix = NULL;
    tw_context *ctx = parts->data->ctx;
    TW_TRY(tw_covariance_read_matrix(ctx, options->kernel_matrix, &n, &matrix));
    TW_TRY(tw_kernel_given(ctx, n, matrix, &parts->kernel));
    if (n == parts->data->n) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "%.500s has %zu rows, but %.500s has %zu cases", options->kernel_matrix,
                   n, options->data, parts->data->n);
}

static tw_status standardise(tw_problem_parts *parts)
{
    TW_TRY(tw_scaling_fit(parts->data, &parts->scaling));
    return tw_scaling_apply(parts->scaling, parts->data);
}

/* Memory for the likelihood's parameters, and for which of them were given. The caller frees it. */
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

/* Fail, with the options that help, if the data lack a column that the likelihood needs. */
static tw_status check_columns(const tw_likelihood *likelihood, const tw_data *data)
{
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name;
        if (!likelihood->column[k].required || tw_data_column(data, name)) continue;
        return tw_fail(data->ctx, TW_BAD_DATA,
                       "the %s likelihood needs the column %s: name it with --%s-column, or give one value "
                       "for all cases with --%s",
                       likelihood->name, name, name, name);
    }
    return TW_OK;
}

/* An input with the name of a column that the likelihood could have may be one by mistake. */
static void note_columns(const tw_likelihood *likelihood, const tw_data *data)
{
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name;
        for (size_t j = 0; data->names && j < data->d && !tw_data_column(data, name); j++)
            if (strcasecmp(data->names[j], name) == 0)
                tw_log(data->ctx, TW_LOG_INFO,
                       "the column %.60s is an input; to give it to the likelihood, use --%s-column %.60s",
                       data->names[j], name, data->names[j]);
    }
}

/* Fill in the likelihood's columns and parameters, and check the observations; messages name the file. */
static tw_status fill_likelihood(const tw_model_options *options, tw_problem_parts *parts, phi_memory *memory)
{
    tw_context *ctx = parts->data->ctx;
    TW_TRY(tw_likelihood_options_fill(&options->given, parts->likelihood, parts->data));
    TW_TRY(fill_phi(options, parts, memory));
    tw_observations observed = tw_data_observed(parts->data, parts->likelihood, parts->phi);
    tw_status status = check_columns(parts->likelihood, parts->data);
    if (!given_matrix(options)) note_columns(parts->likelihood, parts->data);
    if (status == TW_OK) status = tw_likelihood_check(ctx, &observed);
    return status == TW_OK ? TW_OK : tw_fail_within(ctx, status, "%.1000s: ", options->data);
}

/* Read the length scales of --log-ell or --ell as logarithms. */
static tw_status read_scales(tw_context *ctx, const tw_model_options *options, size_t scales, double *log_ell)
{
    if (options->log_ell) tw_options_read_numbers(options->log_ell, log_ell);
    if (!options->ell) return TW_OK;
    tw_options_read_numbers(options->ell, log_ell);
    for (size_t k = 0; k < scales; k++) {
        if (!(log_ell[k] > 0.0))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "--ell must be above 0, not %g", log_ell[k]);
        log_ell[k] = log(log_ell[k]);
    }
    return TW_OK;
}

/* Make a kernel given by name, with the parameters of --log-ell, --log-sigma and so on. */
static tw_status make_named_kernel(const tw_model_options *options, tw_problem_parts *parts)
{
    tw_context *ctx = parts->data->ctx;
    const char *lengths = options->ell ? options->ell : options->log_ell;
    size_t scales = lengths ? tw_options_numbers(lengths) : 1;
    bool sigma_given = !isnan(options->log_sigma) || !isnan(options->sigma);
    double *log_ell = NULL;
    double log_sigma = !isnan(options->sigma) ? log(options->sigma) : sigma_given ? options->log_sigma : 0.0;
    TW_TRY(tw_allocate_doubles(ctx, scales, 1, "the length scales", &log_ell));
    tw_status status = read_scales(ctx, options, scales, log_ell);
    if (status == TW_OK)
        status = tw_kernel_simple(ctx, options->kernel, scales, log_ell, log_sigma, options->constant,
                                  options->white, &parts->kernel);
    tw_release(ctx, log_ell);
    if (status != TW_OK) return status;
    if (!lengths) tw_kernel_set_given(parts->kernel, 0, false);
    if (!sigma_given) tw_kernel_set_given(parts->kernel, scales, false);
    return TW_OK;
}

/* The first given option of a kernel's parameters; NULL: none. */
static const char *parameter_given(const tw_model_options *o)
{
    return o->log_ell             ? "log-ell"
           : o->ell               ? "ell"
           : !isnan(o->log_sigma) ? "log-sigma"
           : !isnan(o->sigma)     ? "sigma"
           : o->constant != 0.0   ? "constant"
           : o->white != 0.0      ? "white"
                                  : NULL;
}

/* Was --kernel given? Otherwise the value is the pointer of the table's default. */
static bool kernel_given(const tw_model_options *options)
{
    for (size_t k = 0; k < TW_MODEL_OPTION_COUNT; k++)
        if (tw_model_option_rows[k].default_value == options->kernel) return false;
    return options->kernel != NULL;
}

/* Fail if options contradict each other. */
static tw_status check_kernel(tw_context *ctx, const tw_model_options *options)
{
    const char *parameter = parameter_given(options);
    bool twice_ell = options->ell && options->log_ell;
    if (twice_ell || (!isnan(options->sigma) && !isnan(options->log_sigma)))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s and --log-%s set the same parameter: use one of them",
                       twice_ell ? "ell" : "sigma", twice_ell ? "ell" : "sigma");
    if (options->design_matrix && !options->precision_matrix)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--design-matrix needs --precision-matrix");
    const char *matrix = given_matrix(options);
    if (!matrix) return TW_OK;
    if (options->standardise)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--standardise cannot be used with --%s: there are no inputs",
                       matrix);
    if (kernel_given(options)) parameter = "kernel";
    if (options->kernel_matrix && options->precision_matrix) parameter = "precision-matrix";
    if (!parameter) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s cannot be used with --%s, which is the whole covariance",
                   parameter, matrix);
}

static tw_status make_kernel(const tw_model_options *options, tw_problem_parts *parts)
{
    tw_context *ctx = parts->data->ctx;
    if (options->kernel_matrix) return read_matrix(options, parts);
    if (options->precision_matrix) return make_precision(options, parts);
    bool named = tw_kernel_is_shape(options->kernel);
    tw_warnings_use(TW_USED_KERNEL, named ? NULL : "expression");
    if (named) return make_named_kernel(options, parts);
    tw_status status = tw_kernel_parse_for(ctx, options->kernel, parts->data, &parts->kernel);
    if (status != TW_OK) return tw_fail_within(ctx, status, "--kernel: ");
    if (!parameter_given(options)) return TW_OK;
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "--%s needs a kernel given by name only; in an expression, write the parameters in the "
                   "leaf, as in se(ell=2, sigma=1.5)",
                   parameter_given(options));
}

static tw_status fill_parts(tw_context *ctx, const tw_model_options *options, tw_problem_parts *parts,
                            phi_memory *phi)
{
    parts->likelihood = tw_likelihood_find(options->likelihood);
    parts->jitter = options->jitter;
    TW_TRY(check_kernel(ctx, options));
    TW_TRY(tw_likelihood_options_check(ctx, &options->given, parts->likelihood));
    if (!parts->data) TW_TRY(read_data(ctx, options, parts->likelihood, &parts->data));
    if (!parts->data->y)
        return tw_fail(ctx, TW_BAD_DATA, "%.1000s has no labels: choose a --label-column", options->data);
    TW_TRY(tw_labels_for(parts->likelihood, options->data, &options->labels, NULL, parts->data));
    TW_TRY(fill_likelihood(options, parts, phi));
    if (options->standardise) TW_TRY(standardise(parts));
    TW_TRY(make_kernel(options, parts));
    return options->distribute ? tw_distribute(ctx, &parts->make_model) : TW_OK;
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
    if (status == TW_OK && options->model_file &&
        (status = tw_model_file_check(*out, options->model_file)) != TW_OK) {
        tw_problem_free(*out);
        *out = NULL;
    }
    tw_release(ctx, phi.phi); /* the problem has copies */
    tw_release(ctx, phi.given);
    return status;
}

tw_status tw_model_options_load(tw_context *ctx, const tw_model_options *options, tw_problem **out)
{
    return tw_model_options_build(ctx, options, NULL, out);
}
