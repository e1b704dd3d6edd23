/* check.h: the options, results and output of talweg check. */
#ifndef TALWEG_CLI_CHECK_H
#define TALWEG_CLI_CHECK_H

#include "cli/model_options.h"
#include "talweg/check.h"

typedef struct tw_check_flags {
    tw_model_options model;
    tw_output_options output;
    const char *against;
    const char *file; /* -o: FILE.html or FILE.json, or NULL */
    double log_z;     /* NaN: not given */
    double tolerance, log_z_tolerance;
    const char *methods;
    uint64_t chains, warmup, draws, seed, threads;
    const char *command; /* the command line */
} tw_check_flags;

typedef struct tw_check_found {
    tw_problem *problem;
    tw_fits fits; /* EP and Laplace, if one of them is checked */
    tw_claim *claim;
    tw_check_result result;
} tw_check_found;

/* Print two tables and the verdict, or JSON. */
void tw_check_print(const tw_check_flags *flags, const tw_check_found *found);
tw_status tw_check_print_json(tw_context *ctx, const tw_check_flags *flags, const tw_check_found *found,
                              FILE *to);

#endif
