/* approximation_save.c: a problem and its approximation to a file. The format is in approximation_file.h. */
#include "model/problem.h"
#include "output/approximation_file.h"
#include "output/json.h"
#include "output/writer.h"
#include "talweg/output.h"

static json_t *encode_likelihood(const tw_problem *problem, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "name", json_string(problem->likelihood->name), ok);
    tw_json_set(object, "w", problem->w ? tw_json_numbers(problem->data->n, problem->w) : json_null(), ok);
    return object;
}

static json_t *encode_covariance(const tw_problem *problem, bool *ok)
{
    const tw_covariance *covariance = &problem->covariance;
    if (problem->matrix) return json_null();
    json_t *object = json_object();
    tw_json_set(object, "kernel", json_string(covariance->kernel), ok);
    tw_json_set(object, "log_ell", tw_json_numbers(covariance->scales, covariance->log_ell), ok);
    tw_json_set(object, "log_sigma", tw_json_number(covariance->log_sigma), ok);
    tw_json_set(object, "constant", tw_json_number(covariance->constant), ok);
    tw_json_set(object, "white", tw_json_number(covariance->white), ok);
    return object;
}

/* Row i of the lower triangle of the symmetric K is the beginning of its column i. */
static json_t *encode_matrix(const tw_problem *problem, bool *ok)
{
    size_t n = problem->data->n;
    if (!problem->matrix) return json_null();
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) tw_json_append(array, tw_json_number(problem->matrix[j + i * n]), ok);
    return array;
}

static json_t *encode_scaling(const tw_scaling *scaling, bool *ok)
{
    if (!scaling) return json_null();
    json_t *object = json_object(), *columns = json_array();
    for (size_t k = 0; k < scaling->d_out; k++)
        tw_json_append(columns, tw_json_count(scaling->column[k] + 1), ok);
    tw_json_set(object, "inputs", tw_json_count(scaling->d_in), ok);
    tw_json_set(object, "columns", columns, ok);
    tw_json_set(object, "centre", tw_json_numbers(scaling->d_out, scaling->centre), ok);
    tw_json_set(object, "scale", tw_json_numbers(scaling->d_out, scaling->scale), ok);
    return object;
}

/* Names that are no text of Unicode are left out. */
static json_t *encode_names(const tw_data *data, bool *ok)
{
    if (!data->names) return json_null();
    json_t *array = json_array();
    for (size_t k = 0; k < data->d; k++) {
        json_t *name = json_string(data->names[k]);
        if (!name) {
            json_decref(array);
            return json_null();
        }
        if (json_array_append_new(array, name) != 0) *ok = false;
    }
    return array;
}

static json_t *encode_approximation(const tw_approximation *approximation, bool *ok)
{
    json_t *object = json_object();
    tw_json_set(object, "kind", json_string(approximation->kind == TW_EP ? "ep" : "laplace"), ok);
    tw_json_set(object, "converged", json_boolean(approximation->converged), ok);
    tw_json_set(object, "iterations", tw_json_count(approximation->iterations), ok);
    tw_json_set(object, "residual", tw_json_number(approximation->residual), ok);
    tw_json_set(object, "log_z", tw_json_number(approximation->log_z), ok);
    tw_json_set(object, "tau", tw_json_numbers(approximation->n, approximation->tau), ok);
    tw_json_set(object, "nu", tw_json_numbers(approximation->n, approximation->nu), ok);
    return object;
}

static json_t *encode(const tw_problem *problem, const tw_approximation *approximation, bool *ok)
{
    const tw_data *data = problem->data;
    json_t *object = json_object();
    tw_json_set(object, "format", json_string(TW_APPROXIMATION_FORMAT), ok);
    tw_json_set(object, "version", tw_json_count(TW_APPROXIMATION_VERSION), ok);
    tw_json_set(object, "library", json_string(tw_version()), ok);
    tw_json_set(object, "n", tw_json_count(data->n), ok);
    tw_json_set(object, "inputs", tw_json_count(data->d), ok);
    tw_json_set(object, "names", problem->matrix ? json_null() : encode_names(data, ok), ok);
    tw_json_set(object, "likelihood", encode_likelihood(problem, ok), ok);
    tw_json_set(object, "covariance", encode_covariance(problem, ok), ok);
    tw_json_set(object, "matrix", encode_matrix(problem, ok), ok);
    tw_json_set(object, "jitter", tw_json_number(problem->jitter), ok);
    tw_json_set(object, "scaling", encode_scaling(problem->scaling, ok), ok);
    tw_json_set(object, "x", problem->matrix ? json_null() : tw_json_numbers(data->n * data->d, data->x), ok);
    tw_json_set(object, "y", tw_json_numbers(data->n, data->y), ok);
    tw_json_set(object, "approximation", encode_approximation(approximation, ok), ok);
    return object;
}

tw_status tw_approximation_save(const tw_problem *problem, const tw_approximation *approximation,
                                const char *path, bool overwrite)
{
    tw_writer writer;
    bool ok = true;
    TW_TRY(tw_problem_check_saved(problem));
    TW_TRY(tw_writer_open(problem->ctx, path, overwrite, &writer));
    json_t *object = encode(problem, approximation, &ok);
    tw_status status = tw_json_print(problem->ctx, object, ok, writer.file);
    if (status == TW_OK) return tw_writer_close(&writer);
    tw_writer_abandon(&writer);
    return status;
}
