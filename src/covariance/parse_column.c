/* parse_column.c: parses an input in an expression:
 * its name, with or without double quotes, or its number, from 1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/parser.h"

enum { LIST = 300, SHOWN = 40 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The length of a name without quotes: letters, digits, "_", "." and bytes outside ASCII; it does not begin
 * with a digit or ".". */
static size_t bare_length(const char *at)
{
    static const char marks[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789.";
    size_t length = 0;
    while (at[length] && (strchr(marks, at[length]) || (unsigned char)at[length] >= 0x80)) length++;
    return is_digit(*at) || *at == '.' ? 0 : length;
}

bool tw_is_bare_column(const char *name)
{
    size_t length = bare_length(name);
    return length > 0 && !name[length] && strcmp(name, "ard") != 0;
}

static bool is_name(const char *name, tw_word word)
{
    return strlen(name) == word.length && memcmp(name, word.at, word.length) == 0;
}

/* List the names of the inputs, as far as they fit. */
static void list_names(const tw_parser *p, char list[LIST])
{
    size_t length = 0;
    for (size_t k = 0; k < p->inputs && length < LIST; k++) {
        bool full = length + strlen(p->names[k]) + sizeof ", , ..." > LIST;
        length +=
            (size_t)snprintf(list + length, LIST - length, "%s%s", k ? ", " : "", full ? "..." : p->names[k]);
        if (full) break;
    }
}

static tw_status fail_column(const tw_parser *p, tw_word word)
{
    char list[LIST] = "", nearest[TW_NAME_BYTES];
    int shown = (int)(word.length < SHOWN ? word.length : SHOWN);
    if (!p->names)
        return tw_parser_fail(
            p, word.at, "unknown input \"%.*s\": the inputs have no names, so give their numbers, from 1",
            shown, word.at);
    list_names(p, list);
    tw_parser_nearest(word, list, nearest);
    return tw_parser_fail(p, word.at, "unknown input \"%.*s\"%s%s%s; choose from: %s", shown, word.at,
                          *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", list);
}

static tw_status find_name(const tw_parser *p, tw_word word, size_t *column)
{
    size_t count = 0;
    for (size_t k = 0; p->names && k < p->inputs; k++)
        if (is_name(p->names[k], word)) {
            *column = k;
            count++;
        }
    if (count == 1) return TW_OK;
    if (count == 0) return fail_column(p, word);
    return tw_parser_fail(p, word.at, "%zu inputs have this name: give its number instead", count);
}

static tw_status read_index(tw_parser *p, size_t *column)
{
    const char *start = p->at;
    size_t digits = strspn(start, "0123456789");
    unsigned long long number = digits < 10 ? strtoull(start, NULL, 10) : 0;
    if (number == 0) return tw_parser_fail(p, start, "inputs are numbered from 1");
    if (p->inputs && number > p->inputs)
        return tw_parser_fail(p, start, "there %s %zu input%s", p->inputs == 1 ? "is" : "are", p->inputs,
                              p->inputs == 1 ? "" : "s");
    p->at += digits;
    *column = (size_t)number - 1;
    return TW_OK;
}

tw_status tw_parser_column(tw_parser *p, size_t *column)
{
    tw_word word = {p->at, 0};
    if (is_digit(*p->at)) return read_index(p, column);
    if (*p->at == '"') {
        word = (tw_word){p->at + 1, strcspn(p->at + 1, "\"")};
        if (!word.at[word.length]) return tw_parser_fail(p, p->at, "this quote is not closed");
        p->at = word.at + word.length + 1;
        return find_name(p, word, column);
    }
    word.length = bare_length(p->at);
    p->at += word.length;
    return find_name(p, word, column);
}

bool tw_parser_at_column(const tw_parser *p)
{
    tw_word word = {p->at, bare_length(p->at)};
    if (is_digit(*p->at) || *p->at == '"') return true;
    const char *next = word.at + word.length;
    if (word.length == 0 || next[strspn(next, " \t\r\n")] == '=') return false;
    for (size_t k = 0; p->names && k < p->inputs; k++)
        if (is_name(p->names[k], word)) return true;
    return false;
}
