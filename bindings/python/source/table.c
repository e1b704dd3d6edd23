/* table.c: categories of inputs, meanings of labels, and data read from files. */
#include <stdlib.h>
#include <string.h>

#include "binding.h"

/* ---- lists of texts ---- */

PyObject *tw_py_texts(size_t count, const char *const *texts)
{
    PyObject *list = texts ? PyList_New(0) : Py_NewRef(Py_None);
    for (size_t k = 0; texts && list && k < count; k++) {
        PyObject *text = PyUnicode_DecodeUTF8(texts[k], (Py_ssize_t)strlen(texts[k]), "replace");
        if (!text || PyList_Append(list, text) != 0) Py_CLEAR(list);
        Py_XDECREF(text);
    }
    return list;
}

/* ---- categories ---- */

bool tw_py_levels_get(PyObject *from, tw_py_levels *out)
{
    *out = (tw_py_levels){0};
    if (from == Py_None) return true;
    Py_ssize_t count = PyList_Size(from);
    if (count < 0) return false;
    if (!(out->input = calloc((size_t)count + 1, sizeof *out->input))) {
        PyErr_NoMemory();
        return false;
    }
    out->count = (size_t)count;
    for (size_t k = 0; k < out->count; k++)
        if (!tw_py_names_get(PyList_GetItem(from, (Py_ssize_t)k), &out->input[k])) return false;
    return true;
}

void tw_py_levels_release(tw_py_levels *levels)
{
    for (size_t k = 0; k < levels->count; k++) tw_py_names_release(&levels->input[k]);
    free(levels->input);
    *levels = (tw_py_levels){0};
}

tw_status tw_py_levels_put(const tw_py_levels *levels, tw_data *data)
{
    tw_status status = TW_OK;
    for (size_t k = 0; status == TW_OK && k < levels->count && k < data->d; k++)
        if (levels->input[k].name)
            status = tw_data_set_levels(data, k, levels->input[k].count, levels->input[k].name);
    return status;
}

PyObject *tw_py_levels_list(const tw_data *data)
{
    if (!data->levels) return Py_NewRef(Py_None);
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < data->d; k++) {
        const tw_levels *levels = tw_data_levels(data, k);
        PyObject *texts =
            tw_py_texts(levels ? levels->count : 0, levels ? (const char *const *)levels->text : NULL);
        if (!texts || PyList_Append(list, texts) != 0) Py_CLEAR(list);
        Py_XDECREF(texts);
    }
    return list;
}

/* ---- labels ---- */

bool tw_py_labels_get(PyObject *from, tw_py_labels *out)
{
    PyObject *texts = NULL, *levels = NULL;
    *out = (tw_py_labels){0};
    return PyArg_ParseTuple(from, "OOz", &texts, &levels, &out->positive) &&
           tw_py_names_get(texts, &out->texts) && tw_py_names_get(levels, &out->levels);
}

void tw_py_labels_release(tw_py_labels *labels)
{
    tw_py_names_release(&labels->texts);
    tw_py_names_release(&labels->levels);
}

tw_status tw_py_labels_put(const tw_py_labels *labels, const tw_likelihood *likelihood,
                           const tw_levels *known, tw_data *data)
{
    tw_label_choice choice = {labels->positive, labels->levels.count, labels->levels.name};
    tw_status status = TW_OK;
    if (labels->texts.name) status = tw_data_set_label_texts(data, labels->texts.count, labels->texts.name);
    return status == TW_OK ? tw_labels_take(likelihood, &choice, known, data) : status;
}

/* ---- reading a file ---- */

typedef struct reading_request {
    PyObject *path; /* bytes */
    const char *label;
    tw_py_names names, places; /* of the likelihood's columns: their names, and where they are in the file */
    tw_py_names ignore;        /* columns to ignore */
} reading_request;

static tw_status read_file(tw_py_problem *problem, const reading_request *r)
{
    tw_column_place places[TW_COLUMNS];
    size_t count = r->names.count < TW_COLUMNS ? r->names.count : TW_COLUMNS;
    for (size_t k = 0; k < count; k++) places[k] = (tw_column_place){r->names.name[k], r->places.name[k]};
    const tw_reading reading = {.label = r->label,
                                .count = count,
                                .columns = places,
                                .ignored = r->ignore.count,
                                .ignore = r->ignore.name};
    return tw_data_read_as(problem->ctx, PyBytes_AsString(r->path), &reading, &problem->read);
}

static PyObject *columns_of(PyObject *owner, const tw_data *data)
{
    PyObject *columns = PyDict_New();
    for (size_t k = 0; columns && k < data->columns; k++) {
        PyObject *values = tw_py_vector(tw_py_state_of(owner), owner, data->column[k].values, data->n);
        if (!values || PyDict_SetItemString(columns, data->column[k].name, values) != 0) Py_CLEAR(columns);
        Py_XDECREF(values);
    }
    return columns;
}

static PyObject *wrap(PyObject *owner, const tw_data *data)
{
    tw_py_view x = {.data = data->x,
                    .format = "d",
                    .item_bytes = sizeof(double),
                    .dimensions = 2,
                    .shape = {(Py_ssize_t)data->n, (Py_ssize_t)data->d},
                    .strides = {sizeof(double), (Py_ssize_t)(data->n * sizeof(double))}};
    const tw_py_state *state = tw_py_state_of(owner);
    return Py_BuildValue(
        "NNNNNN", tw_py_array(state, owner, &x), tw_py_texts(data->d, (const char *const *)data->names),
        tw_py_levels_list(data), data->y ? tw_py_vector(state, owner, data->y, data->n) : Py_NewRef(Py_None),
        tw_py_texts(data->labels.count, (const char *const *)data->labels.text), columns_of(owner, data));
}

/* read_data(path, label, names of columns, their places, ignored, log) -> (X, names, levels, y,
 * texts of y, columns) */
PyObject *tw_py_read_data(PyObject *module, PyObject *arguments)
{
    const tw_py_state *state = PyModule_GetState(module);
    reading_request r = {0};
    PyObject *names = NULL, *places = NULL, *ignore = NULL, *log = NULL, *result = NULL;
    tw_py_problem *holder = NULL;
    tw_py_job job;
    bool good = PyArg_ParseTuple(arguments, "O&zOOOO", PyUnicode_FSConverter, &r.path, &r.label, &names,
                                 &places, &ignore, &log) &&
                tw_py_names_get(names, &r.names) && tw_py_names_get(places, &r.places) &&
                tw_py_names_get(ignore, &r.ignore);
    if (good && r.names.count != r.places.count) {
        PyErr_SetString(PyExc_ValueError, "every column needs a role");
        good = false;
    }
    if (good) holder = tw_py_problem_new((PyTypeObject *)state->problem, log);
    if (holder && tw_py_begin(&job, holder, NULL) && tw_py_end(&job, read_file(holder, &r)))
        result = wrap((PyObject *)holder, holder->read);
    Py_XDECREF((PyObject *)holder);
    tw_py_names_release(&r.names);
    tw_py_names_release(&r.places);
    tw_py_names_release(&r.ignore);
    Py_XDECREF(r.path);
    return result;
}
