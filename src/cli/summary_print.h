/* summary_print.h: the output of talweg summary: a table, CSV and JSON; talweg sample uses parts of it. */
#ifndef TALWEG_CLI_SUMMARY_PRINT_H
#define TALWEG_CLI_SUMMARY_PRINT_H

#include <stdio.h>

#include "cli/json.h"
#include "talweg/report.h"

enum { TW_SUMMARY_STATISTICS = 6 };

typedef struct tw_summary_table {
    tw_pool *pool;
    bool all;      /* print the rows of all latents */
    size_t *worst; /* n: latents by increasing ESS */
    const char *statistic_name[TW_SUMMARY_STATISTICS];
    tw_summary statistic[TW_SUMMARY_STATISTICS];
    tw_summary *latent; /* n */
    tw_chains_summary summary;
    tw_warnings warnings;
} tw_summary_table;

void tw_summary_print(const tw_summary_table *table);
tw_status tw_summary_print_json(tw_context *ctx, const tw_summary_table *table);

/* Record the methods and metrics of the runs, so that advice does not suggest them. */
void tw_summary_use(const tw_pool *pool);

/* Print "bulk 957, tail 642, fold 1100 at least"; "unknown" for a size that the draws do not determine. */
void tw_summary_print_sizes(const tw_chains_summary *summary);

/* Add the summary of all latents and of the trajectories to a JSON object. */
void tw_summary_encode(const tw_chains_summary *summary, const tw_totals *sampling, json_t *object, bool *ok);

/* Add the work: "leapfrog_steps", or null and "evaluations" for a method without leapfrog steps;
 * only null if method is NULL. */
void tw_work_encode(const tw_method_info *method, size_t steps, json_t *object, bool *ok);

/* Print every row to a stream. The caller checks the stream for errors. */
tw_status tw_summary_print_csv(tw_context *ctx, const tw_summary_table *table, FILE *to);

#endif
