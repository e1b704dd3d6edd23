/* saver.h: checkpoints of a command: --checkpoint, --checkpoint-every, --resume.
 *
 * A command puts what it has into named blocks, and now and then the saver writes them to the file, whole or not at
 * all. With --resume the blocks of that file are there at the beginning, if it is one of the same computation. When
 * all is computed the file is taken away.
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
    const char *path; /* NULL: no checkpoints are wanted, and all that follows does nothing */
    double every, next;
    bool begun;  /* and nothing was wrong */
    bool warned; /* that the last checkpoint could not be written */
    tw_checkpoint *blocks;
    tw_store store;
} tw_saver;

/* Begin, with the command's own values; options named in may_change ("draws") may be other ones than those of the
 * part that is gone on with. Refuses a file of another computation, and to overwrite one unless force. Release it
 * also after a failure. */
tw_status tw_saver_begin(tw_saver *saver, tw_context *ctx, const tw_saver_flags *flags,
                         const tw_command *command, const void *values, const char *may_change, bool force);

/* The block of that name and exactly so many bytes, of this or of an earlier part; NULL: there is none. */
const void *tw_saver_get(const tw_saver *saver, const char *name, size_t bytes);

/* The same for a block of `count` numbers, whose count is not known beforehand. */
const double *tw_saver_get_numbers(const tw_saver *saver, const char *name, size_t *count);

/* The last checkpoint could not be written, for the reason that the context has: said once, until one is written again. */
void tw_saver_warn(tw_saver *saver);

/* Put a block. Where that fails a warning says so, and the computation goes on. */
void tw_saver_put(tw_saver *saver, const char *name, size_t bytes, const void *data);

/* Is it time for the file? Also after an interrupt. */
bool tw_saver_is_due(const tw_saver *saver);

/* Write it now. */
void tw_saver_write(tw_saver *saver);

/* The same for the library: NULL where no checkpoints are wanted. Belongs to the saver. */
const tw_store *tw_saver_store(tw_saver *saver);

/* Release it, and take the file away where everything is computed; after an interrupt say how to go on. */
void tw_saver_end(tw_saver *saver, bool complete);

#endif
