/* sample_save.h: checkpoints of talweg sample. A checkpoint does not hold the draws: they are in the run file
 * or its journal, which is synced to disk before the checkpoint that refers to them is written. */
#ifndef TALWEG_CLI_SAMPLE_SAVE_H
#define TALWEG_CLI_SAMPLE_SAVE_H

#include "cli/sample_files.h"
#include "cli/saver.h"

typedef struct tw_sample_saver {
    tw_saver saver;
    const tw_sample_files *files; /* of the run */
    const tw_store *inner;        /* of the saver */
    tw_store store;
} tw_sample_saver;

/* Fail if checkpoints are requested without a run file, or with --stan-csv. */
tw_status tw_sample_save_check(tw_context *ctx, const tw_saver_flags *flags,
                               const tw_sample_file_flags *files);

/* The store for the library, after tw_saver_begin; NULL: no checkpoints. Belongs to the saver. */
const tw_store *tw_sample_saver_store(tw_sample_saver *saver, const tw_sample_files *files);

#endif
