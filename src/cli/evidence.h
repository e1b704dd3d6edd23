/* evidence.h: the options, results and output of talweg evidence. */
#ifndef TALWEG_CLI_EVIDENCE_H
#define TALWEG_CLI_EVIDENCE_H

#include "cli/anneal_options.h"
#include "cli/hyper_options.h"
#include "cli/model_options.h"
#include "cli/saver.h"

typedef struct tw_evidence_flags {
    tw_model_options model;
    tw_hyper_flags hyper;
    tw_anneal_options anneal;
    tw_saver_flags saver;
    tw_output_options output;
    const char *methods;
    bool methods_given;
    const char *file;    /* -o: FILE.nc or FILE.json, or NULL */
    const char *command; /* the command line */
    double until_se;     /* NaN: not given */
    uint64_t max_particles, copies, rounds;
} tw_evidence_flags;

typedef struct tw_evidence_found {
    tw_problem *problem;
    tw_anneal_files files;
    tw_evidence_plan *plan;
    tw_evidence_result result;
} tw_evidence_found;

/* Print a table and the verdict in words, or JSON. */
void tw_evidence_print(const tw_evidence_flags *flags, const tw_evidence_found *found);
tw_status tw_evidence_print_json(tw_context *ctx, const tw_evidence_found *found, FILE *to);

/* Check that the -o file can be written, and write it. */
tw_status tw_evidence_check_file(tw_context *ctx, const tw_evidence_flags *flags);
tw_status tw_evidence_write_file(tw_context *ctx, const tw_evidence_flags *flags,
                                 const tw_evidence_found *found);

#endif
