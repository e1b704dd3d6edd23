/* sample.c: choosing a sampler and running chains: the methods choose and sample of Problem. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "draws.h"

static const tw_py_field sampler_fields[] = {
    {"method", TW_PY_METHOD, offsetof(tw_sampler_options, method)},
    {"metric", TW_PY_METRIC, offsetof(tw_sampler_options, metric)},
    {"solver_tol", TW_PY_REAL, offsetof(tw_sampler_options, solver_tolerance)},
    {"fixed_point", TW_PY_COUNT, offsetof(tw_sampler_options, fixed_point)},
    {"reverse_check", TW_PY_REAL, offsetof(tw_sampler_options, reverse_check)},
    {"threads", TW_PY_COUNT, offsetof(tw_sampler_options, threads)},
    {NULL, TW_PY_REAL, 0},
};

/* ---- pilot runs ---- */

static PyObject *build_candidates(const tw_choice *choice)
{
    static const tw_py_field fields[] = {
        {"method", TW_PY_METHOD, offsetof(tw_candidate, method)},
        {"metric", TW_PY_METRIC, offsetof(tw_candidate, metric)},
        {"tried", TW_PY_FLAG, offsetof(tw_candidate, tried)},
        {"reason", TW_PY_TEXT, offsetof(tw_candidate, reason)},
        {"eps", TW_PY_REAL, offsetof(tw_candidate, eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_candidate, steps)},
        {"acceptance", TW_PY_REAL, offsetof(tw_candidate, acceptance)},
        {"ess_per_draw", TW_PY_REAL, offsetof(tw_candidate, ess_per_draw)},
        {"flops_per_draw", TW_PY_REAL, offsetof(tw_candidate, flops_per_draw)},
        {"efficiency", TW_PY_REAL, offsetof(tw_candidate, efficiency)},
        {NULL, TW_PY_REAL, 0},
    };
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < choice->count; k++) {
        PyObject *candidate = tw_py_build(fields, &choice->candidates[k]);
        if (!candidate || PyList_Append(list, candidate) != 0) Py_CLEAR(list);
        Py_XDECREF(candidate);
    }
    return list;
}

typedef struct choose_request {
    PyObject *approximation, *start, *sampler, *options, *progress;
    double beta;
    tw_auto_options pilots;
    tw_py_job job;
} choose_request;

static void on_pilot(void *user, const tw_candidate *candidate, size_t done, size_t total)
{
    char stage[64];
    snprintf(stage, sizeof stage, "pilot run of %s with %s", tw_method_name(candidate->method),
             tw_metric_name(candidate->metric));
    tw_py_progress(user, stage, done, total, NAN);
}

static bool read_choose(PyObject *arguments, PyObject *keywords, choose_request *r)
{
    static char *names[] = {"approximation", "start", "sampler", "options", "progress", NULL};
    static const tw_py_field fields[] = {
        {"beta", TW_PY_REAL, offsetof(choose_request, beta)},
        {"chains", TW_PY_COUNT, offsetof(choose_request, pilots.chains)},
        {"target_accept", TW_PY_REAL, offsetof(choose_request, pilots.target_accept)},
        {"seed", TW_PY_SEED, offsetof(choose_request, pilots.seed)},
        {NULL, TW_PY_REAL, 0},
    };
    r->pilots = TW_AUTO_DEFAULTS;
    r->pilots.on_progress = on_pilot;
    r->pilots.user = &r->job;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "OOO!O!O", names, &r->approximation, &r->start,
                                       &PyDict_Type, &r->sampler, &PyDict_Type, &r->options, &r->progress) &&
           tw_py_read(r->sampler, sampler_fields, &r->pilots.sampler) && tw_py_read(r->options, fields, r);
}

PyObject *tw_py_choose(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    tw_py_problem *problem = (tw_py_problem *)self;
    choose_request r = {0};
    tw_posterior posterior = {.model = problem->model};
    tw_py_start start = {0};
    tw_choice choice = {0};
    bool good = read_choose(arguments, keywords, &r) && tw_py_start_read(problem, r.start, &start) &&
                tw_py_approximation_read(problem, r.approximation, &posterior.approximation) &&
                tw_py_begin(&r.job, problem, r.progress);
    if (good) {
        posterior.beta = r.beta;
        tw_status status = tw_py_start_make(problem, &start);
        posterior.from = start.q;
        if (status == TW_OK) status = tw_auto_choose(&posterior, &r.pilots, &choice);
        good = tw_py_end(&r.job, status);
    }
    tw_py_start_release(&start);
    return good ? Py_BuildValue("nN", (Py_ssize_t)choice.best, build_candidates(&choice)) : NULL;
}

/* ---- chains ---- */

typedef struct sample_request {
    tw_posterior posterior;
    tw_sampler_options sampler;
    tw_chains_options run;
    size_t chains;
    double beta;
    tw_py_start start;
    tw_py_input init; /* positions to start at */
    bool init_prior;  /* or draws from the prior; else over-dispersed ones from the approximation */
    tw_py_job job;
    double *log_likelihood;    /* chains x draws */
    double begun, warm, ended; /* moments */
} sample_request;

static tw_status keep_log_likelihood(void *user, const tw_draw *draw)
{
    sample_request *r = user;
    memcpy(r->log_likelihood + draw->index * draw->chains, draw->log_likelihood,
           draw->chains * sizeof *r->log_likelihood);
    return TW_OK;
}

static void on_progress(void *user, const tw_progress *p)
{
    sample_request *r = user;
    if (p->stage == TW_STAGE_WARMUP) r->warm = tw_py_seconds();
    tw_py_progress(&r->job, p->stage == TW_STAGE_WARMUP ? "warm-up" : "sampling", p->iteration, p->total,
                   p->acceptance);
}

