/* predict.c: predictions at new inputs, from a Gaussian approximation or from draws.
 *
 * New inputs are column-major, on the user's scale, and are used without a copy if possible. If they have
 * names or categories, or if the training inputs were standardised, they are copied to the order and scale of
 * the model. With a given kernel matrix there are covariances instead of inputs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "draws.h"

/* ---- new cases ---- */

typedef struct new_cases {
    tw_py_problem *problem;
    tw_py_input x, cross, diagonal, y;
    tw_py_names names; /* of the inputs */
    tw_py_levels levels;
    tw_py_labels labels;
    int new_categories; /* accept categories that the training data do not have */
    tw_py_columns columns;
    size_t m;
    tw_data *known; /* labels and columns; its input is not used */
    tw_data *copy;  /* the inputs in the model's order and on its scale; NULL: not needed */
    tw_data at;     /* the inputs (of the copy or the user), labels and columns, not owned */
} new_cases;

static bool read_cases(tw_py_problem *problem, PyObject *from, new_cases *c)
{
    PyObject *x = NULL, *cross = NULL, *diagonal = NULL, *columns = NULL, *y = NULL, *labels = NULL,
             *names = NULL, *levels = NULL;
    *c = (new_cases){.problem = problem};
    if (!PyArg_ParseTuple(from, "OOOO!OO!OOp", &x, &cross, &diagonal, &PyDict_Type, &columns, &y,
                          &PyTuple_Type, &labels, &names, &levels, &c->new_categories) ||
        !tw_py_names_get(names, &c->names) || !tw_py_levels_get(levels, &c->levels) ||
        !tw_py_labels_get(labels, &c->labels) || !tw_py_input_get(x, "Xnew", &c->x) ||
        !tw_py_input_get(cross, "cross", &c->cross) || !tw_py_input_get(diagonal, "diagonal", &c->diagonal) ||
        !tw_py_input_get(y, "y", &c->y))
        return false;
    c->m = c->x.data ? c->x.rows : c->cross.columns;
    bool fits = (c->x.data || (c->cross.data && c->diagonal.rows == c->m && c->cross.ld == c->cross.rows)) &&
                (!c->y.data || c->y.rows == c->m) && (!c->names.name || c->names.count == c->x.columns) &&
                (!c->levels.input || c->levels.count == c->x.columns);
    if (!fits) PyErr_SetString(PyExc_ValueError, "the arrays of the new cases have inconsistent shapes");
    return fits && tw_py_columns_get(columns, c->m, &c->columns);
}

static void release_cases(new_cases *c)
{
    tw_py_input *inputs[] = {&c->x, &c->cross, &c->diagonal, &c->y};
    for (size_t k = 0; k < sizeof inputs / sizeof *inputs; k++) tw_py_input_release(inputs[k]);
    tw_py_names_release(&c->names);
    tw_py_levels_release(&c->levels);
    tw_py_labels_release(&c->labels);
    tw_py_columns_release(&c->columns);
    tw_data_free(c->known);
    tw_data_free(c->copy);
}

/* The new cases as observations. */
static tw_observations observations(const new_cases *c)
{
    return tw_data_observed(c->known, c->problem->likelihood, c->problem->whole->phi);
}

/* Recode the labels, and set the columns:
 * those given, and otherwise the training cases' value if it is constant. */
static tw_status make_known(new_cases *c)
{
    const tw_problem *whole = c->problem->whole;
    const tw_column *differs = NULL;
    const double *any = c->x.data ? c->x.data : c->diagonal.data;
    tw_status status = tw_data_new(c->problem->ctx, c->m, 1, any, c->m, c->y.data, &c->known);
    if (status == TW_OK && c->y.data)
        status = tw_py_labels_put(&c->labels, whole->likelihood, &whole->data->labels, c->known);
    if (status == TW_OK) status = tw_py_columns_put(&c->columns, c->known);
    if (status == TW_OK) status = tw_problem_fill_columns(whole, c->known, &differs);
    if (status != TW_OK) return status;
    if (differs)
        return tw_fail(c->problem->ctx, TW_BAD_DATA,
                       "the training cases have different values of %s: give one for the new cases",
                       differs->name);
    tw_observations observed = observations(c);
    return tw_likelihood_check(c->problem->ctx, &observed);
}

