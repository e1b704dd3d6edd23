/* likelihood.c: the columns (one number per observation) and parameters of likelihoods, by name;
 * and log p(y_n | x_n). */
#include <string.h>

#include "binding.h"

/* ---- columns and parameters from dictionaries ---- */

bool tw_py_columns_get(PyObject *from, size_t n, tw_py_columns *out)
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t place = 0;
    *out = (tw_py_columns){0};
    while (PyDict_Next(from, &place, &key, &value)) {
        tw_py_input *input = &out->input[out->count];
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name || !tw_py_input_get(value, name, input)) return false;
        out->name[out->count++] = name;
        if (input->rows == n && out->count <= TW_COLUMNS) continue;
        PyErr_Format(PyExc_ValueError, "%s must have one number for each of %zu observations", name, n);
        return false;
    }
    return true;
}

void tw_py_columns_release(tw_py_columns *columns)
{
    for (size_t k = 0; k < columns->count; k++) tw_py_input_release(&columns->input[k]);
}

tw_status tw_py_columns_put(const tw_py_columns *columns, tw_data *data)
{
    tw_status status = TW_OK;
    for (size_t k = 0; status == TW_OK && k < columns->count; k++)
        status = tw_data_set_column(data, columns->name[k], columns->input[k].data);
    return status;
}

bool tw_py_parameters_get(PyObject *from, const tw_likelihood *likelihood, double phi[TW_PY_PARAMETERS],
                          bool given_to[TW_PY_PARAMETERS])
{
    for (size_t k = 0; k < likelihood->parameters && k < TW_PY_PARAMETERS; k++) {
        const tw_parameter *parameter = &likelihood->parameter[k];
        PyObject *given = PyDict_GetItemString(from, parameter->name);
        double value = given ? PyFloat_AsDouble(given) : parameter->initial;
        if (PyErr_Occurred()) return false;
        given_to[k] = given != NULL;
        phi[k] = tw_parameter_theta(parameter, value);
    }
    return true;
}

/* ---- lists of names ---- */

static PyObject *names_of_columns(const tw_likelihood *likelihood)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < likelihood->columns; k++) {
        PyObject *name = PyUnicode_FromString(likelihood->column[k].name);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *names_of_parameters(const tw_likelihood *likelihood)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < likelihood->parameters; k++) {
        PyObject *name = PyUnicode_FromString(likelihood->parameter[k].name);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

/* {likelihood: (names of its parameters, names of its columns)} */
PyObject *tw_py_likelihoods(PyObject *module, PyObject *unused)
{
    PyObject *all = PyDict_New();
    const tw_likelihood *likelihood = NULL;
    (void)module, (void)unused;
    for (size_t i = 0; all && (likelihood = tw_likelihood_at(i)); i++) {
        PyObject *both = Py_BuildValue("(NN)", names_of_parameters(likelihood), names_of_columns(likelihood));
        if (!both || PyDict_SetItemString(all, likelihood->name, both) != 0) Py_CLEAR(all);
        Py_XDECREF(both);
    }
    return all;
}

static bool put(PyObject *dictionary, const char *name, PyObject *value)
{
    bool good = value && PyDict_SetItemString(dictionary, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

/* ({parameter: value}, {column: array}) of a problem. */
PyObject *tw_py_constants(PyObject *self, PyObject *unused)
{
    const tw_problem *p = ((tw_py_problem *)self)->whole;
    const tw_observations observed = tw_problem_observed(p);
    PyObject *parameters = PyDict_New(), *columns = PyDict_New();
    (void)unused;
    bool good = parameters && columns;
    for (size_t k = 0; good && k < p->likelihood->parameters; k++)
        good = put(parameters, p->likelihood->parameter[k].name,
                   PyFloat_FromDouble(tw_observations_parameter(&observed, k)));
    for (size_t k = 0; good && k < p->data->columns; k++)
        good = put(columns, p->data->column[k].name,
                   tw_py_vector(tw_py_state_of(self), self, p->data->column[k].values, p->data->n));
    if (good) return Py_BuildValue("(NN)", parameters, columns);
    Py_XDECREF(parameters);
    Py_XDECREF(columns);
    return NULL;
}

/* ---- log p(y_n | x_n) of every draw ---- */

/* log_likelihood(x, out): x and out are n x count, column-major. */
PyObject *tw_py_log_likelihood(PyObject *self, PyObject *arguments)
{
    PyObject *x_from = NULL, *to = NULL;
    const tw_observations observed = tw_problem_observed(((tw_py_problem *)self)->whole);
    tw_py_input x = {0};
    Py_buffer buffer;
    double *value = NULL;
    bool good = PyArg_ParseTuple(arguments, "OO", &x_from, &to) && tw_py_input_get(x_from, "x", &x) &&
                (value = tw_py_output_get(to, "out", x.rows * x.columns, &buffer)) != NULL;
    if (good) {
        Py_BEGIN_ALLOW_THREADS;
        for (size_t k = 0; k < x.columns; k++)
            observed.likelihood->terms(&observed, x.data + k * x.ld, value + k * x.rows, NULL, NULL, NULL);
        Py_END_ALLOW_THREADS;
        PyBuffer_Release(&buffer);
    }
    tw_py_input_release(&x);
    return good ? Py_NewRef(Py_None) : NULL;
}
