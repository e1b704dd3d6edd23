/* identity.h: what a computation is, as text: the version, the command, every option that its results depend on, and
 * a digest of every file that they name. Two computations with the same identity have the same results. */
#ifndef TALWEG_CLI_IDENTITY_H
#define TALWEG_CLI_IDENTITY_H

#include "cli/options.h"

/* A line "name=value" for each option but those named in `but` ("a, b") and those that never change a result. The
 * caller releases *out. */
tw_status tw_identity_make(tw_context *ctx, const tw_command *command, const void *values, const char *but,
                           char **out);

/* Where two of them differ, in words: "it was made with --seed 1, and this is --seed 2"; "" where nowhere. */
enum { TW_DIFFERENCE_BYTES = 512 };
void tw_identity_compare(const char *theirs, const char *ours, char words[TW_DIFFERENCE_BYTES]);

#endif
