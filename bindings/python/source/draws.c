/* draws.c: the type Draws: chains of x and statistics of the sampler, as views of the library's memory. */
#include "draws.h"

#include <math.h>
#include <stdlib.h>

PyObject *tw_py_draws_wrap(tw_py_problem *problem, tw_draws *draws, double warmup_seconds,
                           double sampling_seconds)
{
    const tw_py_state *state = tw_py_state_of((PyObject *)problem);
    tw_py_draws *self = PyObject_New(tw_py_draws, (PyTypeObject *)state->draws);
    if (!self) {
        tw_draws_free(draws);
        return NULL;
    }
    self->problem = (tw_py_problem *)Py_NewRef((PyObject *)problem);
    self->draws = draws;
    self->warmup_seconds = warmup_seconds;
    self->sampling_seconds = sampling_seconds;
    self->theta = NULL;
    return (PyObject *)self;
}

static void dealloc(PyObject *object)
{
    tw_py_draws *self = (tw_py_draws *)object;
    PyTypeObject *type = Py_TYPE(object);
    tw_draws_free(self->draws);
    free(self->theta);
    Py_DECREF((PyObject *)self->problem);
    PyObject_Free(object);
    Py_DECREF(type);
}

/* ---- arrays ---- */

/* x as an array (chain, draw, case); in memory it is x[i + n (c + chains d)]. */
static PyObject *positions(PyObject *object, PyObject *unused)
{
    const tw_draws *d = ((tw_py_draws *)object)->draws;
    Py_ssize_t item = sizeof(double), n = (Py_ssize_t)d->n, chains = (Py_ssize_t)d->chains;
    tw_py_view view = {.data = d->x,
                       .format = "d",
                       .item_bytes = item,
                       .dimensions = 3,
                       .shape = {chains, (Py_ssize_t)d->draws, n},
                       .strides = {item * n, item * n * chains, item}};
    (void)unused;
    return tw_py_array(tw_py_state_of(object), object, &view);
}

/* A member of every record as an array (chain, draw); record c + chains d in memory. */
static PyObject *per_draw(PyObject *object, const void *data, const tw_py_view *kind, Py_ssize_t step)
{
    const tw_draws *d = ((tw_py_draws *)object)->draws;
    tw_py_view view = *kind;
    view.data = data;
    view.dimensions = 2;
    view.shape[0] = (Py_ssize_t)d->chains;
    view.shape[1] = (Py_ssize_t)d->draws;
    view.strides[0] = step;
    view.strides[1] = step * view.shape[0];
    return tw_py_array(tw_py_state_of(object), object, &view);
}

static const tw_py_view real = {.format = "d", .item_bytes = sizeof(double)};
static const tw_py_view count = {.format = sizeof(size_t) == 8 ? "Q" : "I", .item_bytes = sizeof(size_t)};
static const tw_py_view flag = {.format = "?", .item_bytes = sizeof(bool)};

typedef struct statistic {
    const char *name;
    const tw_py_view *kind;
    size_t offset;
} statistic;

static const statistic statistics[] = {
    {"lp", &real, offsetof(tw_record, log_density)},
    {"acceptance_rate", &real, offsetof(tw_record, acceptance_rate)},
    {"n_steps", &count, offsetof(tw_record, steps)},
    {"energy_divergence", &flag, offsetof(tw_record, energy_divergence)},
    {"energy", &real, offsetof(tw_record, energy)},
    {"energy_error", &real, offsetof(tw_record, energy_error)},
    {"accepted", &flag, offsetof(tw_record, accepted)},
    {"implicit_failure", &flag, offsetof(tw_record, implicit_failure)},
    {"irreversible", &flag, offsetof(tw_record, irreversible)},
    {"factorisation", &flag, offsetof(tw_record, factorisation)},
};

static bool add(PyObject *dictionary, const char *name, PyObject *value)
{
    bool good = value && PyDict_SetItemString(dictionary, name, value) == 0;
    Py_XDECREF(value);
    return good;
}

static PyObject *all_statistics(PyObject *object, PyObject *unused)
{
    const tw_py_draws *self = (tw_py_draws *)object;
    const char *records = (const char *)self->draws->records;
    PyObject *dictionary = PyDict_New();
    bool good = dictionary != NULL;
    (void)unused;
    for (size_t k = 0; good && k < sizeof statistics / sizeof *statistics; k++)
        good = add(dictionary, statistics[k].name,
                   per_draw(object, records + statistics[k].offset, statistics[k].kind, sizeof(tw_record)));
    if (good)
        good = add(dictionary, "log_likelihood",
                   per_draw(object, self->draws->log_likelihood, &real, sizeof(double)));
    if (!good) Py_CLEAR(dictionary);
    return dictionary;
}

/* ---- facts ---- */

static const tw_py_field total_fields[] = {
    {"transitions", TW_PY_COUNT, offsetof(tw_totals, transitions)},
    {"leapfrog_steps", TW_PY_COUNT, offsetof(tw_totals, leapfrog_steps)},
    {"acceptance", TW_PY_REAL, offsetof(tw_totals, acceptance)},
    {"energy_divergence", TW_PY_COUNT, offsetof(tw_totals, energy_divergence)},
    {"implicit_failure", TW_PY_COUNT, offsetof(tw_totals, implicit_failure)},
    {"irreversible", TW_PY_COUNT, offsetof(tw_totals, irreversible)},
    {"factorisation", TW_PY_COUNT, offsetof(tw_totals, factorisation)},
    {NULL, TW_PY_REAL, 0},
};

