/* html.c: print escaped text to a page; see html.h. */
#include "output/report/html.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { MOST_BYTES = 2048 };

static const char *entity(char c)
{
    switch (c) {
    case '&': return "&amp;";
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '"': return "&quot;";
    case '\'': return "&#39;";
    case '\t':
    case '\n': return NULL;
    default: return (unsigned char)c < ' ' || c == '\177' ? "&#xFFFD;" : NULL;
    }
}

static void put_character(char c, FILE *to)
{
    const char *escaped = entity(c);
    if (escaped)
        fputs(escaped, to);
    else
        fputc(c, to);
}

void tw_html_text(const char *text, FILE *to)
{
    for (; *text; text++) put_character(*text, to);
}

void tw_html_command(const char *line, FILE *to)
{
    fputs("<pre>", to);
    while (*line) {
        char word[512];
        size_t length = strcspn(line, " "), blanks = strspn(line + length, " ");
        if (length >= sizeof word) length = sizeof word - 1, blanks = 0;
        snprintf(word, sizeof word, "%.*s", (int)length, line);
        fputs("<span>", to);
        tw_html_text(word, to);
        fprintf(to, "</span>%.*s", (int)blanks, line + length);
        line += length + blanks;
    }
    fputs("</pre>\n", to);
}

void tw_html_sentence(const char *text, FILE *to)
{
    static const char sign[] = " +- ";
    while (*text) {
        if (strncmp(text, sign, sizeof sign - 1) == 0) {
            fputs(" ±\u00a0", to);
            text += sizeof sign - 1;
        } else {
            put_character(*text++, to);
        }
    }
}

/* Formatted text between two tags. */
static void print_between(FILE *to, const char *before, const char *after, const char *format,
                          va_list arguments) TW_PRINTF(4, 0);

static void print_between(FILE *to, const char *before, const char *after, const char *format,
                          va_list arguments)
{
    char text[MOST_BYTES];
    vsnprintf(text, sizeof text, format, arguments);
    fputs(before, to);
    tw_html_text(text, to);
    fputs(after, to);
}

void tw_html_print(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_between(to, "", "", format, arguments);
    va_end(arguments);
}

void tw_html_cell(FILE *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_between(to, "<td>", "</td>", format, arguments);
    va_end(arguments);
}

void tw_html_fact(FILE *to, const char *name, const char *format, ...)
{
    va_list arguments;
    fprintf(to, "<div><dt>%s</dt>", name);
    va_start(arguments, format);
    print_between(to, "<dd>", "</dd></div>\n", format, arguments);
    va_end(arguments);
}

const char *tw_html_digits(int digits, double value, char text[TW_DIGITS_BYTES])
{
    double size = fabs(value);
    int behind = digits - 1 - (size > 0.0 && isfinite(size) ? (int)floor(log10(size)) : 0);
    if (size > 0.0 && (size < 1e-4 || size >= 1e9))
        snprintf(text, TW_DIGITS_BYTES, "%.*e", digits - 1, value);
    else
        snprintf(text, TW_DIGITS_BYTES, "%.*f", behind > 0 ? behind : 0, value);
    return text;
}

void tw_html_number(FILE *to, int digits, double value)
{
    char text[TW_DIGITS_BYTES];
    if (isnan(value))
        fputs("<td>–</td>", to);
    else if (digits < 0)
        fprintf(to, "<td>%s</td>", tw_html_digits(-digits, value, text));
    else
        fprintf(to, "<td>%.*f</td>", digits, value);
}
