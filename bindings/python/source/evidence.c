/* evidence.c: log Z by annealed importance sampling, parallel tempering and resample-move: methods of Problem. */
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

/* ---- what all of them take ---- */

typedef struct request {
    tw_py_problem *problem;
    PyObject *options, *progress;
    tw_py_start start;
    tw_py_input beta; /* the schedule; no data: the method's own */
    tw_sampler_options kernel;
    tw_py_job job;
} request;

/* The metric ep is the precision of `gaussian`, and smoothed averages over its marginals. */
static bool read_request(PyObject *self, PyObject *arguments, PyObject *keywords, request *r)
{
    static char *names[] = {"start", "gaussian", "beta", "sampler", "options", "progress", NULL};
    PyObject *start = NULL, *gaussian = NULL, *beta = NULL, *sampler = NULL;
    const tw_approximation *fit = NULL;
    *r = (request){.problem = (tw_py_problem *)self, .kernel = TW_SAMPLER_DEFAULTS};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOO!O!O", names, &start, &gaussian, &beta,
                                     &PyDict_Type, &sampler, &PyDict_Type, &r->options, &r->progress) ||
        !tw_py_read(sampler, tw_py_sampler_fields, &r->kernel) ||
        !tw_py_approximation_read(r->problem, gaussian, &fit) ||
        !tw_py_start_read(r->problem, start, &r->start) || !tw_py_input_get(beta, "schedule", &r->beta))
        return false;
    if (fit) {
        r->kernel.gaussian = fit->reference;
        r->kernel.smoothing = fit->variance;
    }
    return true;
}

static void release(request *r)
{
    tw_py_start_release(&r->start);
    tw_py_input_release(&r->beta);
}

static size_t steps_of(const request *r)
{
    return r->beta.rows > 0 ? r->beta.rows - 1 : 0;
}

static bool on_progress(void *user, const tw_evidence_progress *p)
{
    request *r = user;
    return tw_py_progress(&r->job, p->stage, p->done, p->total, p->acceptance);
}

/* A run that was stopped has no estimate. */
static PyObject *build_estimate(const tw_estimate *e)
{
    return e->particles ? tw_py_build(estimate_fields, e) : Py_NewRef(Py_None);
}

/* ---- annealed importance sampling ---- */

typedef struct ais_request {
    tw_ais_options ais;
    double until_se; /* 0: one run */
    size_t max_particles;
} ais_request;

static bool read_ais(const request *r, ais_request *a)
{
    static const tw_py_field fields[] = {
        {"particles", TW_PY_COUNT, offsetof(ais_request, ais.particles)},
        {"moves", TW_PY_COUNT, offsetof(ais_request, ais.moves)},
        {"eps", TW_PY_REAL, offsetof(ais_request, ais.eps)},
        {"steps", TW_PY_COUNT, offsetof(ais_request, ais.leapfrog_steps)},
        {"seed", TW_PY_SEED, offsetof(ais_request, ais.seed)},
        {"first_chain", TW_PY_SEED, offsetof(ais_request, ais.first_chain)},
        {"reverse", TW_PY_FLAG, offsetof(ais_request, ais.reverse)},
        {"burn_in", TW_PY_COUNT, offsetof(ais_request, ais.burn_in)},
        {"until_se", TW_PY_REAL, offsetof(ais_request, until_se)},
        {"max_particles", TW_PY_COUNT, offsetof(ais_request, max_particles)},
        {NULL, TW_PY_REAL, 0},
    };
    *a = (ais_request){.ais = TW_AIS_DEFAULTS};
    a->ais.kernel = r->kernel;
    a->ais.beta = r->beta.data;
    a->ais.steps = steps_of(r);
    return tw_py_read(r->options, fields, a);
}

static tw_status run_ais(request *r, const ais_request *a, tw_estimate *out, double *needed)
{
    const tw_model *model = r->problem->model;
    tw_status status = tw_py_start_make(r->problem, &r->start);
    if (status != TW_OK) return status;
    if (a->until_se > 0.0)
        return tw_ais_until(model, r->start.q, &a->ais, a->until_se, a->max_particles, on_progress, r, out,
                            needed);
    return tw_ais_run(model, r->start.q, &a->ais, on_progress, r, NULL, out);
}

