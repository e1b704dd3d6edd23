/* new_inputs.c: reads the cases to predict: inputs or covariances, labels, and columns of the likelihood
 * (new_inputs.h).
 */
#include "cli/new_inputs.h"

#include <string.h>

#include "cli/model_options.h"
#include "talweg/base.h"
#include "talweg/warning.h"

void tw_new_inputs_free(tw_new_inputs *inputs)
{
    tw_data_free(inputs->data);
    tw_release(inputs->ctx, inputs->absent);
    tw_release(inputs->ctx, inputs->label);
    tw_release(inputs->ctx, inputs->labels.text);
    tw_table_free(inputs->cross);
    tw_table_free(inputs->variance);
}

tw_observations tw_new_inputs_observed(const tw_new_inputs *inputs, const tw_problem *problem, size_t first,
                                       size_t count)
{
    tw_observations all = tw_data_observed(inputs->data, problem->likelihood, problem->phi);
    return tw_observations_part(&all, first, count);
}

/* The first column of the likelihood that the training data have and the new data do not; NULL: none. */
static const char *missing_column(const tw_problem *problem, const tw_data *data)
{
    for (size_t k = 0; k < problem->likelihood->columns; k++) {
        const char *name = problem->likelihood->column[k].name;
        if (tw_data_column(problem->data, name) && !tw_data_column(data, name)) return name;
    }
    return NULL;
}

/* The number of inputs differs from the model's. */
static tw_status fail_inputs(const tw_problem *problem, const char *path, const tw_data *data,
                             size_t expected, bool sparse)
{
    size_t found = data->d;
    char more[160] = "";
    const char *column = found > expected ? missing_column(problem, data) : NULL;
    if (column)
        snprintf(more, sizeof more, ", and choose the column of the %s with --%s-column", column, column);
    else if (found > expected)
        snprintf(more, sizeof more, ", and ignore others with --ignore-column");
    if (sparse)
        return tw_fail(
            problem->ctx, TW_BAD_DATA,
            "%.1000s: the largest index is %zu, but the model has %zu input%s: use the same indices", path,
            found, expected, expected == 1 ? "" : "s");
    return tw_fail(problem->ctx, TW_BAD_DATA,
                   "%.1000s has %zu input%s, but the model has %zu: give the same columns in the same order, "
                   "with or without a label column%s",
                   path, found, found == 1 ? "" : "s", expected, more);
}

static bool is_among(size_t count, const char *const *names, const char *name)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(names[k], name) == 0) return true;
    return false;
}

/* The column named `source`; data->d if there is none, or if source is NULL. */
static size_t find_source(const tw_data *data, const char *source)
{
    size_t j = 0;
    while (j < data->d && (!source || !data->names || strcmp(data->names[j], source) != 0)) j++;
    return j;
}

/* The column of y, if --label-column was not given; data->d: none. If both files have names, it is the column
 * named as in the training data or, if that name is not known, the last column unless it has the name of an
 * input. Without names it is the last column if there is one more column than inputs. */
static size_t find_label(const tw_problem *problem, const tw_data *data)
{
    const char *const *names = NULL;
    const char *source = tw_data_source(problem->data, "label");
    size_t expected = tw_problem_inputs(problem, &names), last = data->d - 1;
    if (data->d < 2) return data->d;
    if (!names || !data->names) return data->d == expected + 1 ? last : data->d;
    if (source) return find_source(data, source);
    return is_among(expected, names, data->names[last]) ? data->d : last;
}

/* Find the columns of the likelihood and y by their names in the training data, unless they were given. */
static tw_status find_columns(const tw_problem *problem, const char *label, tw_data *data)
{
    for (size_t k = 0; k < problem->likelihood->columns; k++) {
        const char *name = problem->likelihood->column[k].name;
        size_t j = find_source(data, tw_data_source(problem->data, name));
        if (j < data->d && data->d > 1 && !tw_data_column(data, name)) TW_TRY(tw_data_take(data, j, name));
    }
    if (label) return TW_OK;
    size_t j = find_label(problem, data);
    return j < data->d ? tw_data_take(data, j, "label") : TW_OK;
}

/* Advice on an extra column: "; choose the column of the exposure with --exposure-column, ...". */
static void advise(const tw_problem *problem, const tw_data *data, char *words, size_t bytes)
{
    const char *column = missing_column(problem, data);
    int length = 0;
    if (column)
        length = snprintf(words, bytes, "; choose the column of the %s with --%s-column", column, column);
    if (!data->y && length >= 0 && (size_t)length < bytes)
        length += snprintf(words + length, bytes - (size_t)length, "%s the label with --label-column",
                           column ? "," : "; choose");
    if (length >= 0 && (size_t)length < bytes)
        snprintf(words + length, bytes - (size_t)length, "%s ignore a column with --ignore-column",
                 length ? ", or" : ";");
}

