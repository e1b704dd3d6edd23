/* approximation_problem.c: read the problem of a saved approximation: likelihood, kernel or matrix, data,
 * scaling. approximation_file.h has the format. Everything in the file is checked before it is used. */
#include "covariance/kernel.h"
#include "data/readers.h"
#include "output/approximation_file.h"

static tw_status read_column(const tw_fields *in, const char *name, const char *column, tw_data *data)
{
    double *values = NULL;
    TW_TRY(tw_field_numbers(in, name, data->n, &values));
    tw_status status = tw_data_set_column(data, column, values);
    tw_release(in->ctx, values);
    return status;
}

static tw_status read_columns(const tw_fields *in, const tw_likelihood *likelihood, tw_data *data)
{
    tw_fields inner;
    size_t found = 0;
    TW_TRY(tw_field_object_or_null(in, "columns", "likelihood.columns.", &inner));
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name;
        if (!json_object_get(inner.object, name)) continue;
        TW_TRY(read_column(&inner, name, name, data));
        found++;
    }
    if (found == json_object_size(inner.object)) return TW_OK;
    return tw_fail(in->ctx, TW_BAD_DATA,
                   "field \"likelihood.columns\" has a column that the %s likelihood does not have",
                   likelihood->name);
}

/* A parameter that is missing in the file keeps its initial value. */
static tw_status read_parameters(const tw_fields *in, const tw_likelihood *likelihood, double **phi)
{
    tw_fields inner;
    if (likelihood->parameters == 0) return TW_OK;
    TW_TRY(tw_field_object_or_null(in, "phi", "likelihood.phi.", &inner));
    TW_TRY(tw_allocate_doubles(in->ctx, likelihood->parameters, 1, "the likelihood's parameters", phi));
    for (size_t k = 0; k < likelihood->parameters; k++) {
        const tw_parameter *parameter = &likelihood->parameter[k];
        (*phi)[k] = tw_parameter_theta(parameter, parameter->initial);
        if (json_object_get(inner.object, parameter->name))
            TW_TRY(tw_field_number(&inner, parameter->name, &(*phi)[k]));
    }
    return TW_OK;
}

/* Files of version 1. */
static tw_status read_constants(const tw_fields *in, const tw_likelihood *likelihood, tw_data *data)
{
    bool none = false;
    TW_TRY(tw_field_is_null(in, "w", &none));
    if (none) return TW_OK;
    if (likelihood->columns > 0) return read_column(in, "w", likelihood->column[0].name, data);
    return tw_fail(in->ctx, TW_BAD_DATA,
                   "field \"likelihood.w\" is not null, but the %s likelihood has no constants",
                   likelihood->name);
}

static tw_status read_likelihood(const tw_fields *in, size_t version, tw_problem_parts *parts, double **phi)
{
    tw_fields inner;
    const char *name = NULL;
    TW_TRY(tw_field_object_or_null(in, "likelihood", "likelihood.", &inner));
    TW_TRY(tw_field_text(&inner, "name", &name));
    const tw_likelihood *likelihood = parts->likelihood = tw_likelihood_find(name);
    if (!likelihood)
        return tw_fail(in->ctx, TW_BAD_DATA, "field \"likelihood.name\" is \"%.60s\", not one of %s", name,
                       tw_likelihood_names());
    if (version == 1) return read_constants(&inner, likelihood, parts->data);
    TW_TRY(read_columns(&inner, likelihood, parts->data));
    TW_TRY(read_parameters(&inner, likelihood, phi));
    parts->phi = *phi;
    return TW_OK;
}

static tw_status read_expression(const tw_fields *in, tw_problem_parts *parts)
{
    const char *expression = NULL;
    size_t count = 0;
    double *theta = NULL;
    TW_TRY(tw_field_text(in, "kernel", &expression));
    TW_TRY(tw_field_length(in, "theta", &count));
    TW_TRY(tw_field_numbers(in, "theta", count, &theta));
    tw_status status = tw_kernel_restore(in->ctx, expression, parts->data, count, theta, &parts->kernel);
    tw_release(in->ctx, theta);
    return status == TW_OK ? TW_OK : tw_fail_within(in->ctx, status, "field \"kernel\": ");
}

