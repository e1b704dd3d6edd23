/* approximation.c: the type Approximation, the fits by Laplace and EP, and the q at the start of a path. */
#include "binding.h"

/* ---- the type ---- */

PyObject *tw_py_approximation_wrap(tw_py_problem *problem, tw_approximation *fit)
{
    const tw_py_state *state = tw_py_state_of((PyObject *)problem);
    tw_py_approximation *self = PyObject_New(tw_py_approximation, (PyTypeObject *)state->approximation);
    if (!self) {
        tw_approximation_free(fit);
        return NULL;
    }
    self->problem = (tw_py_problem *)Py_NewRef((PyObject *)problem);
    self->fit = fit;
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    tw_py_approximation *self = (tw_py_approximation *)object;
    PyTypeObject *type = Py_TYPE(object);
    tw_approximation_free(self->fit);
    Py_DECREF((PyObject *)self->problem);
    PyObject_Free(object);
    Py_DECREF(type);
}

static PyObject *describe(PyObject *object, PyObject *unused)
{
    static const tw_py_field fields[] = {
        {"converged", TW_PY_FLAG, offsetof(tw_approximation, converged)},
        {"iterations", TW_PY_COUNT, offsetof(tw_approximation, iterations)},
        {"residual", TW_PY_REAL, offsetof(tw_approximation, residual)},
        {"rounding", TW_PY_REAL, offsetof(tw_approximation, rounding)},
        {"log_z", TW_PY_REAL, offsetof(tw_approximation, log_z)},
        {NULL, TW_PY_REAL, 0},
    };
    (void)unused;
    return tw_py_build(fields, ((tw_py_approximation *)object)->fit);
}

/* mean, variance, tau and nu, without copies. */
static PyObject *arrays(PyObject *object, PyObject *unused)
{
    const tw_py_state *state = tw_py_state_of(object);
    const tw_approximation *fit = ((tw_py_approximation *)object)->fit;
    (void)unused;
    return Py_BuildValue("NNNN", tw_py_vector(state, object, fit->mean, fit->n),
                         tw_py_vector(state, object, fit->variance, fit->n),
                         tw_py_vector(state, object, fit->tau, fit->n),
                         tw_py_vector(state, object, fit->nu, fit->n));
}

static PyMethodDef methods[] = {
    {"describe", describe, METH_NOARGS, NULL},
    {"arrays", arrays, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    TW_PY_SLOT(Py_tp_dealloc, dealloc),
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec tw_py_approximation_spec = {
    .name = "talweg._talweg.Approximation",
    .basicsize = sizeof(tw_py_approximation),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};

/* ---- fits ---- */

static bool read_options(PyObject *arguments, PyObject *keywords, const tw_py_field *fields, void *to)
{
    static char *names[] = {"options", NULL};
    PyObject *options = NULL;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "O!", names, &PyDict_Type, &options) &&
           tw_py_read(options, fields, to);
}

PyObject *tw_py_laplace(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static const tw_py_field fields[] = {
        {"max_steps", TW_PY_COUNT, offsetof(tw_laplace_options, max_steps)},
        {"tol", TW_PY_REAL, offsetof(tw_laplace_options, tolerance)},
        {NULL, TW_PY_REAL, 0},
    };
    tw_py_problem *problem = (tw_py_problem *)self;
    tw_laplace_options options = TW_LAPLACE_DEFAULTS;
    tw_approximation *fit = NULL;
    tw_py_job job;
    if (!read_options(arguments, keywords, fields, &options) || !tw_py_begin(&job, problem, NULL))
        return NULL;
    tw_status status = tw_laplace_fit(problem->model, &options, &fit);
    if (tw_py_end(&job, status)) return tw_py_approximation_wrap(problem, fit);
    tw_approximation_free(fit);
    return NULL;
}

PyObject *tw_py_ep(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static const tw_py_field fields[] = {
        {"method", TW_PY_EP_METHOD, offsetof(tw_ep_options, method)},
        {"max_sweeps", TW_PY_COUNT, offsetof(tw_ep_options, max_sweeps)},
        {"tol", TW_PY_REAL, offsetof(tw_ep_options, tolerance)},
        {"site_tol", TW_PY_REAL, offsetof(tw_ep_options, site_tolerance)},
        {NULL, TW_PY_REAL, 0},
    };
    tw_py_problem *problem = (tw_py_problem *)self;
    tw_ep_options options = TW_EP_DEFAULTS;
    tw_approximation *fit = NULL;
    tw_py_job job;
    if (!read_options(arguments, keywords, fields, &options) || !tw_py_begin(&job, problem, NULL))
        return NULL;
    tw_status status = tw_ep_fit(problem->model, &options, &fit);
    if (tw_py_end(&job, status)) return tw_py_approximation_wrap(problem, fit);
    tw_approximation_free(fit);
    return NULL;
}

static PyObject *build_terms(const tw_correction *c)
{
    PyObject *terms = PyList_New(0);
    for (size_t l = 3; terms && l <= c->orders; l++) {
        PyObject *term = PyFloat_FromDouble(c->term[l]);
        if (!term || PyList_Append(terms, term) != 0) Py_CLEAR(terms);
        Py_XDECREF(term);
    }
    return terms;
}

PyObject *tw_py_correct(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"ep", "orders", NULL};
    tw_py_problem *problem = (tw_py_problem *)self;
    PyObject *from = NULL;
    const tw_approximation *ep = NULL;
    Py_ssize_t orders = 4;
    tw_correction c;
    tw_py_job job;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "On", names, &from, &orders) ||
        !tw_py_approximation_read(problem, from, &ep) || !tw_py_begin(&job, problem, NULL))
        return NULL;
    tw_status status = tw_ep_correct(problem->model, ep, (size_t)orders, &c);
    if (!tw_py_end(&job, status)) return NULL;
    return Py_BuildValue("dNO", c.log_z, build_terms(&c), c.decreasing ? Py_True : Py_False);
}

