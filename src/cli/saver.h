/* saver.h: checkpoints of a command: --checkpoint, --checkpoint-every, --resume.
 *
 * A command puts its state into named blocks, and the saver writes them to the file from time to time,
 * completely or not at all. --resume reads the blocks of a file, which must belong to the same computation.
 * The file is deleted when the computation is complete.
 */
#ifndef TALWEG_CLI_SAVER_H
#define TALWEG_CLI_SAVER_H

#include "cli/options.h"
#include "talweg/files.h"
#include "talweg/store.h"

typedef struct tw_saver_flags {
    const char *checkpoint, *resume;
    double every;
} tw_saver_flags;

enum { TW_SAVER_OPTION_COUNT = 3 };
extern const tw_option tw_saver_option_rows[TW_SAVER_OPTION_COUNT];
#define TW_SAVER_OPTION_GROUP(type, member)                                                \
    {                                                                                      \
        "Checkpoints", tw_saver_option_rows, TW_SAVER_OPTION_COUNT, offsetof(type, member) \
    }

typedef struct tw_saver {
    tw_context *ctx;
    const char *path;   /* NULL: no checkpoints; the functions below then do nothing */
    double every, next; /* seconds between checkpoints; wall time of the next one */
    bool begun;         /* tw_saver_begin succeeded */
    bool warned;        /* a warning was given that the last checkpoint could not be written */
    tw_checkpoint *blocks;
    tw_store store;
} tw_saver;

/* Begin, with the command's values. Options named in may_change ("draws") may differ from those of the
 * checkpoint. Fails if the checkpoint belongs to another computation, and does not overwrite a file without
 * `force`. Call tw_saver_end also after a failure. */
tw_status tw_saver_begin(tw_saver *saver, tw_context *ctx, const tw_saver_flags *flags,
                         const tw_command *command, const void *values, const char *may_change, bool force);

/* The block of that name, put by this run or read from the checkpoint;
 * NULL if there is none or its size differs. */
const void *tw_saver_get(const tw_saver *saver, const char *name, size_t bytes);

/* The same for a block of numbers of any count. */
const double *tw_saver_get_numbers(const tw_saver *saver, const char *name, size_t *count);

/* Warn that a checkpoint could not be written, with the context's message;
 * once, until one is written again. */
void tw_saver_warn(tw_saver *saver);

/* Put a block. A failure gives a warning, and the computation continues. */
void tw_saver_put(tw_saver *saver, const char *name, size_t bytes, const void *data);

/* Is it time to write the file? Also true after an interrupt. */
bool tw_saver_is_due(const tw_saver *saver);

/* Write the file now. */
void tw_saver_write(tw_saver *saver);

/* These functions as a store for the library; NULL: no checkpoints. Belongs to the saver. */
const tw_store *tw_saver_store(tw_saver *saver);

/* Free the saver. Delete the file if the computation is complete; after an interrupt print how to resume. */
void tw_saver_end(tw_saver *saver, bool complete);

#endif
