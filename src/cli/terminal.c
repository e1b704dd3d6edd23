/* terminal.c: see terminal.h. */
#include "cli/terminal.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void print_message(void *user, tw_log_level level, const char *text)
{
    (void)user;
    fprintf(stderr, "talweg: %s: %s\n", level == TW_LOG_WARNING ? "warning" : "note", text);
}

void tw_terminal_log_to(tw_context *ctx, bool quiet)
{
    tw_context_set_log(ctx, quiet ? NULL : print_message, NULL);
}

void tw_terminal_progress(bool quiet, const char *text)
{
    if (quiet || !isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r\033[K%s", text ? text : "");
    fflush(stderr);
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double tw_terminal_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double tw_terminal_cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}
