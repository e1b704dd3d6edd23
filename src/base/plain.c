/* plain.c: texts from outside (names of files, columns, categories, attributes) as a terminal may print them: without
 * control characters, which could clear, colour or rewrite it, and without marks that turn the direction of text. */
#include <stdbool.h>
#include <string.h>

#include "talweg/base.h"

/* The length of the UTF-8 character at c, 1 for a byte that begins none. */
static size_t length_of(const unsigned char *c)
{
    size_t length = *c >= 0xf0 && *c < 0xf5 ? 4 : *c >= 0xe0 ? 3 : *c >= 0xc2 ? 2 : 1;
    if (*c >= 0xf5 || (*c == 0xe0 && c[1] < 0xa0) || (*c == 0xf0 && c[1] < 0x90)) return 1; /* overlong */
    for (size_t k = 1; k < length; k++)
        if ((c[k] & 0xc0) != 0x80) return 1;
    return length;
}

static bool is_plain(const unsigned char *c, size_t length)
{
    if (length == 1) return *c >= ' ' && *c != 0x7f && (*c < 0x80 || *c >= 0xa0) && *c != 0xc0 && *c != 0xc1;
    if (length == 2) return *c != 0xc2 || c[1] >= 0xa0; /* U+0080 to U+009F */
    bool general = length == 3 && *c == 0xe2;
    if (general && c[1] == 0x80) /* U+200E, U+200F, U+2028 to U+202E */
        return c[2] != 0x8e && c[2] != 0x8f && (c[2] < 0xa8 || c[2] > 0xae);
    return !(general && c[1] == 0x81 && c[2] >= 0xa6 && c[2] <= 0xa9); /* U+2066 to U+2069 */
}

char *tw_make_plain(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        size_t length = length_of(c);
        if (!is_plain(c, length)) memset(c, '?', length);
        c += length;
    }
    return text;
}
