/* sample_report.h: the output of talweg sample: a table, or JSON. */
#ifndef TALWEG_CLI_SAMPLE_REPORT_H
#define TALWEG_CLI_SAMPLE_REPORT_H

#include <stdio.h>

#include "talweg/run.h"
#include "talweg/sampling_plan.h"

typedef struct tw_sample_results {
    tw_problem *problem;
    tw_sampling_plan *plan;
    tw_sampling_result result;
} tw_sample_results;

/* The facts for a run file, as far as they are known by now. */
tw_run_facts tw_sample_facts(const char *data, const char *command, const tw_sample_results *results);

void tw_sample_print(const char *data, const tw_sample_results *results);
tw_status tw_sample_print_json(tw_context *ctx, const tw_sample_results *results, FILE *to);

#endif
