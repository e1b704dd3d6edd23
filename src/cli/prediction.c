/* prediction.c: opens an approximation, a run or a model, distinguished by the contents of the file, and
 * predicts cases block by block. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/distribute.h"
#include "cli/model_file.h"
#include "cli/predict.h"
#include "cli/terminal.h"
#include "talweg/base.h"
#include "talweg/warning.h"

/* ---- the model ---- */

/* Is this a run file? It begins with HDF5's signature (NetCDF-4), or has a journal if the run was killed. A
 * pipe can be read only once, so it is taken for an approximation. */
static bool is_run(const char *path)
{
    char start[4] = "", journal[4096];
    struct stat about;
    bool regular = stat(path, &about) == 0 && S_ISREG(about.st_mode);
    FILE *file = regular ? fopen(path, "rb") : NULL;
    size_t length = file ? fread(start, 1, sizeof start, file) : 0;
    if (file) fclose(file);
    snprintf(journal, sizeof journal, "%s.journal", path);
    return (length == sizeof start && memcmp(start, "\x89HDF", sizeof start) == 0) ||
           access(journal, F_OK) == 0;
}

static tw_status open_approximation(const tw_predict_options *options, tw_prediction *p)
{
    tw_terminal_mute(p->ctx); /* notes about this model were given when it was fitted */
    tw_status status =
        tw_approximation_load_by(p->ctx, options->from, p->make_model, &p->problem, &p->approximation);
    tw_terminal_log_to(p->ctx, options->output.quiet);
    if (status != TW_OK) return status;
    if (!p->approximation->converged)
        tw_warn(p->ctx, &(tw_warning){.code = TW_WARN_SAVED, .file = options->from});
    return TW_OK;
}

tw_status tw_predict_refuse_distributed(tw_context *ctx, const char *from)
{
    return tw_fail(ctx, TW_BAD_ARGUMENT,
                   "--distribute cannot be used with %.1000s, whose unknown parameters have a K at each "
                   "point: predict without it, on a machine with enough memory for K",
                   from);
}

static tw_status open_run(const tw_predict_options *options, tw_prediction *p)
{
    TW_TRY(tw_run_open(p->ctx, options->from, &p->run));
    const tw_run_facts *facts = tw_run_describe(p->run);
    if (facts->draws == 0 || !facts->has_x)
        return tw_fail(p->ctx, TW_BAD_DATA,
                       "%.1000s has no draws of the latents: sample without --summary-only, or predict from "
                       "an approximation (talweg approx --save-approx)",
                       options->from);
    if (options->distribute && tw_run_read_theta(p->run))
        return tw_predict_refuse_distributed(p->ctx, options->from);
    if (facts->beta != 1.0)
        tw_warn(p->ctx,
                &(tw_warning){.code = TW_WARN_NOT_POSTERIOR, .number = {facts->beta}, .file = options->from});
    tw_terminal_mute(p->ctx);
    tw_status status = tw_run_problem_by(p->run, p->make_model, &p->problem);
    tw_terminal_log_to(p->ctx, options->output.quiet);
    return status;
}

static tw_status read_cases(const tw_predict_options *options, tw_prediction *p)
{
    tw_new_columns columns = {options->label_column, &options->columns, &options->ignore,
                              options->new_categories};
    if (tw_kernel_matrix(p->problem->kernel, NULL))
        return tw_new_covariances_read(p->problem, options->cross, options->diagonal, options->data, columns,
                                       &p->at);
    if (options->cross || options->diagonal)
        return tw_fail(p->ctx, TW_BAD_ARGUMENT,
                       "%s has a kernel: give NEWDATA, not --cross-kernel-matrix or --diagonal",
                       options->from);
    if (!*options->data)
        return tw_fail(p->ctx, TW_BAD_ARGUMENT, "talweg predict needs NEWDATA: a file with new inputs");
    return tw_new_inputs_read(p->problem, options->data, columns, &p->at);
}

static tw_status allocate(tw_prediction *p)
{
    p->batch = tw_predict_batch(p->problem->data->n);
    TW_TRY(tw_allocate_doubles(p->ctx, TW_PREDICT_BATCH, TW_PREDICTED_COLUMNS, "the predictions",
                               &p->column[0]));
    for (size_t j = 1; j < TW_PREDICTED_COLUMNS; j++) p->column[j] = p->column[0] + j * TW_PREDICT_BATCH;
    if (p->levels) {
        TW_TRY(tw_allocate_doubles(p->ctx, TW_PREDICT_BATCH, 2 * p->levels, "the levels", &p->level));
        p->cases_level = p->level + TW_PREDICT_BATCH * p->levels;
    }
    if (p->at.cross || p->run || p->model) return TW_OK;
    TW_TRY(tw_allocate_doubles(p->ctx, p->problem->data->n, p->batch, "the covariances", &p->cross));
    return tw_allocate_doubles(p->ctx, TW_PREDICT_BATCH, 1, "the prior variances", &p->variance);
}

