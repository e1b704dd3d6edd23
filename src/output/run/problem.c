/* problem.c: a problem as the groups observed_data and constant_data of a run file.
 *
 *   both            the observations: see likelihood.c
 *   constant_data   X(obs, input)                    the kernel's inputs; input: their names
 *                   the kernel: see kernel.c
 *                   scaling_centre, scaling_scale, scaling_column (input)      if they were standardised
 *                   jitter
 *                   scaling_input(scaling_input)     names of the inputs before scaling, if they had names
 *                   category_K(category_K)           the texts of input K, counted from 1, if it is text
 *                   label(label)                     the texts of the values of y, if it was text
 *   attributes      named_inputs, scaling_inputs
 *                   label_column, exposure_column and others: the source names of these columns, if they had names
 */
#include <math.h>
#include <stdio.h>

#include "data/readers.h"
#include "output/run/file.h"

enum { ROWS_BUFFER = 1 << 16, NAME_BYTES = 32 };

/* ---- inputs: column by column in memory, row by row in the file ---- */

static size_t rows_at_once(size_t n, size_t d)
{
    size_t rows = ROWS_BUFFER / d > 0 ? ROWS_BUFFER / d : 1;
    return rows < n ? rows : n;
}

static int transfer_rows(int group, int variable, size_t n, size_t d, bool read, double *x, double *buffer)
{
    size_t most = rows_at_once(n, d);
    int code = NC_NOERR;
    for (size_t first = 0; code == NC_NOERR && first < n; first += most) {
        size_t count = n - first < most ? n - first : most;
        const size_t start[2] = {first, 0}, edge[2] = {count, d};
        if (read) code = nc_get_vara_double(group, variable, start, edge, buffer);
        for (size_t i = 0; code == NC_NOERR && i < count; i++)
            for (size_t j = 0; j < d; j++) {
                double *mine = &x[first + i + j * n], *theirs = &buffer[i * d + j];
                if (read)
                    *mine = *theirs;
                else
                    *theirs = *mine;
            }
        if (!read) code = nc_put_vara_double(group, variable, start, edge, buffer);
    }
    return code;
}

/* ---- writing ---- */

static int put_input_names(tw_nc_writer *w, int group, const tw_data *data)
{
    void *block = NULL;
    int dimension = -1;
    size_t d = data->d;
    if (data->names) return tw_nc_names(w, group, "input", d, (const char *const *)data->names);
    if (tw_allocate(w->ctx, d, sizeof(char *) + NAME_BYTES, "names of the inputs", &block) != TW_OK) {
        tw_nc_ok(w, NC_ENOMEM);
        return -1;
    }
    char **names = block, *text = (char *)(names + d);
    for (size_t j = 0; j < d; j++, text += NAME_BYTES) {
        snprintf(text, NAME_BYTES, "input.%zu", j + 1);
        names[j] = text;
    }
    dimension = tw_nc_names(w, group, "input", d, (const char *const *)names);
    tw_release(w->ctx, block);
    return dimension;
}

static void put_inputs(tw_nc_writer *w, int group, const int dimensions[2], const tw_data *data)
{
    double *buffer = NULL;
    int variable = tw_nc_variable(w, group, "X", NC_DOUBLE, 2, dimensions);
    tw_nc_describe(w, group, variable, "inputs, as the kernel sees them");
    if (tw_allocate_doubles(w->ctx, rows_at_once(data->n, data->d), data->d, "rows of inputs", &buffer) !=
        TW_OK) {
        tw_nc_ok(w, NC_ENOMEM);
        return;
    }
    if (tw_nc_ok(w, NC_NOERR))
        tw_nc_ok(w, transfer_rows(group, variable, data->n, data->d, false, data->x, buffer));
    tw_release(w->ctx, buffer);
}

static void put_scaling(tw_nc_writer *w, int group, int input, const tw_scaling *scaling)
{
    int variable = tw_nc_variable(w, group, "scaling_column", NC_INT64, 1, &input);
    tw_nc_describe(w, group, variable, "column of the data that became this input, from 0 on");
    for (size_t k = 0; k < scaling->d_out && w->error == NC_NOERR; k++) {
        long long column = (long long)scaling->column[k];
        tw_nc_ok(w, nc_put_var1_longlong(group, variable, &k, &column));
    }
    tw_nc_doubles(w, group, "scaling_centre", 1, &input, scaling->centre);
    tw_nc_doubles(w, group, "scaling_scale", 1, &input, scaling->scale);
    if (scaling->names)
        tw_nc_names(w, group, "scaling_input", scaling->d_in, (const char *const *)scaling->names);
}

