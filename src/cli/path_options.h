/* path_options.h: the options that say where the path to the posterior starts, its temperatures, and the
 * transitions along it, and their translation for the library. Shared by evidence and grid. */
#ifndef TALWEG_CLI_PATH_OPTIONS_H
#define TALWEG_CLI_PATH_OPTIONS_H

#include "cli/options.h"
#include "talweg/evidence_plan.h"

typedef struct tw_path_options {
    const char *from, *kernel_method, *metric, *schedule;
    double beta_min, eps, solver_tol;
    uint64_t temperatures, particles, moves, steps, burn_in, fixed_point, seed, threads;
} tw_path_options;

enum { TW_PATH_OPTION_COUNT = 15 };
extern const tw_option tw_path_option_rows[TW_PATH_OPTION_COUNT];
#define TW_PATH_OPTION_GROUP(type, member)                                                        \
    {                                                                                             \
        "Path and transitions", tw_path_option_rows, TW_PATH_OPTION_COUNT, offsetof(type, member) \
    }

/* What they name that is in files. */
typedef struct tw_path_files {
    tw_table *schedule;
    tw_reference *reference;
} tw_path_files;

/* What can be refused before anything is computed or read, but for a schedule in a file, which is read. */
tw_status tw_path_options_check(tw_context *ctx, const tw_path_options *options, const char *methods,
                                tw_path_files *files);

/* For the library. The files are read for this model, where it needs them, and are the caller's to close, after the
 * plan. */
tw_status tw_path_translate(tw_context *ctx, const tw_path_options *options, const tw_model *model,
                            tw_path_files *files, tw_evidence_options *out);
void tw_path_close(tw_path_files *files);

#endif
