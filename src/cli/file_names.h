/* file_names.h: what is wrong with the names of files that a command was given, before any of them is touched. */
#ifndef TALWEG_CLI_FILE_NAMES_H
#define TALWEG_CLI_FILE_NAMES_H

#include "cli/json.h"
#include "cli/options.h"

/* Refuse names of no letters; two results in one file, of which one would be lost; a result in the file of its
 * data; and a checkpoint, which is taken
 * away in the end, in a file that something else is read from or written to. */
tw_status tw_file_names_check(tw_context *ctx, const tw_command *command, const void *values);

/* The command that runs, with its values, for tw_file_names_encode; NULL where none does. */
void tw_file_names_of(const tw_command *command, const void *values);

/* {"read": [...], "written": [...]}: the files that the running command was given by name, and those that it writes. */
json_t *tw_file_names_encode(bool *ok);

/* Are these one file? Devices are not: everybody may write to them. */
bool tw_file_names_are_same(const char *a, const char *b);

#endif
