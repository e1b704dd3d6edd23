/* theta.c: unknown parameters: the method hyper of Problem, and the parameters of Draws. */
#include "theta.h"

#include <stdlib.h>
#include <string.h>

#include "draws.h"

/* ---- copying ---- */

typedef struct block {
    tw_py_theta head;
    tw_hyper_row row[TW_HYPER_MOST];
    size_t index[TW_HYPER_MOST];
    char words[TW_HYPER_MOST][200];
    const char *prior[TW_HYPER_MOST];
} block;

static void copy_rows(const tw_run_theta *from, block *b)
{
    for (size_t k = 0; k < from->unknown; k++) {
        b->row[k] = from->row[k];
        b->index[k] = from->index[k];
        strncpy(b->words[k], from->prior[k], sizeof b->words[k] - 1);
        b->prior[k] = b->words[k];
    }
}

tw_py_theta *tw_py_theta_copy(const tw_run_theta *from, const tw_estimate *estimate, double seconds)
{
    size_t numbers = (from->unknown + 2) * from->points;
    block *b = calloc(1, sizeof *b + numbers * sizeof(double) + from->draws * sizeof(size_t));
    if (!b) return NULL;
    double *theta = (double *)(void *)(b + 1), *log_weight = theta + from->unknown * from->points;
    double *log_z = log_weight + from->points;
    size_t *point = (size_t *)(void *)(log_z + from->points);
    copy_rows(from, b);
    memcpy(theta, from->theta, from->unknown * from->points * sizeof *theta);
    memcpy(log_weight, from->log_weight, from->points * sizeof *log_weight);
    memcpy(log_z, from->log_z, from->points * sizeof *log_z);
    memcpy(point, from->point, from->draws * sizeof *point);
    b->head = (tw_py_theta){.all = *from, .estimate = *estimate, .seconds = seconds};
    b->head.all.row = b->row;
    b->head.all.prior = b->prior;
    b->head.all.index = b->index;
    b->head.all.theta = theta;
    b->head.all.log_weight = log_weight;
    b->head.all.log_z = log_z;
    b->head.all.point = point;
    strncpy(b->head.method, estimate->method, sizeof b->head.method - 1);
    b->head.estimate.method = b->head.method;
    return &b->head;
}

/* ---- building Python objects ---- */

static bool append(PyObject *list, PyObject *item)
{
    bool good = item && PyList_Append(list, item) == 0;
    Py_XDECREF(item);
    return good;
}

static PyObject *build_rows(size_t unknown, const tw_hyper_row *row, const char *const *prior)
{
    PyObject *list = PyList_New(0);
    for (size_t k = 0; list && k < unknown; k++)
        if (!append(list, Py_BuildValue("ssddddddddd", row[k].name, prior[k], row[k].mean, row[k].sd,
                                        row[k].q05, row[k].q50, row[k].q95, row[k].mcse, row[k].ess_bulk,
                                        row[k].ess_tail, row[k].rhat)))
            Py_CLEAR(list);
    return list;
}

/* Parameter k of every draw. */
static PyObject *build_draws(const tw_problem *problem, const tw_run_theta *t, size_t k)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && i < t->draws; i++)
        if (!append(list, PyFloat_FromDouble(tw_run_theta_reported(problem, t, k, t->point[i]))))
            Py_CLEAR(list);
    return list;
}

PyObject *tw_py_theta_build(const tw_problem *problem, const tw_py_theta *theta)
{
    const tw_run_theta *t = &theta->all;
    PyObject *draws = PyDict_New();
    for (size_t k = 0; draws && k < t->unknown; k++) {
        PyObject *values = build_draws(problem, t, k);
        if (!values || PyDict_SetItemString(draws, t->row[k].name, values) != 0) Py_CLEAR(draws);
        Py_XDECREF(values);
    }
    if (!draws) return NULL;
    return Py_BuildValue("NN{sd sd sd sd sn}", build_rows(t->unknown, t->row, t->prior), draws, "log_z",
                         theta->estimate.log_z, "se", theta->estimate.se, "weight_ess", t->weight_ess,
                         "pareto_k", t->pareto_k, "points", (Py_ssize_t)t->points);
}