/* Bring the inputs to the order and scale of the training data. */
static tw_status take_inputs(new_cases *c)
{
    const tw_problem *whole = c->problem->whole;
    if (!c->x.data) return TW_OK;
    c->at = *c->known; /* for labels and columns; the inputs are replaced */
    c->at.d = c->x.columns;
    c->at.x = (double *)c->x.data;
    bool needs_no_copy = !whole->scaling && !c->names.name && !c->levels.input && !whole->data->levels &&
                         c->x.ld == c->m && c->x.columns == whole->data->d;
    if (needs_no_copy) return TW_OK;
    tw_status status = tw_data_new(c->problem->ctx, c->m, c->x.columns, c->x.data, c->x.ld, NULL, &c->copy);
    if (status == TW_OK) status = tw_data_set_names(c->copy, c->names.name);
    if (status == TW_OK) status = tw_py_levels_put(&c->levels, c->copy);
    if (status == TW_OK) status = tw_problem_take_inputs(whole, c->new_categories != 0, c->copy);
    if (status != TW_OK) return status;
    c->at.d = c->copy->d;
    c->at.x = c->copy->x;
    return TW_OK;
}

/* ---- output arrays ---- */

enum { OUTPUTS = 12, LEVELS = 7 };
static const char *const output_names[OUTPUTS] = {"mean",      "variance",       "expected", "mcse", "sd",
                                                  "log_score", "log_score_mcse", "levels",   "q05",  "q50",
                                                  "q95",       "sd_mcse"};

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
                            .log_score_mcse = o->data[6],
                            .levels = o->data[LEVELS],
                            .q05 = o->data[8],
                            .q50 = o->data[9],
                            .q95 = o->data[10],
                            .sd_mcse = o->data[11]};
}

