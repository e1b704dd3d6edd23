/* methods.c: the library's tables of methods and metrics, as dictionaries. */
#include "binding.h"

#define METHOD(member, kind)                            \
    {                                                   \
#member, kind, offsetof(tw_method_info, member) \
    }
#define METRIC(member, kind)                            \
    {                                                   \
#member, kind, offsetof(tw_metric_info, member) \
    }

static const tw_py_field method_fields[] = {
    METHOD(name, TW_PY_TEXT),    METHOD(title, TW_PY_TEXT),     METHOD(meaning, TW_PY_TEXT),
    METHOD(has_eps, TW_PY_FLAG), METHOD(has_steps, TW_PY_FLAG), METHOD(has_energy, TW_PY_FLAG),
    METHOD(counts, TW_PY_TEXT),  {NULL, TW_PY_TEXT, 0},
};

static const tw_py_field metric_fields[] = {
    METRIC(name, TW_PY_TEXT),           METRIC(meaning, TW_PY_TEXT),         METRIC(named, TW_PY_FLAG),
    METRIC(needs_gaussian, TW_PY_FLAG), METRIC(needs_smoothing, TW_PY_FLAG), {NULL, TW_PY_TEXT, 0},
};

/* Names of the metrics that a user can give to a method, the default first. */
static PyObject *metrics_of(const tw_method_info *method)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < method->metric_count; k++) {
        const tw_metric_info *metric = tw_metric_describe(method->metrics[k]);
        if (!metric->named) continue;
        PyObject *name = PyUnicode_FromString(metric->name);
        if (!name || PyList_Append(list, name) != 0) Py_CLEAR(list);
        Py_XDECREF(name);
    }
    return list;
}

static PyObject *describe_method(int number)
{
    const tw_method_info *method = tw_method_describe((tw_method)number);
    PyObject *row = tw_py_build(method_fields, method), *metrics = metrics_of(method);
    if (!row || !metrics || PyDict_SetItemString(row, "metrics", metrics) != 0) Py_CLEAR(row);
    Py_XDECREF(metrics);
    return row;
}

static PyObject *describe_metric(int number)
{
    return tw_py_build(metric_fields, tw_metric_describe((tw_metric)number));
}

static PyObject *describe_all(int count, PyObject *(*describe)(int number))
{
    PyObject *list = PyList_New(0);
    for (int k = 0; list && k < count; k++) {
        PyObject *row = describe(k);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

PyObject *tw_py_methods(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return describe_all(TW_METHOD_COUNT, describe_method);
}

PyObject *tw_py_metrics(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return describe_all(TW_METRIC_COUNT, describe_metric);
}
