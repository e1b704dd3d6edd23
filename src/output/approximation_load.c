/* approximation_load.c: read a problem and its approximation from a file in the format of approximation_file.h.
 * Everything in the file is checked before use. approximation_problem.c reads the problem. */
#include <string.h>

#include "data/file.h"
#include "output/approximation_file.h"

/* ---- the text ---- */

static tw_status parse_text(tw_context *ctx, const char *path, json_t **root)
{
    tw_file file;
    json_error_t error;
    tw_status status = tw_file_read(ctx, path, &file);
    if (status == TW_OK) status = tw_file_check_text(&file);
    if (status == TW_OK) {
        *root = json_loadb(file.bytes, file.length, JSON_REJECT_DUPLICATES, &error);
        if (!*root)
            status = tw_fail(ctx, TW_BAD_DATA,
                             "line %d, column %d: not a saved approximation, or truncated: %.300s",
                             error.line, error.column, error.text);
    }
    tw_file_release(&file);
    return status;
}

static tw_status check_format(const tw_fields *in, size_t *version)
{
    const char *format = NULL;
    if (!json_is_object(in->object) || tw_field_text(in, "format", &format) != TW_OK ||
        strcmp(format, TW_APPROXIMATION_FORMAT) != 0)
        return tw_fail(in->ctx, TW_BAD_DATA,
                       "field \"format\" is not \"" TW_APPROXIMATION_FORMAT "\": give a saved approximation");
    TW_TRY(tw_field_count(in, "version", version));
    if (*version >= 1 && *version <= TW_APPROXIMATION_VERSION) return TW_OK;
    return tw_fail(
        in->ctx, TW_BAD_DATA,
        "field \"version\" is %zu, but this talweg (%s) reads versions 1 to %d: save the approximation again",
        *version, tw_version(), TW_APPROXIMATION_VERSION);
}

/* ---- the approximation ---- */

static tw_status read_kind(const tw_fields *in, tw_approximation_kind *kind)
{
    const char *name = NULL;
    TW_TRY(tw_field_text(in, "kind", &name));
    bool laplace = strcmp(name, "laplace") == 0;
    if (!laplace && strcmp(name, "ep") != 0)
        return tw_fail(in->ctx, TW_BAD_DATA, "field \"approximation.kind\" is \"%.60s\", not laplace or ep",
                       name);
    *kind = laplace ? TW_LAPLACE : TW_EP;
    return TW_OK;
}

static tw_status read_sites(const tw_fields *in, const tw_problem *problem, double **tau, double **nu)
{
    size_t n = problem->data->n;
    TW_TRY(tw_field_numbers(in, "tau", n, tau));
    for (size_t i = 0; i < n; i++)
        if ((*tau)[i] < 0.0 && !problem->likelihood->peak)
            return tw_fail(
                in->ctx, TW_BAD_DATA,
                "field \"approximation.tau\": element %zu is %g, but a precision must not be negative", i + 1,
                (*tau)[i]);
    return tw_field_numbers(in, "nu", n, nu);
}

static tw_status rebuild(const tw_fields *in, const tw_problem *problem, double **tau, double **nu,
                         tw_approximation **out)
{
    tw_approximation verdict = {0};
    TW_TRY(read_kind(in, &verdict.kind));
    TW_TRY(tw_field_truth(in, "converged", &verdict.converged));
    TW_TRY(tw_field_count(in, "iterations", &verdict.iterations));
    TW_TRY(tw_field_number_or_null(in, "residual", &verdict.residual));
    TW_TRY(tw_field_number_or_null(in, "log_z", &verdict.log_z));
    TW_TRY(read_sites(in, problem, tau, nu));
    TW_TRY(tw_approximation_from_sites(problem->model, verdict.kind, *tau, *nu, out));
    (*out)->converged = verdict.converged;
    (*out)->iterations = verdict.iterations;
    (*out)->residual = verdict.residual;
    (*out)->log_z = verdict.log_z;
    return TW_OK;
}

static tw_status read_approximation(const tw_fields *in, const tw_problem *problem, tw_approximation **out)
{
    tw_fields inner;
    double *tau = NULL, *nu = NULL;
    TW_TRY(tw_field_object_or_null(in, "approximation", "approximation.", &inner));
    tw_status status = rebuild(&inner, problem, &tau, &nu, out);
    tw_release(in->ctx, tau);
    tw_release(in->ctx, nu);
    return status;
}

tw_status tw_approximation_load_by(tw_context *ctx, const char *path, tw_model_maker *make_model,
                                   tw_problem **problem, tw_approximation **approximation)
{
    json_t *root = NULL;
    size_t version = 0;
    *problem = NULL;
    *approximation = NULL;
    tw_status status = parse_text(ctx, path, &root);
    tw_fields in = {ctx, root, ""};
    if (status == TW_OK) status = check_format(&in, &version);
    if (status == TW_OK) status = tw_approximation_read_problem(&in, version, make_model, problem);
    if (status == TW_OK) status = read_approximation(&in, *problem, approximation);
    json_decref(root);
    if (status == TW_OK) return TW_OK;
    tw_problem_free(*problem);
    *problem = NULL;
    return tw_fail_within(ctx, status, "%.1000s: ", path);
}

tw_status tw_approximation_load(tw_context *ctx, const char *path, tw_problem **problem,
                                tw_approximation **approximation)
{
    return tw_approximation_load_by(ctx, path, NULL, problem, approximation);
}
