/* fit.c: the method fit of Problem: fits parameters by maximising log Z + log prior. The problem is changed
 * to these parameters, so nothing may have been computed from it before. */
#include <string.h>

#include "binding.h"

typedef struct fit_job {
    tw_py_job job;
    tw_fit_options options;
    const char *method;
    PyObject *prior, *fix; /* lists of str, borrowed */
    tw_priors *priors;
    tw_fit_result *result;
} fit_job;

static bool watch(void *user, const tw_fit_progress *p)
{
    (void)p;
    return tw_py_interrupted(user);
}

/* ---- priors ---- */

/* Text k of a list, valid as long as the list; NULL: it is not a text. */
static const char *text_at(PyObject *list, Py_ssize_t k)
{
    PyObject *item = PyList_GetItem(list, k);
    return item ? PyUnicode_AsUTF8AndSize(item, NULL) : NULL;
}

static tw_status read_priors(tw_problem *problem, PyObject *prior, PyObject *fix, bool every, tw_priors **out)
{
    bool defaults = false;
    tw_status status = tw_priors_new(problem, out);
    for (Py_ssize_t k = 0; status == TW_OK && k < PyList_Size(fix); k++) {
        const char *text = text_at(fix, k);
        status = text ? tw_priors_fix(*out, problem, text) : TW_BAD_ARGUMENT;
    }
    for (Py_ssize_t k = 0; status == TW_OK && k < PyList_Size(prior); k++) {
        const char *text = text_at(prior, k);
        bool is_default = text && strcmp(text, "default") == 0;
        defaults = defaults || is_default;
        if (!is_default) status = text ? tw_priors_read(*out, problem, text) : TW_BAD_ARGUMENT;
    }
    if (status != TW_OK || !defaults) return status;
    return every ? tw_priors_complete(*out, problem) : tw_priors_read(*out, problem, "default");
}

/* Keeps the interpreter's lock, because it is fast. */
bool tw_py_priors_read(tw_py_problem *problem, PyObject *prior, PyObject *fix, bool every, tw_priors **out)
{
    tw_status status = read_priors(problem->whole, prior, fix, every, out);
    tw_py_problem_fill(problem, problem->whole); /* fixing parameters may have replaced the model */
    if (status != TW_OK && !PyErr_Occurred())
        tw_py_raise(tw_py_state_of((PyObject *)problem), status, tw_context_message(problem->ctx));
    return status == TW_OK;
}

/* ---- building the result ---- */

static PyObject *build_parameter(const tw_problem *problem, const fit_job *j, size_t k)
{
    const tw_parameter *parameter = tw_problem_parameter(problem, k);
    char words[300] = "";
    if (j->priors->has[k]) tw_prior_print(&j->priors->prior[k], parameter, words, sizeof words);
    return Py_BuildValue(
        "sOzddOO", parameter->name, parameter->transform == TW_TRANSFORM_LOG ? Py_True : Py_False,
        *words ? words : NULL, j->result->optimum[0].theta[k], j->result->sd[k],
        j->priors->fixed[k] ? Py_True : Py_False, j->result->at_bound[k] ? Py_True : Py_False);
}

static PyObject *build_optimum(const tw_fit_result *r, const tw_optimum *optimum)
{
    PyObject *theta = PyList_New(0);
    for (size_t k = 0; theta && k < r->count; k++) {
        PyObject *number = PyFloat_FromDouble(optimum->theta[k]);
        if (!number || PyList_Append(theta, number) != 0) Py_CLEAR(theta);
        Py_XDECREF(number);
    }
    return Py_BuildValue("Nddn", theta, optimum->log_z, optimum->log_posterior, (Py_ssize_t)optimum->starts);
}

static bool append(PyObject *list, PyObject *item)
{
    bool good = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

static PyObject *build(const tw_problem *problem, const fit_job *j)
{
    static const tw_py_field fields[] = {
        {"converged", TW_PY_FLAG, offsetof(tw_fit_result, converged)},
        {"flat", TW_PY_FLAG, offsetof(tw_fit_result, flat)},
        {"evaluations", TW_PY_COUNT, offsetof(tw_fit_result, evaluations)},
        {"failures", TW_PY_COUNT, offsetof(tw_fit_result, failures)},
        {"starts", TW_PY_COUNT, offsetof(tw_fit_result, starts)},
        {"starts_at_best", TW_PY_COUNT, offsetof(tw_fit_result, starts_at_best)},
        {NULL, TW_PY_REAL, 0},
    };
    const tw_fit_result *r = j->result;
    PyObject *parameters = PyList_New(0), *optima = PyList_New(0);
    bool good = parameters && optima;
    for (size_t k = 0; good && k < r->count; k++) good = append(parameters, build_parameter(problem, j, k));
    for (size_t k = 0; good && k < r->optima; k++) good = append(optima, build_optimum(r, &r->optimum[k]));
    PyObject *facts = good ? tw_py_build(fields, r) : NULL;
    if (!facts) {
        Py_XDECREF(parameters);
        Py_XDECREF(optima);
        return NULL;
    }
    return Py_BuildValue("NNNN", parameters, optima, facts, tw_py_warnings(&r->warnings));
}

/* ---- the method ---- */

static bool read_arguments(PyObject *arguments, PyObject *keywords, fit_job *j)
{
    static char *names[] = {"prior", "fix", "method", "starts", "max_evaluations", "seed", NULL};
    Py_ssize_t starts = 0, most = 0;
    unsigned long long seed = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!snnK", names, &PyList_Type, &j->prior,
                                     &PyList_Type, &j->fix, &j->method, &starts, &most, &seed))
        return false;
    j->options = TW_FIT_DEFAULTS;
    j->options.kind = strcmp(j->method, "laplace") == 0 ? TW_LAPLACE : TW_EP;
    j->options.starts = starts > 0 ? (size_t)starts : 0;
    j->options.max_evaluations = most > 0 ? (size_t)most : 0;
    j->options.seed = seed;
    return true;
}

static bool compute(tw_py_problem *self, fit_job *j)
{
    if (!tw_py_begin(&j->job, self, NULL)) return false;
    j->options.user = &j->job;
    j->options.on_progress = watch;
    tw_status status = tw_fit(self->whole, j->priors, &j->options, &j->result);
    tw_py_problem_fill(self, self->whole);
    return tw_py_end(&j->job, status);
}

PyObject *tw_py_fit(PyObject *object, PyObject *arguments, PyObject *keywords)
{
    tw_py_problem *self = (tw_py_problem *)object;
    fit_job j = {0};
    PyObject *found = NULL;
    if (!read_arguments(arguments, keywords, &j)) return NULL;
    if (tw_py_priors_read(self, j.prior, j.fix, true, &j.priors) && compute(self, &j))
        found = build(self->whole, &j);
    tw_fit_free(j.result);
    tw_priors_free(j.priors);
    return found;
}
