/* writer.h: files that are written whole or not at all.
 *
 * A regular file is written under another name beside it, flushed to the disk and renamed. What is not a
 * regular file (a pipe, a terminal, /dev/stdout) is written as it is.
 */
#ifndef TALWEG_OUTPUT_WRITER_H
#define TALWEG_OUTPUT_WRITER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/context.h"

typedef struct tw_writer {
    tw_context *ctx;
    FILE *file; /* write here; errors are noticed in tw_writer_close */
    const char *path;
    char target[PATH_MAX];    /* path, symbolic links followed */
    char temporary[PATH_MAX]; /* what file is called until it is complete; "": written in place */
} tw_writer;

/* Could path be written? Fails as tw_writer_open would, and leaves nothing behind: for the start of a long
 * computation. */
tw_status tw_writer_check(tw_context *ctx, const char *path, bool overwrite);

/* Begin. An existing file is refused with TW_BAD_ARGUMENT unless overwrite; a place that cannot be written is
 * TW_WRITE_FAILED. */
tw_status tw_writer_open(tw_context *ctx, const char *path, bool overwrite, tw_writer *writer);

/* Take room on the disk for so many bytes in all, for a library that will write the file by its name:
 * TW_WRITE_FAILED where there is none, with nothing changed. Until the file is made shorter, it has them. */
tw_status tw_writer_reserve(tw_writer *writer, uint64_t bytes);

/* Finish: flush, fsync, rename. On failure the file that was there before is untouched. */
tw_status tw_writer_close(tw_writer *writer);

/* Give up: nothing is left. For when what should be written failed to come about. */
void tw_writer_abandon(tw_writer *writer);

#endif
