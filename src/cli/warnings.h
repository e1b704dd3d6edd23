/* warnings.h: the library's warnings with the program's advice on options.
 *
 * Warnings are printed to standard error and kept, so that the JSON of a command contains all of them.
 */
#ifndef TALWEG_CLI_WARNINGS_H
#define TALWEG_CLI_WARNINGS_H

#include "cli/json.h"
#include "talweg/problem.h"
#include "talweg/warning.h"

/* The text of a warning, with advice. */
void tw_warning_say(const tw_warning *warning, char words[TW_WARNING_BYTES]);

/* The advice alone, as a sentence; "" if there is none. */
const char *tw_warning_advice(tw_warning_code code);

/* Record the command and the options in use, so that advice does not suggest them: comma-separated methods,
 * the metric, q (--from), "tolerance" if implicit equations are solved to a tolerance, and "expression" if
 * --kernel is more than a name. The text must remain valid. */
typedef enum tw_in_use {
    TW_USED_COMMAND,
    TW_USED_METHOD,
    TW_USED_METRIC,
    TW_USED_FROM,
    TW_USED_SOLVER,
    TW_USED_KERNEL,
    TW_USED_KINDS
} tw_in_use;
void tw_warnings_use(tw_in_use kind, const char *value);

/* Keep and print the warnings of ctx from now on. */
void tw_warnings_receive(tw_context *ctx);

/* Keep and print one warning. */
void tw_warnings_hear(void *user, const tw_warning *warning);

/* Prefix the warnings kept and printed from now on with "SUBJECT: "; NULL: no prefix. */
void tw_warnings_about(const char *subject);

/* Forget the warnings, the options in use and the subject: a new command begins. */
void tw_warnings_forget(void);

/* --no-warnings: keep warnings, but do not print them. */
void tw_warnings_silence(bool silent);

/* Keep the warnings of a result for the JSON output; and print them, after the results. */
void tw_warnings_keep(const tw_warnings *warnings);
void tw_warnings_say(const tw_warnings *warnings);

/* Print a command's results as JSON (tw_json_print), after adding the members of every command: "model" (null
 * if problem is NULL), "files" read and written, "seconds_total" of wall time, and "warnings". */
tw_status tw_result_print_json(tw_context *ctx, const tw_problem *problem, json_t *object, bool ok, FILE *to);

#endif
