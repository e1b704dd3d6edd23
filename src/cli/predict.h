/* predict.h: predictions on their way from a model to the terminal and to files, a block of cases at a time. */
#ifndef TALWEG_CLI_PREDICT_H
#define TALWEG_CLI_PREDICT_H

#include "cli/model_options.h"
#include "cli/new_inputs.h"
#include "talweg/predict.h"
#include "talweg/run.h"

typedef struct tw_predict_options {
    const char *from, *data, *label_column, *output_file, *joint, *cross, *diagonal;
    tw_likelihood_options columns;
    tw_operands ignore;
    bool new_categories, distribute;
    uint64_t threads, seed;
    tw_output_options output;
} tw_predict_options;

/* What is known of a case, in the order of the columns of a file. */
enum {
    TW_PREDICTED_MEAN,
    TW_PREDICTED_VARIANCE,
    TW_PREDICTED_EXPECTED,
    TW_PREDICTED_MCSE,
    TW_PREDICTED_SD,
    TW_PREDICTED_Q05, /* of the probability of +1, or of the mean of y: what it is at quantiles of the latent function */
    TW_PREDICTED_Q50,
    TW_PREDICTED_Q95,
    TW_PREDICTED_SCORE,
    TW_PREDICTED_SCORE_MCSE,
    TW_PREDICTED_COLUMNS
};

/* predict_model.c: the draws of a model file, which are made when they are asked for. Load it and the problem, which is the caller's; read the new
 * cases; then make the draws. theta is NULL where no parameter is unknown. Free it, also after a failure, before the problem. */
typedef struct tw_model_draws tw_model_draws;
tw_status tw_model_draws_load(tw_context *ctx, const tw_predict_options *options, tw_problem **problem,
                              tw_model_draws **out);
tw_status tw_model_draws_make(tw_model_draws *m, tw_draw_source *source, const tw_run_theta **theta);
void tw_model_draws_free(tw_model_draws *m);

/* --distribute, where parameters are unknown. */
tw_status tw_predict_refuse_distributed(tw_context *ctx, const char *from);

/* Predictions from a saved approximation, or from the draws of a run or of a model; what is of another kind is NULL. */
typedef struct tw_prediction {
    tw_context *ctx;
    tw_model_maker *make_model; /* of --distribute; NULL: as always */
    tw_problem *problem;
    tw_approximation *approximation;
    tw_predictor *gaussian;
    tw_run *run;
    tw_model_draws *model;
    size_t chains,
        length; /* of the draws: how many chains, and how many draws of each; 0: an approximation */
    tw_theta_places *places; /* of draws with unknown parameters; NULL: none */
    tw_draws_predictor *draws;
    tw_new_inputs at;
    size_t first, count, done; /* the cases of the block at hand, and how many are done */
    size_t batch;              /* of a block at most */
    double *cross;             /* n x batch: their covariances, from an approximation with a kernel */
    double *variance;          /* their prior variances */
    size_t levels;             /* of the likelihood; 0: there are none */
    double *level;             /* TW_PREDICT_BATCH x levels: their probabilities, level by level */
    double *cases_level;       /* the same, case by case */
    double *column[TW_PREDICTED_COLUMNS]; /* TW_PREDICT_BATCH numbers each, in one block of memory */
    tw_scores sums;                       /* from an approximation: of the cases done */
} tw_prediction;

/* Where rows are written: a file, or NULL where --json prints them and no file was asked for. */
const char *tw_predict_file(const tw_predict_options *options);

/* predict_joint.c: --joint, where it was given: can it be had, and writing it. */
tw_status tw_predict_joint_check(const tw_predict_options *options, const tw_prediction *p);
tw_status tw_predict_joint_write(const tw_predict_options *options, const tw_prediction *p);

/* Read the model and the new cases, and prepare. Also after a failure there is something to free. */
tw_status tw_prediction_open(tw_context *ctx, const tw_predict_options *options, tw_prediction *p);
void tw_prediction_close(tw_prediction *p);

/* Predict the next block of cases; p->count is 0 behind the last. */
tw_status tw_prediction_next(tw_prediction *p);

/* How good they were so far; the errors are NaN from an approximation. */
tw_draws_scores tw_prediction_scores(const tw_prediction *p);

/* ---- predict_report.c ---- */

/* A report is begun, is given every block, and is ended, or abandoned after a failure. */
typedef struct tw_prediction_report tw_prediction_report;
tw_status tw_prediction_report_begin(const tw_prediction *p, const tw_predict_options *options,
                                     tw_prediction_report **out);
tw_status tw_prediction_report_add(tw_prediction_report *report);
tw_status tw_prediction_report_end(tw_prediction_report *report);
void tw_prediction_report_abandon(tw_prediction_report *report);

#endif
