/* completion.h: completions that a shell can offer for the value of an option, from the tables of options. */
#ifndef TALWEG_CLI_COMPLETION_H
#define TALWEG_CLI_COMPLETION_H

#include "cli/options.h"

typedef struct tw_completion {
    char words[512];  /* names, separated by blanks: the choices, or the names in "prior|ep|FILE" */
    bool list;        /* the value is a comma-separated list of them */
    bool files;       /* the value may be a file */
    bool directories; /* the value is a directory */
} tw_completion;

tw_completion tw_completion_of(const tw_option *option);

#endif
