/* fields.c: converts dictionaries to structs of the library and back, by tables of their members. */
#include <stdint.h>
#include <string.h>

#include "binding.h"

/* ---- names of enumerators ---- */

static const char *name_of(tw_py_kind kind, int number)
{
    static const char *const ep_methods[] = {"auto", "sequential", "double-loop", NULL};
    switch (kind) {
    case TW_PY_METHOD: return number < TW_METHOD_COUNT ? tw_method_name((tw_method)number) : NULL;
    case TW_PY_METRIC: return number < TW_METRIC_COUNT ? tw_metric_name((tw_metric)number) : NULL;
    default: return ep_methods[number];
    }
}

static bool read_name(PyObject *value, const tw_py_field *f, int *to)
{
    const char *text = PyUnicode_AsUTF8AndSize(value, NULL), *name = NULL;
    if (!text) return false;
    for (int k = 0; (name = name_of(f->kind, k)); k++)
        if (strcmp(name, text) == 0) {
            *to = k;
            return true;
        }
    PyErr_Format(PyExc_ValueError, "unknown %s \"%s\"", f->name, text);
    return false;
}

/* ---- one member ---- */

static bool read_integer(PyObject *value, uint64_t *to)
{
    PyObject *index = PyNumber_Index(value); /* accepts numpy's integers, but no floats */
    if (!index) return false;
    *to = PyLong_AsUnsignedLongLong(index);
    Py_DECREF(index);
    return !PyErr_Occurred();
}

static bool read_member(PyObject *value, const tw_py_field *f, char *to)
{
    uint64_t integer = 0;
    int number = 0;
    switch (f->kind) {
    case TW_PY_REAL: *(double *)(void *)to = PyFloat_AsDouble(value); return !PyErr_Occurred();
    case TW_PY_TEXT: return (*(const char **)(void *)to = PyUnicode_AsUTF8AndSize(value, NULL)) != NULL;
    case TW_PY_FLAG:
        number = PyObject_IsTrue(value);
        *(bool *)to = number > 0;
        return number >= 0;
    case TW_PY_COUNT:
        if (!read_integer(value, &integer)) return false;
        *(size_t *)(void *)to = (size_t)integer;
        return true;
    case TW_PY_SEED: return read_integer(value, (uint64_t *)(void *)to);
    default:
        if (!read_name(value, f, &number)) return false;
        memcpy(to, &number, sizeof number);
        return true;
    }
}

static const char *wanted(tw_py_kind kind)
{
    switch (kind) {
    case TW_PY_REAL: return "a number";
    case TW_PY_COUNT:
    case TW_PY_SEED: return "a whole number, 0 or more";
    case TW_PY_FLAG: return "True or False";
    default: return "text";
    }
}

/* Replace Python's error about a value by one that names the argument. A number out of range is an
 * InputError, as when the library refuses it. */
static void name_error(PyObject *value, const tw_py_field *f)
{
    bool range = PyErr_ExceptionMatches(PyExc_OverflowError);
    if (!range && !PyErr_ExceptionMatches(PyExc_TypeError)) return;
    PyErr_Clear();
    PyObject *module = PyImport_ImportModule("talweg._talweg");
    PyObject *error =
        module && range ? PyObject_GetAttrString(module, "InputError") : Py_NewRef(PyExc_TypeError);
    if (error) PyErr_Format(error, "%s must be %s, not %R", f->name, wanted(f->kind), value);
    Py_XDECREF(error);
    Py_XDECREF(module);
}

static PyObject *build_member(const tw_py_field *f, const char *from)
{
    const char *text = NULL;
    int number = 0;
    switch (f->kind) {
    case TW_PY_REAL: return PyFloat_FromDouble(*(const double *)(const void *)from);
    case TW_PY_COUNT: return PyLong_FromSize_t(*(const size_t *)(const void *)from);
    case TW_PY_SEED: return PyLong_FromUnsignedLongLong(*(const uint64_t *)(const void *)from);
    case TW_PY_FLAG: return PyBool_FromLong(*(const bool *)from);
    case TW_PY_TEXT:
        text = *(const char *const *)(const void *)from;
        return text ? PyUnicode_FromString(text) : Py_NewRef(Py_None);
    default: memcpy(&number, from, sizeof number); return PyUnicode_FromString(name_of(f->kind, number));
    }
}

/* ---- whole structs ---- */

bool tw_py_read(PyObject *dictionary, const tw_py_field *fields, void *to)
{
    PyObject *key = NULL, *value = NULL;
    Py_ssize_t place = 0;
    while (PyDict_Next(dictionary, &place, &key, &value)) {
        const char *name = PyUnicode_AsUTF8AndSize(key, NULL);
        if (!name) return false;
        const tw_py_field *f = fields;
        while (f->name && strcmp(f->name, name) != 0) f++;
        if (!f->name) {
            PyErr_Format(PyExc_TypeError, "unknown option \"%s\"", name);
            return false;
        }
        if (!read_member(value, f, (char *)to + f->offset)) {
            name_error(value, f);
            return false;
        }
    }
    return true;
}

PyObject *tw_py_build(const tw_py_field *fields, const void *from)
{
    PyObject *dictionary = PyDict_New();
    for (const tw_py_field *f = fields; dictionary && f->name; f++) {
        PyObject *value = build_member(f, (const char *)from + f->offset);
        if (!value || PyDict_SetItemString(dictionary, f->name, value) != 0) Py_CLEAR(dictionary);
        Py_XDECREF(value);
    }
    return dictionary;
}
