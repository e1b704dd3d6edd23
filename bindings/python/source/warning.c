/* warning.c: the library's warnings as tuples, and its messages; talweg/_warnings.py puts them into words. */
#include <string.h>

#include "binding.h"

/* A text of the library, which may contain the name of a file and need not be UTF-8; None for NULL. */
static PyObject *build_text(const char *text)
{
    return text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace") : Py_NewRef(Py_None);
}

PyObject *tw_py_warning(const tw_warning *w)
{
    return Py_BuildValue("s(dddd)nNNN", tw_warning_name(w->code), w->number[0], w->number[1], w->number[2],
                         w->number[3], (Py_ssize_t)w->index, build_text(w->file), build_text(w->name),
                         build_text(w->other));
}

PyObject *tw_py_warnings(const tw_warnings *warnings)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < warnings->count; k++) {
        PyObject *warning = tw_py_warning(&warnings->warning[k]);
        if (!warning || PyList_Append(list, warning) != 0) Py_CLEAR(list);
        Py_XDECREF(warning);
    }
    return list;
}

/* {code: message} of all warnings. */
PyObject *tw_py_findings(PyObject *module, PyObject *unused)
{
    PyObject *all = PyDict_New();
    (void)module;
    (void)unused;
    for (tw_warning_code code = 0; all && code < TW_WARNING_COUNT; code++) {
        PyObject *finding = PyUnicode_FromString(tw_warning_finding(code));
        if (!finding || PyDict_SetItemString(all, tw_warning_name(code), finding) != 0) Py_CLEAR(all);
        Py_XDECREF(finding);
    }
    return all;
}
