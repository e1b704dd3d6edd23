/* file.h: a whole file in memory, and the line numbers for error messages. */
#ifndef TALWEG_DATA_FILE_H
#define TALWEG_DATA_FILE_H

#include "base/context.h"

/* The bytes of a file, followed by a NUL, so that parsers of text need no other end mark. */
typedef struct tw_file {
    tw_context *ctx;
    char *bytes;
    size_t length;
} tw_file;

/* Read all of path (a regular file, a pipe, ...) into file. The caller releases it after a failure as well. */
tw_status tw_file_read(tw_context *ctx, const char *path, tw_file *file);
void tw_file_release(tw_file *file);

/* Decompress a gzip file; any other file stays as it is. */
tw_status tw_file_inflate(tw_file *file);

/* Fail if the file is empty or not text: NUL bytes anywhere, or control bytes near its start. */
tw_status tw_file_check_text(const tw_file *file);

/* The start of the text, after the UTF-8 byte order mark if there is one. */
const char *tw_file_text(const tw_file *file);

/* The end of the line that contains `at`: its '\n', or the end of the file. */
const char *tw_file_line_end(const tw_file *file, const char *at);

/* The number of the line that contains `at`, from 1. It counts newlines: use it for error messages only. */
size_t tw_file_line_number(const tw_file *file, const char *at);

#endif
