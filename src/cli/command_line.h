/* command_line.h: the words of a command as one would type them, for the record. */
#ifndef TALWEG_CLI_COMMAND_LINE_H
#define TALWEG_CLI_COMMAND_LINE_H

#include "talweg/base.h"

/* "talweg NAME ARGUMENT ...", with quotes where a shell needs them. Freed with tw_release. */
tw_status tw_command_line(tw_context *ctx, const char *name, size_t count, const char *const *arguments,
                          char **out);

#endif
