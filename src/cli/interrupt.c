/* interrupt.c: see interrupt.h. A signal handler can only speak through a variable of the whole process, and
 * signals belong to the process: so this is the program's, not the library's. */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t caught, seen;

static void handle(int number)
{
    static const char clear[] = "\r\033[K";
    if (caught && !seen) {
        seen = 1;
        return;
    }
    signal(number, SIG_DFL);
    if (isatty(STDERR_FILENO) && write(STDERR_FILENO, clear, sizeof clear - 1) < 0) _exit(128 + number);
    raise(number); /* comes through when this returns */
}

static void handle_signal(int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static bool is_ignored(int number)
{
    struct sigaction now;
    return sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

void tw_interrupt_guard(void)
{
    if (!is_ignored(SIGINT)) handle_signal(SIGINT);
    if (!is_ignored(SIGTERM)) handle_signal(SIGTERM);
}

void tw_interrupt_catch(void)
{
    caught = 1;
    handle_signal(SIGINT);
    handle_signal(SIGTERM);
}

bool tw_interrupt_seen(void)
{
    return seen != 0;
}
