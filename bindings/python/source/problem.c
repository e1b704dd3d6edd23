/* problem.c: the type Problem: a model made from arrays, and the context of all computations with it. */

#include "binding.h"

typedef struct parts {
    const char *likelihood, *kernel;
    double log_sigma, constant, white, jitter;
    bool standardise, ell_given, sigma_given;
    tw_py_input y, x, k, log_ell;
    tw_py_names names;
    tw_py_levels levels;
    tw_py_labels labels;
    tw_py_columns columns;
    PyObject *parameters; /* {name: number}, borrowed */
    double phi[TW_PY_PARAMETERS];
    bool phi_given[TW_PY_PARAMETERS];
} parts;

static const tw_py_field part_fields[] = {
    {"likelihood", TW_PY_TEXT, offsetof(parts, likelihood)},
    {"kernel", TW_PY_TEXT, offsetof(parts, kernel)},
    {"log_sigma", TW_PY_REAL, offsetof(parts, log_sigma)},
    {"constant", TW_PY_REAL, offsetof(parts, constant)},
    {"white", TW_PY_REAL, offsetof(parts, white)},
    {"jitter", TW_PY_REAL, offsetof(parts, jitter)},
    {"standardise", TW_PY_FLAG, offsetof(parts, standardise)},
    {"ell_given", TW_PY_FLAG, offsetof(parts, ell_given)},
    {"sigma_given", TW_PY_FLAG, offsetof(parts, sigma_given)},
    {NULL, TW_PY_REAL, 0},
};

/* ---- making a problem, without Python ---- */

static tw_status make_matrix(tw_context *ctx, const parts *p, tw_kernel **kernel)
{
    double *matrix = NULL;
    tw_status status = tw_covariance_copy_matrix(ctx, p->k.rows, p->k.data, p->k.ld, &matrix);
    return status == TW_OK ? tw_kernel_given(ctx, p->k.rows, matrix, kernel) : status;
}

/* A kernel given by name only. */
static tw_status make_simple(tw_context *ctx, const parts *p, tw_kernel **kernel)
{
    size_t scales = p->log_ell.rows;
    tw_status status = tw_kernel_simple(ctx, p->kernel, scales, p->log_ell.data, p->log_sigma, p->constant,
                                        p->white, kernel);
    if (status == TW_OK && !p->ell_given) tw_kernel_set_given(*kernel, 0, false);
    if (status == TW_OK && !p->sigma_given) tw_kernel_set_given(*kernel, scales, false);
    return status;
}

static tw_status make_kernel(tw_context *ctx, const parts *p, const tw_data *data, tw_kernel **kernel)
{
    bool others = p->ell_given || p->sigma_given || p->constant != 0.0 || p->white != 0.0;
    if (tw_kernel_is_shape(p->kernel)) return make_simple(ctx, p, kernel);
    tw_status status = tw_kernel_parse_for(ctx, p->kernel, data, kernel);
    if (status != TW_OK || !others) return status;
    return tw_fail(
        ctx, TW_BAD_ARGUMENT,
        "ell, sigma, log_ell, log_sigma, constant and white need a kernel given by name only; in an "
        "expression, write the parameters in the leaf, as in se(ell=2, sigma=1.5)");
}

/* Make the data. With a kernel matrix there are no inputs, so the labels take their place. */
static tw_status make_data(tw_context *ctx, const parts *p, tw_problem_parts *made)
{
    bool matrix = p->k.data != NULL;
    const tw_py_input *x = matrix ? &p->y : &p->x;
    size_t n = matrix ? p->k.rows : p->x.rows;
    tw_status status =
        tw_data_new(ctx, n, matrix ? 1 : x->columns, x->data, matrix ? n : x->ld, p->y.data, &made->data);
    if (status == TW_OK && !matrix) status = tw_data_set_names(made->data, p->names.name);
    return status == TW_OK && !matrix ? tw_py_levels_put(&p->levels, made->data) : status;
}

static tw_status make_parts(tw_context *ctx, const parts *p, tw_problem_parts *made)
{
    tw_status status = make_data(ctx, p, made);
    if (status == TW_OK) status = tw_py_labels_put(&p->labels, made->likelihood, NULL, made->data);
    if (status == TW_OK) status = tw_py_columns_put(&p->columns, made->data);
    if (status == TW_OK && p->standardise) status = tw_scaling_fit(made->data, &made->scaling);
    if (status == TW_OK && p->standardise) status = tw_scaling_apply(made->scaling, made->data);
    if (status != TW_OK) return status;
    return p->k.data ? make_matrix(ctx, p, &made->kernel) : make_kernel(ctx, p, made->data, &made->kernel);
}

