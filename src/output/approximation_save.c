/* approximation_save.c: write a problem and its approximation to a file in the format of
 * approximation_file.h. The object is printed member by member, so that a given matrix is not copied in
 * memory. */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "data/number.h"
#include "model/problem.h"
#include "output/approximation_file.h"
#include "talweg/files.h"
#include "talweg/output.h"

/* 17 digits restore the same double. The point or exponent preserves -0, which JSON's integer 0 would not. */
static void print_number(double value, FILE *to)
{
    char text[40] = "null";
    if (isfinite(value)) {
        snprintf(text, sizeof text, "%.17g", value);
        if (!strpbrk(text, ".e")) strcat(text, ".0");
    }
    fputs(text, to);
}

/* An array, or null. */
static void print_numbers(size_t n, const double *values, FILE *to)
{
    for (size_t i = 0; values && i < n; i++) {
        fputc(i ? ',' : '[', to);
        print_number(values[i], to);
    }
    fputs(!values ? "null" : n == 0 ? "[]" : "]", to);
}

static void print_likelihood(const tw_problem *problem, FILE *to)
{
    const tw_likelihood *likelihood = problem->likelihood;
    const tw_data *data = problem->data;
    fprintf(to, "{\"name\":\"%s\",\"phi\":{", likelihood->name);
    for (size_t k = 0; k < likelihood->parameters; k++) {
        fprintf(to, "%s\"%s\":", k ? "," : "", likelihood->parameter[k].name);
        print_number(problem->phi[k], to);
    }
    fputs("},\"columns\":{", to);
    for (size_t k = 0; k < data->columns; k++) {
        fprintf(to, "%s\"%s\":", k ? "," : "", data->column[k].name);
        print_numbers(data->n, data->column[k].values, to);
    }
    fputs("}}", to);
}

/* Print an expression, which is printable ASCII: JSON escapes only two of its characters. */
static void print_text(const char *text, FILE *to)
{
    fputc('"', to);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') fputc('\\', to);
        fputc(*text, to);
    }
    fputc('"', to);
}

static void print_kernel(const tw_kernel *kernel, const char *expression, FILE *to)
{
    bool given = tw_kernel_matrix(kernel, NULL) != NULL;
    fputs(",\n  \"kernel\": ", to);
    if (given)
        fputs("null", to);
    else
        print_text(expression, to);
    fputs(",\n  \"theta\": ", to);
    print_numbers(tw_kernel_count(kernel), given ? NULL : tw_kernel_theta(kernel), to);
}

/* K is symmetric, so row i of its lower triangle is the beginning of column i. */
static void print_matrix(const tw_kernel *kernel, FILE *to)
{
    size_t n = 0;
    const double *matrix = tw_kernel_matrix(kernel, &n);
    for (size_t i = 0; matrix && i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            fputc(i ? ',' : '[', to);
            print_number(matrix[j + i * n], to);
        }
    fputs(matrix ? "]" : "null", to);
}

/* Names that are not valid Unicode, which jansson rejects, are omitted. */
static void print_names(size_t count, char *const *from, FILE *to)
{
    json_t *names = from ? json_array() : NULL;
    for (size_t k = 0; names && k < count; k++)
        if (json_array_append_new(names, json_string(from[k])) != 0) {
            json_decref(names);
            names = NULL;
        }
    if (names)
        json_dumpf(names, to, JSON_COMPACT);
    else
        fputs("null", to);
    json_decref(names);
}

/* The categories of the inputs (NULL: none) and of y. */
static void print_levels(const tw_levels *levels, const tw_data *data, FILE *to)
{
    if (!levels) fputs("null", to);
    for (size_t k = 0; levels && k < data->d; k++) {
        fputc(k ? ',' : '[', to);
        print_names(levels[k].count, levels[k].text, to);
    }
    if (levels) fputc(']', to);
    fputs(",\n  \"labels\": ", to);
    print_names(data->labels.count, data->labels.text, to);
}

static void print_source(const char *role, const char *name, bool first, FILE *to)
{
    fprintf(to, "%s\"%s\":", first ? "" : ",", role);
    char *names[] = {(char *)name};
    print_names(1, name ? names : NULL, to);
}

/* The source names of y and of the constants, {"label":["sick"],"exposure":null}, and of the ignored
 * columns. */