static void put_levels(tw_nc_writer *w, int group, const tw_data *data)
{
    char name[NAME_BYTES];
    for (size_t k = 0; k < data->d; k++) {
        const tw_levels *levels = tw_data_levels(data, k);
        snprintf(name, sizeof name, "category_%zu", k + 1);
        if (levels) tw_nc_names(w, group, name, levels->count, (const char *const *)levels->text);
    }
    if (data->labels.count)
        tw_nc_names(w, group, "label", data->labels.count, (const char *const *)data->labels.text);
    if (data->ignored.count)
        tw_nc_names(w, group, "ignored_column", data->ignored.count, (const char *const *)data->ignored.text);
}

static void put_sources(tw_nc_writer *w, int group, const tw_data *data)
{
    char attribute[TW_DATA_COLUMN_NAME + NAME_BYTES];
    if (data->label_source) tw_nc_put_text(w, group, "label_column", data->label_source);
    for (size_t k = 0; k < data->columns; k++) {
        snprintf(attribute, sizeof attribute, "%s_column", data->column[k].name);
        if (data->column[k].source) tw_nc_put_text(w, group, attribute, data->column[k].source);
    }
}

static void put_constant_data(tw_nc_writer *w, const tw_problem *problem)
{
    const tw_data *data = problem->data;
    int group = tw_nc_group(w, "constant_data");
    int obs = tw_nc_index(w, group, "obs", data->n), input = put_input_names(w, group, data);
    const int both[2] = {obs, input};
    tw_nc_put_count(w, group, "named_inputs", data->names != NULL, NC_BYTE);
    tw_nc_put_count(w, group, "scaling_inputs", problem->scaling ? problem->scaling->d_in : 0, NC_INT64);
    put_inputs(w, group, both, data);
    tw_kernel_put(w, group, obs, problem->kernel);
    tw_likelihood_put(w, group, obs, problem);
    if (problem->scaling) put_scaling(w, group, input, problem->scaling);
    put_levels(w, group, data);
    put_sources(w, group, data);
    tw_nc_doubles(w, group, "jitter", 0, NULL, &problem->jitter);
}

void tw_problem_put(tw_nc_writer *w, const tw_problem *problem)
{
    int group = tw_nc_group(w, "observed_data");
    int obs = tw_nc_index(w, group, "obs", problem->data->n);
    tw_nc_doubles(w, group, "y", 1, &obs, problem->data->y);
    put_constant_data(w, problem);
}

/* ---- reading ---- */

static tw_status get_inputs(const tw_nc_reader *r, int group, size_t n, size_t d, double *x)
{
    int variable = -1;
    const size_t lengths[2] = {n, d};
    double *buffer = NULL;
    TW_TRY(tw_nc_find_variable(r, group, "X", 2, lengths, &variable));
    TW_TRY(tw_allocate_doubles(r->ctx, rows_at_once(n, d), d, "rows of inputs", &buffer));
    int code = transfer_rows(group, variable, n, d, true, x, buffer);
    tw_release(r->ctx, buffer);
    return code == NC_NOERR ? TW_OK : tw_nc_fail(r, group, "X", code);
}

/* Read names along their own dimension, if present. */
static tw_status get_names(const tw_nc_reader *r, int group, const char *name, tw_levels *to)
{
    if (!tw_nc_has_variable(group, name)) return TW_OK;
    TW_TRY(tw_nc_dimension(r, group, name, &to->count));
    return tw_nc_read_names(r, group, name, to->count, &to->text);
}

static tw_status get_levels(const tw_nc_reader *r, int group, tw_data *data)
{
    char name[NAME_BYTES];
    for (size_t k = 0; k < data->d; k++) {
        tw_levels levels = {0};
        snprintf(name, sizeof name, "category_%zu", k + 1);
        TW_TRY(get_names(r, group, name, &levels));
        tw_status status = levels.count
                               ? tw_data_set_levels(data, k, levels.count, (const char *const *)levels.text)
                               : TW_OK;
        tw_release(r->ctx, levels.text);
        TW_TRY(status);
    }
    TW_TRY(get_names(r, group, "label", &data->labels));
    return get_names(r, group, "ignored_column", &data->ignored);
}

static tw_status get_data(const tw_nc_reader *r, int group, size_t n, const double *y,
                          tw_problem_parts *parts)
{
    size_t d = 0;
    uint64_t named = 0;
    double *x = NULL;
    TW_TRY(tw_nc_dimension(r, group, "input", &d));
    TW_TRY(tw_nc_count(r, group, "named_inputs", &named));
    TW_TRY(tw_allocate_doubles(r->ctx, n, d, "the inputs", &x));
    tw_status status = get_inputs(r, group, n, d, x);
    bool hidden = isnan(y[n - 1]);
    if (status == TW_OK) status = tw_data_new(r->ctx, n, d, x, n, hidden ? NULL : y, &parts->data);
    if (status == TW_OK && hidden) status = tw_data_take_hidden(parts->data, y);
    tw_release(r->ctx, x);
    if (status == TW_OK && named) status = tw_nc_read_names(r, group, "input", d, &parts->data->names);
    return status == TW_OK ? get_levels(r, group, parts->data) : status;
}