/* ---- the run ---- */

typedef struct request {
    tw_py_problem *problem;
    PyObject *progress, *prior, *fix; /* the last two are lists of str, borrowed */
    int wants_draws, wants_loo;
    const char *method; /* "is2", "chain", or "auto": chains for draws with many parameters */
    tw_hyper_options options;
    tw_py_job job;
    tw_priors *priors;
    tw_hyper_result *result;
    size_t *point;
    tw_draws *draws;
    double *loo; /* n scores and n Pareto k */
    tw_leave_one_out left_out;
} request;

static bool read_request(PyObject *self, PyObject *arguments, PyObject *keywords, request *r)
{
    static const tw_py_field fields[] = {
        {"method", TW_PY_TEXT, offsetof(request, method)},
        {"points", TW_PY_COUNT, offsetof(request, options.points)},
        {"particles", TW_PY_COUNT, offsetof(request, options.particles)},
        {"temperatures", TW_PY_COUNT, offsetof(request, options.temperatures)},
        {"joint", TW_PY_COUNT, offsetof(request, options.joint_particles)},
        {"seed", TW_PY_SEED, offsetof(request, options.seed)},
        {"threads", TW_PY_COUNT, offsetof(request, options.threads)},
        {NULL, TW_PY_REAL, 0},
    };
    static char *names[] = {"prior", "fix", "draws", "loo", "options", "progress", NULL};
    PyObject *options = NULL;
    *r = (request){.problem = (tw_py_problem *)self, .method = "is2", .options = TW_HYPER_DEFAULTS};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O!ppO!O", names, &PyList_Type, &r->prior,
                                     &PyList_Type, &r->fix, &r->wants_draws, &r->wants_loo, &PyDict_Type,
                                     &options, &r->progress))
        return false;
    return tw_py_read(options, fields, r);
}

static bool on_progress(void *user, const tw_progress *p)
{
    request *r = user;
    return tw_py_progress(&r->job, p);
}

static void choose_method(request *r)
{
    enum { MOST_FOR_POINTS = 12 };
    size_t unknown = 0;
    for (size_t k = 0; k < r->priors->count; k++) unknown += r->priors->has[k] && !r->priors->fixed[k];
    bool many = strcmp(r->method, "auto") == 0 && unknown > MOST_FOR_POINTS;
    r->options.method = many || strcmp(r->method, "chain") == 0 ? TW_HYPER_CHAIN : TW_HYPER_IS2;
}

static tw_status leave_one_out(request *r)
{
    r->loo = calloc(2 * r->result->n, sizeof *r->loo);
    if (!r->loo)
        return tw_fail(r->problem->ctx, TW_NO_MEMORY, "not enough memory for leave-one-out predictions");
    double *score = r->loo, *k = r->loo + r->result->n;
    TW_TRY(tw_hyper_leave_one_out(r->problem->whole, r->result, score, k));
    r->left_out = tw_hyper_sum_left_out(r->result, score, k);
    return TW_OK;
}

/* Fail if the weights collapsed. */
static tw_status judge(const request *r)
{
    return r->result->verdict == TW_OK
               ? TW_OK
               : tw_fail(r->problem->ctx, r->result->verdict,
                         "the weights of the parameters collapsed: %.1f of %zu points are effective, so the "
                         "evidence and the posterior cannot be estimated",
                         r->result->estimate.weight_ess, r->result->points);
}

