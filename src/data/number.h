/* number.h: convert decimal text to double: correctly rounded, fast, and the same in every locale. */
#ifndef TALWEG_DATA_NUMBER_H
#define TALWEG_DATA_NUMBER_H

#include <locale.h>

#include "base/context.h"

/* The numeric locale "C" for the calling thread, between begin and end. tw_number_parse requires it. */
typedef struct tw_number_locale {
    locale_t c;
    locale_t before;
} tw_number_locale;

tw_status tw_number_locale_begin(tw_context *ctx, tw_number_locale *locale);
void tw_number_locale_end(tw_number_locale *locale);

/* Parse [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent. The text must be
 * NUL-terminated. Returns the end of the number, or NULL if there is none. A number that is too large becomes
 * infinite: the caller checks. */
const char *tw_number_parse(const char *text, double *value);

#endif
