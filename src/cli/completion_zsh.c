/* completion_zsh.c: what talweg --completion zsh prints: a completion function for zsh, with a word about every
 * option, from the same tables as --help. */
#include <string.h>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"

enum { CLAUSE = 70 };

/* The first clause of a text, without the signs that mean something to _arguments. */
static void print_clause(const char *text, FILE *to)
{
    size_t length = strcspn(text, ";:.(");
    if (length > CLAUSE)
        for (length = CLAUSE; length > 1 && text[length] != ' ';) length--;
    while (length > 0 && text[length - 1] == ' ') length--;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            fputs("'\\''", to);
        else
            fputc(text[i] == '[' ? '(' : text[i] == ']' ? ')' : text[i], to);
    }
}

/* ":what it is:how to complete it". */
static void print_value(const tw_option *option, FILE *to)
{
    tw_completion c = tw_completion_of(option);
    const char *files = c.directories ? "_directories" : "_files";
    fputc(':', to);
    for (const char *a = option->argument ? option->argument : option->name; *a; a++)
        fprintf(to, *a == ':' ? "\\%c" : "%c", *a);
    fputc(':', to);
    if (*c.words && c.files)
        fprintf(to, "{_alternative \"names:name:(%s)\" \"files:file:_files\"}", c.words);
    else if (c.files || c.directories)
        fputs(files, to);
    else if (c.list)
        fprintf(to, "_sequence compadd - %s", c.words);
    else if (*c.words)
        fprintf(to, "(%s)", c.words);
}

static void print_option(const tw_option *option, FILE *to)
{
    bool flag = option->kind == TW_OPTION_FLAG;
    fprintf(to, " \\\n        ");
    if (tw_option_is_operand(option)) {
        fprintf(to, "'%s", option->kind == TW_OPTION_OPERANDS ? "*" : option->default_value ? ":" : "");
    } else if (option->letter) {
        fprintf(to, "'(-%c --%s)'{-%c+,--%s=}'[", option->letter, option->name, option->letter, option->name);
    } else {
        fprintf(to, "'--%s%s[", option->name, flag ? "" : "=");
    }
    if (!tw_option_is_operand(option)) {
        print_clause(option->help, to);
        fputc(']', to);
    }
    if (!flag) print_value(option, to);
    fputc('\'', to);
}

static void print_command(const tw_command *command, FILE *to)
{
    fprintf(to, "    %s)\n      _arguments -S '--help[what it takes]'", command->name);
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) print_option(option, to);
    fprintf(to, "\n      ;;\n");
}

static void print_summaries(FILE *to)
{
    for (size_t k = 0; tw_command_at(k); k++) {
        fprintf(to, "    '%s:", tw_command_at(k)->name);
        print_clause(tw_command_at(k)->summary, to);
        fprintf(to, "'\n");
    }
}

void tw_print_zsh_completion(FILE *to)
{
    fputs("#compdef talweg\n# Completion of talweg's arguments in zsh, made by talweg --completion zsh.\n\n"
          "_talweg_commands() {\n  local -a commands=(\n",
          to);
    print_summaries(to);
    fputs("    'help:what a command takes'\n  )\n  _describe command commands\n}\n\n"
          "_talweg() {\n  local context state state_descr line\n  typeset -A opt_args\n"
          "  _arguments -C '(- *)--help[the commands]' '(- *)--version[the version]' \\\n"
          "      '(- *)--man-page[the manual page]' '(- *)--completion[for a shell]:shell:(bash zsh)' \\\n"
          "      '1:command:_talweg_commands' '*::argument:->arguments' && return\n"
          "  [[ $state = arguments ]] || return 1\n"
          "  case $words[1] in\n    help) _arguments ':command:_talweg_commands' ;;\n",
          to);
    for (size_t k = 0; tw_command_at(k); k++) print_command(tw_command_at(k), to);
    fputs("  esac\n}\n\n_talweg \"$@\"\n", to);
}
