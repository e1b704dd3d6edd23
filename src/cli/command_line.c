/* command_line.c: see command_line.h. A word of plain characters stands as it is; any other goes between single
 * quotes, and a quote within it becomes '\''. */
#include "cli/command_line.h"

#include <string.h>

#include "talweg/base.h"

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";

/* Append a word behind a space; returns the place behind it. `to` has room for 4 bytes a character and 3 more. */
static char *append_word(char *to, const char *word)
{
    *to++ = ' ';
    if (word[0] && word[strspn(word, plain)] == '\0') {
        strcpy(to, word);
        return to + strlen(word);
    }
    *to++ = '\'';
    for (const char *c = word; *c; c++) {
        if (*c != '\'') {
            *to++ = *c;
            continue;
        }
        strcpy(to, "'\\''");
        to += 4;
    }
    *to++ = '\'';
    *to = '\0';
    return to;
}

tw_status tw_command_line(tw_context *ctx, const char *name, size_t count, const char *const *arguments,
                          char **out)
{
    void *memory = NULL;
    size_t bytes = sizeof "talweg" + 4 * strlen(name) + 3;
    for (size_t k = 0; k < count; k++) bytes += 4 * strlen(arguments[k]) + 3;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, bytes, 1, "the command line", &memory));
    *out = strcpy(memory, "talweg");
    char *end = append_word(*out + strlen(*out), name);
    for (size_t k = 0; k < count; k++) end = append_word(end, arguments[k]);
    return TW_OK;
}
