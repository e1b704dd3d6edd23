/* predict.c: predictions at new inputs, from a Gaussian approximation or from draws.
 *
 * New inputs are read where they lie, column-major on the scale of the user; where the training inputs were
 * standardised, a copy is. With a given kernel matrix there are covariances instead of inputs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"

/* ---- new cases ---- */

typedef struct new_cases {
    tw_py_problem *problem;
    tw_py_input x, cross, diagonal, w, y;
    size_t m;
    tw_data *copy; /* standardised */
    tw_data at;    /* or the inputs themselves */
} new_cases;

static bool read_cases(tw_py_problem *problem, PyObject *from, new_cases *c)
{
    PyObject *x = NULL, *cross = NULL, *diagonal = NULL, *w = NULL, *y = NULL;
    *c = (new_cases){.problem = problem};
    if (!PyArg_ParseTuple(from, "OOOOO", &x, &cross, &diagonal, &w, &y) ||
        !tw_py_input_get(x, "Xnew", &c->x) || !tw_py_input_get(cross, "cross", &c->cross) ||
        !tw_py_input_get(diagonal, "diagonal", &c->diagonal) || !tw_py_input_get(w, "w", &c->w) ||
        !tw_py_input_get(y, "y", &c->y))
        return false;
    c->m = c->x.data ? c->x.rows : c->cross.columns;
    bool fits = (c->x.data || (c->cross.data && c->diagonal.rows == c->m && c->cross.ld == c->cross.rows)) &&
                (!c->w.data || c->w.rows == c->m) && (!c->y.data || c->y.rows == c->m);
    if (!fits) PyErr_SetString(PyExc_ValueError, "the arrays of the new cases do not fit together");
    return fits;
}

static void release_cases(new_cases *c)
{
    tw_py_input *inputs[] = {&c->x, &c->cross, &c->diagonal, &c->w, &c->y};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) tw_py_input_release(inputs[k]);
    tw_data_free(c->copy);
}

/* The new cases with their labels, or NULL, as observations. */
static tw_observations observations(const new_cases *c, const double *y)
{
    return (tw_observations){.likelihood = c->problem->likelihood, .n = c->m, .y = y, .column = {c->w.data}};
}

/* Labels as the model has them: -1 and +1 for two classes. The caller frees them. */
static tw_status make_labels(const new_cases *c, tw_data **labels)
{
    const tw_likelihood *likelihood = c->problem->likelihood;
    if (!c->y.data) return TW_OK;
    tw_status status = tw_data_new(c->problem->ctx, c->m, 1, c->y.data, c->m, c->y.data, labels);
    if (status != TW_OK) return status;
    if (likelihood->two_classes) return tw_data_binary_labels(*labels);
    tw_observations labelled = observations(c, (*labels)->y);
    return tw_likelihood_check(c->problem->ctx, &labelled);
}

/* The inputs on the scale of the training data. */
static tw_status scale_inputs(new_cases *c)
{
    const tw_problem *whole = c->problem->whole;
    if (!c->x.data) return TW_OK;
    c->at = (tw_data){.ctx = c->problem->ctx, .n = c->m, .d = c->x.columns, .x = (double *)c->x.data};
    if (!whole->scaling && c->x.ld == c->m) return TW_OK;
    tw_status status = tw_data_new(c->problem->ctx, c->m, c->x.columns, c->x.data, c->x.ld, NULL, &c->copy);
    if (status == TW_OK && whole->scaling) status = tw_scaling_apply(whole->scaling, c->copy);
    if (status == TW_OK) c->at = *c->copy;
    return status;
}

/* ---- what comes out ---- */

enum { OUTPUTS = 7 };
static const char *const output_names[OUTPUTS] = {"mean", "variance",  "expected",      "mcse",
                                                  "sd",   "log_score", "log_score_mcse"};

typedef struct outputs {
    Py_buffer buffers[OUTPUTS];
    double *data[OUTPUTS];
} outputs;

static tw_predictions arrays_of(const outputs *o)
{
    return (tw_predictions){.mean = o->data[0],
                            .variance = o->data[1],
                            .expected = o->data[2],
                            .mcse = o->data[3],
                            .sd = o->data[4],
                            .log_score = o->data[5],
                            .log_score_mcse = o->data[6]};
}

static bool read_outputs(PyObject *dictionary, size_t m, outputs *o)
{
    *o = (outputs){0};
    for (int k = 0; k < OUTPUTS; k++) {
        PyObject *array = PyDict_GetItemString(dictionary, output_names[k]);
        if (array && !(o->data[k] = tw_py_output_get(array, output_names[k], m, &o->buffers[k])))
            return false;
    }
    return true;
}

static void release_outputs(outputs *o)
{
    for (int k = 0; k < OUTPUTS; k++)
        if (o->data[k]) PyBuffer_Release(&o->buffers[k]);
}

