/* status.c: what each status means, from the one list in talweg/base.h. */
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