/* ---- the start of a path ---- */

bool tw_py_approximation_read(tw_py_problem *problem, PyObject *from, const tw_approximation **out)
{
    const tw_py_state *state = tw_py_state_of((PyObject *)problem);
    tw_py_approximation *given = (tw_py_approximation *)from;
    *out = NULL;
    if (from == Py_None) return true;
    if ((PyObject *)Py_TYPE(from) != state->approximation || given->problem != problem) {
        PyErr_SetString(PyExc_TypeError, "an approximation of this model is needed");
        return false;
    }
    *out = given->fit;
    return true;
}

bool tw_py_start_read(tw_py_problem *problem, PyObject *from, tw_py_start *start)
{
    PyObject *mean = NULL, *covariance = NULL;
    const tw_approximation *fit = NULL;
    *start = (tw_py_start){0};
    if (!PyTuple_Check(from)) {
        if (!tw_py_approximation_read(problem, from, &fit)) return false;
        if (fit) start->q = fit->reference;
        return true;
    }
    if (!PyArg_ParseTuple(from, "OO", &mean, &covariance) || !tw_py_input_get(mean, "mean", &start->mean) ||
        !tw_py_input_get(covariance, "covariance", &start->covariance))
        return false;
    size_t n = tw_model_describe(problem->model).n;
    start->is_pair = true;
    if (start->mean.data && start->mean.rows == n && start->covariance.data && start->covariance.rows == n &&
        start->covariance.columns == n)
        return true;
    tw_py_raise(tw_py_state_of((PyObject *)problem), TW_BAD_DATA,
                "a start is a mean and a covariance for every case of the model");
    return false;
}

tw_status tw_py_start_make(tw_py_problem *problem, tw_py_start *start)
{
    tw_status status = TW_OK;
    if (start->q) return TW_OK;
    status = start->is_pair ? tw_reference_gaussian(problem->model, start->mean.data, start->covariance.data,
                                                    start->covariance.ld, &start->own)
                            : tw_reference_prior(problem->model, &start->own);
    start->q = start->own;
    return status;
}

void tw_py_start_release(tw_py_start *start)
{
    tw_reference_free(start->own);
    start->own = NULL;
    tw_py_input_release(&start->mean);
    tw_py_input_release(&start->covariance);
}