/* ---- from a Gaussian approximation ---- */

/* tw_predictor_apply overwrites the covariances: it gets copies of a few columns at a time. */
static tw_status apply_in_batches(const tw_predictor *predictor, const new_cases *c, double *mean,
                                  double *variance)
{
    size_t n = c->cross.rows;
    double *block = malloc(TW_PREDICT_BATCH * n * sizeof *block);
    if (!block) return TW_NO_MEMORY;
    for (size_t first = 0; first < c->m; first += TW_PREDICT_BATCH) {
        size_t count = c->m - first < TW_PREDICT_BATCH ? c->m - first : TW_PREDICT_BATCH;
        memcpy(block, c->cross.data + first * n, count * n * sizeof *block);
        tw_predictor_apply(predictor, count, block, c->diagonal.data + first, mean + first, variance + first);
    }
    free(block);
    return TW_OK;
}

static tw_status predict_latent(const new_cases *c, const tw_approximation *fit, const tw_predictions *out)
{
    const tw_problem *whole = c->problem->whole;
    tw_predictor *predictor = NULL;
    tw_status status = tw_predictor_new(c->problem->model, fit, &predictor);
    if (status == TW_OK)
        status = c->cross.data ? apply_in_batches(predictor, c, out->mean, out->variance)
                               : tw_predictor_at(predictor, whole->kernel, whole->data, &c->at, out->mean,
                                                 out->variance);
    tw_predictor_free(predictor);
    return status;
}

static tw_status predict_from_fit(const new_cases *c, const tw_approximation *fit, const double *y,
                                  const tw_predictions *out, tw_draws_scores *scores)
{
    tw_context *ctx = c->problem->ctx;
    tw_observations at = observations(c, y);
    tw_status status = predict_latent(c, fit, out);
    if (status == TW_OK)
        status = tw_predict_observations(ctx, &at, out->mean, out->variance, out->expected, out->sd);
    if (status != TW_OK || !y) return status;
    status = tw_predict_log_scores(ctx, &at, out->mean, out->variance, out->log_score);
    if (status == TW_OK) scores->scores = tw_predict_scores(&at, out->expected, out->log_score);
    return status;
}

/* ---- from draws ---- */

static double *behind(double *array, size_t first)
{
    return array ? array + first : NULL;
}

static tw_predictions part_of(const tw_predictions *out, size_t first)
{
    return (tw_predictions){.mean = behind(out->mean, first),
                            .variance = behind(out->variance, first),
                            .expected = behind(out->expected, first),
                            .mcse = behind(out->mcse, first),
                            .sd = behind(out->sd, first),
                            .log_score = behind(out->log_score, first),
                            .log_score_mcse = behind(out->log_score_mcse, first)};
}

/* A batch at a time, with a look at Ctrl-C in between. */
static tw_status predict_in_batches(tw_draws_predictor *predictor, new_cases *c, double *y, tw_py_job *job,
                                    const tw_predictions *out)
{
    const tw_problem *whole = c->problem->whole;
    tw_status status = TW_OK;
    tw_observations all = observations(c, y);
    c->at.y = y;
    for (size_t first = 0; status == TW_OK && first < c->m; first += TW_PREDICT_BATCH) {
        size_t count = c->m - first < TW_PREDICT_BATCH ? c->m - first : TW_PREDICT_BATCH;
        tw_predictions part = part_of(out, first);
        tw_observations at = tw_observations_part(&all, first, count);
        if (tw_py_interrupted(job)) return TW_INTERRUPTED;
        if (c->cross.data)
            status = tw_draws_predictor_apply(predictor, c->cross.data + first * c->cross.rows,
                                              c->diagonal.data + first, &at, &part);
        else
            status = tw_draws_predictor_at(predictor, whole->kernel, whole->data, &c->at, first, count,
                                           c->w.data, &part);
    }
    return status;
}

static tw_status predict_from_draws(new_cases *c, const tw_draws *draws, size_t threads, double *y,
                                    tw_py_job *job, const tw_predictions *out, tw_draws_scores *scores)
{
    tw_draw_source source = tw_draws_source(draws);
    tw_draws_predictor_options options = TW_DRAWS_PREDICTOR_DEFAULTS;
    tw_draws_predictor *predictor = NULL;
    options.threads = threads;
    tw_status status = tw_draws_predictor_new(c->problem->model, &source, &options, &predictor);
    if (status == TW_OK) status = predict_in_batches(predictor, c, y, job, out);
    if (status == TW_OK && y) *scores = tw_draws_predictor_scores(predictor);
    tw_draws_predictor_free(predictor);
    return status;
}

/* ---- the method of Problem ---- */

