/* sample_report.h: what talweg sample says: a table for people, and JSON. */
#ifndef TALWEG_CLI_SAMPLE_REPORT_H
#define TALWEG_CLI_SAMPLE_REPORT_H

#include <stdio.h>

#include "cli/sampler_options.h"
#include "talweg/output.h"

typedef struct tw_sample_results {
    tw_problem *problem;
    tw_approximation *approximation; /* NULL: none was needed */
    tw_choice choice;                /* count 0: the user chose */
    tw_sampler_options sampler;      /* as run */
    tw_draws *draws;
    tw_chains_summary summary;
    tw_warnings warnings;
    double warmup_seconds, sampling_seconds;
} tw_sample_results;

void tw_sample_print(const char *data, const tw_sampler_flags *flags, const tw_sample_results *results);

tw_status tw_sample_print_json(tw_context *ctx, const tw_sampler_flags *flags,
                               const tw_sample_results *results, FILE *to);

#endif