static tw_status compute(request *r)
{
    r->options.user = r;
    r->options.on_progress = on_progress;
    choose_method(r);
    tw_status status = r->wants_loo ? tw_priors_complete(r->priors, r->problem->whole) : TW_OK;
    if (status == TW_OK) status = tw_hyper_run(r->problem->whole, r->priors, &r->options, &r->result);
    tw_py_problem_fill(r->problem, r->problem->whole); /* the run moved it to the mode */
    if (status == TW_OK) status = judge(r);
    if (status == TW_OK && r->wants_loo) status = leave_one_out(r);
    if (status != TW_OK || !r->wants_draws) return status;
    r->point = calloc(r->result->points, sizeof *r->point);
    if (!r->point) return tw_fail(r->problem->ctx, TW_NO_MEMORY, "not enough memory for the draws");
    return tw_hyper_draws(r->problem->whole, r->priors, r->result, r->options.seed, r->point, &r->draws);
}

/* ---- building the result ---- */

static PyObject *build_loo(const request *r)
{
    PyObject *scores = PyList_New(0), *shapes = PyList_New(0);
    bool good = scores && shapes;
    for (size_t i = 0; good && r->loo && i < r->result->n; i++)
        good = append(scores, PyFloat_FromDouble(r->loo[i])) &&
               append(shapes, PyFloat_FromDouble(r->loo[r->result->n + i]));
    if (good) return Py_BuildValue("NNdd", scores, shapes, r->left_out.sum, r->left_out.se);
    Py_XDECREF(scores);
    Py_XDECREF(shapes);
    return NULL;
}

static PyObject *build_estimates(const request *r)
{
    const tw_hyper_result *result = r->result;
    PyObject *list = PyList_New(0);
    if (list && !append(list, tw_py_estimate(&result->estimate, result->seconds))) Py_CLEAR(list);
    if (list && result->joint.particles > 0 &&
        !append(list, tw_py_estimate(&result->joint, result->joint_seconds)))
        Py_CLEAR(list);
    return list;
}

static PyObject *build_draws_object(request *r, const tw_run_theta *theta)
{
    if (!r->draws) return Py_NewRef(Py_None);
    tw_py_theta *own = tw_py_theta_copy(theta, &r->result->estimate, r->result->seconds);
    tw_draws *draws = r->draws;
    if (!own) return PyErr_NoMemory();
    r->draws = NULL;
    PyObject *made = tw_py_draws_wrap(
        r->problem, draws, r->result->mode_seconds + r->result->proposal_seconds, r->result->seconds);
    if (made)
        ((tw_py_draws *)made)->theta = own;
    else
        free(own);
    return made;
}

static PyObject *build(request *r)
{
    const tw_hyper_result *result = r->result;
    const tw_estimate estimates[2] = {result->estimate, result->joint};
    tw_agreement a = tw_evidence_agree(result->joint.particles > 0 ? 2 : 1, estimates);
    tw_run_theta_room theta;
    char words[TW_WORDS_BYTES];
    tw_run_theta_of(r->problem->whole, r->priors, result, r->point, &theta);
    tw_agreement_print(&a, estimates, words);
    return Py_BuildValue("{sN sN sN sN sN sO ss}", "draws", build_draws_object(r, &theta.all), "rows",
                         build_rows(result->unknown, result->row, theta.prior), "estimates",
                         build_estimates(r), "loo", build_loo(r), "warnings",
                         tw_py_warnings(&result->warnings), "agree",
                         a.known ? (a.agree ? Py_True : Py_False) : Py_None, "verdict", words);
}

/* hyper(prior, fix, wants_draws, wants_loo, options, progress). The problem's parameters are set to the mode,
 * so nothing may have been computed from it before. */
PyObject *tw_py_hyper(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    request r;
    PyObject *result = NULL;
    if (!read_request(self, arguments, keywords, &r)) return NULL;
    bool good = tw_py_priors_read(r.problem, r.prior, r.fix, false, &r.priors);
    if (good && tw_py_begin(&r.job, r.problem, r.progress) && tw_py_end(&r.job, compute(&r)))
        result = build(&r);
    tw_draws_free(r.draws);
    tw_hyper_free(r.result);
    tw_priors_free(r.priors);
    free(r.point);
    free(r.loo);
    return result;
}