static PyObject *build_scores(const tw_draws_scores *scores)
{
    static const tw_py_field fields[] = {
        {"cases", TW_PY_COUNT, offsetof(tw_draws_scores, scores.cases)},
        {"log_score", TW_PY_REAL, offsetof(tw_draws_scores, scores.log_score)},
        {"error_rate", TW_PY_REAL, offsetof(tw_draws_scores, scores.error_rate)},
        {"rmse", TW_PY_REAL, offsetof(tw_draws_scores, scores.rmse)},
        {"log_score_mcse", TW_PY_REAL, offsetof(tw_draws_scores, log_score_mcse)},
        {"error_rate_mcse", TW_PY_REAL, offsetof(tw_draws_scores, error_rate_mcse)},
        {"rmse_mcse", TW_PY_REAL, offsetof(tw_draws_scores, rmse_mcse)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_build(fields, scores);
}

/* An approximation or draws, of this problem. */
static bool read_source(tw_py_problem *problem, PyObject *from, const tw_approximation **fit,
                        const tw_draws **draws)
{
    const tw_py_state *state = tw_py_state_of((PyObject *)problem);
    tw_py_draws *given = (tw_py_draws *)from;
    if ((PyObject *)Py_TYPE(from) != state->draws) return tw_py_approximation_read(problem, from, fit);
    *draws = given->draws;
    if (given->problem == problem) return true;
    PyErr_SetString(PyExc_TypeError, "draws of this model are needed");
    return false;
}

/* predict(source, (X, cross, diagonal, w, y), outputs, threads): fills the arrays of the dictionary `outputs`;
 * returns scores where there are labels, else None. */
PyObject *tw_py_predict(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source", "cases", "outputs", "threads", NULL};
    tw_py_problem *problem = (tw_py_problem *)self;
    PyObject *from = NULL, *tuple = NULL, *dictionary = NULL;
    const tw_approximation *fit = NULL;
    const tw_draws *draws = NULL;
    Py_ssize_t threads = 1;
    new_cases c = {0};
    outputs o = {0};
    tw_data *labels = NULL;
    tw_draws_scores scores = {.log_score_mcse = NAN, .error_rate_mcse = NAN, .rmse_mcse = NAN};
    tw_py_job job;
    bool good = PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!O!n", names, &from, &PyTuple_Type,
                                            &tuple, &PyDict_Type, &dictionary, &threads) &&
                read_source(problem, from, &fit, &draws) && read_cases(problem, tuple, &c) &&
                read_outputs(dictionary, c.m, &o) && tw_py_begin(&job, problem, NULL);
    if (good) {
        tw_predictions out = arrays_of(&o);
        tw_status status = make_labels(&c, &labels);
        double *y = labels ? labels->y : NULL;
        if (status == TW_OK) status = scale_inputs(&c);
        if (status == TW_OK)
            status = draws ? predict_from_draws(&c, draws, (size_t)threads, y, &job, &out, &scores)
                           : predict_from_fit(&c, fit, y, &out, &scores);
        good = tw_py_end(&job, status);
    }
    bool labelled = labels != NULL;
    tw_data_free(labels);
    release_outputs(&o);
    release_cases(&c);
    if (!good) return NULL;
    return labelled ? build_scores(&scores) : Py_NewRef(Py_None);
}

/* ---- log p(y_n | x_n) of every draw ---- */

/* log_likelihood(name, y, w, x, out): x and out are n x count, column-major; w may be None. */
PyObject *tw_py_log_likelihood(PyObject *module, PyObject *arguments)
{
    const char *name = NULL;
    PyObject *y_from = NULL, *w_from = NULL, *x_from = NULL, *to = NULL;
    tw_py_input y = {0}, w = {0}, x = {0};
    Py_buffer buffer;
    double *value = NULL;
    (void)module;
    bool good = PyArg_ParseTuple(arguments, "sOOOO", &name, &y_from, &w_from, &x_from, &to) &&
                tw_py_input_get(y_from, "y", &y) && tw_py_input_get(w_from, "w", &w) &&
                tw_py_input_get(x_from, "x", &x) &&
                (value = tw_py_output_get(to, "out", x.rows * x.columns, &buffer)) != NULL;
    if (good) {
        tw_observations o = {
            .likelihood = tw_likelihood_find(name), .n = x.rows, .y = y.data, .column = {w.data}};
        Py_BEGIN_ALLOW_THREADS;
        for (size_t k = 0; k < x.columns; k++)
            o.likelihood->terms(&o, x.data + k * x.ld, value + k * x.rows, NULL, NULL, NULL);
        Py_END_ALLOW_THREADS;
        PyBuffer_Release(&buffer);
    }
    tw_py_input_release(&y);
    tw_py_input_release(&w);
    tw_py_input_release(&x);
    return good ? Py_NewRef(Py_None) : NULL;
}
