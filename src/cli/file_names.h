/* file_names.h: checks the names of files that a command was given, before any file is opened. */
#ifndef TALWEG_CLI_FILE_NAMES_H
#define TALWEG_CLI_FILE_NAMES_H

#include "cli/json.h"
#include "cli/options.h"

/* Fail if a name is empty; if two results have the same file, since one would be lost; if a result has the
 * file of its data; or if a checkpoint, which is deleted at the end, has the file of something else. */
tw_status tw_file_names_check(tw_context *ctx, const tw_command *command, const void *values);

/* Set the running command and its values for tw_file_names_encode; NULL: none is running. */
void tw_file_names_of(const tw_command *command, const void *values);

/* {"read": [...], "written": [...]}: the files that the running command reads and writes. */
json_t *tw_file_names_encode(bool *ok);

/* Are these the same file? False for devices such as /dev/null, which several options may share. */
bool tw_file_names_are_same(const char *a, const char *b);

#endif