static tw_status open_from(const tw_predict_options *options, tw_prediction *p)
{
    if (is_run(options->from)) return open_run(options, p);
    if (tw_model_file_is(options->from)) return tw_model_draws_load(p->ctx, options, &p->problem, &p->model);
    return open_approximation(options, p);
}

/* Prepare predictions from the draws of a run, or sample a model first. */
static tw_status prepare_draws(const tw_predict_options *options, tw_prediction *p)
{
    tw_draw_source source;
    const tw_run_theta *theta;
    tw_draws_predictor_options to = TW_DRAWS_PREDICTOR_DEFAULTS;
    to.threads = tw_threads((size_t)options->threads);
    if (p->model) {
        TW_TRY(tw_model_draws_make(p->model, &source, &theta));
    } else {
        source = tw_run_source(p->run);
        theta = tw_run_read_theta(p->run);
        to.plain = tw_run_describe(p->run)->beta != 1.0;
    }
    p->chains = source.chains;
    p->length = source.draws;
    TW_TRY(tw_run_places(p->problem, theta, 1, &p->places));
    if (p->places) source.places = tw_theta_places_table(p->places);
    return tw_draws_predictor_new(p->problem->model, &source, &to, &p->draws);
}

tw_status tw_prediction_open(tw_context *ctx, const tw_predict_options *options, tw_prediction *p)
{
    *p = (tw_prediction){.ctx = ctx};
    if (options->distribute) TW_TRY(tw_distribute(ctx, &p->make_model));
    TW_TRY(open_from(options, p));
    TW_TRY(read_cases(options, p));
    p->levels = p->problem->likelihood->levels;
    TW_TRY(allocate(p));
    if (p->run || p->model) return prepare_draws(options, p);
    return tw_predictor_new(p->problem->model, p->approximation, &p->gaussian);
}

void tw_prediction_close(tw_prediction *p)
{
    tw_predictor_free(p->gaussian);
    tw_draws_predictor_free(p->draws);
    tw_theta_places_free(p->places);
    tw_release(p->ctx, p->column[0]);
    tw_release(p->ctx, p->level);
    tw_release(p->ctx, p->cross);
    tw_release(p->ctx, p->variance);
    tw_new_inputs_free(&p->at);
    tw_approximation_free(p->approximation);
    tw_model_draws_free(p->model);
    tw_problem_free(p->problem);
    tw_run_close(p->run);
}

/* ---- a block ---- */

static tw_status predict_from_approximation(tw_prediction *p)
{
    const tw_problem *problem = p->problem;
    const tw_data *train = problem->data, *at = p->at.data;
    double **column = p->column, *cross = p->cross;
    const double *variance = p->variance;
    tw_observations cases = tw_new_inputs_observed(&p->at, problem, p->first, p->count);
    if (p->at.cross) {
        cross = p->at.cross->values + p->first * train->n;
        variance = p->at.variance->values + p->first;
    } else {
        TW_TRY(tw_model_cross(problem->model, problem->kernel, train, at, p->first, p->count, cross,
                              p->variance));
    }
    TW_TRY(tw_predictor_apply(p->gaussian, p->count, cross, variance, column[TW_PREDICTED_MEAN],
                              column[TW_PREDICTED_VARIANCE]));
    TW_TRY(tw_predict_observations(p->ctx, &cases, column[TW_PREDICTED_MEAN], column[TW_PREDICTED_VARIANCE],
                                   column[TW_PREDICTED_EXPECTED], column[TW_PREDICTED_SD]));
    if (p->levels)
        TW_TRY(tw_predict_levels(p->ctx, &cases, column[TW_PREDICTED_MEAN], column[TW_PREDICTED_VARIANCE],
                                 p->cases_level));
    if (!cases.y) return TW_OK;
    TW_TRY(tw_predict_log_scores(p->ctx, &cases, column[TW_PREDICTED_MEAN], column[TW_PREDICTED_VARIANCE],
                                 column[TW_PREDICTED_SCORE]));
    tw_scores_add(&cases, column[TW_PREDICTED_EXPECTED], column[TW_PREDICTED_SCORE], &p->sums);
    return TW_OK;
}

