/* html.h: text in a page. All text of a user, a file or its name goes through here. */
#ifndef TALWEG_OUTPUT_REPORT_HTML_H
#define TALWEG_OUTPUT_REPORT_HTML_H

#include <stdio.h>

#include "base/context.h"

/* Text as text: the five characters that mean something in HTML are written as entities, control characters
 * as U+FFFD. Safe between tags and inside quoted attributes. */
void tw_html_text(const char *text, FILE *to);

/* A command line, whose words are kept whole where a line ends. */
void tw_html_command(const char *line, FILE *to);

/* The same for a sentence of the library, in which "a +- b" is written as "a ± b". */
void tw_html_sentence(const char *text, FILE *to);

/* The same for formatted text, of at most about 2000 bytes. */
void tw_html_print(FILE *to, const char *format, ...) TW_PRINTF(2, 3);

/* A row of a table of facts: <dt>name</dt><dd>value</dd>; nothing where the value is "". */
void tw_html_fact(FILE *to, const char *name, const char *format, ...) TW_PRINTF(3, 4);

/* A cell of a table with a number: so many digits behind the point or, where negative, so many that say
 * something. NaN is a dash. */
void tw_html_number(FILE *to, int digits, double value);
void tw_html_cell(FILE *to, const char *format, ...) TW_PRINTF(2, 3);

/* A number with so many digits that say something, and no exponent where it has an everyday size. */
enum { TW_DIGITS_BYTES = 32 };
const char *tw_html_digits(int digits, double value, char text[TW_DIGITS_BYTES]);

#endif
