/* completion.h: what a shell may offer as the value of an option, read from the tables of options. */
#ifndef TALWEG_CLI_COMPLETION_H
#define TALWEG_CLI_COMPLETION_H

#include "cli/options.h"

typedef struct tw_completion {
    char words[512]; /* names with blanks between them: the choices, or those among "prior|ep|FILE" */
    bool list;       /* several of them, with commas between */
    bool files;      /* or a file */
    bool directories;
} tw_completion;

tw_completion tw_completion_of(const tw_option *option);

#endif
