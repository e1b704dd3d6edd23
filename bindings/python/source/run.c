/* run.c: writes draws to run files and reads them: the method save of Draws, and load of the module.
 *
 * netCDF-C is not thread-safe; ../talweg/_run.py holds a lock around these calls. Saving uses its own
 * context, so that draws can be saved while another thread computes with their model, or from a progress
 * function of that computation.
 */
#include "draws.h"
#include "talweg/files.h"

/* The facts that Python passes; the library takes the others from the draws. */
static const tw_py_field fact_fields[] = {
    {"data", TW_PY_TEXT, offsetof(tw_run_facts, data)},
    {"command", TW_PY_TEXT, offsetof(tw_run_facts, command)},
    {"method", TW_PY_TEXT, offsetof(tw_run_facts, method)},
    {"metric", TW_PY_TEXT, offsetof(tw_run_facts, metric)},
    {"from", TW_PY_TEXT, offsetof(tw_run_facts, from)},
    {"beta", TW_PY_REAL, offsetof(tw_run_facts, beta)},
    {"warmup", TW_PY_COUNT, offsetof(tw_run_facts, warmup)},
    {"thin", TW_PY_COUNT, offsetof(tw_run_facts, thin)},
    {"seed", TW_PY_SEED, offsetof(tw_run_facts, seed)},
    {"warmup_seconds", TW_PY_REAL, offsetof(tw_run_facts, warmup_seconds)},
    {"sampling_seconds", TW_PY_REAL, offsetof(tw_run_facts, sampling_seconds)},
    {"created_at", TW_PY_TEXT, offsetof(tw_run_facts, created_at)},
    {"version", TW_PY_TEXT, offsetof(tw_run_facts, version)},
    {NULL, TW_PY_REAL, 0},
};

/* ---- saving ---- */

typedef struct save_request {
    PyObject *path; /* bytes */
    tw_run_facts facts;
    tw_run_options options;
} save_request;

static bool read_save(PyObject *arguments, save_request *r)
{
    static const tw_py_field fields[] = {
        {"overwrite", TW_PY_FLAG, offsetof(tw_run_options, overwrite)},
        {"pointwise", TW_PY_FLAG, offsetof(tw_run_options, pointwise)},
        {NULL, TW_PY_REAL, 0},
    };
    PyObject *facts = NULL, *options = NULL;
    int compress = 0;
    bool good = PyArg_ParseTuple(arguments, "O&O!pO!", PyUnicode_FSConverter, &r->path, &PyDict_Type, &facts,
                                 &compress, &PyDict_Type, &options) &&
                tw_py_read(facts, fact_fields, &r->facts) && tw_py_read(options, fields, &r->options);
    r->options.compress = compress ? TW_RUN_COMPRESSION : 0;
    return good;
}

/* Save without the interpreter's lock; check for Ctrl-C from time to time. */
static bool save(const tw_py_draws *self, const save_request *r, tw_py_state *state, tw_context *ctx)
{
    tw_py_job job = {.state = state, .asked = tw_py_seconds()};
    const char *path = PyBytes_AsString(r->path);
    tw_context_set_interrupt(ctx, tw_py_interrupted, &job);
    job.thread = PyEval_SaveThread();
    const tw_py_theta *theta = self->theta;
    const tw_problem *whole = self->problem->whole;
    tw_status status = theta ? tw_run_save_hyper(ctx, path, &r->options, whole, &r->facts, &theta->all,
                                                 &theta->estimate, theta->seconds, self->draws)
                             : tw_run_save(ctx, path, &r->options, whole, &r->facts, self->draws);
    PyEval_RestoreThread(job.thread);
    if (!job.failed && status != TW_OK) tw_py_raise(state, status, tw_context_message(ctx));
    return !job.failed && status == TW_OK;
}

/* save(path, facts, compress, options) */
PyObject *tw_py_draws_save(PyObject *self, PyObject *arguments)
{
    tw_py_state *state = tw_py_state_of(self);
    save_request r = {0};
    tw_context *ctx = NULL;
    bool good = read_save(arguments, &r);
    tw_py_blas_borrow(state); /* a context sets BLAS to one thread */
    if (good && tw_context_new(NULL, &ctx) != TW_OK) {
        tw_py_raise(state, TW_NO_MEMORY, tw_status_text(TW_NO_MEMORY));
        good = false;
    }
    if (good) good = save((tw_py_draws *)self, &r, state, ctx);
    tw_context_free(ctx);
    tw_py_blas_return(state);
    Py_XDECREF(r.path);
    return good ? Py_NewRef(Py_None) : NULL;
}

