/* terminal.h: where the program speaks: is there a person in front of it, how wide is the place, may it have
 * colours; warnings and errors; Ctrl-C (or SIGTERM) as a wish to end soon, with what there is. */
#ifndef TALWEG_CLI_TERMINAL_H
#define TALWEG_CLI_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "talweg/base.h"

/* For the start of the program: standard streams that are closed are opened on nothing, so that no file takes
 * their place; a reader that went away is a failed write; Ctrl-C takes the line of progress away. */
void tw_terminal_prepare(void);

/* Does standard error show a line that can be redrawn? False for a file, a pipe and TERM=dumb. */
bool tw_terminal_is_live(void);

/* Columns of that terminal; where it does not say, $COLUMNS or 80. */
int tw_terminal_width(void);

/* What begins and ends coloured words on a stream: "" unless it is a terminal, TERM is not dumb, and NO_COLOR
 * is not set or empty. */
typedef enum tw_colour { TW_COLOUR_NONE, TW_COLOUR_RED, TW_COLOUR_GREEN, TW_COLOUR_YELLOW } tw_colour;
const char *tw_terminal_colour(FILE *to, tw_colour colour);

/* "talweg: LABEL: text" on standard error, one paragraph whatever is in the text; its further lines are indented. */
void tw_terminal_say(const char *label, tw_colour colour, const char *text);

/* Warnings and notes of ctx go to standard error from now on; where quiet, no notes. */
void tw_terminal_log_to(tw_context *ctx, bool quiet);

/* Until the next tw_terminal_log_to they are dropped: for work whose warnings were given before. */
void tw_terminal_mute(tw_context *ctx);

/* Say what is going on, in one line that the next replaces; NULL takes it away. Only where standard error is
 * a terminal. Where there is something to count, see progress.h. */
void tw_terminal_progress(bool quiet, const char *text);

/* A command begins: talweg demo runs several. */
void tw_terminal_restart(void);

/* Seconds of wall time since then: what a whole command took. */
double tw_terminal_elapsed(void);

/* The exit code of a command that did what it was asked: 0, or what it sets to say more. */
void tw_terminal_set_exit_code(int code);
int tw_terminal_exit_code(void);

/* From now on SIGINT and SIGTERM take the line of progress off the terminal before they end the program. */
void tw_interrupt_guard(void);

/* From now on, until tw_interrupt_catch, they end the program at once with these words, a line that lasts, and the exit code of
 * TW_INTERRUPTED: where there is nothing to keep yet, as while data are read and K is factored. */
void tw_interrupt_excuse(const char *words);

/* From now on the first SIGINT or SIGTERM only sets a mark; a second one ends the program as usual. */
void tw_interrupt_catch(void);

/* Was there one, here or at another rank? */
bool tw_interrupt_seen(void);

/* There was one at another rank. The next one here is still the first. */
void tw_interrupt_tell(void);

#endif
