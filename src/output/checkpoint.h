/* checkpoint.h: where a long computation stands: blocks of bytes with names, in one file that is written whole or
 * not at all. What the blocks mean is their owner's affair; they are read by the program that wrote them.
 *
 * The file is a sequence of words of 8 bytes in the machine's own order: a mark, the number of blocks; for each of
 * them its name, its length in bytes and the bytes, filled up with zeros; and a checksum of all words before it.
 */
#ifndef TALWEG_OUTPUT_CHECKPOINT_H
#define TALWEG_OUTPUT_CHECKPOINT_H

#include "base/context.h"

typedef struct tw_checkpoint tw_checkpoint;

enum { TW_CHECKPOINT_NAME_BYTES = 32 }; /* of a name, the final NUL included */

tw_status tw_checkpoint_new(tw_context *ctx, tw_checkpoint **out);
void tw_checkpoint_free(tw_checkpoint *checkpoint);

/* Copy bytes into the block of that name, in place of what it held before. */
tw_status tw_checkpoint_put(tw_checkpoint *checkpoint, const char *name, size_t bytes, const void *data);

/* The block and its length; NULL and 0 where there is none. Valid until it is put again. */
const void *tw_checkpoint_get(const tw_checkpoint *checkpoint, const char *name, size_t *bytes);

/* Write the file, in place of one that is there. */
tw_status tw_checkpoint_save(const tw_checkpoint *checkpoint, const char *path);

/* Read it. Messages name the file; TW_BAD_DATA where it is something else, or damaged. */
tw_status tw_checkpoint_load(tw_context *ctx, const char *path, tw_checkpoint **out);

#endif
