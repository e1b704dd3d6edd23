/* html.h: print text to a page. All text from users, files and file names must use these functions. */
#ifndef TALWEG_OUTPUT_REPORT_HTML_H
#define TALWEG_OUTPUT_REPORT_HTML_H

#include <stdio.h>

#include "base/context.h"

/* Print plain text: the five special characters of HTML become entities, control characters U+FFFD. Safe
 * between tags and inside quoted attributes. */
void tw_html_text(const char *text, FILE *to);

/* A command line, which wraps only between its words. */
void tw_html_command(const char *line, FILE *to);

/* The same for a sentence of the library, with "a +- b" printed as "a ± b". */
void tw_html_sentence(const char *text, FILE *to);

/* The same for formatted text, of at most about 2000 bytes. */
void tw_html_print(FILE *to, const char *format, ...) TW_PRINTF(2, 3);

/* A row of a table of facts: <dt>name</dt><dd>value</dd>; nothing if the value is "". */
void tw_html_fact(FILE *to, const char *name, const char *format, ...) TW_PRINTF(3, 4);

/* A table cell with a number: with this many digits after the point or, if `digits` is negative, that many
 * significant digits. NaN is printed as a dash. */
void tw_html_number(FILE *to, int digits, double value);
void tw_html_cell(FILE *to, const char *format, ...) TW_PRINTF(2, 3);

/* A number with this many significant digits, without an exponent if it is of moderate size. */
enum { TW_DIGITS_BYTES = 32 };
const char *tw_html_digits(int digits, double value, char text[TW_DIGITS_BYTES]);

#endif
