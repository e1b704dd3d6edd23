/* predict.h: predictions from a model, an approximation or draws, and their output,
 * one block of cases at a time. */
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

/* The predictions of a case, in the order of the columns of the file. */
enum {
    TW_PREDICTED_MEAN,
    TW_PREDICTED_VARIANCE,
    TW_PREDICTED_EXPECTED,
    TW_PREDICTED_MCSE,
    TW_PREDICTED_SD,
    TW_PREDICTED_SD_MCSE,
    TW_PREDICTED_Q05, /* quantiles of the probability of +1, or of the mean of y */
    TW_PREDICTED_Q50,
    TW_PREDICTED_Q95,
    TW_PREDICTED_SCORE,
    TW_PREDICTED_SCORE_MCSE,
    TW_PREDICTED_COLUMNS
};

/* Draws for a model file (predict_model.c). tw_model_draws_load reads the file and makes the problem, which
 * the caller frees; tw_model_draws_make samples, after the new cases have been read. *theta is NULL if no
 * parameter is unknown. Free the draws before the problem, also after a failure. */
typedef struct tw_model_draws tw_model_draws;
tw_status tw_model_draws_load(tw_context *ctx, const tw_predict_options *options, tw_problem **problem,
                              tw_model_draws **out);
tw_status tw_model_draws_make(tw_model_draws *m, tw_draw_source *source, const tw_run_theta **theta);
void tw_model_draws_free(tw_model_draws *m);

/* The error for --distribute with unknown parameters. */
tw_status tw_predict_refuse_distributed(tw_context *ctx, const char *from);

/* Predictions from a saved approximation, or from the draws of a run or of a model;
 * the members of the other kinds are NULL. */
typedef struct tw_prediction {
    tw_context *ctx;
    tw_model_maker *make_model; /* for --distribute; NULL: tw_model_from_data */
    tw_problem *problem;
    tw_approximation *approximation;
    tw_predictor *gaussian;
    tw_run *run;
    tw_model_draws *model;
    size_t chains, length;   /* number of chains, and draws of each; 0: an approximation */
    tw_theta_places *places; /* for draws with unknown parameters; NULL: none */
    tw_draws_predictor *draws;
    tw_new_inputs at;
    size_t first, count, done; /* the cases of the current block, and the number of cases done */
    size_t batch;              /* the most cases in a block */
    double *cross;             /* n x batch covariances, for an approximation with a kernel */
    double *variance;          /* batch prior variances */
    size_t levels;             /* of the likelihood; 0: none */
    double *level;             /* TW_PREDICT_BATCH x levels: probabilities of the levels, level by level */
    double *cases_level;       /* the same, case by case */
    double *column[TW_PREDICTED_COLUMNS]; /* TW_PREDICT_BATCH numbers each, in one block of memory */
    tw_scores sums;                       /* for an approximation: of the cases done */
} tw_prediction;

/* The file for the predictions; NULL: none, because --json prints them. */
const char *tw_predict_file(const tw_predict_options *options);

/* --joint (predict_joint.c): check that it is possible, and write the file. Both do nothing without
 * --joint. */
tw_status tw_predict_joint_check(const tw_predict_options *options, const tw_prediction *p);
tw_status tw_predict_joint_write(const tw_predict_options *options, const tw_prediction *p);

/* Read the model and the new cases, and prepare. Close it also after a failure. */
tw_status tw_prediction_open(tw_context *ctx, const tw_predict_options *options, tw_prediction *p);
void tw_prediction_close(tw_prediction *p);

/* Predict the next block of cases; p->count is 0 after the last. */
tw_status tw_prediction_next(tw_prediction *p);

/* Warn of what was withheld so far. */
void tw_prediction_warn(const tw_prediction *p);

/* Scores of the cases so far; their Monte Carlo errors are NaN for an approximation. */
tw_draws_scores tw_prediction_scores(const tw_prediction *p);

/* ---- predict_report.c ---- */

/* The output of predictions: begin, add every block, then end; after a failure abandon. */
typedef struct tw_prediction_report tw_prediction_report;
tw_status tw_prediction_report_begin(const tw_prediction *p, const tw_predict_options *options,
                                     tw_prediction_report **out);
tw_status tw_prediction_report_add(tw_prediction_report *report);
tw_status tw_prediction_report_end(tw_prediction_report *report);
void tw_prediction_report_abandon(tw_prediction_report *report);

#endif
