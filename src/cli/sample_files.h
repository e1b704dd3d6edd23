/* sample_files.h: the files of talweg sample, written during sampling:
 * a run file, CSV, or CSV in CmdStan's format. */
#ifndef TALWEG_CLI_SAMPLE_FILES_H
#define TALWEG_CLI_SAMPLE_FILES_H

#include "cli/options.h"
#include "talweg/files.h"
#include "talweg/run.h"

typedef struct tw_sample_file_flags {
    const char *path; /* -o: FILE.nc, FILE.csv or FILE.json, or NULL */
    const char *stan_csv;
    bool compress, summary_only, pointwise;
} tw_sample_file_flags;

enum { TW_SAMPLE_FILE_OPTION_COUNT = 5 };
extern const tw_option tw_sample_file_option_rows[TW_SAMPLE_FILE_OPTION_COUNT];
#define TW_SAMPLE_FILE_OPTION_GROUP(type, member)                                                \
    {                                                                                            \
        "Files", tw_sample_file_option_rows, TW_SAMPLE_FILE_OPTION_COUNT, offsetof(type, member) \
    }

/* Check the options and files before anything is computed. */
tw_status tw_sample_files_check(tw_context *ctx, const tw_sample_file_flags *flags, bool force,
                                size_t chains);

/* The open files of a run. Call tw_sample_files_end after tw_sample_files_begin, even if that failed. */
typedef struct tw_sample_files {
    tw_context *ctx;
    tw_writer *csv; /* csv, run and stan are NULL if there is no such file */
    tw_run_writer *run;
    tw_stan_csv *stan;
    size_t positions; /* numbers in x of a draw: n x chains */
} tw_sample_files;

/* The state that a resumed run continues from. */
typedef struct tw_sample_earlier {
    size_t draws;    /* earlier draws of each chain */
    const double *x; /* the last of them; NULL: not known */
} tw_sample_earlier;

tw_status tw_sample_files_begin(tw_sample_files *files, tw_context *ctx, const tw_sample_file_flags *flags,
                                bool force, const tw_problem *problem, const tw_run_facts *facts,
                                const tw_stan_settings *settings, size_t threads, tw_sample_earlier earlier);
tw_status tw_sample_files_add(tw_sample_files *files, const tw_draw *draw);

/* Complete the files if `status`, the outcome of the run, is TW_OK; otherwise discard them, except the
 * journal of a run file. Returns the first error. */
tw_status tw_sample_files_end(tw_sample_files *files, tw_status status, const tw_run_facts *facts);

#endif