PyObject *tw_py_ais(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    ais_request a;
    tw_estimate estimate = {0};
    double needed = 0.0;
    bool good = read_request(self, arguments, keywords, &r) && read_ais(&r, &a) &&
                tw_py_begin(&r.job, r.problem, r.progress);
    if (good) good = tw_py_end(&r.job, run_ais(&r, &a, &estimate, &needed));
    release(&r);
    return good ? Py_BuildValue("Nd", build_estimate(&estimate), needed) : NULL;
}

/* ---- parallel tempering ---- */

static bool read_tempering(const request *r, tw_pt_options *pt)
{
    static const tw_py_field fields[] = {
        {"copies", TW_PY_COUNT, offsetof(tw_pt_options, copies)},
        {"warmup", TW_PY_COUNT, offsetof(tw_pt_options, warmup)},
        {"rounds", TW_PY_COUNT, offsetof(tw_pt_options, rounds)},
        {"least_steps", TW_PY_COUNT, offsetof(tw_pt_options, least_steps)},
        {"moves", TW_PY_COUNT, offsetof(tw_pt_options, moves)},
        {"eps", TW_PY_REAL, offsetof(tw_pt_options, eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_pt_options, leapfrog_steps)},
        {"seed", TW_PY_SEED, offsetof(tw_pt_options, seed)},
        {"first_chain", TW_PY_SEED, offsetof(tw_pt_options, first_chain)},
        {NULL, TW_PY_REAL, 0},
    };
    *pt = TW_PT_DEFAULTS;
    pt->kernel = r->kernel;
    if (r->beta.data) {
        pt->beta = r->beta.data;
        pt->steps = steps_of(r);
    }
    return tw_py_read(r->options, fields, pt);
}

static PyObject *build_report(const tw_pt_report *report)
{
    static const tw_py_field fields[] = {
        {"temperatures", TW_PY_COUNT, offsetof(tw_pt_report, steps)},
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
    return tw_py_build(fields, report);
}

PyObject *tw_py_tempering(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    tw_pt_options pt;
    tw_estimate estimates[2] = {{0}};
    tw_pt_report report = {0};
    bool good = read_request(self, arguments, keywords, &r) && read_tempering(&r, &pt) &&
                tw_py_begin(&r.job, r.problem, r.progress);
    if (good) {
        tw_status status = tw_py_start_make(r.problem, &r.start);
        if (status == TW_OK)
            status = tw_pt_run(r.problem->model, r.start.q, &pt, on_progress, &r, estimates, &report);
        good = tw_py_end(&r.job, status);
    }
    release(&r);
    if (!good) return NULL;
    return Py_BuildValue("NNN", build_estimate(&estimates[0]), build_estimate(&estimates[1]),
                         build_report(&report));
}

/* ---- resample-move, and the temperatures that its pilot finds ---- */

static bool read_resample_move(const request *r, tw_rm_options *rm)
{
    static const tw_py_field fields[] = {
        {"particles", TW_PY_COUNT, offsetof(tw_rm_options, particles)},
        {"islands", TW_PY_COUNT, offsetof(tw_rm_options, islands)},
        {"fraction", TW_PY_REAL, offsetof(tw_rm_options, fraction)},
        {"max_steps", TW_PY_COUNT, offsetof(tw_rm_options, max_steps)},
        {"eps", TW_PY_REAL, offsetof(tw_rm_options, eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_rm_options, leapfrog_steps)},
        {"seed", TW_PY_SEED, offsetof(tw_rm_options, seed)},
        {"first_chain", TW_PY_SEED, offsetof(tw_rm_options, first_chain)},
        {NULL, TW_PY_REAL, 0},
    };
    *rm = TW_RM_DEFAULTS;
    rm->kernel = r->kernel;
    rm->beta = r->beta.data;
    rm->steps = steps_of(r);
    return tw_py_read(r->options, fields, rm);
}

PyObject *tw_py_resample_move(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    tw_rm_options rm;
    tw_estimate estimate = {0};
    bool good = read_request(self, arguments, keywords, &r) && read_resample_move(&r, &rm) &&
                tw_py_begin(&r.job, r.problem, r.progress);
    if (good) {
        tw_status status = tw_py_start_make(r.problem, &r.start);
        if (status == TW_OK) status = tw_rm_run(r.problem->model, r.start.q, &rm, on_progress, &r, &estimate);
        good = tw_py_end(&r.job, status);
    }
    release(&r);
    return good ? build_estimate(&estimate) : NULL;
}

/* The temperatures go to the front of a bytearray of max_steps + 1 doubles; returns it and their number. */
PyObject *tw_py_adapt(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    tw_rm_options rm;
    size_t steps = 0;
    PyObject *beta = NULL;
    bool good =
        read_request(self, arguments, keywords, &r) && read_resample_move(&r, &rm) &&
        (beta = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)((rm.max_steps + 1) * sizeof(double)))) !=
            NULL &&
        tw_py_begin(&r.job, r.problem, r.progress);
    if (good) {
        double *to = (double *)(void *)PyByteArray_AsString(beta);
        tw_status status = tw_py_start_make(r.problem, &r.start);
        if (status == TW_OK) status = tw_schedule_adapt(r.problem->model, r.start.q, &rm, &steps, to);
        good = tw_py_end(&r.job, status);
    }
    release(&r);
    if (good) return Py_BuildValue("Nn", beta, (Py_ssize_t)steps + 1);
    Py_XDECREF(beta);
    return NULL;
}

