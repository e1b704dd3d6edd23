/* number.h: decimal text to double, correctly rounded, fast, and the same in every locale. */
#ifndef TALWEG_DATA_NUMBER_H
#define TALWEG_DATA_NUMBER_H

#include <locale.h>

#include "base/context.h"

/* The numeric locale "C" for the calling thread, from begin to end. tw_number_parse needs it. */
typedef struct tw_number_locale {
    locale_t c;
    locale_t before;
} tw_number_locale;

tw_status tw_number_locale_begin(tw_context *ctx, tw_number_locale *locale);
void tw_number_locale_end(tw_number_locale *locale);

/* Read [+-] digits [. digits] [e [+-] digits], with at least one digit before the exponent, at text, which
 * must be NUL-terminated somewhere. Returns the place behind the number, or NULL where there is none. Too
 * large a number becomes infinite: the caller looks. */
const char *tw_number_parse(const char *text, double *value);

#endif
