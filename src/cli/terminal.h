/* terminal.h: what the program says beside its results: warnings, progress, time. */
#ifndef TALWEG_CLI_TERMINAL_H
#define TALWEG_CLI_TERMINAL_H

#include <stdbool.h>

#include "talweg/base.h"

/* Warnings and notes of ctx go to standard error from now on, or nowhere. */
void tw_terminal_log_to(tw_context *ctx, bool quiet);

/* Say what is going on, in one line that the next replaces; NULL takes it away. Only where standard error is
 * a terminal. */
void tw_terminal_progress(bool quiet, const char *text);

/* Seconds of wall time since some fixed moment. */
double tw_terminal_seconds(void);

/* Seconds of processor time that all threads of the program have used. */
double tw_terminal_cpu_seconds(void);

#endif
