/* names.h: lists of names, "a, b, c", and names of files. */
#ifndef TALWEG_CLI_NAMES_H
#define TALWEG_CLI_NAMES_H

#include <stdbool.h>

/* Is the word one of the names? */
bool tw_name_is_among(const char *word, const char *names);

/* Does the name of a file end in `ending`, and is it longer? False for NULL. */
bool tw_name_ends_in(const char *name, const char *ending);

#endif
