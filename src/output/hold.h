/* hold.h: the exclusive right to write a file, until it is given back or its context is freed.
 *
 * The right is a lock (flock) on the empty file .NAME.talweg.lock beside NAME, which is deleted with the hold. The
 * lock ends with its process, however that ends, on this machine or another, so that nobody need guess from the
 * number of a process whether it still lives. What the owner writes is NAME.talweg.part until it is complete; a
 * file of that name that a new owner finds is left from a process that was killed, and is removed. On a file system
 * without locks there are none, as in a journal.
 */
#ifndef TALWEG_OUTPUT_HOLD_H
#define TALWEG_OUTPUT_HOLD_H

#include <limits.h>
#include <stdbool.h>

#include "base/context.h"

typedef struct tw_hold {
    struct tw_hold *next;  /* of the same context */
    bool kept;             /* until the context is freed */
    bool busy;             /* a file is being written under it */
    bool locked;           /* false: a file system without locks */
    int descriptor;        /* of the lock */
    char target[PATH_MAX]; /* the file, without symbolic links */
    char lock[PATH_MAX];   /* "": none */
    char part[PATH_MAX];   /* the unfinished file; "" while there is none */
} tw_hold;

/* Take hold of the file of this name, or take up the hold that this context has on it. TW_WRITE_FAILED if it is being written, by
 * another process or by this one; `path` is for messages. */
tw_status tw_hold_take(tw_context *ctx, const char *target, const char *path, tw_hold **out);

/* Remove the lock of this file where nobody holds it. */
void tw_hold_sweep(const char *target);

/* Give the hold back unless it is kept. */
void tw_hold_end(tw_context *ctx, tw_hold *hold);

#endif
