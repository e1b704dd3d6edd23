/* parse_fail.c: error messages of the parser:
 * words, the expression, and a mark under the position of the error. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "covariance/parser.h"

enum { WORDS = 600, BEFORE = 60, SHOWN = 100 };

static bool continues_character(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* of UTF-8 */
}

/* The part of a long expression around `at`: from at most BEFORE bytes before it, at most SHOWN bytes. */
static const char *window(const tw_parser *p, const char *at, size_t *length)
{
    const char *from = at - p->text > BEFORE ? at - BEFORE : p->text;
    while (from < at && continues_character(*from)) from++;
    *length = strlen(from) < SHOWN ? strlen(from) : SHOWN;
    while (*length > 0 && continues_character(from[*length])) (*length)--;
    return from;
}

tw_status tw_parser_fail(const tw_parser *p, const char *at, const char *format, ...)
{
    char words[WORDS], shown[SHOWN + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    size_t length = 0, column = 0;
    const char *from = window(p, at, &length);
    for (size_t i = 0; i < length; i++) shown[i] = (unsigned char)from[i] < ' ' ? ' ' : from[i];
    shown[length] = '\0';
    for (const char *c = from; c < at; c++) column += !continues_character(*c);
    return tw_fail(p->ctx, TW_BAD_ARGUMENT, "%s\n    %s\n    %*s^", words, shown, (int)column, "");
}

/* The edit distance of Levenshtein: the number of insertions, deletions and replacements that turn one name
 * into the other; 32 if a name is too long. */
static size_t edits(tw_word a, const char *b, size_t length)
{
    size_t row[32];
    if (a.length >= 32 || length >= 32) return 32;
    for (size_t j = 0; j <= length; j++) row[j] = j;
    for (size_t i = 1; i <= a.length; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t best = diagonal + (a.at[i - 1] != b[j - 1]);
            if (row[j] + 1 < best) best = row[j] + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            diagonal = row[j];
            row[j] = best;
        }
    }
    return row[length];
}

tw_word tw_parser_nearest(tw_word word, const char *names)
{
    tw_word nearest = {"", 0};
    size_t fewest = 3; /* names with three or more edits are not near */
    for (const char *c = names; *c; c += strspn(c, ", ")) {
        size_t length = strcspn(c, ",");
        size_t count = edits(word, c, length);
        if (count < fewest && count < length) {
            nearest = (tw_word){c, length};
            fewest = count;
        }
        c += length;
    }
    return nearest;
}

tw_status tw_parser_fail_name(const tw_parser *p, tw_word word)
{
    tw_word nearest = tw_parser_nearest(word, tw_kernel_names());
    return tw_parser_fail(p, word.at, "unknown kernel \"%.*s\"%s%.*s%s; choose from: %s",
                          (int)(word.length < 40 ? word.length : 40), word.at,
                          nearest.length ? " (did you mean " : "", (int)nearest.length, nearest.at,
                          nearest.length ? "?)" : "", tw_kernel_names());
}