static tw_status get_source(const tw_nc_reader *r, int group, const char *role, tw_data *data)
{
    char attribute[TW_DATA_COLUMN_NAME + NAME_BYTES], *name = NULL;
    snprintf(attribute, sizeof attribute, "%s_column", role);
    if (nc_inq_att(group, NC_GLOBAL, attribute, NULL, NULL) != NC_NOERR) return TW_OK;
    TW_TRY(tw_nc_text(r, group, attribute, &name));
    tw_status status = tw_data_set_source(data, role, name);
    tw_release(r->ctx, name);
    return status;
}

static tw_status get_sources(const tw_nc_reader *r, int group, tw_data *data)
{
    TW_TRY(get_source(r, group, "label", data));
    for (size_t k = 0; k < data->columns; k++) TW_TRY(get_source(r, group, data->column[k].name, data));
    return TW_OK;
}

/* Columns must increase and be inputs; scales must be above 0. */
static tw_status check_scaling(tw_context *ctx, const tw_scaling *s, const long long *columns)
{
    for (size_t k = 0; k < s->d_out; k++) {
        long long before = k ? columns[k - 1] : -1;
        if (columns[k] <= before || (uint64_t)columns[k] >= s->d_in || !(s->scale[k] > 0.0))
            return tw_fail(
                ctx, TW_BAD_DATA,
                "constant_data: the scaling of input %zu is damaged (column %lld of %zu, scale %g)", k + 1,
                columns[k], s->d_in, s->scale[k]);
        s->column[k] = (size_t)columns[k];
    }
    return TW_OK;
}

static tw_status get_scaling(const tw_nc_reader *r, int group, tw_problem_parts *parts)
{
    size_t d = parts->data->d;
    uint64_t inputs = 0;
    void *memory = NULL, *columns = NULL;
    TW_TRY(tw_nc_count(r, group, "scaling_inputs", &inputs));
    if (inputs == 0) return TW_OK;
    TW_TRY(tw_allocate(r->ctx, 1, sizeof(tw_scaling), "the scaling", &memory));
    tw_scaling *s = parts->scaling = memory;
    *s = (tw_scaling){.ctx = r->ctx, .d_in = (size_t)inputs, .d_out = d};
    TW_TRY(tw_nc_read_vector(r, group, "scaling_centre", d, &s->centre));
    TW_TRY(tw_nc_read_vector(r, group, "scaling_scale", d, &s->scale));
    TW_TRY(tw_allocate(r->ctx, d, sizeof(size_t), "the columns", &memory));
    s->column = memory;
    TW_TRY(tw_allocate(r->ctx, d, sizeof(long long), "the columns", &columns));
    tw_status status = tw_nc_read_integers(r, group, "scaling_column", 1, &d, columns);
    if (status == TW_OK) status = check_scaling(r->ctx, s, columns);
    tw_release(r->ctx, columns);
    if (status != TW_OK || !tw_nc_has_variable(group, "scaling_input")) return status;
    return tw_nc_read_names(r, group, "scaling_input", s->d_in, &s->names);
}

static tw_status get_parts(const tw_nc_reader *r, size_t n, double **block, tw_problem_parts *parts)
{
    int group = -1;
    tw_observations observed;
    TW_TRY(tw_observations_get(r, n, &observed, block));
    parts->likelihood = observed.likelihood;
    parts->phi = observed.phi;
    TW_TRY(tw_nc_find_group(r, "constant_data", &group));
    TW_TRY(get_data(r, group, n, observed.y, parts));
    for (size_t k = 0; k < observed.likelihood->columns; k++)
        if (observed.column[k])
            TW_TRY(tw_data_set_column(parts->data, observed.likelihood->column[k].name, observed.column[k]));
    TW_TRY(get_sources(r, group, parts->data));
    TW_TRY(tw_nc_read_doubles(r, group, "jitter", 0, NULL, &parts->jitter));
    TW_TRY(tw_kernel_get(r, group, parts->data, &parts->kernel));
    return get_scaling(r, group, parts);
}

tw_status tw_problem_get(const tw_nc_reader *r, size_t n, tw_model_maker *make_model, tw_problem **out)
{
    tw_problem_parts parts = {.make_model = make_model};
    double *block = NULL;
    tw_status status = get_parts(r, n, &block, &parts);
    if (status == TW_OK)
        status = tw_problem_new(r->ctx, &parts, out);
    else
        tw_problem_parts_free(&parts);
    tw_release(r->ctx, block); /* the problem has copies of these */
    return status;
}