/* ---- functions of the module ---- */

PyObject *tw_py_schedule(PyObject *module, PyObject *arguments)
{
    static const tw_py_field fields[] = {{"kind", TW_PY_SCHEDULE, 0}, {NULL, TW_PY_REAL, 0}};
    PyObject *options = NULL, *to = NULL;
    tw_schedule_kind kind = TW_SCHEDULE_LINEAR;
    Py_ssize_t steps = 0;
    double beta_min = 0.0;
    Py_buffer buffer;
    tw_context *ctx = NULL;
    if (!PyArg_ParseTuple(arguments, "O!ndO", &PyDict_Type, &options, &steps, &beta_min, &to) ||
        !tw_py_read(options, fields, &kind))
        return NULL;
    double *beta = tw_py_output_get(to, "beta", (size_t)steps + 1, &buffer);
    if (!beta) return NULL;
    tw_py_state *state = PyModule_GetState(module);
    tw_py_blas_borrow(state); /* a context sets BLAS to one thread */
    tw_status status = tw_context_new(NULL, &ctx);
    if (status == TW_OK) status = tw_schedule_fill(ctx, kind, (size_t)steps, beta_min, beta);
    tw_py_blas_return(state);
    PyBuffer_Release(&buffer);
    if (status != TW_OK) tw_py_raise(state, status, ctx ? tw_context_message(ctx) : tw_status_text(status));
    tw_context_free(ctx);
    return status == TW_OK ? Py_NewRef(Py_None) : NULL;
}

enum { MOST_ESTIMATES = 16 };

static bool read_estimates(PyObject *list, tw_estimate *estimates, size_t *count)
{
    *count = (size_t)PyList_Size(list);
    if (*count > MOST_ESTIMATES) *count = MOST_ESTIMATES;
    for (size_t k = 0; k < *count; k++) {
        PyObject *row = PyList_GetItem(list, (Py_ssize_t)k);
        estimates[k] = (tw_estimate){0};
        if (!row || !PyDict_Check(row) || !tw_py_read(row, estimate_fields, &estimates[k])) return false;
    }
    return true;
}

/* Do estimates agree, and in words; and how far are log Z's of approximations from the best of them? */
PyObject *tw_py_agree(PyObject *module, PyObject *arguments)
{
    PyObject *list = NULL;
    tw_estimate estimates[MOST_ESTIMATES];
    size_t count = 0;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!", &PyList_Type, &list) || !read_estimates(list, estimates, &count))
        return NULL;
    tw_agreement a = tw_evidence_agree(count, estimates);
    const tw_estimate *best = tw_evidence_best(count, estimates);
    return Py_BuildValue("Osnd", a.known ? (a.agree ? Py_True : Py_False) : Py_None, a.words,
                         best ? (Py_ssize_t)(best - estimates) : (Py_ssize_t)-1, a.worst);
}

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

/* "": nothing is to be doubted. */
PyObject *tw_py_doubt(PyObject *module, PyObject *arguments)
{
    PyObject *row = NULL;
    tw_estimate estimate = {0};
    char words[TW_WORDS_BYTES];
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!", &PyDict_Type, &row) ||
        !tw_py_read(row, estimate_fields, &estimate))
        return NULL;
    (void)tw_evidence_doubt(&estimate, words);
    return PyUnicode_FromString(words);
}
