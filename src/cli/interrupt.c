/* interrupt.c: see interrupt.h. A signal handler can only speak through a variable of the whole process, and
 * signals belong to the process: so this is the program's, not the library's. */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>

static volatile sig_atomic_t seen;

static void mark(int number)
{
    (void)number;
    seen = 1;
}

void tw_interrupt_catch(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = mark;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
}

bool tw_interrupt_seen(void)
{
    return seen != 0;
}
