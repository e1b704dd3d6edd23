/* anneal_options.h: the options of the path to the posterior (its start, temperatures and transitions), and
 * their translation to the library's options. Shared by talweg evidence and talweg grid. */
#ifndef TALWEG_CLI_ANNEAL_OPTIONS_H
#define TALWEG_CLI_ANNEAL_OPTIONS_H

#include "cli/options.h"
#include "talweg/evidence_plan.h"

typedef struct tw_anneal_options {
    const char *from, *kernel_method, *metric, *schedule;
    double beta_min, eps, solver_tol;
    uint64_t temperatures, particles, moves, steps, burn_in, fixed_point, seed, threads;
} tw_anneal_options;

enum { TW_ANNEAL_OPTION_COUNT = 15 };
extern const tw_option tw_anneal_option_rows[TW_ANNEAL_OPTION_COUNT];
#define TW_ANNEAL_OPTION_GROUP(type, member)                                                          \
    {                                                                                                 \
        "Path and transitions", tw_anneal_option_rows, TW_ANNEAL_OPTION_COUNT, offsetof(type, member) \
    }

/* The contents of the files that the options name; NULL: none. */
typedef struct tw_anneal_files {
    tw_table *schedule;
    tw_reference *reference;
} tw_anneal_files;

/* Check the options before anything is computed. Of the files only the schedule is read. */
tw_status tw_anneal_options_check(tw_context *ctx, const tw_anneal_options *options, const char *methods,
                                  tw_anneal_files *files);

/* Translate the options for the library, and read the reference if it is in files: for this model, which
 * make_model made (see reference_file.h). The caller closes the files after it has freed the plan. */
tw_status tw_anneal_translate(tw_context *ctx, const tw_anneal_options *options, const tw_model *model,
                              tw_model_maker *make_model, tw_anneal_files *files, tw_evidence_options *out);
void tw_anneal_close(tw_anneal_files *files);

#endif