/* Mark the model's inputs that the file does not have. Call it before take_inputs, which fills them in. */
static tw_status mark_absent(const tw_problem *problem, const tw_data *data, tw_new_inputs *out)
{
    const tw_data *train = problem->data;
    void *memory = NULL;
    TW_TRY(tw_allocate(problem->ctx, train->d, sizeof(bool), "which inputs are there", &memory));
    out->absent = memory;
    for (size_t k = 0; train->names && data->names && k < train->d; k++)
        out->absent[k] = !is_among(data->d, (const char *const *)data->names, train->names[k]);
    return TW_OK;
}

/* Does the file have a column that is not an input of the model? */
static bool has_extra(const tw_data *data, size_t expected, const char *const *names)
{
    if (!names || !data->names) return data->d > expected;
    for (size_t j = 0; j < data->d; j++)
        if (!is_among(expected, names, data->names[j])) return true;
    return false;
}

/* Take the model's inputs: by name if both files have names, otherwise by position. */
static tw_status take_inputs(const tw_problem *problem, const char *path, bool new_categories, tw_data *data)
{
    const char *const *names = NULL;
    size_t expected = tw_problem_inputs(problem, &names);
    bool sparse = tw_format_of(path) == TW_FORMAT_LIBSVM;
    if (sparse && data->d < expected) TW_TRY(tw_data_widen(data, expected));
    if (data->d != expected && !(names && data->names))
        return fail_inputs(problem, path, data, expected, sparse);
    bool extra = has_extra(data, expected, names);
    tw_status status = tw_problem_take_inputs(problem, new_categories, data);
    if (status == TW_OK) return TW_OK;
    if (!extra) return tw_fail_within(problem->ctx, status, "%.1000s: ", path);
    char words[600], advice[300]; /* words: a copy, because tw_fail overwrites the context's message */
    snprintf(words, sizeof words, "%s", tw_context_message(problem->ctx));
    advise(problem, data, advice, sizeof advice);
    return tw_fail(problem->ctx, status, "%.1000s: %s%s", path, words, advice);
}

/* Keep a copy of the labels as in the file, for output; then recode them like those of the training cases. */
static tw_status take_labels(const tw_problem *problem, const char *path, tw_new_inputs *out)
{
    tw_data *data = out->data;
    TW_TRY(tw_allocate_doubles(out->ctx, data->n, 1, "the labels", &out->label));
    memcpy(out->label, data->y, data->n * sizeof *out->label);
    if (data->labels.count) TW_TRY(tw_levels_copy(out->ctx, &data->labels, &out->labels));
    out->y = data->y;
    return tw_labels_for(problem->likelihood, path, &(tw_label_options){0}, &problem->data->labels, data);
}

/* Fill in missing columns of the likelihood from the training cases, and check all of them. */
static tw_status take_columns(const tw_problem *problem, const char *path, tw_data *data)
{
    const tw_column *differs = NULL;
    TW_TRY(tw_problem_fill_columns(problem, data, &differs));
    if (differs && !differs->required)
        tw_warn(problem->ctx, &(tw_warning){.code = TW_WARN_NO_COLUMN,
                                            .number = {differs->default_value},
                                            .name = differs->name});
    tw_observations observed = tw_data_observed(data, problem->likelihood, problem->phi);
    tw_status status = tw_likelihood_check(problem->ctx, &observed);
    return status == TW_OK ? TW_OK : tw_fail_within(problem->ctx, status, "%.1000s: ", path);
}

tw_status tw_new_inputs_read(const tw_problem *problem, const char *path, tw_new_columns columns,
                             tw_new_inputs *out)
{
    bool sparse = tw_format_of(path) == TW_FORMAT_LIBSVM;
    const char *label = columns.label || sparse ? columns.label : "none";
    tw_column_place places[TW_COLUMNS];
    out->ctx = problem->ctx;
    TW_TRY(tw_new_columns_check(problem->ctx, columns.given, problem->likelihood));
    size_t count = tw_likelihood_options_places(columns.given, problem->likelihood, places);
    const tw_reading reading = {.label = label,
                                .count = count,
                                .columns = places,
                                .ignored = columns.ignore->count,
                                .ignore = columns.ignore->item,
                                .leave_out = &problem->data->ignored};
    TW_TRY(tw_data_read_as(out->ctx, path, &reading, &out->data));
    tw_data *data = out->data;
    out->m = data->n;
    if (!sparse) TW_TRY(find_columns(problem, columns.label, data));
    TW_TRY(mark_absent(problem, data, out));
    TW_TRY(take_inputs(problem, path, columns.new_categories, data));
    if (data->y) TW_TRY(take_labels(problem, path, out));
    return take_columns(problem, path, data);
}

