/* manual.c: prints the manual page talweg(1) in the man(7) language, from the same tables as --help. Its date
 * is the version's date in CHANGELOG.md, so that the page depends on the sources only; an unreleased version
 * has none. */
#include <ctype.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"

enum { LINE = 72 };

/* Print a character, escaped for roff. Returns the number of bytes printed. */
static int print_character(FILE *to, char c)
{
    if (c == '-') return fprintf(to, "\\-");
    if (c == '\\') return fprintf(to, "\\e");
    if (c == '\'') return fprintf(to, "\\(aq");
    if (c == '^') return fprintf(to, "\\(ha");
    if (c == '~') return fprintf(to, "\\(ti");
    if (c == '`') return fprintf(to, "\\(ga");
    fputc(c, to);
    return 1;
}

/* Print a word. At the start of a line a leading dot must not look like a roff request. */
static int print_word(FILE *to, const char *word, size_t length, bool first)
{
    int column = 0;
    if (first && word[0] == '.') column += fprintf(to, "\\&");
    for (size_t i = 0; i < length; i++) column += print_character(to, word[i]);
    return column;
}

/* Print a text in short lines; an empty line starts a new paragraph. */
static void print_text(FILE *to, const char *text)
{
    int column = 0;
    while (*text) {
        size_t gap = strspn(text, " \n"), length = strcspn(text + gap, " \n");
        bool paragraph = gap > 1 && text[0] == '\n' && length > 0;
        if (paragraph)
            fprintf(to, "\n.PP\n");
        else if (column > 0 && length > 0)
            fputc(column + (int)length > LINE ? '\n' : ' ', to);
        if (paragraph || column + (int)length > LINE) column = 0;
        column += 1 + print_word(to, text + gap, length, column == 0);
        text += gap + length;
    }
    fputc('\n', to);
}

static void print_line(FILE *to, const char *text)
{
    print_word(to, text, strlen(text), true);
    fputc('\n', to);
}

static void print_upper(FILE *to, const char *text)
{
    for (; *text; text++) fputc(toupper((unsigned char)*text), to);
}

static void print_option(const tw_option *option, FILE *to)
{
    char name[TW_OPTION_NAME_BYTES], text[TW_OPTION_TEXT_BYTES];
    tw_option_name(option, name);
    tw_option_text(option, text);
    fprintf(to, ".TP\n.B ");
    print_line(to, name);
    print_text(to, text);
}

static void print_command(const tw_command *command, FILE *to)
{
    char synopsis[TW_OPTION_NAME_BYTES];
    tw_command_synopsis(command, synopsis);
    fprintf(to, ".SH TALWEG ");
    print_upper(to, command->name);
    fprintf(to, "\n.B talweg %s\n", command->name);
    print_line(to, synopsis);
    fprintf(to, ".PP\n");
    print_text(to, command->description);
    for (size_t g = 0; g < command->group_count; g++) {
        const tw_option_group *group = &command->groups[g];
        fprintf(to, ".SS %s\n", group->heading);
        const tw_option *option = NULL;
        for (size_t i = 0; (option = tw_group_option(group, i)); i++) print_option(option, to);
    }
    fprintf(to, ".SS Examples\n.EX\n");
    for (const char *c = command->example; *c; c++) print_character(to, *c);
    fprintf(to, ".EE\n");
}

static void print_item(FILE *to, const char *name, const char *text)
{
    fprintf(to, ".TP\n.B ");
    print_line(to, name);
    print_text(to, text);
}

static void print_head(FILE *to)
{
    fprintf(to, ".TH TALWEG 1 \"%s\" \"talweg %s\" \"User Commands\"\n", TALWEG_RELEASE_DATE, tw_version());
    fprintf(to, ".SH NAME\ntalweg \\- exact Bayesian inference in Gaussian process models\n"
                ".SH SYNOPSIS\n.B talweg\n.I command\n[arguments] [options]\n.br\n"
                ".B talweg help\n.RI [ command ]\n.br\n"
                ".B talweg \\-\\-version\n.br\n.B talweg \\-\\-man\\-page\n.br\n"
                ".B talweg \\-\\-completion\n.BR bash | zsh\n.SH DESCRIPTION\n");
    print_text(
        to, "talweg draws from the posterior of the latent function and estimates the log evidence with its "
            "error, in Gaussian process models with non-Gaussian observations such as classes and counts. It "
            "also computes Laplace's approximation, expectation propagation (EP) and the correction of EP.");
    fprintf(to, ".PP\n");
    print_text(to, tw_help_conventions());
    fprintf(to, ".SH COMMANDS\n");
    for (size_t k = 0; tw_command_at(k); k++)
        print_item(to, tw_command_at(k)->name, tw_command_at(k)->summary);
}

static void print_foot(FILE *to)
{
    fprintf(to, ".SH EXIT STATUS\n");
    print_item(to, "0", "Done.");
    print_item(to, "1", "Bad input or usage.");
    print_item(to, "2", "Numerical failure; unreliable results are printed and marked.");
    print_item(to, "3", "A limit of the machine: memory, or a file that could not be written.");
    fprintf(to, ".SH ENVIRONMENT\n");
    print_item(to, "NO_COLOR", "If set and not empty, output has no colours.");
    print_item(to, "TERM", "A terminal of type dumb is treated like a file.");
    print_item(to, "COLUMNS", "The width of the terminal, if the terminal does not report it.");
    fprintf(to, ".SH SEE ALSO\n.BR gnuplot (1)\n");
}

void tw_print_manual(FILE *to)
{
    print_head(to);
    for (size_t k = 0; tw_command_at(k); k++) print_command(tw_command_at(k), to);
    print_foot(to);
}