static PyObject *describe(PyObject *object, PyObject *unused)
{
    static const tw_py_field fields[] = {
        {"n", TW_PY_COUNT, offsetof(tw_draws, n)},
        {"chains", TW_PY_COUNT, offsetof(tw_draws, chains)},
        {"draws", TW_PY_COUNT, offsetof(tw_draws, draws)},
        {"eps", TW_PY_REAL, offsetof(tw_draws, tuning.eps)},
        {"steps", TW_PY_COUNT, offsetof(tw_draws, tuning.steps)},
        {"jittered", TW_PY_FLAG, offsetof(tw_draws, tuning.jittered)},
        {"interrupted", TW_PY_FLAG, offsetof(tw_draws, interrupted)},
        {NULL, TW_PY_REAL, 0},
    };
    const tw_draws *d = ((tw_py_draws *)object)->draws;
    (void)unused;
    return Py_BuildValue("NNN", tw_py_build(fields, d), tw_py_build(total_fields, &d->warmup),
                         tw_py_build(total_fields, &d->sampling));
}

/* (warm-up, sampling) */
static PyObject *seconds(PyObject *object, PyObject *unused)
{
    const tw_py_draws *self = (tw_py_draws *)object;
    (void)unused;
    return Py_BuildValue("dd", self->warmup_seconds, self->sampling_seconds);
}

PyObject *tw_py_summary(const tw_chains_summary *summary)
{
    static const tw_py_field fields[] = {
        {"ess_min", TW_PY_REAL, offsetof(tw_chains_summary, ess_min)},
        {"ess_median", TW_PY_REAL, offsetof(tw_chains_summary, ess_median)},
        {"ess_bulk_min", TW_PY_REAL, offsetof(tw_chains_summary, ess_bulk_min)},
        {"ess_bulk_median", TW_PY_REAL, offsetof(tw_chains_summary, ess_bulk_median)},
        {"ess_tail_min", TW_PY_REAL, offsetof(tw_chains_summary, ess_tail_min)},
        {"ess_fold_min", TW_PY_REAL, offsetof(tw_chains_summary, ess_fold_min)},
        {"rhat_chance", TW_PY_REAL, offsetof(tw_chains_summary, rhat_chance)},
        {"rhat_max", TW_PY_REAL, offsetof(tw_chains_summary, rhat_max)},
        {"worst", TW_PY_COUNT, offsetof(tw_chains_summary, worst)},
        {"acceptance", TW_PY_REAL, offsetof(tw_chains_summary, acceptance)},
        {"ebfmi_min", TW_PY_REAL, offsetof(tw_chains_summary, ebfmi_min)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_build(fields, summary);
}

/* Draws with unknown parameters are not chains:
 * their effective sample size is that of the weights, and R-hat is not defined. */
static void weigh(const tw_run_theta *t, size_t n, tw_summary *rows, tw_chains_summary *whole)
{
    double ess = t->weight_ess;
    for (size_t i = 0; i < n; i++) {
        rows[i].ess_bulk = rows[i].ess_tail = rows[i].ess_fold = rows[i].ess = ess;
        rows[i].rhat = rows[i].rhat_chance = NAN;
        rows[i].mcse_mean = rows[i].sd / sqrt(ess);
    }
    whole->ess_min = whole->ess_median = whole->ess_bulk_min = whole->ess_bulk_median = ess;
    whole->ess_tail_min = whole->ess_fold_min = ess;
    whole->rhat_max = whole->rhat_chance = whole->ebfmi_min = NAN;
}

/* (rows, draws of each, facts), or None. */
static PyObject *unknown(PyObject *object, PyObject *unused)
{
    const tw_py_draws *self = (tw_py_draws *)object;
    (void)unused;
    if (self->theta) return tw_py_theta_build(self->problem->whole, self->theta);
    Py_RETURN_NONE;
}

/* (rows, whole): the rows as bytes, a tw_summary for every latent. */
static PyObject *summarise(PyObject *object, PyObject *arguments)
{
    const tw_py_draws *self = (tw_py_draws *)object;
    Py_ssize_t threads = 1, bytes = (Py_ssize_t)(self->draws->n * sizeof(tw_summary));
    tw_chains_summary whole;
    tw_py_job job;
    if (!PyArg_ParseTuple(arguments, "n", &threads)) return NULL;
    PyObject *rows = PyByteArray_FromStringAndSize(NULL, bytes);
    if (!rows || !tw_py_begin(&job, self->problem, NULL)) {
        Py_XDECREF(rows);
        return NULL;
    }
    tw_summary *to = (tw_summary *)(void *)PyByteArray_AsString(rows);
    tw_status status = tw_draws_summarise(self->draws, (size_t)threads, to, &whole);
    if (status == TW_OK && self->theta) weigh(&self->theta->all, self->draws->n, to, &whole);
    if (tw_py_end(&job, status)) return Py_BuildValue("NN", rows, tw_py_summary(&whole));
    Py_DECREF(rows);
    return NULL;
}

static PyMethodDef methods[] = {
    {"positions", positions, METH_NOARGS, NULL},    {"statistics", all_statistics, METH_NOARGS, NULL},
    {"describe", describe, METH_NOARGS, NULL},      {"seconds", seconds, METH_NOARGS, NULL},
    {"summarise", summarise, METH_VARARGS, NULL},   {"unknown", unknown, METH_NOARGS, NULL},
    {"save", tw_py_draws_save, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    TW_PY_SLOT(Py_tp_dealloc, dealloc),
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec tw_py_draws_spec = {
    .name = "talweg._talweg.Draws",
    .basicsize = sizeof(tw_py_draws),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = slots,
};