static bool interrupted(void *user)
{
    return tw_py_interrupted(&((sample_request *)user)->job);
}

static tw_status start_chains(tw_py_problem *problem, sample_request *r, tw_sampler *sampler)
{
    const double over_dispersed = 1.5;
    tw_reference *prior = NULL;
    if (r->init.data) return tw_sampler_start_at(sampler, r->init.rows, r->init.columns, r->init.data);
    if (!r->init_prior)
        return tw_sampler_start(sampler, r->posterior.approximation->reference, over_dispersed, r->run.seed);
    tw_status status = tw_reference_prior(problem->model, &prior);
    if (status == TW_OK) status = tw_sampler_start(sampler, prior, 1.0, r->run.seed);
    tw_reference_free(prior);
    return status;
}

/* Everything that is done without Python. */
static tw_status compute(tw_py_problem *problem, sample_request *r, tw_draws **out)
{
    tw_sampling *sampling = NULL;
    tw_status status = tw_py_start_make(problem, &r->start);
    r->posterior.model = problem->model;
    r->posterior.from = r->start.q;
    r->posterior.beta = r->beta;
    r->run.user = r;
    r->run.on_draw = keep_log_likelihood;
    r->run.on_progress = on_progress;
    r->run.interrupted = interrupted;
    if (status == TW_OK) status = tw_sampling_new(&r->posterior, &r->sampler, r->chains, &sampling);
    if (status == TW_OK) status = start_chains(problem, r, sampling->sampler);
    r->begun = r->warm = tw_py_seconds();
    if (status == TW_OK) status = tw_chains_run(sampling->sampler, &r->run, out);
    r->ended = tw_py_seconds();
    tw_sampling_free(sampling);
    return status;
}

static bool read_init(PyObject *init, sample_request *r)
{
    if (PyUnicode_Check(init)) {
        r->init_prior = PyUnicode_CompareWithASCIIString(init, "prior") == 0;
        if (r->init_prior || r->posterior.approximation) return true;
        PyErr_SetString(PyExc_ValueError, "chains that start from an approximation need one");
        return false;
    }
    if (!tw_py_input_get(init, "init", &r->init)) return false;
    if (r->init.data && r->init.ld == r->init.rows) return true;
    PyErr_SetString(PyExc_TypeError, "init: a contiguous column-major array is needed");
    return false;
}

static bool read_sample(tw_py_problem *problem, PyObject *arguments, PyObject *keywords, sample_request *r,
                        PyObject **progress)
{
    static char *names[] = {"approximation", "start", "init", "sampler", "options", "progress", NULL};
    static const tw_py_field fields[] = {
        {"chains", TW_PY_COUNT, offsetof(sample_request, chains)},
        {"beta", TW_PY_REAL, offsetof(sample_request, beta)},
        {"warmup", TW_PY_COUNT, offsetof(sample_request, run.warmup)},
        {"draws", TW_PY_COUNT, offsetof(sample_request, run.draws)},
        {"thin", TW_PY_COUNT, offsetof(sample_request, run.thin)},
        {"eps", TW_PY_REAL, offsetof(sample_request, run.eps)},
        {"steps", TW_PY_COUNT, offsetof(sample_request, run.steps)},
        {"target_accept", TW_PY_REAL, offsetof(sample_request, run.target_accept)},
        {"seed", TW_PY_SEED, offsetof(sample_request, run.seed)},
        {NULL, TW_PY_REAL, 0},
    };
    PyObject *approximation = NULL, *start = NULL, *init = NULL, *sampler = NULL, *options = NULL;
    r->sampler = TW_SAMPLER_DEFAULTS;
    r->run = TW_CHAINS_DEFAULTS;
    return PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOO!O!O", names, &approximation, &start, &init,
                                       &PyDict_Type, &sampler, &PyDict_Type, &options, progress) &&
           tw_py_read(sampler, sampler_fields, &r->sampler) && tw_py_read(options, fields, r) &&
           tw_py_approximation_read(problem, approximation, &r->posterior.approximation) &&
           tw_py_start_read(problem, start, &r->start) && read_init(init, r);
}

/* Room for a number a draw; the library allocates the rest. */
static bool allocate_log_likelihood(const tw_py_state *state, sample_request *r)
{
    double bytes = 8.0 * (double)r->run.draws * (double)r->chains;
    char text[128];
    if (bytes < (double)PY_SSIZE_T_MAX)
        r->log_likelihood = calloc(r->run.draws * r->chains + 1, sizeof *r->log_likelihood);
    snprintf(text, sizeof text, "the log likelihoods of the draws would need %.1f GB of memory",
             1e-9 * bytes);
    if (!r->log_likelihood) tw_py_raise(state, TW_NO_MEMORY, text);
    return r->log_likelihood != NULL;
}

PyObject *tw_py_sample(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    tw_py_problem *problem = (tw_py_problem *)self;
    sample_request r = {0};
    tw_draws *draws = NULL;
    PyObject *progress = NULL, *result = NULL;
    bool good = read_sample(problem, arguments, keywords, &r, &progress) &&
                allocate_log_likelihood(tw_py_state_of(self), &r) && tw_py_begin(&r.job, problem, progress);
    if (good) {
        tw_status status = compute(problem, &r, &draws);
        good = tw_py_end(&r.job, status);
    }
    if (good)
        result = tw_py_draws_wrap(problem, draws, r.log_likelihood);
    else {
        tw_draws_free(draws);
        free(r.log_likelihood);
    }
    if (result) {
        ((tw_py_draws *)result)->warmup_seconds = r.warm - r.begun;
        ((tw_py_draws *)result)->sampling_seconds = r.ended - r.warm;
    }
    tw_py_start_release(&r.start);
    tw_py_input_release(&r.init);
    return result;
}
