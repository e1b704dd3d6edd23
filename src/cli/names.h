/* names.h: lists of names, "a, b, c", and the one that was perhaps meant. */
#ifndef TALWEG_CLI_NAMES_H
#define TALWEG_CLI_NAMES_H

#include <stdbool.h>

enum { TW_NAME_BYTES = 64 };

bool tw_name_is_among(const char *word, const char *names);

/* The name of the list nearest to word by edit distance, copied into nearest; "" where none is within a third
 * of its length (and two letters at least). */
void tw_nearest_name(const char *word, const char *names, char nearest[TW_NAME_BYTES]);

/* Does the name of a file, which may be NULL, end so, with something in front? */
bool tw_name_ends_in(const char *name, const char *ending);

#endif
