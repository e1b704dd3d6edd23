/* compare.h: the results of talweg compare for each model, and their output. */
#ifndef TALWEG_CLI_COMPARE_H
#define TALWEG_CLI_COMPARE_H

#include "cli/hyper_options.h"

typedef struct tw_compared {
    const char *file;
    tw_hyper_job job;
    double *log_score, *pareto_k; /* n each: leave-one-out log scores, and Pareto k of their weights */
    tw_leave_one_out loo;
} tw_compared;

/* By how much the first of two models is better, in nats. */
typedef struct tw_comparison {
    double log_factor, se; /* log Bayes factor */
    double loo, loo_se;    /* difference of the leave-one-out scores */
} tw_comparison;
tw_comparison tw_compare_two(const tw_compared *a, const tw_compared *b);

/* The index of the model with the largest evidence. */
size_t tw_compare_best(size_t count, const tw_compared *models);

void tw_compare_print(size_t count, const tw_compared *models);
tw_status tw_compare_print_json(tw_context *ctx, size_t count, const tw_compared *models);

#endif
