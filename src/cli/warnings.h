/* warnings.h: what the library warns of in the words of the program: the finding, and which option to turn.
 *
 * Warnings are said on standard error and kept, so that the JSON of a command has all of them.
 */
#ifndef TALWEG_CLI_WARNINGS_H
#define TALWEG_CLI_WARNINGS_H

#include "cli/json.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

/* A warning in words. */
void tw_warning_say(const tw_warning *warning, char words[TW_WARNING_BYTES]);

/* What to do about it, as a sentence of its own; "" where there is nothing to do. */
const char *tw_warning_advice(tw_warning_code code);

/* What the command is and uses, so that advice does not name it: methods with commas between them, the metric, q, and
 * "tolerance" where implicit equations are solved to one. */
typedef enum tw_in_use {
    TW_USED_COMMAND,
    TW_USED_METHOD,
    TW_USED_METRIC,
    TW_USED_FROM,
    TW_USED_SOLVER,
    TW_USED_KINDS
} tw_in_use;
void tw_warnings_use(tw_in_use kind, const char *value);

/* From now on those of ctx are kept and said. */
void tw_warnings_receive(tw_context *ctx);

/* One of them, by hand. */
void tw_warnings_hear(void *user, const tw_warning *warning);

/* From now on those kept and said begin with "SUBJECT: ", for a command about several models; NULL: no longer. */
void tw_warnings_about(const char *subject);

/* Forget those kept so far, what is in use and the subject: a new command begins. */
void tw_warnings_forget(void);

/* --no-warnings: they are kept, and not said. */
void tw_warnings_silence(bool silent);

/* Keep those of a result for the JSON; and say them, behind what is printed. */
void tw_warnings_keep(const tw_warnings *warnings);
void tw_warnings_say(const tw_warnings *warnings);

/* Print what a command found, with what every one says at last: "model" (NULL: null), "files" that it read and wrote,
 * "seconds_total" of wall time and "warnings"; else as tw_json_print. */
tw_status tw_result_print_json(tw_context *ctx, const tw_problem *problem, json_t *object, bool ok, FILE *to);

#endif
