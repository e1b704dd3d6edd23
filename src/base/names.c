/* names.c: finds the name nearest to a mistyped word, by the edit distance of Damerau (1964) in its restricted form:
 * the number of insertions, deletions, substitutions and exchanges of two neighbours, from the recurrence
 *     d(i, j) = min(d(i-1, j) + 1, d(i, j-1) + 1, d(i-1, j-1) + [a_i != b_j]),
 * and d(i-2, j-2) + 1 if a_i = b_(j-1) and a_(i-1) = b_j. Upper and lower case are equal. */
#include <stdio.h>
#include <string.h>

#include "talweg/base.h"

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static bool is_same(char a, char b)
{
    if (a >= 'A' && a <= 'Z') a = (char)(a - 'A' + 'a');
    if (b >= 'A' && b <= 'Z') b = (char)(b - 'A' + 'a');
    return a == b;
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][TW_NAME_BYTES + 1]; /* row i is rows[i % 3] */
    for (size_t j = 0; j <= b_length; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smaller(smaller(above[j], row[j - 1]) + 1, above[j - 1] + !is_same(a[i - 1], b[j - 1]));
            if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) && is_same(a[i - 2], b[j - 1]))
                row[j] = smaller(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
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
        size_t longer = length > word_length ? length : word_length;
        if (3 * distance > longer || distance >= best) continue;
        best = distance;
        snprintf(nearest, TW_NAME_BYTES, "%.*s", (int)length, name);
    }
}