static void print_sources(const tw_data *data, FILE *to)
{
    fputs(",\n  \"sources\": {", to);
    print_source("label", data->label_source, true, to);
    for (size_t k = 0; k < data->columns; k++)
        print_source(data->column[k].name, data->column[k].source, false, to);
    fputs("},\n  \"ignored\": ", to);
    print_names(data->ignored.count, data->ignored.text, to);
}

static void print_scaling(const tw_scaling *scaling, FILE *to)
{
    if (!scaling) {
        fputs("null", to);
        return;
    }
    fprintf(to, "{\"inputs\":%zu,\"columns\":[", scaling->d_in);
    for (size_t k = 0; k < scaling->d_out; k++) fprintf(to, "%s%zu", k ? "," : "", scaling->column[k] + 1);
    fputs("],\"centre\":", to);
    print_numbers(scaling->d_out, scaling->centre, to);
    fputs(",\"scale\":", to);
    print_numbers(scaling->d_out, scaling->scale, to);
    fputs(",\"names\":", to);
    print_names(scaling->d_in, scaling->names, to);
    fputc('}', to);
}

static void print_approximation(const tw_approximation *a, FILE *to)
{
    fprintf(to, "{\"kind\":\"%s\",\"converged\":%s,\"iterations\":%zu,\"residual\":",
            a->kind == TW_EP ? "ep" : "laplace", a->converged ? "true" : "false", a->iterations);
    print_number(a->residual, to);
    fputs(",\"log_z\":", to);
    print_number(a->log_z, to);
    fputs(",\"tau\":", to);
    print_numbers(a->n, a->tau, to);
    fputs(",\"nu\":", to);
    print_numbers(a->n, a->nu, to);
    fputc('}', to);
}

static void print_file(const tw_problem *problem, const tw_approximation *approximation,
                       const char *expression, FILE *to)
{
    const tw_data *data = problem->data;
    bool given = tw_kernel_matrix(problem->kernel, NULL) != NULL;
    fprintf(to, "{\n  \"format\": \"%s\",\n  \"version\": %d,\n  \"library\": \"%s\"",
            TW_APPROXIMATION_FORMAT, TW_APPROXIMATION_VERSION, tw_version());
    fprintf(to, ",\n  \"n\": %zu,\n  \"inputs\": %zu,\n  \"names\": ", data->n, data->d);
    print_names(data->d, given ? NULL : data->names, to);
    fputs(",\n  \"levels\": ", to);
    print_levels(given ? NULL : data->levels, data, to);
    print_sources(data, to);
    fputs(",\n  \"likelihood\": ", to);
    print_likelihood(problem, to);
    print_kernel(problem->kernel, expression, to);
    fputs(",\n  \"matrix\": ", to);
    print_matrix(problem->kernel, to);
    fputs(",\n  \"jitter\": ", to);
    print_number(problem->jitter, to);
    fputs(",\n  \"scaling\": ", to);
    print_scaling(problem->scaling, to);
    fputs(",\n  \"x\": ", to);
    print_numbers(data->n * data->d, given ? NULL : data->x, to);
    fputs(",\n  \"y\": ", to);
    print_numbers(data->n, data->y, to);
    fputs(",\n  \"approximation\": ", to);
    print_approximation(approximation, to);
    fputs("\n}\n", to);
}

tw_status tw_approximation_save(const tw_problem *problem, const tw_approximation *approximation,
                                const char *path, bool overwrite)
{
    char *expression = NULL;
    tw_writer *writer = NULL;
    tw_number_locale locale;
    TW_TRY(tw_problem_check_saved(problem));
    if (problem->data->hidden > 0)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "an approximation with hidden variables cannot be saved: the cases do not determine "
                       "the variables of this prior");
    TW_TRY(tw_kernel_print_given(problem->kernel, &expression));
    tw_status status = tw_writer_open(problem->ctx, path, overwrite, &writer);
    if (status == TW_OK) {
        status = tw_number_locale_begin(problem->ctx, &locale);
        if (status == TW_OK) {
            print_file(problem, approximation, expression, tw_writer_stream(writer));
            tw_number_locale_end(&locale);
        }
        status = tw_writer_close(writer, status);
    }
    tw_release(problem->ctx, expression);
    return status;
}