/* Files of version 1. */
static tw_status read_covariance(const tw_fields *in, tw_problem_parts *parts)
{
    tw_fields inner;
    const char *shape = NULL;
    double log_sigma = 0.0, constant = 0.0, white = 0.0, *log_ell = NULL;
    size_t scales = 0;
    TW_TRY(tw_field_object_or_null(in, "covariance", "covariance.", &inner));
    TW_TRY(tw_field_text(&inner, "kernel", &shape));
    TW_TRY(tw_field_number(&inner, "log_sigma", &log_sigma));
    TW_TRY(tw_field_number(&inner, "constant", &constant));
    TW_TRY(tw_field_number(&inner, "white", &white));
    TW_TRY(tw_field_length(&inner, "log_ell", &scales));
    TW_TRY(tw_field_numbers(&inner, "log_ell", scales, &log_ell));
    tw_status status =
        tw_kernel_simple(in->ctx, shape, scales, log_ell, log_sigma, constant, white, &parts->kernel);
    tw_release(in->ctx, log_ell);
    if (status == TW_OK) status = tw_kernel_check_inputs(parts->kernel, parts->data->d);
    if (status == TW_BAD_ARGUMENT) status = TW_BAD_DATA;
    return status == TW_OK ? TW_OK : tw_fail_within(in->ctx, status, "field \"covariance\": ");
}

/* Read the lower triangle, row by row, into a full symmetric matrix. */
static tw_status read_matrix(const tw_fields *in, size_t n, tw_problem_parts *parts)
{
    double *triangle = NULL, *matrix = NULL;
    TW_TRY(tw_field_numbers(in, "matrix", n * (n + 1) / 2, &triangle));
    tw_status status = tw_allocate_doubles(in->ctx, n, n, "the kernel matrix", &matrix);
    if (status == TW_OK) {
        for (size_t i = 0, next = 0; i < n; i++)
            for (size_t j = 0; j <= i; j++, next++) matrix[i + j * n] = matrix[j + i * n] = triangle[next];
        status = tw_kernel_given(in->ctx, n, matrix, &parts->kernel);
    }
    tw_release(in->ctx, triangle);
    return status;
}

/* Columns, counted from 1, must increase and be among the inputs; scales must be above 0. */
static tw_status check_scaling(const tw_fields *in, const tw_scaling *scaling, const double *columns)
{
    for (size_t k = 0; k < scaling->d_out; k++) {
        double before = k ? columns[k - 1] : 0.0;
        if (!(columns[k] > before) || columns[k] > (double)scaling->d_in || columns[k] != floor(columns[k]))
            return tw_fail(
                in->ctx, TW_BAD_DATA,
                "field \"scaling.columns\": element %zu is %g, but columns must increase from 1 to %zu",
                k + 1, columns[k], scaling->d_in);
        if (!(scaling->scale[k] > 0.0))
            return tw_fail(in->ctx, TW_BAD_DATA, "field \"scaling.scale\": element %zu is %g, not above 0",
                           k + 1, scaling->scale[k]);
        scaling->column[k] = (size_t)columns[k] - 1;
    }
    return TW_OK;
}

/* Read the texts of an array into new memory; messages call the array `name`. */
static tw_status read_texts(const tw_fields *in, const char *name, const json_t *array, char ***texts)
{
    void *block = NULL;
    tw_status status = TW_OK;
    size_t count = json_array_size(array);
    TW_TRY(tw_allocate(in->ctx, count, sizeof(char *), "the names", &block));
    const char **from = block;
    for (size_t k = 0; k < count && status == TW_OK; k++) {
        from[k] = json_string_value(json_array_get(array, k));
        if (!from[k])
            status = tw_fail(in->ctx, TW_BAD_DATA, "field \"%s%s\": element %zu is not text", in->prefix,
                             name, k + 1);
    }
    if (status == TW_OK) status = tw_names_copy(in->ctx, count, from, texts);
    tw_release(in->ctx, block);
    return status;
}

/* Read `count` names into new memory. Older files have none. */
static tw_status read_names(const tw_fields *in, size_t count, char ***names)
{
    const json_t *array = json_object_get(in->object, "names");
    if (!array || json_is_null(array)) return TW_OK;
    if (json_array_size(array) != count)
        return tw_fail(in->ctx, TW_BAD_DATA, "field \"%snames\" is not a name for each of the %zu inputs",
                       in->prefix, count);
    return read_texts(in, "names", array, names);
}

/* Read an array of texts, which may be absent or null. */
static tw_status take_texts(const tw_fields *in, const char *name, tw_levels *to)
{
    const json_t *array = json_object_get(in->object, name);
    if (json_array_size(array) == 0) return TW_OK;
    TW_TRY(read_texts(in, name, array, &to->text));
    to->count = json_array_size(array);
    return TW_OK;
}

/* Older files have no categories. */
static tw_status read_levels(const tw_fields *in, tw_data *data)
{
    const json_t *levels = json_object_get(in->object, "levels");
    for (size_t k = 0; k < json_array_size(levels) && k < data->d; k++) {
        const json_t *array = json_array_get(levels, k);
        char **texts = NULL;
        if (json_is_null(array)) continue;
        TW_TRY(read_texts(in, "levels", array, &texts));
        tw_status status = tw_data_set_levels(data, k, json_array_size(array), (const char *const *)texts);
        tw_release(in->ctx, texts);
        TW_TRY(status);
    }
    TW_TRY(take_texts(in, "labels", &data->labels));
    return take_texts(in, "ignored", &data->ignored);
}

