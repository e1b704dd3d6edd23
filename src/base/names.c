/* names.c: finds the name nearest to a mistyped word, by the edit distance of Levenshtein (1966): the number
 * of insertions, deletions and substitutions, from the recurrence
 *   d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j]). */
#include <stdio.h>
#include <string.h>

#include "talweg/base.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t row[TW_NAME_BYTES + 1];
    for (size_t j = 0; j <= b_length; j++) row[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t diagonal = row[0]; /* d(i-1, j-1) */
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            size_t above = row[j];
            row[j] = smaller(smaller(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[b_length];
}

/* The next name of a comma-separated list; advances *names past it.
 * Returns its length, 0 at the end of the list. */
static size_t next_name(const char **names, const char **name)
{
    *name = *names + strspn(*names, ", ");
    size_t length = strcspn(*name, ",");
    *names = *name + length;
    return length;
}

void tw_nearest_name(const char *word, const char *names, char nearest[TW_NAME_BYTES])
{
    const char *name = NULL;
    size_t word_length = strlen(word), best = TW_NAME_BYTES;
    nearest[0] = '\0';
    if (word_length >= TW_NAME_BYTES) return;
    for (size_t length; (length = next_name(&names, &name)) > 0;) {
        if (length >= TW_NAME_BYTES) continue;
        size_t distance = edit_distance(word, word_length, name, length);
        size_t near = length / 3 > 2 ? length / 3 : 2;
        if (distance > near || distance >= best || distance >= length) continue;
        best = distance;
        snprintf(nearest, TW_NAME_BYTES, "%.*s", (int)length, name);
    }
}
