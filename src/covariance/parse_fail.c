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
    snprintf(shown, sizeof shown, "%.*s", (int)length, from);
    for (char *c = shown; *c; c++)
        if (strchr("\t\r\n", *c)) *c = ' '; /* blanks of a long expression */
    tw_make_plain(words);
    tw_make_plain(shown);
    for (const char *c = from; c < at; c++) column += !continues_character(*c);
    return tw_fail(p->ctx, TW_BAD_ARGUMENT, "%s\n    %s\n    %*s^", words, shown, (int)column, "");
}

void tw_parser_nearest(tw_word word, const char *names, char nearest[TW_NAME_BYTES])
{
    char text[TW_NAME_BYTES];
    nearest[0] = '\0';
    if (word.length >= sizeof text) return;
    snprintf(text, sizeof text, "%.*s", (int)word.length, word.at);
    tw_nearest_name(text, names, nearest);
}

tw_status tw_parser_fail_name(const tw_parser *p, tw_word word)
{
    char nearest[TW_NAME_BYTES];
    tw_parser_nearest(word, tw_kernel_names(), nearest);
    return tw_parser_fail(p, word.at, "unknown kernel \"%.*s\"%s%s%s; choose from: %s",
                          (int)(word.length < 40 ? word.length : 40), word.at,
                          *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "",
                          tw_kernel_names());
}
