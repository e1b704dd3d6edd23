/* names.h: lists of names, "a, b, c", and names of files. */
#ifndef TALWEG_CLI_NAMES_H
#define TALWEG_CLI_NAMES_H

#include <stdbool.h>

bool tw_name_is_among(const char *word, const char *names);

/* Does the name of a file, which may be NULL, end so, with something in front? */
bool tw_name_ends_in(const char *name, const char *ending);

#endif
