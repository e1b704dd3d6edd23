/* file.h: a whole file in memory, and the words to say where in it something is wrong. */
#ifndef TALWEG_DATA_FILE_H
#define TALWEG_DATA_FILE_H

#include "base/context.h"

/* The bytes of a file, with a NUL after the last, so that text needs no other end mark. */
typedef struct tw_file {
    tw_context *ctx;
    char *bytes;
    size_t length;
} tw_file;

/* Read all of path (a regular file, a pipe, ...) into file. Release it also after a failure. */
tw_status tw_file_read(tw_context *ctx, const char *path, tw_file *file);
void tw_file_release(tw_file *file);

/* Decompress a file that gzip compressed; another stays as it is. */
tw_status tw_file_inflate(tw_file *file);

/* Refuse a file that is empty or is not text: NUL bytes anywhere, control bytes near its start. */
tw_status tw_file_check_text(const tw_file *file);

/* Where the text starts: behind a UTF-8 byte order mark, if there is one. */
const char *tw_file_text(const tw_file *file);

/* Where the line that holds `at` ends: at its '\n', or at the end of the file. */
const char *tw_file_line_end(const tw_file *file, const char *at);

/* The 1-based number of the line that holds `at`. Counts newlines: for error messages only. */
size_t tw_file_line_number(const tw_file *file, const char *at);

#endif
