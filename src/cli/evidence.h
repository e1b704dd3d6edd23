/* evidence.h: what talweg evidence computes and prints. */
#ifndef TALWEG_CLI_EVIDENCE_H
#define TALWEG_CLI_EVIDENCE_H

#include "cli/model_options.h"
#include "cli/path_options.h"
#include "cli/saver.h"

enum { TW_MOST_ESTIMATES = 8 };

typedef struct tw_evidence_options {
    tw_model_options model;
    tw_path_options path;
    tw_saver_flags saver;
    tw_output_options output;
    const char *methods;
    const char *file;    /* -o: FILE.nc or FILE.json, or NULL */
    const char *command; /* as it was typed */
    double until_se;     /* NaN: not asked for */
    uint64_t max_particles, copies, rounds;
} tw_evidence_options;

typedef struct tw_evidence_results {
    tw_problem *problem;
    tw_path path;
    tw_saver saver;
    unsigned finished; /* methods that are done: a bit for each, in the order of their names */
    size_t count;
    tw_estimate estimate[TW_MOST_ESTIMATES];
    double seconds[TW_MOST_ESTIMATES];     /* of wall time */
    double cpu_seconds[TW_MOST_ESTIMATES]; /* of all threads together */
    double needed;                         /* particles that --until-se takes, the most over the estimates */
    bool tempered;                         /* is this there? */
    tw_pt_report tempering;
    tw_agreement agreement;
} tw_evidence_results;

/* "ais, ais-reverse, ..." */
const char *tw_evidence_method_names(void);

/* --method: known names, each once; then all of them in turn, until an interrupt. */
tw_status tw_evidence_check_methods(tw_context *ctx, const char *text);
tw_status tw_evidence_run_methods(const tw_evidence_options *options, tw_evidence_results *results);

/* One table with everything, and the verdict in words. */
void tw_evidence_print(const tw_evidence_options *options, const tw_evidence_results *results);
tw_status tw_evidence_print_json(tw_context *ctx, const tw_evidence_results *results, FILE *to);

/* The -o file: could it be written, and writing it. */
tw_status tw_evidence_check_file(tw_context *ctx, const tw_evidence_options *options);
tw_status tw_evidence_write_file(tw_context *ctx, const tw_evidence_options *options,
                                 const tw_evidence_results *results);

#endif
