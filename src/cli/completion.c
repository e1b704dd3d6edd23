/* completion.c: see completion.h. A row's choices are names to offer; where it has none, the alternatives of its
 * argument that are in small letters are: "prior|ep|FILE" is prior, ep, or a file. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

static void add_word(tw_completion *c, const char *word, size_t length)
{
    size_t used = strlen(c->words);
    if (used + length + 2 > sizeof c->words) return;
    snprintf(c->words + used, sizeof c->words - used, "%s%.*s", used ? " " : "", (int)length, word);
}

/* "a, b, c" or "a|b|C": every name that begins with a small letter. */
static void add_words(tw_completion *c, const char *names, const char *between)
{
    while (*names) {
        size_t length = strcspn(names, between);
        if (length > 0 && islower((unsigned char)*names)) add_word(c, names, length);
        names += length;
        names += strspn(names, between);
    }
}

tw_completion tw_completion_of(const tw_option *option)
{
    tw_completion c = {.files = tw_option_is_operand(option)};
    const char *argument = option->argument ? option->argument : "";
    char names[TW_CHOICES_BYTES];
    tw_option_choices(option, names);
    if (*names)
        add_words(&c, names, ", ");
    else
        add_words(&c, argument, "|");
    c.list = strncmp(argument, "NAME[,", 6) == 0;
    c.directories = strcmp(argument, "DIR") == 0;
    if (option->kind == TW_OPTION_TEXT)
        c.files = strstr(argument, "FILE") || strstr(argument, "APPROX") || strstr(argument, "PREFIX");
    return c;
}
