/* evidence.c: the method evidence of Problem: estimates log Z with the library's plan and run. */
#include "binding.h"

static const tw_py_field estimate_fields[] = {
    {"method", TW_PY_TEXT, offsetof(tw_estimate, method)},
    {"log_z", TW_PY_REAL, offsetof(tw_estimate, log_z)},
    {"se", TW_PY_REAL, offsetof(tw_estimate, se)},
    {"se_bootstrap", TW_PY_REAL, offsetof(tw_estimate, se_bootstrap)},
    {"weight_ess", TW_PY_REAL, offsetof(tw_estimate, weight_ess)},
    {"acceptance", TW_PY_REAL, offsetof(tw_estimate, acceptance)},
    {"particles", TW_PY_COUNT, offsetof(tw_estimate, particles)},
    {"temperatures", TW_PY_COUNT, offsetof(tw_estimate, temperatures)},
    {"failures", TW_PY_REAL, offsetof(tw_estimate, failures)},
    {"unbiased", TW_PY_FLAG, offsetof(tw_estimate, unbiased)},
    {"pareto_k", TW_PY_REAL, offsetof(tw_estimate, pareto_k)},
    {"missed", TW_PY_REAL, offsetof(tw_estimate, missed)},
    {"draws", TW_PY_COUNT, offsetof(tw_estimate, draws)},
    {"trips", TW_PY_REAL, offsetof(tw_estimate, trips)},
    {"drift", TW_PY_REAL, offsetof(tw_estimate, drift)},
    {"apart", TW_PY_REAL, offsetof(tw_estimate, apart)},
    {NULL, TW_PY_REAL, 0},
};

/* ---- reading the arguments ---- */

typedef struct request {
    tw_py_problem *problem;
    PyObject *progress;
    tw_evidence_options options;
    tw_fits_options fitted; /* existing fits */
    tw_py_start start;      /* q, if it is given and not named */
    bool is_given;
    tw_py_input beta; /* a given schedule; no data: a named one */
    tw_py_job job;
    /* Results: */
    tw_fits fits;
    tw_evidence_plan *plan;
    tw_evidence_result result;
} request;

static bool read_options(PyObject *from, request *r)
{
    static const tw_py_field fields[] = {
        {"methods", TW_PY_TEXT, offsetof(tw_evidence_options, methods)},
        {"from", TW_PY_TEXT, offsetof(tw_evidence_options, from)},
        {"kernel_method", TW_PY_TEXT, offsetof(tw_evidence_options, kernel_method)},
        {"metric", TW_PY_TEXT, offsetof(tw_evidence_options, metric)},
        {"schedule", TW_PY_TEXT, offsetof(tw_evidence_options, schedule)},
        {"temperatures", TW_PY_COUNT, offsetof(tw_evidence_options, temperatures)},
        {"beta_min", TW_PY_REAL, offsetof(tw_evidence_options, beta_min)},
        {"particles", TW_PY_COUNT, offsetof(tw_evidence_options, particles)},
        {"moves", TW_PY_COUNT, offsetof(tw_evidence_options, moves)},
        {"burn_in", TW_PY_COUNT, offsetof(tw_evidence_options, burn_in)},
        {"eps", TW_PY_REAL, offsetof(tw_evidence_options, eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_evidence_options, steps)},
        {"solver_tol", TW_PY_REAL, offsetof(tw_evidence_options, solver_tolerance)},
        {"fixed_point", TW_PY_COUNT, offsetof(tw_evidence_options, fixed_point)},
        {"until_se", TW_PY_REAL, offsetof(tw_evidence_options, until_se)},
        {"max_particles", TW_PY_COUNT, offsetof(tw_evidence_options, max_particles)},
        {"copies", TW_PY_COUNT, offsetof(tw_evidence_options, copies)},
        {"rounds", TW_PY_COUNT, offsetof(tw_evidence_options, rounds)},
        {"seed", TW_PY_SEED, offsetof(tw_evidence_options, seed)},
        {"threads", TW_PY_COUNT, offsetof(tw_evidence_options, threads)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_read(from, fields, &r->options);
}

/* `start` is None if the options name q; `schedule` is None if they name the schedule. */
static bool read_request(PyObject *self, PyObject *arguments, PyObject *keywords, request *r)
{
    static char *names[] = {"laplace", "ep", "start", "schedule", "options", "progress", NULL};
    PyObject *laplace = NULL, *ep = NULL, *start = NULL, *beta = NULL, *options = NULL;
    *r = (request){
        .problem = (tw_py_problem *)self, .options = TW_EVIDENCE_DEFAULTS, .fitted = TW_FITS_DEFAULTS};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOOO!O", names, &laplace, &ep, &start, &beta,
                                     &PyDict_Type, &options, &r->progress) ||
        !read_options(options, r) || !tw_py_input_get(beta, "schedule", &r->beta) ||
        !tw_py_approximation_read(r->problem, laplace, &r->fitted.given_laplace) ||
        !tw_py_approximation_read(r->problem, ep, &r->fitted.given_ep) ||
        !tw_py_start_read(r->problem, start, &r->start))
        return false;
    r->is_given = start != Py_None;
    if (r->beta.data) {
        r->options.beta = r->beta.data;
        r->options.temperatures = r->beta.rows > 0 ? r->beta.rows - 1 : 0;
    }
    return true;
}

static void release(request *r)
{
    tw_evidence_plan_free(r->plan);
    tw_fits_release(&r->fits);
    tw_py_start_release(&r->start);
    tw_py_input_release(&r->beta);
}

