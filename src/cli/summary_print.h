/* summary_print.h: what talweg summary says: a table for people, CSV, JSON; some of it talweg sample says too. */
#ifndef TALWEG_CLI_SUMMARY_PRINT_H
#define TALWEG_CLI_SUMMARY_PRINT_H

#include <stdio.h>

#include "cli/json.h"
#include "talweg/report.h"

enum { TW_SUMMARY_STATISTICS = 6 };

typedef struct tw_summary_table {
    tw_pool *pool;
    bool all;      /* rows of all latents, for people */
    size_t *worst; /* n: latents by increasing ESS */
    const char *statistic_name[TW_SUMMARY_STATISTICS];
    tw_summary statistic[TW_SUMMARY_STATISTICS];
    tw_summary *latent; /* n */
    tw_chains_summary summary;
    tw_warnings warnings;
} tw_summary_table;

void tw_summary_print(const tw_summary_table *table);
tw_status tw_summary_print_json(tw_context *ctx, const tw_summary_table *table);

/* Advice on these runs does not name the method and metric that they used. */
void tw_summary_use(const tw_pool *pool);

/* "bulk 957, tail 642, fold 1100 at least", with "unknown" for a size that the draws do not give. */
void tw_summary_print_sizes(const tw_chains_summary *summary);

/* What JSON says of all latents and of the trajectories, here and in talweg sample. */
void tw_summary_encode(const tw_chains_summary *summary, const tw_totals *sampling, json_t *object, bool *ok);

/* And of their work: "leapfrog_steps", which is null for a method that has none, and has "evaluations" instead; method NULL:
 * neither is known. */
void tw_work_encode(const tw_method_info *method, size_t steps, json_t *object, bool *ok);

/* Every row, to an open stream, whose errors the caller looks for. */
tw_status tw_summary_print_csv(tw_context *ctx, const tw_summary_table *table, FILE *to);

#endif
