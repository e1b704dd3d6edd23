/* interrupt.h: Ctrl-C as a wish to end soon, with what there is. */
#ifndef TALWEG_CLI_INTERRUPT_H
#define TALWEG_CLI_INTERRUPT_H

#include <stdbool.h>

/* From now on the first SIGINT only sets a mark; a second one ends the program as usual. */
void tw_interrupt_catch(void);

/* Was there one? */
bool tw_interrupt_seen(void);

#endif
