/* interrupt.h: Ctrl-C (or SIGTERM) as a wish to end soon, with what there is; and an end by a signal that leaves a clean
 * terminal. */
#ifndef TALWEG_CLI_INTERRUPT_H
#define TALWEG_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on SIGINT and SIGTERM take the line of progress off the terminal before they end the program. */
void tw_interrupt_guard(void);

/* From now on the first SIGINT or SIGTERM only sets a mark; a second one ends the program as usual. */
void tw_interrupt_catch(void);

/* Was there one? */
bool tw_interrupt_seen(void);

#endif