/* ---- the run, without Python ---- */

static bool on_progress(void *user, const tw_progress *p)
{
    request *r = user;
    return tw_py_progress(&r->job, p);
}

static tw_status compute(request *r)
{
    const tw_model *model = r->problem->model;
    const tw_evidence_watch watch = {.user = r, .progress = on_progress};
    tw_status status = r->is_given ? tw_py_start_make(r->problem, &r->start) : TW_OK;
    r->options.reference = r->start.q;
    r->options.fits = &r->fits;
    if (status == TW_OK) status = tw_evidence_options_check(r->problem->ctx, &r->options);
    if (status == TW_OK) status = tw_fits_make(model, &r->fitted, &r->fits);
    if (status == TW_OK) status = tw_evidence_plan_new(model, &r->options, &watch, &r->plan);
    return status == TW_OK ? tw_evidence_run(r->plan, &watch, &r->result) : status;
}

/* ---- building the result ---- */

PyObject *tw_py_estimate(const tw_estimate *estimate, double seconds)
{
    PyObject *row = tw_py_build(estimate_fields, estimate), *time = PyFloat_FromDouble(seconds);
    if (!row || !time || PyDict_SetItemString(row, "seconds", time) != 0) Py_CLEAR(row);
    Py_XDECREF(time);
    return row;
}

static PyObject *build_estimates(const tw_evidence_result *result)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < result->count; k++) {
        PyObject *row = tw_py_estimate(&result->estimate[k], result->seconds[k]);
        if (!row || PyList_Append(list, row) != 0) Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

static PyObject *build_tempering(const tw_evidence_result *result)
{
    static const tw_py_field fields[] = {
        {"temperatures", TW_PY_COUNT, offsetof(tw_pt_report, temperatures)},
        {"warmup", TW_PY_COUNT, offsetof(tw_pt_report, warmup)},
        {"rounds", TW_PY_COUNT, offsetof(tw_pt_report, rounds)},
        {"barrier", TW_PY_REAL, offsetof(tw_pt_report, barrier)},
        {"round_trips", TW_PY_COUNT, offsetof(tw_pt_report, round_trips)},
        {"drift", TW_PY_REAL, offsetof(tw_pt_report, drift)},
        {"drift_se", TW_PY_REAL, offsetof(tw_pt_report, drift_se)},
        {"forward", TW_PY_REAL, offsetof(tw_pt_report, forward)},
        {"forward_se", TW_PY_REAL, offsetof(tw_pt_report, forward_se)},
        {"reverse", TW_PY_REAL, offsetof(tw_pt_report, reverse)},
        {"reverse_se", TW_PY_REAL, offsetof(tw_pt_report, reverse_se)},
        {"discretisation", TW_PY_REAL, offsetof(tw_pt_report, discretisation)},
        {NULL, TW_PY_REAL, 0},
    };
    return result->tempered ? tw_py_build(fields, &result->tempering) : PyDict_New();
}

static double log_z_of(const tw_approximation *fit)
{
    return fit->converged ? fit->log_z : Py_NAN;
}

static PyObject *build_result(const request *r)
{
    const tw_evidence_result *result = &r->result;
    const tw_evidence_plan *plan = r->plan;
    const tw_agreement *a = &result->agreement;
    char words[TW_WORDS_BYTES];
    tw_agreement_print(a, result->estimate, words);
    const tw_estimate *best = tw_evidence_best(result->count, result->estimate);
    return Py_BuildValue("{sN sN sN sO ss sn ss ss ss sd sd sd}", "estimates", build_estimates(result),
                         "tempering", build_tempering(result), "warnings", tw_py_warnings(&result->warnings),
                         "agree", a->known ? (a->agree ? Py_True : Py_False) : Py_None, "verdict", words,
                         "best", best ? (Py_ssize_t)(best - result->estimate) : (Py_ssize_t)-1, "from",
                         plan->from, "kernel", plan->kernel, "metric", plan->metric, "laplace",
                         log_z_of(plan->fits.laplace), "ep", log_z_of(plan->fits.ep), "ep_corrected",
                         plan->fits.correction.log_z);
}

PyObject *tw_py_evidence(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    PyObject *result = NULL;
    if (read_request(self, arguments, keywords, &r) && tw_py_begin(&r.job, r.problem, r.progress) &&
        tw_py_end(&r.job, compute(&r)))
        result = build_result(&r);
    release(&r);
    return result;
}

/* ---- functions of the module ---- */

PyObject *tw_py_compare(PyObject *module, PyObject *arguments)
{
    PyObject *row = NULL;
    const char *name = NULL;
    double log_z = 0.0;
    tw_estimate estimate = {0};
    char words[TW_WORDS_BYTES];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!sd", &PyDict_Type, &row, &name, &log_z) ||
        !tw_py_read(row, estimate_fields, &estimate))
        return NULL;
    tw_evidence_compare(&estimate, name, log_z, words);
    return PyUnicode_FromString(words);
}

/* The warning about an estimate in doubt, or None. */
PyObject *tw_py_doubt(PyObject *module, PyObject *arguments)
{
    PyObject *row = NULL;
    tw_estimate estimate = {0};
    tw_warning doubt;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!", &PyDict_Type, &row) ||
        !tw_py_read(row, estimate_fields, &estimate))
        return NULL;
    if (tw_evidence_doubt(&estimate, &doubt)) return tw_py_warning(&doubt);
    Py_RETURN_NONE;
}