static tw_status make(tw_py_problem *self, const tw_likelihood *likelihood, const parts *p)
{
    tw_problem_parts made = {
        .likelihood = likelihood, .phi = p->phi, .phi_given = p->phi_given, .jitter = p->jitter};
    tw_problem *whole = NULL;
    tw_status status = make_parts(self->ctx, p, &made);
    if (status != TW_OK)
        tw_problem_parts_free(&made);
    else
        status = tw_problem_new(self->ctx, &made, &whole);
    if (status == TW_OK) tw_py_problem_fill(self, whole);
    if (status == TW_OK) tw_problem_warn_lengths(whole);
    return status;
}

/* ---- making a problem, from Python ---- */

static bool check_parts(const tw_py_state *state, const parts *p)
{
    size_t n = p->k.data ? p->k.rows : p->x.rows;
    if (!p->y.data || !(p->k.data || (p->x.data && p->log_ell.data)) || p->y.rows != n || p->y.columns != 1 ||
        (p->k.data && p->k.columns != n) || (p->names.name && p->names.count != p->x.columns) ||
        (p->levels.input && p->levels.count != p->x.columns)) {
        tw_py_raise(state, TW_BAD_DATA, "the arrays of a model have inconsistent shapes");
        return false;
    }
    return true;
}

static bool read_parts(PyObject *arguments, PyObject *keywords, parts *p, PyObject **log)
{
    static char *names[] = {"y",       "labels",     "X",       "names",   "levels", "K",
                            "columns", "parameters", "log_ell", "options", "log",    NULL};
    PyObject *y = NULL, *labels = NULL, *x = NULL, *list = NULL, *levels = NULL, *k = NULL, *columns = NULL,
             *log_ell = NULL, *options = NULL;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!OOOOO!O!OO!O", names, &y, &PyTuple_Type,
                                       &labels, &x, &list, &levels, &k, &PyDict_Type, &columns, &PyDict_Type,
                                       &p->parameters, &log_ell, &PyDict_Type, &options, log) &&
           tw_py_labels_get(labels, &p->labels) && tw_py_levels_get(levels, &p->levels) &&
           tw_py_read(options, part_fields, p) && tw_py_input_get(y, "y", &p->y) &&
           tw_py_input_get(x, "X", &p->x) && tw_py_names_get(list, &p->names) &&
           tw_py_input_get(k, "kernel_matrix", &p->k) && tw_py_columns_get(columns, p->y.rows, &p->columns) &&
           tw_py_input_get(log_ell, "log_ell", &p->log_ell);
}

static void release_parts(parts *p)
{
    tw_py_input *inputs[] = {&p->y, &p->x, &p->k, &p->log_ell};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) tw_py_input_release(inputs[i]);
    tw_py_names_release(&p->names);
    tw_py_levels_release(&p->levels);
    tw_py_labels_release(&p->labels);
    tw_py_columns_release(&p->columns);
}

static bool prepare(tw_py_problem *self, const tw_py_state *state, PyObject *log)
{
    pthread_mutexattr_t kind;
    self->log = Py_NewRef(log);
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&self->lock, &kind);
    pthread_mutexattr_destroy(&kind);
    tw_status status = tw_context_new(NULL, &self->ctx);
    if (status != TW_OK) tw_py_raise(state, status, tw_status_text(status));
    return status == TW_OK;
}

tw_py_problem *tw_py_problem_new(PyTypeObject *type, PyObject *log)
{
    allocfunc allocate = (allocfunc)(uintptr_t)PyType_GetSlot(type, Py_tp_alloc);
    tw_py_problem *self = (tw_py_problem *)allocate(type, 0);
    if (!self) return NULL;
    tw_py_state *state = tw_py_state_of((PyObject *)self);
    tw_py_blas_borrow(state); /* a context sets BLAS to one thread */
    bool good = prepare(self, state, log);
    tw_py_blas_return(state);
    if (!good) Py_CLEAR(self);
    return self;
}

void tw_py_problem_fill(tw_py_problem *self, tw_problem *whole)
{
    self->whole = whole;
    self->model = whole->model;
    self->likelihood = whole->likelihood;
}

static const tw_likelihood *find_likelihood(const tw_py_state *state, const char *name)
{
    const tw_likelihood *likelihood = tw_likelihood_find(name);
    if (!likelihood)
        PyErr_Format(state->input_error, "unknown likelihood \"%s\"; choose from: %s", name,
                     tw_likelihood_names());
    return likelihood;
}