/* ---- other files ---- */

static tw_status replace_file(tw_context *ctx, const char *path, const char *bytes, Py_ssize_t length)
{
    tw_writer *writer = NULL;
    TW_TRY(tw_writer_open(ctx, path, true, &writer));
    fwrite(bytes, 1, (size_t)length, tw_writer_stream(writer)); /* tw_writer_close reports errors */
    return tw_writer_close(writer, TW_OK);
}

/* replace_file(path, bytes) */
PyObject *tw_py_replace_file(PyObject *module, PyObject *arguments)
{
    tw_py_state *state = PyModule_GetState(module);
    tw_context *ctx = NULL;
    PyObject *path = NULL;
    const char *bytes = NULL;
    Py_ssize_t length = 0;
    if (!PyArg_ParseTuple(arguments, "O&y#", PyUnicode_FSConverter, &path, &bytes, &length)) return NULL;
    tw_py_blas_borrow(state); /* a context sets BLAS to one thread */
    tw_status status = tw_context_new(NULL, &ctx);
    if (status == TW_OK) status = replace_file(ctx, PyBytes_AsString(path), bytes, length);
    if (status != TW_OK) tw_py_raise(state, status, ctx ? tw_context_message(ctx) : tw_status_text(status));
    tw_context_free(ctx);
    tw_py_blas_return(state);
    Py_DECREF(path);
    return status == TW_OK ? Py_NewRef(Py_None) : NULL;
}

/* ---- loading ---- */

typedef struct load_request {
    tw_run *run;
    tw_draws *draws;
} load_request;

/* Read a run. Notes about the model were given when it was made, so only those about the file are logged. */
static tw_status read_run(tw_py_problem *problem, const char *path, load_request *r)
{
    tw_problem *whole = NULL;
    tw_status status = tw_run_open(problem->ctx, path, &r->run);
    if (status != TW_OK) return status;
    tw_context_set_log(problem->ctx, NULL, NULL);
    status = tw_run_load(r->run, &r->draws);
    if (status == TW_OK) status = tw_run_problem(r->run, &whole);
    if (status == TW_OK) tw_py_problem_fill(problem, whole);
    return status;
}

/* Copy the unknown parameters of a run, if it has any. */
static bool take_theta(const load_request *r, tw_py_draws *draws)
{
    const tw_run_theta *theta = tw_run_read_theta(r->run);
    const tw_run_evidence *e = tw_run_read_evidence(r->run);
    tw_estimate none = {.method = "is2", .log_z = Py_NAN, .se = Py_NAN};
    if (!theta) return true;
    draws->theta = tw_py_theta_copy(theta, e->count > 0 ? &e->estimates[0] : &none, e->seconds[0]);
    if (!draws->theta) PyErr_NoMemory();
    return draws->theta != NULL;
}

/* (problem, draws, facts) */
static PyObject *wrap(tw_py_problem *problem, load_request *r)
{
    const tw_run_facts *f = tw_run_describe(r->run);
    PyObject *draws = tw_py_draws_wrap(problem, r->draws, f->warmup_seconds, f->sampling_seconds);
    r->draws = NULL;
    if (!draws || !take_theta(r, (tw_py_draws *)draws)) {
        Py_XDECREF(draws);
        return NULL;
    }
    return Py_BuildValue("ONN", problem, draws, tw_py_build(fact_fields, f));
}

/* load(path, log) returns (problem, draws, facts); log is that of Problem. */
PyObject *tw_py_load(PyObject *module, PyObject *arguments)
{
    const tw_py_state *state = PyModule_GetState(module);
    load_request r = {0};
    PyObject *path = NULL, *log = NULL, *result = NULL;
    tw_py_job job;
    if (!PyArg_ParseTuple(arguments, "O&O", PyUnicode_FSConverter, &path, &log)) return NULL;
    tw_py_problem *problem = tw_py_problem_new((PyTypeObject *)state->problem, log);
    if (problem && tw_py_begin(&job, problem, NULL) &&
        tw_py_end(&job, read_run(problem, PyBytes_AsString(path), &r)))
        result = wrap(problem, &r);
    tw_draws_free(r.draws);
    tw_run_close(r.run);
    Py_XDECREF((PyObject *)problem);
    Py_DECREF(path);
    return result;
}
