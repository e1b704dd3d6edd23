/* help.c: --help, made from the same tables as the parser. */
#include <math.h>
#include <string.h>

#include "cli/options.h"

enum { LINE = 79, HELP_COLUMN = 28 };

void tw_print_wrapped(FILE *to, const char *text, int column, int indent)
{
    bool line_start = true;
    while (*text) {
        if (*text == '\n') {
            fputc('\n', to);
            column = 0;
            line_start = true;
            text++;
            continue;
        }
        int length = (int)strcspn(text, " \n");
        if (!line_start && column + 1 + length > LINE) {
            fputc('\n', to);
            column = 0;
            line_start = true;
        }
        if (line_start && column < indent) column += fprintf(to, "%*s", indent - column, "");
        column += fprintf(to, "%s%.*s", line_start ? "" : " ", length, text);
        line_start = false;
        text += length;
        if (*text == ' ') text++;
    }
    fputc('\n', to);
}

/* "from 3 to 8", or nothing. */
static void print_range(const tw_option *option, char *text, size_t bytes)
{
    text[0] = '\0';
    if (option->positive)
        snprintf(text, bytes, "above 0");
    else if (option->most != 0.0 && isinf(option->most))
        snprintf(text, bytes, "at least %g", option->least);
    else if (option->least != 0.0 || option->most != 0.0)
        snprintf(text, bytes, "from %g to %g", option->least, option->most);
}

static void print_option(const tw_option *option, FILE *to)
{
    char left[96], range[64], text[1024];
    char letter[] = {'-', option->letter, ',', ' ', '\0'};
    snprintf(left, sizeof left, "  %s--%s%s%s", option->letter ? letter : "", option->name,
             option->argument ? " " : "", option->argument ? option->argument : "");
    if (tw_option_is_operand(option)) snprintf(left, sizeof left, "  %s", option->name);
    print_range(option, range, sizeof range);
    bool has_default = option->standard && *option->standard;
    int length = snprintf(text, sizeof text, "%s%s%s", option->help, option->choices ? ": " : "",
                          option->choices ? option->choices() : "");
    if (*range || has_default)
        snprintf(text + length, sizeof text - (size_t)length, " (%s%s%s%s)", range,
                 *range && has_default ? ", " : "", has_default ? "default " : "",
                 has_default ? option->standard : "");
    int column = fprintf(to, "%s", left);
    if (column + 2 > HELP_COLUMN) {
        fputc('\n', to);
        column = 0;
    }
    tw_print_wrapped(to, text, column, HELP_COLUMN);
}

static void print_usage(const tw_command *command, FILE *to)
{
    fprintf(to, "Usage: talweg %s", command->name);
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; i < command->groups[g].count; i++) {
            const tw_option *option = &command->groups[g].options[i];
            if (!tw_option_is_operand(option)) continue;
            fprintf(to, option->standard ? " [%s]" : " %s", option->name);
        }
    fprintf(to, " [options]\n\n");
}

void tw_options_help(const tw_command *command, FILE *to)
{
    print_usage(command, to);
    tw_print_wrapped(to, command->description, 0, 0);
    for (size_t g = 0; g < command->group_count; g++) {
        const tw_option_group *group = &command->groups[g];
        fprintf(to, "\n%s:\n", group->heading);
        for (size_t i = 0; i < group->count; i++) print_option(&group->options[i], to);
    }
    fprintf(to, "\nExample:\n%s", command->example);
}