static bool fill(tw_py_problem *self, parts *p)
{
    tw_py_state *state = tw_py_state_of((PyObject *)self);
    const tw_likelihood *likelihood = find_likelihood(state, p->likelihood);
    tw_py_job job;
    return check_parts(state, p) && likelihood &&
           tw_py_parameters_get(p->parameters, likelihood, p->phi, p->phi_given) &&
           tw_py_begin(&job, self, NULL) && tw_py_end(&job, make(self, likelihood, p));
}

static PyObject *new (PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    parts p = {0};
    PyObject *log = NULL;
    tw_py_problem *self = NULL;
    if (read_parts(arguments, keywords, &p, &log)) self = tw_py_problem_new(type, log);
    if (self && !fill(self, &p)) Py_CLEAR(self);
    release_parts(&p);
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    tw_py_problem *self = (tw_py_problem *)object;
    PyTypeObject *type = Py_TYPE(object);
    tw_problem_free(self->whole);
    tw_data_free(self->read);
    if (self->ctx) pthread_mutex_destroy(&self->lock);
    tw_context_free(self->ctx);
    tw_py_team_free(self->team);
    Py_XDECREF(self->log);
    freefunc release = (freefunc)(uintptr_t)PyType_GetSlot(type, Py_tp_free);
    release(object);
    Py_DECREF(type);
}

/* ---- methods ---- */

static PyObject *describe(PyObject *object, PyObject *unused)
{
    static const tw_py_field fields[] = {
        {"n", TW_PY_COUNT, offsetof(tw_model_info, n)},
        {"rank", TW_PY_COUNT, offsetof(tw_model_info, rank)},
        {"residual", TW_PY_REAL, offsetof(tw_model_info, residual)},
        {"jitter", TW_PY_REAL, offsetof(tw_model_info, jitter)},
        {"log_det", TW_PY_REAL, offsetof(tw_model_info, log_det)},
        {"log_det_change", TW_PY_REAL, offsetof(tw_model_info, log_det_change)},
        {NULL, TW_PY_REAL, 0},
    };
    (void)unused;
    tw_model_info info = tw_model_describe(((tw_py_problem *)object)->model);
    return tw_py_build(fields, &info);
}

static PyObject *labels(PyObject *object, PyObject *unused)
{
    tw_py_problem *self = (tw_py_problem *)object;
    const tw_data *data = self->whole->data;
    (void)unused;
    return tw_py_vector(tw_py_state_of(object), object, data->y, data->n);
}

static PyObject *is_binary(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyBool_FromLong(((tw_py_problem *)object)->likelihood->two_classes);
}

static PyObject *count_levels(PyObject *object, PyObject *unused)
{
    (void)unused;
    return PyLong_FromSize_t(((tw_py_problem *)object)->likelihood->levels);
}

static PyMethodDef methods[] = {
    {"describe", describe, METH_NOARGS, NULL},
    {"labels", labels, METH_NOARGS, NULL},
    {"is_binary", is_binary, METH_NOARGS, NULL},
    {"count_levels", count_levels, METH_NOARGS, NULL},
    {"parts", tw_py_parts, METH_NOARGS, NULL},
    {"share", tw_py_share, METH_O, NULL},
    {"defaults", tw_py_defaults, METH_NOARGS, NULL},
    {"constants", tw_py_constants, METH_NOARGS, NULL},
    {"log_likelihood", tw_py_log_likelihood, METH_VARARGS, NULL},
    TW_PY_METHOD_ROW("laplace", tw_py_laplace),
    TW_PY_METHOD_ROW("fit", tw_py_fit),
    TW_PY_METHOD_ROW("hyper", tw_py_hyper),
    TW_PY_METHOD_ROW("ep", tw_py_ep),
    TW_PY_METHOD_ROW("correct", tw_py_correct),
    TW_PY_METHOD_ROW("sample", tw_py_sample),
    TW_PY_METHOD_ROW("evidence", tw_py_evidence),
    TW_PY_METHOD_ROW("check", tw_py_check),
    TW_PY_METHOD_ROW("predict", tw_py_predict),
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    TW_PY_SLOT(Py_tp_new, new),
    TW_PY_SLOT(Py_tp_dealloc, dealloc),
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec tw_py_problem_spec = {
    .name = "talweg._talweg.Problem",
    .basicsize = sizeof(tw_py_problem),
    .flags = Py_TPFLAGS_DEFAULT,
    .slots = slots,
};
