/* module.c: the module _talweg: its types, exceptions and functions. */
#include <string.h>

#include "binding.h"

tw_py_state *tw_py_state_of(PyObject *self)
{
    return PyType_GetModuleState(Py_TYPE(self));
}

/* ---- exceptions ---- */

static PyObject *class_of(const tw_py_state *state, tw_status status)
{
    switch (status) {
    case TW_BAD_ARGUMENT:
    case TW_FILE_EXISTS:
    case TW_BAD_DATA:
    case TW_NEW_CATEGORY:
    case TW_NOT_POSITIVE_DEFINITE: return state->input_error;
    case TW_BAD_FILE:
    case TW_WRITE_FAILED: return state->file_error;
    case TW_NO_MEMORY: return state->memory_error;
    case TW_INTERRUPTED: return state->error;
    default: return state->numerical_error;
    }
}

/* Advice for Python users, appended to the message of a status; NULL: none. */
static const char *advice_for(tw_status status)
{
    return status == TW_FILE_EXISTS    ? "use force=True"
           : status == TW_NEW_CATEGORY ? "use new_categories=True to predict it from the prior"
                                       : NULL;
}

PyObject *tw_py_raise(const tw_py_state *state, tw_status status, const char *message)
{
    PyObject *text =
        PyUnicode_DecodeUTF8(message, (Py_ssize_t)strlen(message), "replace"); /* a file's name */
    const char *advice = advice_for(status);
    if (text && advice) {
        PyObject *bare = text;
        text = PyUnicode_FromFormat("%U; %s", bare, advice);
        Py_DECREF(bare);
    }
    if (text) PyErr_SetObject(class_of(state, status), text);
    Py_XDECREF(text);
    return NULL;
}

typedef struct exception {
    const char *name, *doc;
    PyObject *base; /* besides TalwegError */
    PyObject **to;
} exception;

static bool add_exception(PyObject *module, const exception *e, PyObject *error)
{
    PyObject *bases = error ? PyTuple_Pack(2, error, e->base) : Py_NewRef(e->base);
    *e->to = bases ? PyErr_NewExceptionWithDoc(e->name, e->doc, bases, NULL) : NULL;
    Py_XDECREF(bases);
    return *e->to && PyModule_AddObjectRef(module, strrchr(e->name, '.') + 1, *e->to) == 0;
}

static bool add_exceptions(PyObject *module, tw_py_state *s)
{
    const exception error = {"talweg.TalwegError", "Base class of all errors of talweg.", PyExc_Exception,
                             &s->error};
    const exception others[] = {
        {"talweg.InputError", "An argument, a label or a matrix is invalid.", PyExc_ValueError,
         &s->input_error},
        {"talweg.NumericalError", "A computation failed: no convergence, or a value that is not finite.",
         PyExc_RuntimeError, &s->numerical_error},
        {"talweg.OutOfMemoryError", "There is not enough memory; the message says what for.",
         PyExc_MemoryError, &s->memory_error},
        {"talweg.FileError", "A file could not be read or written.", PyExc_OSError, &s->file_error},
    };
    if (!add_exception(module, &error, NULL)) return false;
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (!add_exception(module, &others[k], s->error)) return false;
    return true;
}

/* ---- types ---- */

static bool add_type(PyObject *module, PyType_Spec *spec, PyObject **to)
{
    *to = PyType_FromModuleAndSpec(module, spec, NULL);
    return *to && PyModule_AddType(module, (PyTypeObject *)*to) == 0;
}

static int execute(PyObject *module)
{
    tw_py_state *s = PyModule_GetState(module);
    bool good = add_exceptions(module, s) && add_type(module, &tw_py_array_spec, &s->array) &&
                add_type(module, &tw_py_problem_spec, &s->problem) &&
                add_type(module, &tw_py_approximation_spec, &s->approximation) &&
                add_type(module, &tw_py_draws_spec, &s->draws) &&
                PyModule_AddStringConstant(module, "version", tw_version()) == 0 &&
                PyModule_AddStringConstant(module, "likelihoods", tw_likelihood_names()) == 0 &&
                PyModule_AddStringConstant(module, "kernels", tw_kernel_names()) == 0;
    return good ? 0 : -1;
}

/* Apply a visitor to every reference that the module holds. */
static int traverse(PyObject *module, visitproc visit, void *arg)
{
    tw_py_state *s = PyModule_GetState(module);
    Py_VISIT(s->array);
    Py_VISIT(s->problem);
    Py_VISIT(s->approximation);
    Py_VISIT(s->draws);
    return 0;
}

static void release(void *module)
{
    tw_py_state *s = PyModule_GetState(module);
    PyObject **references[] = {&s->array,      &s->problem,         &s->approximation,
                               &s->draws,      &s->error,           &s->input_error,
                               &s->file_error, &s->numerical_error, &s->memory_error};
    for (size_t k = 0; k < sizeof references / sizeof *references; k++) Py_CLEAR(*references[k]);
}

static PyMethodDef functions[] = {
    {"compare", tw_py_compare, METH_VARARGS, NULL},
    {"doubt", tw_py_doubt, METH_VARARGS, NULL},
    {"likelihood_terms", tw_py_likelihoods, METH_NOARGS, NULL},
    {"load", tw_py_load, METH_VARARGS, NULL},
    {"replace_file", tw_py_replace_file, METH_VARARGS, NULL},
    {"read_data", tw_py_read_data, METH_VARARGS, NULL},
    {"methods", tw_py_methods, METH_NOARGS, NULL},
    {"metrics", tw_py_metrics, METH_NOARGS, NULL},
    {"findings", tw_py_findings, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyModuleDef_Slot slots[] = {TW_PY_SLOT(Py_mod_exec, execute), {0, NULL}};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,         .m_name = "_talweg",    .m_doc = "The C library of the package talweg.",
    .m_size = sizeof(tw_py_state), .m_methods = functions, .m_slots = slots,
    .m_traverse = traverse,        .m_free = release,
};

PyMODINIT_FUNC PyInit__talweg(void);
PyMODINIT_FUNC PyInit__talweg(void)
{
    return PyModuleDef_Init(&definition);
}
