/* sample_save.h: checkpoints of talweg sample. The draws so far are not in a checkpoint but in the run file or its
 * journal, which is on the disk before the checkpoint tells of them. */
#ifndef TALWEG_CLI_SAMPLE_SAVE_H
#define TALWEG_CLI_SAMPLE_SAVE_H

#include "cli/sample_files.h"
#include "cli/saver.h"

typedef struct tw_sample_saver {
    tw_saver saver;
    const tw_sample_files *files; /* those of the run */
    const tw_store *inner;        /* that of the saver */
    tw_store store;
} tw_sample_saver;

/* Checkpoints need a run file, and nothing else that takes draws. */
tw_status tw_sample_save_check(tw_context *ctx, const tw_saver_flags *flags,
                               const tw_sample_file_flags *files);

/* For the library, after tw_saver_begin: NULL where no checkpoints are wanted. Belongs to the saver. */
const tw_store *tw_sample_saver_store(tw_sample_saver *saver, const tw_sample_files *files);

#endif
