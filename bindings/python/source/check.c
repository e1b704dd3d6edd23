/* check.c: the method check of Problem: compares a claim about the posterior with exact results. */
#include "binding.h"

typedef struct request {
    tw_py_problem *problem;
    PyObject *progress, *path; /* path: bytes, or NULL */
    tw_check_options options;
    const tw_approximation *fit;            /* the fit to check; NULL: a file or arrays */
    tw_fits_options fitted;                 /* existing fits */
    const char *name;                       /* of the claim */
    tw_py_input value[TW_CHECK_QUANTITIES]; /* n each, NaN: not claimed; no data: none is claimed */
    double log_z;                           /* NaN: not claimed, or that of the file or the fit */
    const char *page;                       /* the file for the page; NULL: none */
    bool overwrite;
    tw_py_job job;
    /* Results: */
    tw_fits fits;
    tw_claim *claim;
    tw_check_result result;
} request;

/* ---- reading the arguments ---- */

static bool read_options(PyObject *from, request *r)
{
    static const tw_py_field fields[] = {
        {"tolerance", TW_PY_REAL, offsetof(tw_check_options, tolerance)},
        {"log_z_tolerance", TW_PY_REAL, offsetof(tw_check_options, log_z_tolerance)},
        {"methods", TW_PY_TEXT, offsetof(tw_check_options, methods)},
        {"chains", TW_PY_COUNT, offsetof(tw_check_options, chains)},
        {"warmup", TW_PY_COUNT, offsetof(tw_check_options, warmup)},
        {"draws", TW_PY_COUNT, offsetof(tw_check_options, draws)},
        {"seed", TW_PY_SEED, offsetof(tw_check_options, seed)},
        {"threads", TW_PY_COUNT, offsetof(tw_check_options, threads)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_read(from, fields, &r->options);
}

static bool read_values(PyObject *from, request *r)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) {
        const char *name = tw_check_quantity_name((tw_check_quantity)q);
        PyObject *array = PyDict_GetItemString(from, name); /* borrowed */
        if (array && !tw_py_input_get(array, name, &r->value[q])) return false;
    }
    return true;
}

static bool read_request(PyObject *self, PyObject *arguments, PyObject *keywords, request *r)
{
    static char *names[] = {"laplace", "ep",   "fit",       "path",    "name",     "values",
                            "log_z",   "page", "overwrite", "options", "progress", NULL};
    PyObject *laplace = NULL, *ep = NULL, *fit = NULL, *values = NULL, *options = NULL;
    int overwrite = 0;
    *r =
        (request){.problem = (tw_py_problem *)self, .options = TW_CHECK_DEFAULTS, .fitted = TW_FITS_DEFAULTS};
    r->result.ctx = r->problem->ctx;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOsO!dzpO!O", names, &laplace, &ep, &fit,
                                     &r->path, &r->name, &PyDict_Type, &values, &r->log_z, &r->page,
                                     &overwrite, &PyDict_Type, &options, &r->progress))
        return false;
    r->overwrite = overwrite != 0;
    if (r->path == Py_None) r->path = NULL;
    return read_options(options, r) && read_values(values, r) &&
           tw_py_approximation_read(r->problem, fit, &r->fit) &&
           tw_py_approximation_read(r->problem, laplace, &r->fitted.given_laplace) &&
           tw_py_approximation_read(r->problem, ep, &r->fitted.given_ep);
}

static void release(request *r)
{
    tw_check_release(&r->result);
    tw_claim_free(r->claim);
    tw_fits_release(&r->fits);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) tw_py_input_release(&r->value[q]);
}

/* ---- the check, without Python ---- */

static bool on_progress(void *user, const tw_progress *p)
{
    request *r = user;
    return tw_py_progress(&r->job, p);
}

static tw_status copy_values(request *r)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) {
        if (!r->value[q].data) continue;
        if (r->value[q].rows != r->claim->n)
            return tw_fail(r->problem->ctx, TW_BAD_ARGUMENT,
                           "against[\"%s\"] has %zu numbers, but the model has %zu latents",
                           tw_check_quantity_name((tw_check_quantity)q), r->value[q].rows, r->claim->n);
        for (size_t i = 0; i < r->claim->n; i++) r->claim->value[q][i] = r->value[q].data[i];
    }
    return TW_OK;
}

static tw_status make_claim(request *r, const char *path)
{
    const tw_model *model = r->problem->model;
    if (path)
        TW_TRY(tw_claim_read(model, path, &r->claim));
    else if (r->fit)
        TW_TRY(tw_claim_from_fit(model, r->fit, &r->claim));
    else
        TW_TRY(tw_claim_new(model, r->name, &r->claim));
    if (!path && !r->fit) TW_TRY(copy_values(r));
    if (r->log_z == r->log_z) r->claim->log_z = r->log_z;
    return TW_OK;
}

static tw_status compute(request *r, const char *path)
{
    const tw_model *model = r->problem->model;
    const tw_check_page page = {.overwrite = r->overwrite};
    TW_TRY(make_claim(r, path));
    TW_TRY(tw_fits_make(model, &r->fitted, &r->fits));
    r->options.fits = &r->fits;
    TW_TRY(tw_check_run(model, r->claim, &r->options, on_progress, r, &r->result));
    return r->page ? tw_check_write(r->problem->whole, r->claim, &r->result, r->page, &page) : TW_OK;
}

/* ---- building the result ---- */

/* A list with (claimed, exact, difference, error) for each quantity. */
static PyObject *build_row(const tw_check_row *row)
{
    PyObject *list = PyList_New(0);
    for (size_t q = 0; list && q < TW_CHECK_QUANTITIES; q++) {
        const tw_check_value *v = &row->value[q];
        PyObject *value = Py_BuildValue("(dddd)", v->claimed, v->exact, v->difference, v->error);
        if (!value || PyList_Append(list, value) != 0) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

static PyObject *build_rows(const tw_check_result *result)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < result->count; k++) {
        PyObject *row =
            Py_BuildValue("(nN)", (Py_ssize_t)result->rows[k].latent, build_row(&result->rows[k]));
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *build_result(const request *r)
{
    const tw_check_result *c = &r->result;
    return Py_BuildValue(
        "{ss ss ss ss ss sN sN sn sd sd sd sn sN}", "against", r->claim->name, "verdict",
        tw_check_judgement_name(c->verdict), "log_z_verdict", tw_check_judgement_name(c->log_z_verdict),
        "latent_verdict", tw_check_judgement_name(c->latent_verdict), "words", c->words, "log_z",
        Py_BuildValue("(dddd)", c->log_z.claimed, c->log_z.exact, c->log_z.difference, c->log_z.error),
        "rows", build_rows(c), "wrong", (Py_ssize_t)c->wrong, "rms_mean", c->rms_mean, "rms_sd", c->rms_sd,
        "largest_error", c->largest_error, "draws_needed", (Py_ssize_t)c->draws_needed, "warnings",
        tw_py_warnings(&c->warnings));
}

PyObject *tw_py_check(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    PyObject *result = NULL;
    if (!read_request(self, arguments, keywords, &r)) {
        release(&r);
        return NULL;
    }
    const char *path = r.path ? PyBytes_AsString(r.path) : NULL;
    if ((!r.path || path) && tw_py_begin(&r.job, r.problem, r.progress) &&
        tw_py_end(&r.job, compute(&r, path)))
        result = build_result(&r);
    release(&r);
    return result;
}
