/* names.c: functions on lists of names and on names of files (names.h). */
#include "cli/names.h"

#include <string.h>

bool tw_name_is_among(const char *word, const char *names)
{
    size_t wanted = strlen(word);
    while (*(names += strspn(names, ", "))) {
        size_t length = strcspn(names, ",");
        if (wanted == length && memcmp(word, names, length) == 0) return true;
        names += length;
    }
    return false;
}

bool tw_name_ends_in(const char *name, const char *ending)
{
    size_t length = name ? strlen(name) : 0, tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}
