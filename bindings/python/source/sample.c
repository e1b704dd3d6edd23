/* sample.c: the method sample of Problem: draws with the library's plan and run. */
#include "binding.h"
#include "draws.h"

/* ---- reading the arguments ---- */

typedef struct request {
    tw_py_problem *problem;
    PyObject *progress;
    tw_sampling_options options;
    tw_py_start start; /* q, if it is given and not named */
    bool is_given;
    tw_py_input init; /* initial positions; no data: chosen by the options */
    tw_py_job job;
    /* Results: */
    tw_sampling_plan *plan;
    tw_sampling_result result;
} request;

static bool read_options(PyObject *from, request *r)
{
    static const tw_py_field fields[] = {
        {"method", TW_PY_TEXT, offsetof(tw_sampling_options, method)},
        {"metric", TW_PY_TEXT, offsetof(tw_sampling_options, metric)},
        {"init", TW_PY_TEXT, offsetof(tw_sampling_options, init)},
        {"from", TW_PY_TEXT, offsetof(tw_sampling_options, from)},
        {"beta", TW_PY_REAL, offsetof(tw_sampling_options, beta)},
        {"chains", TW_PY_COUNT, offsetof(tw_sampling_options, chains)},
        {"warmup", TW_PY_COUNT, offsetof(tw_sampling_options, warmup)},
        {"draws", TW_PY_COUNT, offsetof(tw_sampling_options, draws)},
        {"until_ess", TW_PY_REAL, offsetof(tw_sampling_options, until_ess)},
        {"max_draws", TW_PY_COUNT, offsetof(tw_sampling_options, max_draws)},
        {"max_seconds", TW_PY_REAL, offsetof(tw_sampling_options, max_seconds)},
        {"thin", TW_PY_COUNT, offsetof(tw_sampling_options, thin)},
        {"eps", TW_PY_REAL, offsetof(tw_sampling_options, eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_sampling_options, steps)},
        {"target_accept", TW_PY_REAL, offsetof(tw_sampling_options, target_accept)},
        {"solver_tol", TW_PY_REAL, offsetof(tw_sampling_options, solver_tolerance)},
        {"fixed_point", TW_PY_COUNT, offsetof(tw_sampling_options, fixed_point)},
        {"reverse_check", TW_PY_REAL, offsetof(tw_sampling_options, reverse_check)},
        {"seed", TW_PY_SEED, offsetof(tw_sampling_options, seed)},
        {"threads", TW_PY_COUNT, offsetof(tw_sampling_options, threads)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_read(from, fields, &r->options);
}

static bool read_init(PyObject *from, request *r)
{
    if (!tw_py_input_get(from, "init", &r->init)) return false;
    r->options.positions = r->init.data;
    r->options.position_rows = r->init.rows;
    r->options.position_columns = r->init.columns;
    if (!r->init.data || r->init.ld == r->init.rows) return true;
    PyErr_SetString(PyExc_TypeError, "init: a contiguous column-major array is needed");
    return false;
}

/* `ep` is None if there is no fit yet; `start` and `init` are None if the options name them. */
static bool read_request(PyObject *self, PyObject *arguments, PyObject *keywords, request *r)
{
    static char *names[] = {"ep", "start", "init", "options", "progress", NULL};
    PyObject *ep = NULL, *start = NULL, *init = NULL, *options = NULL;
    *r = (request){.problem = (tw_py_problem *)self, .options = TW_SAMPLING_DEFAULTS};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OOOO!O", names, &ep, &start, &init, &PyDict_Type,
                                     &options, &r->progress) ||
        !read_options(options, r) || !tw_py_approximation_read(r->problem, ep, &r->options.ep) ||
        !tw_py_start_read(r->problem, start, &r->start) || !read_init(init, r))
        return false;
    r->is_given = start != Py_None;
    return true;
}

static void release(request *r)
{
    tw_sampling_result_release(&r->result);
    tw_sampling_plan_free(r->plan);
    tw_py_start_release(&r->start);
    tw_py_input_release(&r->init);
}

/* ---- the run, without Python ---- */

static bool on_progress(void *user, const tw_progress *p)
{
    request *r = user;
    return tw_py_progress(&r->job, p);
}

static tw_status compute(request *r)
{
    const tw_sampling_watch watch = {.user = r, .progress = on_progress};
    tw_status status = r->is_given ? tw_py_start_make(r->problem, &r->start) : TW_OK;
    r->options.reference = r->start.q;
    if (status == TW_OK) status = tw_sampling_plan_new(r->problem->model, &r->options, &watch, &r->plan);
    return status == TW_OK ? tw_sampling_run(r->plan, &watch, &r->result) : status;
}

/* ---- building the result ---- */

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
        {"iterations", TW_PY_COUNT, offsetof(tw_candidate, iterations)},
        {"flops_spent", TW_PY_REAL, offsetof(tw_candidate, flops_spent)},
        {"flops_to_goal", TW_PY_REAL, offsetof(tw_candidate, flops_to_goal)},
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

/* EP's fit, if the plan made one, to reuse in the next computation; otherwise None. */
static PyObject *take_fit(request *r)
{
    tw_approximation *fit = r->plan->own;
    if (!fit || fit->kind != TW_EP) return Py_NewRef(Py_None);
    r->plan->own = NULL;
    return tw_py_approximation_wrap(r->problem, fit);
}

static PyObject *take_draws(request *r)
{
    tw_draws *draws = r->result.draws;
    r->result.draws = NULL;
    return tw_py_draws_wrap(r->problem, draws, r->result.warmup_seconds, r->result.sampling_seconds);
}

static PyObject *build_result(request *r)
{
    const tw_sampler_options *sampler = &r->plan->sampler;
    return Py_BuildValue("{sN sN ss ss sn sN sN sN}", "draws", take_draws(r), "choice",
                         build_candidates(&r->plan->choice), "method", tw_method_name(sampler->method),
                         "metric", tw_metric_name(sampler->metric), "warmup", (Py_ssize_t)r->plan->run.warmup,
                         "summary", tw_py_summary(&r->result.summary), "warnings",
                         tw_py_warnings(&r->result.warnings), "ep", take_fit(r));
}

PyObject *tw_py_sample(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    PyObject *result = NULL;
    if (read_request(self, arguments, keywords, &r) && tw_py_begin(&r.job, r.problem, r.progress) &&
        tw_py_end(&r.job, compute(&r)))
        result = build_result(&r);
    release(&r);
    return result;
}
