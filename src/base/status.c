/* status.c: text and exit code of each status, from the list in talweg/base.h; the version; and tw_quote,
 * which escapes and shortens a user's text for messages. */
#include <stdio.h>
#include <string.h>

#include "talweg/base.h"

#define TW_STATUS_TEXT(name, code, text) text,
static const char *const status_text[] = {TW_STATUS_LIST(TW_STATUS_TEXT)};

#define TW_STATUS_CODE(name, code, text) code,
static const int status_exit_code[] = {TW_STATUS_LIST(TW_STATUS_CODE)};

const char *tw_status_text(tw_status status)
{
    return (unsigned)status < TW_STATUS_COUNT ? status_text[status] : "unknown status";
}

int tw_status_exit_code(tw_status status)
{
    return (unsigned)status < TW_STATUS_COUNT ? status_exit_code[status] : 1;
}

const char *tw_version(void)
{
    return TALWEG_VERSION;
}

tw_quoted tw_quote(const char *begin, const char *end)
{
    static const char hex[] = "0123456789abcdef";
    const size_t at_most = 40;
    tw_quoted quoted = {"\""};
    size_t length = 1;
    const char *p = begin;
    for (; p < end && length < at_most; p++) {
        unsigned char byte = (unsigned char)*p;
        if (byte >= ' ' && byte < 0x7f) {
            quoted.text[length++] = *p;
        } else {
            const char escaped[] = {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
            memcpy(quoted.text + length, escaped, sizeof escaped);
            length += sizeof escaped;
        }
    }
    snprintf(quoted.text + length, sizeof quoted.text - length, "%s", p < end ? "...\"" : "\"");
    return quoted;
}
