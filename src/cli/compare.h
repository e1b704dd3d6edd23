/* compare.h: what talweg compare finds of each model, and prints. */
#ifndef TALWEG_CLI_COMPARE_H
#define TALWEG_CLI_COMPARE_H

#include "cli/hyper_options.h"

typedef struct tw_compared {
    const char *file;
    tw_hyper_job job;
    double *log_score, *pareto_k; /* n each, of leave-one-out predictions */
    double loo, loo_se;
    size_t doubtful; /* cases whose pareto_k is above the limit */
} tw_compared;

/* Two models: by how much the first is better, in nats. */
typedef struct tw_comparison {
    double log_factor, se;
    double loo, loo_se;
} tw_comparison;
tw_comparison tw_compare_two(const tw_compared *a, const tw_compared *b);

/* The one with the largest evidence. */
size_t tw_compare_best(size_t count, const tw_compared *models);

void tw_compare_print(size_t count, const tw_compared *models);
tw_status tw_compare_print_json(tw_context *ctx, size_t count, const tw_compared *models);

#endif