static tw_status read_scaling(const tw_fields *in, size_t d, tw_problem_parts *parts)
{
    tw_fields inner;
    void *memory = NULL, *columns = NULL;
    double *numbers = NULL;
    TW_TRY(tw_field_object_or_null(in, "scaling", "scaling.", &inner));
    if (!inner.object) return TW_OK;
    TW_TRY(tw_allocate(in->ctx, 1, sizeof(tw_scaling), "the scaling", &memory));
    tw_scaling *scaling = parts->scaling = memory;
    *scaling = (tw_scaling){.ctx = in->ctx, .d_out = d};
    TW_TRY(tw_field_count(&inner, "inputs", &scaling->d_in));
    TW_TRY(tw_field_numbers(&inner, "centre", d, &scaling->centre));
    TW_TRY(tw_field_numbers(&inner, "scale", d, &scaling->scale));
    TW_TRY(read_names(&inner, scaling->d_in, &scaling->names));
    TW_TRY(tw_allocate(in->ctx, d, sizeof(size_t), "the columns", &columns));
    scaling->column = columns;
    TW_TRY(tw_field_numbers(&inner, "columns", d, &numbers));
    tw_status status = check_scaling(in, scaling, numbers);
    tw_release(in->ctx, numbers);
    return status;
}

/* Read n cases with d inputs. With a given matrix there are none, and a column of zeros replaces them. */
static tw_status read_data(const tw_fields *in, bool matrix, tw_problem_parts *parts)
{
    size_t n = 0, d = 0;
    double *x = NULL, *y = NULL;
    TW_TRY(tw_field_count(in, "n", &n));
    TW_TRY(tw_field_count(in, "inputs", &d));
    if (n == 0 || d == 0 || d > (size_t)-1 / n / sizeof(double))
        return tw_fail(in->ctx, TW_BAD_DATA, "fields \"n\" and \"inputs\" are %zu and %zu", n, d);
    if (matrix) d = 1;
    TW_TRY(tw_field_numbers(in, "y", n, &y));
    tw_status status =
        matrix ? tw_allocate_doubles(in->ctx, n, d, "the inputs", &x) : tw_field_numbers(in, "x", n * d, &x);
    if (status == TW_OK) status = tw_data_new(in->ctx, n, d, x, n, y, &parts->data);
    tw_release(in->ctx, x);
    tw_release(in->ctx, y);
    return status;
}

static tw_status read_source(const json_t *sources, const char *role, tw_data *data)
{
    const char *name = json_string_value(json_array_get(json_object_get(sources, role), 0));
    return name ? tw_data_set_source(data, role, name) : TW_OK;
}

/* Older files have no sources. */
static tw_status read_sources(const tw_fields *in, tw_data *data)
{
    const json_t *sources = json_object_get(in->object, "sources");
    TW_TRY(read_source(sources, "label", data));
    for (size_t k = 0; k < data->columns; k++) TW_TRY(read_source(sources, data->column[k].name, data));
    return TW_OK;
}

static tw_status read_parts(const tw_fields *in, size_t version, tw_problem_parts *parts, double **phi)
{
    bool no_matrix = false;
    TW_TRY(tw_field_is_null(in, "matrix", &no_matrix));
    TW_TRY(read_data(in, !no_matrix, parts));
    TW_TRY(tw_field_number(in, "jitter", &parts->jitter));
    TW_TRY(read_likelihood(in, version, parts, phi));
    TW_TRY(read_levels(in, parts->data));
    TW_TRY(read_sources(in, parts->data));
    if (!no_matrix) return read_matrix(in, parts->data->n, parts);
    TW_TRY(read_names(in, parts->data->d, &parts->data->names));
    TW_TRY(version == 1 ? read_covariance(in, parts) : read_expression(in, parts));
    return read_scaling(in, parts->data->d, parts);
}

tw_status tw_approximation_read_problem(const tw_fields *in, size_t version, tw_model_maker *make_model,
                                        tw_problem **problem)
{
    tw_problem_parts parts = {.make_model = make_model};
    double *phi = NULL;
    tw_status status = read_parts(in, version, &parts, &phi);
    if (status == TW_OK)
        status = tw_problem_new(in->ctx, &parts, problem);
    else
        tw_problem_parts_free(&parts);
    tw_release(in->ctx, phi); /* the problem has a copy */
    return status;
}
