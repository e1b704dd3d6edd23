/* terminal.h: the terminal: its width and colours; messages on standard error; and Ctrl-C (or SIGTERM) as a
 * request to end soon with the results so far. */
#ifndef TALWEG_CLI_TERMINAL_H
#define TALWEG_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "talweg/base.h"

/* Prepare the standard streams and signals at the start of the program. Closed standard streams are opened on
 * /dev/null, so that no file gets their descriptor. A closed pipe becomes a failed write instead of a signal. */
void tw_terminal_prepare(void);

/* Is standard error a terminal on which a line can be redrawn? False for a file, a pipe and TERM=dumb. */
bool tw_terminal_is_live(void);

/* The columns of that terminal; if it does not report them, $COLUMNS or 80. */
int tw_terminal_width(void);

/* The escape sequence that switches to a colour; TW_COLOUR_NONE ends it. "" unless the stream is a terminal,
 * TERM is not dumb, and NO_COLOR is unset or empty. */
typedef enum tw_colour { TW_COLOUR_NONE, TW_COLOUR_RED, TW_COLOUR_GREEN, TW_COLOUR_YELLOW } tw_colour;
const char *tw_terminal_colour(FILE *to, tw_colour colour);

/* Print "talweg: LABEL: text" to standard error as one paragraph; control characters become "?", and further
 * lines are indented. */
void tw_terminal_say(const char *label, tw_colour colour, const char *text);

/* A text from outside as the terminal may print it (tw_make_plain): every name of a file or from a file that a table shows
 * goes through here. Valid until the eighth call from now. */
const char *tw_plain(const char *text);

/* Send the warnings of ctx, and unless quiet its notes, to standard error from now on. */
void tw_terminal_log_to(tw_context *ctx, bool quiet);

/* Drop them until the next tw_terminal_log_to, except failed checkpoints:
 * for work whose warnings were given before. */
void tw_terminal_mute(tw_context *ctx);

/* Show a line of progress, which replaces the last one; NULL clears it. Does nothing unless standard error is
 * a terminal. progress.h shows counts. */
void tw_terminal_progress(bool quiet, const char *text);

/* Restart the clock: a command begins. talweg demo runs several. */
void tw_terminal_restart(void);

/* Seconds of wall time since the command began. */
double tw_terminal_elapsed(void);

/* The exit code of a command that ended without an error: 0 unless the command sets it. */
void tw_terminal_set_exit_code(int code);
int tw_terminal_exit_code(void);

/* SIGINT and SIGTERM, alike: a command that has a usable result ends with it, a warning and exit code 0; any other
 * ends with the exit code of TW_INTERRUPTED. Until tw_interrupt_catch they end the program at once, and so does a
 * second one after that. */

/* The context whose unfinished files are deleted at such an end; NULL: none. */
void tw_interrupt_owner(tw_context *ctx);

/* What is said at such an end: a line, which must remain valid. */
void tw_interrupt_excuse(const char *words);

/* From now on the first SIGINT or SIGTERM only sets a flag. */
void tw_interrupt_catch(void);

/* Is the flag set, here or at another rank? */
bool tw_interrupt_seen(void);

/* Set the flag because of a signal at another rank. The next signal here still counts as the first. */
void tw_interrupt_tell(void);

#endif
