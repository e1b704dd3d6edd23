/* writer.h: the struct of tw_writer, for the files of this room. A library that writes a file by its name
 * needs the temporary name (see also talweg/files.h). */
#ifndef TALWEG_OUTPUT_WRITER_H
#define TALWEG_OUTPUT_WRITER_H

#include <limits.h>
#include <sys/stat.h>

#include "output/hold.h"
#include "talweg/files.h"

struct tw_writer {
    tw_context *ctx;
    FILE *file; /* tw_writer_close reports errors */
    char path[PATH_MAX];
    mode_t mode;              /* of the finished file; 0: as it is */
    tw_hold *hold;            /* NULL: written in place */
    char temporary[PATH_MAX]; /* the name until the file is complete; "": written in place */
};

/* Give an unfinished file the owner, the group and the mode of another, as far as allowed. Returns the mode for the
 * finished file; 0: as it is. */
mode_t tw_keep_rights(int unfinished, const struct stat *of);

/* The same for a writer, unless it replaces a file. */
void tw_writer_keep_rights(tw_writer *writer, const struct stat *of);

/* Reserve this many bytes on the disk, for a library that will write the file by its name. TW_WRITE_FAILED if
 * they are not available, without any change. The file keeps the bytes until it is truncated. */
tw_status tw_writer_reserve(tw_writer *writer, uint64_t bytes);

#endif
