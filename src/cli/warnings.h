/* warnings.h: what the library warns of in the words of the program: the finding, and which option to turn.
 *
 * Warnings are said on standard error and kept, so that the JSON of a command has all of them.
 */
#ifndef TALWEG_CLI_WARNINGS_H
#define TALWEG_CLI_WARNINGS_H

#include "cli/json.h"
#include "talweg/warning.h"

/* A warning in words. */
void tw_warning_say(const tw_warning *warning, char words[TW_WARNING_BYTES]);

/* What to do about it, as a sentence of its own; "" where there is nothing to do. */
const char *tw_warning_advice(tw_warning_code code);

/* From now on those of ctx are kept and, unless quiet, said. */
void tw_warnings_receive(tw_context *ctx, bool quiet);

/* Keep those of a result for the JSON; and say them, behind what is printed. */
void tw_warnings_keep(const tw_warnings *warnings);
void tw_warnings_say(const tw_warnings *warnings);

/* Print what a command found, with "warnings" as its last member; else as tw_json_print. */
tw_status tw_warnings_print_json(tw_context *ctx, json_t *object, bool ok, FILE *to);

#endif
