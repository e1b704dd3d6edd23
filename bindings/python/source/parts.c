/* parts.c: the method parts of Problem:
 * the data and parameters of a model, with the names that run files use. */
#include <string.h>

#include "binding.h"

/* ---- arrays ---- */

/* rows x columns, column-major. */
static PyObject *matrix(PyObject *owner, const double *data, size_t rows, size_t columns)
{
    tw_py_view view = {.data = data,
                       .format = "d",
                       .item_bytes = sizeof(double),
                       .dimensions = 2,
                       .shape = {(Py_ssize_t)rows, (Py_ssize_t)columns},
                       .strides = {sizeof(double), (Py_ssize_t)(rows * sizeof(double))}};
    return tw_py_array(tw_py_state_of(owner), owner, &view);
}

static PyObject *vector(PyObject *owner, const double *data, size_t n)
{
    return tw_py_vector(tw_py_state_of(owner), owner, data, n);
}

static PyObject *columns_of(const tw_scaling *scaling)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < scaling->d_out; k++) {
        PyObject *column = PyLong_FromSize_t(scaling->column[k]);
        if (!column || PyList_Append(list, column) != 0) Py_CLEAR(list);
        Py_XDECREF(column);
    }
    return list;
}

static PyObject *given_of(size_t count, const bool *given)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < count; k++)
        if (PyList_Append(list, given[k] ? Py_True : Py_False) != 0) Py_CLEAR(list);
    return list;
}

/* ---- the dictionary ---- */

static bool put(PyObject *dictionary, const char *name, PyObject *value)
{
    bool good = value && PyDict_SetItemString(dictionary, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

typedef tw_status print_function(const tw_kernel *kernel, char **expression);

static PyObject *text_of(const tw_kernel *kernel, PyObject *self, print_function *print)
{
    char *expression = NULL;
    tw_context *ctx = ((tw_py_problem *)self)->ctx;
    if (print(kernel, &expression) != TW_OK) return PyErr_NoMemory();
    PyObject *text = PyUnicode_FromString(expression);
    tw_release(ctx, expression);
    return text;
}

static PyObject *parameters_of(const tw_kernel *kernel)
{
    PyObject *list = PyList_New(0);
    for (size_t j = 0; list && j < tw_kernel_count(kernel); j++) {
        PyObject *name = PyUnicode_FromString(tw_kernel_parameter(kernel, j)->name);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static bool put_kernel(PyObject *to, PyObject *self, const tw_kernel *kernel)
{
    size_t n = 0, count = tw_kernel_count(kernel);
    const double *given = tw_kernel_matrix(kernel, &n);
    const char *shape = tw_kernel_shape(kernel);
    return put(to, "kernel", text_of(kernel, self, tw_kernel_print)) &&
           put(to, "kernel_given", text_of(kernel, self, tw_kernel_print_given)) &&
           put(to, "kernel_by_name", text_of(kernel, self, tw_kernel_print_by_name)) &&
           put(to, "shape", shape ? PyUnicode_FromString(shape) : Py_NewRef(Py_None)) &&
           put(to, "parameter", parameters_of(kernel)) &&
           (count == 0 || put(to, "theta", vector(self, tw_kernel_theta(kernel), count))) &&
           (!given || put(to, "K", matrix(self, given, n, n)));
}

static bool put_scaling(PyObject *to, PyObject *self, const tw_scaling *s)
{
    if (!s) return true;
    return put(to, "scaling_inputs", PyLong_FromSize_t(s->d_in)) &&
           put(to, "scaling_column", columns_of(s)) &&
           put(to, "scaling_centre", vector(self, s->centre, s->d_out)) &&
           put(to, "scaling_scale", vector(self, s->scale, s->d_out));
}

static bool put_phi(PyObject *to, PyObject *self, const tw_problem *p)
{
    size_t count = p->likelihood->parameters;
    return put(to, "phi_given", given_of(count, p->phi_given)) &&
           (count == 0 || put(to, "phi", vector(self, p->phi, count)));
}

/* The kernel's parameters that were not given, as text. */
PyObject *tw_py_defaults(PyObject *self, PyObject *unused)
{
    char words[512];
    (void)unused;
    tw_problem_describe_defaults(((tw_py_problem *)self)->whole, words, sizeof words);
    return PyUnicode_FromString(words);
}

/* Keys that do not apply to the model are left out. `constants` has its columns. */
PyObject *tw_py_parts(PyObject *self, PyObject *unused)
{
    const tw_problem *p = ((tw_py_problem *)self)->whole;
    const tw_data *data = p->data;
    const char *const *before = NULL; /* names of the inputs before standardisation */
    size_t inputs = tw_problem_inputs(p, &before);
    PyObject *to = PyDict_New();
    (void)unused;
    bool good =
        to && put(to, "likelihood", PyUnicode_FromString(p->likelihood->name)) &&
        put(to, "names", tw_py_texts(data->d, (const char *const *)data->names)) &&
        put(to, "input_names", tw_py_texts(inputs, before)) && put(to, "levels", tw_py_levels_list(data)) &&
        put(to, "labels", tw_py_texts(data->labels.count, (const char *const *)data->labels.text)) &&
        put(to, "ignored", tw_py_texts(data->ignored.count, (const char *const *)data->ignored.text)) &&
        put(to, "X", matrix(self, data->x, data->n, data->d)) && put_kernel(to, self, p->kernel) &&
        put_phi(to, self, p) && put_scaling(to, self, p->scaling) &&
        put(to, "jitter", PyFloat_FromDouble(p->jitter));
    if (!good) Py_CLEAR(to);
    return to;
}
