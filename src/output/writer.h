/* writer.h: what the files of output use of a tw_writer beside what is public (talweg/files.h): its temporary name, for a
 * library that writes a file by its name. */
#ifndef TALWEG_OUTPUT_WRITER_H
#define TALWEG_OUTPUT_WRITER_H

#include <limits.h>

#include "talweg/files.h"

struct tw_writer {
    tw_context *ctx;
    FILE *file; /* errors are noticed in tw_writer_close */
    char path[PATH_MAX];
    char target[PATH_MAX];    /* path, symbolic links followed */
    char temporary[PATH_MAX]; /* what file is called until it is complete; "": written in place */
};

/* Take room on the disk for so many bytes in all, for a library that will write the file by its name:
 * TW_WRITE_FAILED where there is none, with nothing changed. Until the file is made shorter, it has them. */
tw_status tw_writer_reserve(tw_writer *writer, uint64_t bytes);

#endif
