/* sample_files.h: where the draws of talweg sample go as they are made: a run file, CSV, CSV as CmdStan writes it.
 */
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

/* What can be refused before anything is computed. */
tw_status tw_sample_files_check(tw_context *ctx, const tw_sample_file_flags *flags, bool force,
                                size_t chains);

/* The files of a run on its way: tw_sample_files_end after _begin, also where _begin failed. */
typedef struct tw_sample_files {
    tw_context *ctx;
    tw_writer *csv; /* any of these is NULL where there is no such file */
    tw_run_writer *run;
    tw_stan_csv *stan;
    size_t positions; /* numbers in x of a draw: n x chains */
} tw_sample_files;

/* Where a run goes on: behind so many draws of each chain, whose last is x (NULL: not known). */
typedef struct tw_sample_earlier {
    size_t draws;
    const double *x;
} tw_sample_earlier;

tw_status tw_sample_files_begin(tw_sample_files *files, tw_context *ctx, const tw_sample_file_flags *flags,
                                bool force, const tw_problem *problem, const tw_run_facts *facts,
                                const tw_stan_settings *settings, size_t threads, tw_sample_earlier earlier);
tw_status tw_sample_files_add(tw_sample_files *files, const tw_draw *draw);

/* `status` says how the run ended: TW_OK completes the files, anything else gives them up, but for the journal
 * of a run, and is returned. */
tw_status tw_sample_files_end(tw_sample_files *files, tw_status status, const tw_run_facts *facts);

#endif
