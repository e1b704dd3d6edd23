/* sample_save.h: talweg sample in a checkpoint: the choice of the pilots, and where the chains stand. The draws so far
 * are not in it but in the run file or its journal, which is on the disk before the checkpoint tells of them. */
#ifndef TALWEG_CLI_SAMPLE_SAVE_H
#define TALWEG_CLI_SAMPLE_SAVE_H

#include "cli/sample_files.h"
#include "cli/saver.h"
#include "talweg/chains.h"

enum { TW_REASON_BYTES = 128 };

typedef struct tw_sample_saver {
    tw_saver saver;
    tw_sample_files *files;                               /* those of the run */
    tw_chains_state state;                                /* of an earlier part; count 0: it had no draws */
    size_t positions;                                     /* numbers in state.x */
    double warmup_seconds, sampling_seconds;              /* that it took */
    double start;                                         /* of this part's sampling: a moment */
    char reason[TW_AUTO_MAX_CANDIDATES][TW_REASON_BYTES]; /* what a choice that was taken up points to */
} tw_sample_saver;

/* Checkpoints need a run file, and nothing else that takes draws. */
tw_status tw_sample_save_check(tw_context *ctx, const tw_saver_flags *flags,
                               const tw_sample_file_flags *files);

/* Take up what an earlier part had, after tw_saver_begin. */
void tw_sample_save_resume(tw_sample_saver *saver);

/* The choice of an earlier part; false: there is none. */
bool tw_sample_save_choice(tw_sample_saver *saver, tw_choice *out);

/* Keep a choice, or that there was nothing to choose: the first checkpoint, written at once. */
void tw_sample_save_begin(tw_sample_saver *saver, const tw_choice *choice);

/* Keep where the chains stand: for tw_chains_options.on_state. */
void tw_sample_save_state(tw_sample_saver *saver, const tw_chains_state *state, double warmup_seconds);

#endif