/* ---- a given matrix ---- */

static tw_status read_cross(const tw_problem *problem, const char *path, tw_new_inputs *out)
{
    size_t n = problem->data->n;
    TW_TRY(tw_table_read(problem->ctx, path, &out->cross));
    out->m = out->cross->columns;
    if (out->cross->rows == n) return TW_OK;
    return tw_fail(problem->ctx, TW_BAD_DATA,
                   "%.1000s has %zu rows and %zu columns, but a cross-covariance matrix has one row for each "
                   "of the %zu training cases and one column for each new case%s",
                   path, out->cross->rows, out->cross->columns, n,
                   out->cross->columns == n ? ": transpose it" : "");
}

static tw_status read_diagonal(const tw_problem *problem, const char *path, tw_new_inputs *out)
{
    TW_TRY(tw_table_read(problem->ctx, path, &out->variance));
    const tw_table *table = out->variance;
    size_t shorter = table->rows < table->columns ? table->rows : table->columns;
    if (shorter != 1 || table->rows * table->columns != out->m)
        return tw_fail(problem->ctx, TW_BAD_DATA,
                       "%.1000s has %zu rows and %zu columns, but the prior variances of %zu new cases must "
                       "be one row or column of as many numbers",
                       path, table->rows, table->columns, out->m);
    for (size_t i = 0; i < out->m; i++)
        if (!(table->values[i] >= 0.0))
            return tw_fail(problem->ctx, TW_BAD_DATA,
                           "%.1000s: number %zu is %g, but a variance must not be negative", path, i + 1,
                           table->values[i]);
    return TW_OK;
}

/* Read the labels, from the only column of the file or from the label column,
 * and the likelihood's columns. */
static tw_status read_labels(const tw_problem *problem, const char *path, tw_new_columns columns,
                             tw_new_inputs *out)
{
    tw_column_place places[TW_COLUMNS];
    tw_reading reading = {.label = "none",
                          .ignored = columns.ignore->count,
                          .ignore = columns.ignore->item,
                          .leave_out = &problem->data->ignored};
    TW_TRY(tw_data_read_as(problem->ctx, path, &reading, &out->data));
    if (out->data->d == 1 && !columns.label) {
        TW_TRY(tw_data_take(out->data, 0, "label"));
    } else {
        tw_data_free(out->data);
        out->data = NULL;
        reading.label = columns.label;
        TW_TRY(tw_data_read_as(problem->ctx, path, &reading, &out->data));
    }
    TW_TRY(tw_read_columns(path, tw_likelihood_options_places(columns.given, problem->likelihood, places),
                           places, out->data));
    if (out->data->n != out->m)
        return tw_fail(problem->ctx, TW_BAD_DATA, "%.1000s has %zu cases, but there are covariances for %zu",
                       path, out->data->n, out->m);
    return out->data->y ? take_labels(problem, path, out) : TW_OK;
}

tw_status tw_new_covariances_read(const tw_problem *problem, const char *cross, const char *diagonal,
                                  const char *path, tw_new_columns columns, tw_new_inputs *out)
{
    out->ctx = problem->ctx;
    if (!cross || !diagonal)
        return tw_fail(problem->ctx, TW_BAD_ARGUMENT,
                       "the model has a given kernel matrix: give the covariances of the new cases with "
                       "--cross-kernel-matrix and their prior variances with --diagonal");
    TW_TRY(read_cross(problem, cross, out));
    TW_TRY(read_diagonal(problem, diagonal, out));
    TW_TRY(tw_model_check_new(problem->model, out->m, out->cross->values, out->variance->values));
    TW_TRY(tw_new_columns_check(problem->ctx, columns.given, problem->likelihood));
    const double *any = out->variance->values; /* stands in for inputs, which are not used */
    TW_TRY(*path ? read_labels(problem, path, columns, out)
                 : tw_data_new(problem->ctx, out->m, 1, any, out->m, NULL, &out->data));
    return take_columns(problem, *path ? path : diagonal, out->data);
}
