/* anneal_options.h: the options that say where the path to the posterior starts, its temperatures, and the
 * transitions along it, and their translation for the library. Shared by evidence and grid. */
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

/* What they name that is in files. */
typedef struct tw_anneal_files {
    tw_table *schedule;
    tw_reference *reference;
} tw_anneal_files;

/* What can be refused before anything is computed or read, but for a schedule in a file, which is read. */
tw_status tw_anneal_options_check(tw_context *ctx, const tw_anneal_options *options, const char *methods,
                                  tw_anneal_files *files);

/* For the library. The files are read for this model, which make_model made (see reference_file.h), where it needs them, and are the caller's to close, after the
 * plan. */
tw_status tw_anneal_translate(tw_context *ctx, const tw_anneal_options *options, const tw_model *model,
                              tw_model_maker *make_model, tw_anneal_files *files, tw_evidence_options *out);
void tw_anneal_close(tw_anneal_files *files);

#endif