/* Read the output arrays: m numbers each, and levels x m for the array of levels. */
static bool read_outputs(PyObject *dictionary, size_t m, size_t levels, outputs *o)
{
    *o = (outputs){0};
    for (int k = 0; k < OUTPUTS; k++) {
        PyObject *array = PyDict_GetItemString(dictionary, output_names[k]);
        size_t count = k == LEVELS ? m * levels : m;
        if (array && !(o->data[k] = tw_py_output_get(array, output_names[k], count, &o->buffers[k])))
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

/* tw_predictor_apply overwrites the covariances, so it gets copies of a few columns at a time. */
static tw_status apply_in_batches(const tw_predictor *predictor, const new_cases *c, double *mean,
                                  double *variance)
{
    size_t n = c->cross.rows;
    double *block = malloc(TW_PREDICT_BATCH * n * sizeof *block);
    tw_status status = block ? TW_OK : TW_NO_MEMORY;
    for (size_t first = 0; status == TW_OK && first < c->m; first += TW_PREDICT_BATCH) {
        size_t count = c->m - first < TW_PREDICT_BATCH ? c->m - first : TW_PREDICT_BATCH;
        memcpy(block, c->cross.data + first * n, count * n * sizeof *block);
        status = tw_predictor_apply(predictor, count, block, c->diagonal.data + first, mean + first,
                                    variance + first);
    }
    free(block);
    return status;
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

static tw_status predict_from_fit(const new_cases *c, const tw_approximation *fit, const tw_predictions *out,
                                  tw_draws_scores *scores)
{
    tw_context *ctx = c->problem->ctx;
    tw_observations at = observations(c);
    tw_status status = predict_latent(c, fit, out);
    if (status == TW_OK)
        status = tw_predict_observations(ctx, &at, out->mean, out->variance, out->expected, out->sd);
    if (status == TW_OK) tw_predict_warn(ctx, &at);
    if (status == TW_OK && out->levels)
        status = tw_predict_levels(ctx, &at, out->mean, out->variance, out->levels);
    if (status != TW_OK || !at.y) return status;
    status = tw_predict_log_scores(ctx, &at, out->mean, out->variance, out->log_score);
    if (status == TW_OK) scores->scores = tw_predict_scores(&at, out->expected, out->log_score);
    return status;
}

/* ---- quantiles ---- */

/* Quantiles of the latent function, which is Gaussian under an approximation. */
static void gaussian_quantiles(size_t m, const tw_predictions *out)
{
    const double normal_quantile = 1.6448536269514722; /* Phi^-1(0.95) */
    for (size_t i = 0; i < m; i++) {
        double away = normal_quantile * sqrt(out->variance[i]);
        out->q05[i] = out->mean[i] - away;
        out->q50[i] = out->mean[i];
        out->q95[i] = out->mean[i] + away;
    }
}

/* Transform quantiles of the latent function f to quantiles of E[y | f], which is monotonic in f. If it
 * decreases, the 5 % and 95 % quantiles change places. */
static tw_status expect_quantiles(const new_cases *c, const tw_predictions *out)
{
    tw_observations all = observations(c);
    double *quantile[] = {out->q05, out->q50, out->q95};
    for (size_t i = 0; i < c->m; i++) {
        tw_observations one = tw_observations_part(&all, i, 1);
        for (size_t k = 0; k < 3; k++) {
            double latent = quantile[k][i];
            if (tw_likelihood_expect(&one, &latent, 0.0, &quantile[k][i], NULL) != TW_OK)
                return tw_fail(c->problem->ctx, TW_NUMERICAL_FAILURE,
                               "the interval of case %zu cannot be computed", i + 1);
        }
        double low = fmin(out->q05[i], out->q95[i]), high = fmax(out->q05[i], out->q95[i]);
        out->q05[i] = low;
        out->q95[i] = high;
    }
    return TW_OK;
}

/* ---- from draws ---- */

static double *behind(double *array, size_t first)
{
    return array ? array + first : NULL;
}

static tw_predictions part_of(const tw_predictions *out, size_t first, size_t levels)
{
    return (tw_predictions){.mean = behind(out->mean, first),
                            .variance = behind(out->variance, first),
                            .expected = behind(out->expected, first),
                            .mcse = behind(out->mcse, first),
                            .sd = behind(out->sd, first),
                            .log_score = behind(out->log_score, first),
                            .log_score_mcse = behind(out->log_score_mcse, first),
                            .levels = behind(out->levels, first * levels),
                            .q05 = behind(out->q05, first),
                            .q50 = behind(out->q50, first),
                            .q95 = behind(out->q95, first),
                            .sd_mcse = behind(out->sd_mcse, first)};
}

/* Predict in batches, and check for Ctrl-C between them. */
static tw_status predict_in_batches(tw_draws_predictor *predictor, const new_cases *c, tw_py_job *job,
                                    const tw_predictions *out)
{
    const tw_problem *whole = c->problem->whole;
    tw_status status = TW_OK;
    tw_observations all = observations(c);
    for (size_t first = 0; status == TW_OK && first < c->m; first += TW_PREDICT_BATCH) {
        size_t count = c->m - first < TW_PREDICT_BATCH ? c->m - first : TW_PREDICT_BATCH;
        tw_predictions part = part_of(out, first, whole->likelihood->levels);
        tw_observations at = tw_observations_part(&all, first, count);
        if (tw_py_interrupted(job)) return TW_INTERRUPTED;
        if (c->cross.data)
            status = tw_draws_predictor_apply(predictor, c->cross.data + first * c->cross.rows,
                                              c->diagonal.data + first, &at, &part);
        else
            status =
                tw_draws_predictor_at(predictor, whole->kernel, whole->data, &c->at, first, count, &part);
    }
    return status;
}

static tw_status predict_from_draws(const new_cases *c, const tw_py_draws *from, size_t threads, bool plain,
                                    tw_py_job *job, const tw_predictions *out, tw_draws_scores *scores)
{
    tw_draw_source source = tw_draws_source(from->draws);
    tw_theta_places *places = NULL;
    tw_draws_predictor_options options = TW_DRAWS_PREDICTOR_DEFAULTS;
    tw_draws_predictor *predictor = NULL;
    options.threads = threads;
    options.plain = plain;
    tw_status status = tw_run_places(c->problem->whole, from->theta ? &from->theta->all : NULL, 1, &places);
    if (places) source.places = tw_theta_places_table(places);
    if (status == TW_OK) status = tw_draws_predictor_new(c->problem->model, &source, &options, &predictor);
    if (status == TW_OK) status = predict_in_batches(predictor, c, job, out);
    if (status == TW_OK) tw_draws_predictor_warn(predictor);
    if (status == TW_OK && c->y.data) *scores = tw_draws_predictor_scores(predictor);
    tw_draws_predictor_free(predictor);
    tw_theta_places_free(places);
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
        {"censored", TW_PY_COUNT, offsetof(tw_draws_scores, scores.censored)},
        {"log_score_mcse", TW_PY_REAL, offsetof(tw_draws_scores, log_score_mcse)},
        {"error_rate_mcse", TW_PY_REAL, offsetof(tw_draws_scores, error_rate_mcse)},
        {"rmse_mcse", TW_PY_REAL, offsetof(tw_draws_scores, rmse_mcse)},
        {NULL, TW_PY_REAL, 0},
    };
    return tw_py_build(fields, scores);
}

/* Read the source: an approximation or draws of this problem. */
static bool read_source(tw_py_problem *problem, PyObject *from, const tw_approximation **fit,
                        const tw_py_draws **draws)
{
    const tw_py_state *state = tw_py_state_of((PyObject *)problem);
    const tw_py_draws *given = (tw_py_draws *)from;
    if ((PyObject *)Py_TYPE(from) != state->draws) return tw_py_approximation_read(problem, from, fit);
    *draws = given;
    if (given->problem == problem) return true;
    PyErr_SetString(PyExc_TypeError, "draws of this model are needed");
    return false;
}

/* predict(source, (X, cross, diagonal, {column: array}, y, labels, names, levels, new_categories), outputs,
 * threads, plain) fills the arrays of the dictionary `outputs`. Returns scores if there are labels, otherwise
 * None. */
PyObject *tw_py_predict(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"source", "cases", "outputs", "threads", "plain", NULL};
    tw_py_problem *problem = (tw_py_problem *)self;
    PyObject *from = NULL, *tuple = NULL, *dictionary = NULL;
    const tw_approximation *fit = NULL;
    const tw_py_draws *draws = NULL;
    Py_ssize_t threads = 1;
    int plain = 0;
    new_cases c = {0};
    outputs o = {0};
    tw_draws_scores scores = {.log_score_mcse = NAN, .error_rate_mcse = NAN, .rmse_mcse = NAN};
    tw_py_job job;
    bool good = PyArg_ParseTupleAndKeywords(arguments, keywords, "OO!O!np", names, &from, &PyTuple_Type,
                                            &tuple, &PyDict_Type, &dictionary, &threads, &plain) &&
                read_source(problem, from, &fit, &draws) && read_cases(problem, tuple, &c) &&
                read_outputs(dictionary, c.m, problem->likelihood->levels, &o) &&
                tw_py_begin(&job, problem, NULL);
    if (good) {
        tw_predictions out = arrays_of(&o);
        tw_status status = make_known(&c);
        if (status == TW_OK) status = take_inputs(&c);
        if (status == TW_OK)
            status = draws ? predict_from_draws(&c, draws, (size_t)threads, plain != 0, &job, &out, &scores)
                           : predict_from_fit(&c, fit, &out, &scores);
        if (status == TW_OK && out.q05 && !draws) gaussian_quantiles(c.m, &out);
        if (status == TW_OK && out.q05) status = expect_quantiles(&c, &out);
        good = tw_py_end(&job, status);
    }
    bool labelled = c.y.data != NULL;
    release_outputs(&o);
    release_cases(&c);
    if (!good) return NULL;
    return labelled ? build_scores(&scores) : Py_NewRef(Py_None);
}
