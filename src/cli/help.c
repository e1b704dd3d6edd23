/* help.c: prints --help from the tables of options that the parser uses. */
#include "cli/help.h"

#include <math.h>
#include <string.h>

#include "cli/commands.h"
#include "talweg/base.h"
#include "talweg/warning.h"

enum { LINE = 79, HELP_COLUMN = 28 };

/* Sentences may hold names from outside. No word of ours is as long as the buffer. */
static int print_word(FILE *to, const char *text, int length)
{
    char word[TW_WARNING_BYTES];
    snprintf(word, sizeof word, "%.*s", length, text);
    return fprintf(to, "%s", tw_make_plain(word));
}

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
        if (!line_start) column += fprintf(to, " ");
        column += print_word(to, text, length);
        line_start = false;
        text += length;
        if (*text == ' ') text++;
    }
    fputc('\n', to);
}

/* The range of an option, such as "from 3 to 8"; empty if it has none. */
static void print_range(const tw_option *option, char *text, size_t bytes)
{
    text[0] = '\0';
    if (option->positive)
        snprintf(text, bytes, "above 0");
    else if (option->most != 0.0 && isinf(option->most))
        snprintf(text, bytes, "at least %.7g", option->least);
    else if (option->least != 0.0 || option->most != 0.0)
        snprintf(text, bytes, "from %.7g to %.7g", option->least, option->most);
}

void tw_option_name(const tw_option *option, char text[TW_OPTION_NAME_BYTES])
{
    char letter[] = {'-', option->letter, ',', ' ', '\0'};
    if (tw_option_is_operand(option))
        snprintf(text, TW_OPTION_NAME_BYTES, "%s", option->name);
    else
        snprintf(text, TW_OPTION_NAME_BYTES, "%s--%s%s%s", option->letter ? letter : "", option->name,
                 option->argument ? " " : "", option->argument ? option->argument : "");
}

void tw_option_text(const tw_option *option, char text[TW_OPTION_TEXT_BYTES])
{
    char range[64], help[TW_OPTION_TEXT_BYTES], names[TW_CHOICES_BYTES];
    print_range(option, range, sizeof range);
    bool has_default = option->default_value && *option->default_value;
    snprintf(help, sizeof help, "%s", option->help);
    if (option->more) option->more(help, sizeof help);
    *names = '\0';
    if (!option->more && option->kind != TW_OPTION_INTEGER) /* option->more has named them */
        tw_option_choices(option, names);
    int length = snprintf(text, TW_OPTION_TEXT_BYTES, "%s%s%s", help, *names ? ": " : "", names);
    if (*range || has_default)
        snprintf(text + length, (size_t)(TW_OPTION_TEXT_BYTES - length), " (%s%s%s%s)", range,
                 *range && has_default ? ", " : "", has_default ? "default " : "",
                 has_default ? option->default_value : "");
}

static void print_option(const tw_option *option, FILE *to)
{
    char name[TW_OPTION_NAME_BYTES], text[TW_OPTION_TEXT_BYTES];
    tw_option_name(option, name);
    tw_option_text(option, text);
    int column = fprintf(to, "  %s", name);
    if (column + 2 > HELP_COLUMN) {
        fputc('\n', to);
        column = 0;
    }
    tw_print_wrapped(to, text, column, HELP_COLUMN);
}

void tw_command_synopsis(const tw_command *command, char text[TW_OPTION_NAME_BYTES])
{
    int length = 0;
    text[0] = '\0';
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) {
            if (!tw_option_is_operand(option)) continue;
            length += snprintf(text + length, (size_t)(TW_OPTION_NAME_BYTES - length),
                               option->default_value ? "[%s] " : "%s ", option->name);
        }
    snprintf(text + length, (size_t)(TW_OPTION_NAME_BYTES - length), "[options]");
}

/* The common options that this command ignores. */
static void print_ignored(const tw_command *command, FILE *to)
{
    char text[TW_OPTION_TEXT_BYTES] = "Accepted by every command, but ignored by this one:";
    size_t length = strlen(text), k = 0;
    for (const tw_option *option; (option = tw_option_ignored(command, k)); k++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "%s --%s", k ? "," : "", option->name);
    if (k == 0) return;
    fputc('\n', to);
    tw_print_wrapped(to, text, 0, 0);
}

void tw_options_help(const tw_command *command, FILE *to)
{
    char synopsis[TW_OPTION_NAME_BYTES];
    tw_command_synopsis(command, synopsis);
    fprintf(to, "Usage: talweg %s %s\n\n", command->name, synopsis);
    tw_print_wrapped(to, command->description, 0, 0);
    for (size_t g = 0; g < command->group_count; g++) {
        const tw_option_group *group = &command->groups[g];
        fprintf(to, "\n%s:\n", group->heading);
        const tw_option *option = NULL;
        for (size_t i = 0; (option = tw_group_option(group, i)); i++) print_option(option, to);
    }
    print_ignored(command, to);
    fprintf(to, "\nExamples:\n%s", command->example);
}

/* ---- the program ---- */

const char *tw_help_conventions(void)
{
    return "Results go to standard output; warnings, notes and progress go to standard error. --quiet hides "
           "notes and progress, --no-warnings hides warnings. On a terminal, progress is one line: a bar, "
           "the part done, the rate, the time left, the mean acceptance and, for the evidence, log Z so far; "
           "otherwise it is a line every ten seconds. Warnings and errors are coloured on a terminal, unless "
           "NO_COLOR is set or TERM is dumb.\n\n"
           "Write the value of an option after a space or '='; if an option is repeated, the last value is "
           "used; '--' ends the options. Numbers have decimal points in every locale. Files are written "
           "completely or not at all, and existing files are overwritten only with --force, which keeps "
           "their "
           "mode; symbolic links are followed, and two commands cannot write one file at a time.\n\n"
           "Ctrl-C and SIGTERM end any command, after the current iteration if there is something to keep: "
           "with "
           "exit code 0 and a warning (its code begins with interrupted) if there is a usable result, "
           "otherwise "
           "with exit code 3. A second one ends it at once, with exit code 3.";
}

void tw_print_program_help(FILE *to)
{
    fprintf(to,
            "talweg %s: exact Bayesian inference in Gaussian process models with non-Gaussian likelihoods\n\n"
            "Usage: talweg COMMAND [arguments] [options]\n\n",
            tw_version());
    for (size_t k = 0; tw_command_at(k); k++)
        fprintf(to, "  %-10s%s\n", tw_command_at(k)->name, tw_command_at(k)->summary);
    fprintf(to, "\n"
                "  talweg help COMMAND       help on a command, as talweg COMMAND --help\n"
                "  talweg --version          the version and the libraries it was built with\n"
                "  talweg --man-page         the manual page, for man -l -\n"
                "  talweg --completion SHELL a completion script for bash or zsh\n\n");
    tw_print_wrapped(to, tw_help_conventions(), 0, 0);
    fprintf(to, "\nExit: 0 done, 1 bad input or usage, 2 numerical failure, 3 a limit of the machine or\n"
                "interrupted before a result.\n");
}