static tw_status predict_from_draws(tw_prediction *p)
{
    const tw_problem *problem = p->problem;
    double **column = p->column;
    tw_predictions out = {.mean = column[TW_PREDICTED_MEAN],
                          .variance = column[TW_PREDICTED_VARIANCE],
                          .expected = column[TW_PREDICTED_EXPECTED],
                          .mcse = column[TW_PREDICTED_MCSE],
                          .sd = column[TW_PREDICTED_SD],
                          .sd_mcse = column[TW_PREDICTED_SD_MCSE],
                          .levels = p->levels ? p->cases_level : NULL,
                          .q05 = column[TW_PREDICTED_Q05],
                          .q50 = column[TW_PREDICTED_Q50],
                          .q95 = column[TW_PREDICTED_Q95],
                          .log_score = column[TW_PREDICTED_SCORE],
                          .log_score_mcse = column[TW_PREDICTED_SCORE_MCSE]};
    if (!p->at.cross)
        return tw_draws_predictor_at(p->draws, problem->kernel, problem->data, p->at.data, p->first, p->count,
                                     &out);
    tw_observations cases = tw_new_inputs_observed(&p->at, problem, p->first, p->count);
    return tw_draws_predictor_apply(p->draws, p->at.cross->values + p->first * problem->data->n,
                                    p->at.variance->values + p->first, &cases, &out);
}

/* Quantiles of the latent function, which is Gaussian under an approximation. */
static void fill_quantiles(tw_prediction *p)
{
    const double normal_quantile = 1.6448536269514722; /* Phi^-1(0.95) */
    double **column = p->column;
    for (size_t i = 0; i < p->count; i++) {
        double mean = column[TW_PREDICTED_MEAN][i],
               away = normal_quantile * sqrt(column[TW_PREDICTED_VARIANCE][i]);
        column[TW_PREDICTED_Q05][i] = mean - away;
        column[TW_PREDICTED_Q50][i] = mean;
        column[TW_PREDICTED_Q95][i] = mean + away;
    }
}

/* If E[y | f] decreases with the latent function f, as for times to events,
 * the 5 % and 95 % quantiles change places. */
static void order_quantiles(tw_prediction *p)
{
    double *low = p->column[TW_PREDICTED_Q05], *high = p->column[TW_PREDICTED_Q95];
    for (size_t i = 0; i < p->count; i++)
        if (low[i] > high[i]) {
            double kept = low[i];
            low[i] = high[i];
            high[i] = kept;
        }
}

/* Transform quantiles of the latent function f to quantiles of E[y | f], which is monotonic in f. */
static tw_status expect_quantiles(tw_prediction *p)
{
    tw_observations cases = tw_new_inputs_observed(&p->at, p->problem, p->first, p->count);
    double latent[TW_PREDICT_BATCH];
    for (size_t k = TW_PREDICTED_Q05; k <= TW_PREDICTED_Q95; k++) {
        memcpy(latent, p->column[k], p->count * sizeof *latent);
        if (tw_likelihood_expect(&cases, latent, 0.0, p->column[k], NULL) != TW_OK)
            return tw_fail(p->ctx, TW_NUMERICAL_FAILURE,
                           "the intervals of cases %zu to %zu cannot be computed", p->first + 1,
                           p->first + p->count);
    }
    order_quantiles(p);
    return TW_OK;
}

tw_status tw_prediction_next(tw_prediction *p)
{
    size_t left = p->at.m - p->done;
    p->first = p->done;
    p->count = left < p->batch ? left : p->batch;
    if (p->count == 0) return TW_OK;
    TW_TRY(p->draws ? predict_from_draws(p) : predict_from_approximation(p));
    if (!p->draws) fill_quantiles(p);
    for (size_t k = 0; k < p->levels * p->count; k++)
        p->level[k / p->levels + k % p->levels * TW_PREDICT_BATCH] = p->cases_level[k];
    TW_TRY(expect_quantiles(p));
    p->done += p->count;
    return TW_OK;
}

void tw_prediction_warn(const tw_prediction *p)
{
    tw_observations cases = tw_new_inputs_observed(&p->at, p->problem, 0, p->done);
    if (p->draws)
        tw_draws_predictor_warn(p->draws);
    else
        tw_predict_warn(p->ctx, &cases);
}

tw_draws_scores tw_prediction_scores(const tw_prediction *p)
{
    if (p->draws) return tw_draws_predictor_scores(p->draws);
    tw_draws_scores scores = {.scores = tw_scores_finish(p->problem->likelihood, &p->sums)};
    scores.log_score_mcse = scores.error_rate_mcse = scores.rmse_mcse = NAN;
    return scores;
}
