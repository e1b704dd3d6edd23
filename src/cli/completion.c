/* completion.c: completions for options, and the scripts that talweg --completion prints, from the same
 * tables as --help. An option's choices are offered. If it has none, the alternatives of its argument in
 * lower case are: for "prior|ep|FILE" these are prior, ep and files. */
#include "cli/completion.h"

#include <ctype.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"

static void add_word(tw_completion *c, const char *word, size_t length)
{
    size_t used = strlen(c->words);
    if (used + length + 2 > sizeof c->words) return;
    snprintf(c->words + used, sizeof c->words - used, "%s%.*s", used ? " " : "", (int)length, word);
}

/* Add the names of "a, b, c" or "a|b|C" that begin with a lower-case letter. */
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

/* ---- bash: a function that completes commands, options and their values, without bash-completion ---- */

static const char head[] =
    "# Completion of talweg's arguments in bash, made by talweg --completion bash.\n\n"
    "_talweg_words() { # _talweg_words WORDS: those that begin like the current one\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n\n"
    "_talweg_list() { # the same behind the last comma\n"
    "    local before=\n"
    "    case $cur in *,*) before=${cur%,*}, ;; esac\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
    "}\n\n"
    "_talweg_files() { # _talweg_files f|d [WORDS]: files or directories, and words\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$cur\"; compgen -\"$1\" -- \"$cur\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n\n"
    "# The value of an option: true if there are completions for it.\n"
    "_talweg_value() { # _talweg_value COMMAND OPTION\n"
    "    case \"$1 $2\" in\n";

static const char middle[] = "    *) return 1 ;;\n"
                             "    esac\n"
                             "    return 0\n"
                             "}\n"
                             "\n"
                             "_talweg() {\n"
                             "    local cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]}\n"
                             "    local command=${COMP_WORDS[1]}\n"
                             "    COMPREPLY=()\n"
                             "    if [ \"$cur\" = = ]; then\n"
                             "        cur=\n"
                             "    elif [ \"$option\" = = ]; then\n"
                             "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
                             "    fi\n";

static const char tail[] = "    fi\n"
                           "    _talweg_value \"$command\" \"$option\" && return\n"
                           "    case $cur in\n"
                           "    -*) ;;\n"
                           "    *)\n"
                           "        _talweg_files f\n"
                           "        return\n"
                           "        ;;\n"
                           "    esac\n"
                           "    case $command in\n";

/* Print the shell command that completes the value of an option. */
static void print_action(const tw_completion *c, FILE *to)
{
    if (c->files || c->directories)
        fprintf(to, "_talweg_files %c '%s'", c->directories ? 'd' : 'f', c->words);
    else if (*c->words)
        fprintf(to, "_talweg_%s '%s'", c->list ? "list" : "words", c->words);
    else
        fprintf(to, ":");
}

static void print_values(const tw_command *command, FILE *to)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) {
            tw_completion c = tw_completion_of(option);
            if (option->kind == TW_OPTION_FLAG || tw_option_is_operand(option)) continue;
            fprintf(to, "    '%s --%s'", command->name, option->name);
            if (option->letter) fprintf(to, " | '%s -%c'", command->name, option->letter);
            fprintf(to, ") ");
            print_action(&c, to);
            fprintf(to, " ;;\n");
        }
}

static void print_options(const tw_command *command, FILE *to)
{
    fprintf(to, "    %s) _talweg_words '", command->name);
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) {
            if (!tw_option_is_operand(option)) fprintf(to, "--%s ", option->name);
        }
    fprintf(to, "--help' ;;\n");
}

static void print_commands(FILE *to)
{
    for (size_t k = 0; tw_command_at(k); k++) fprintf(to, "%s%s", k ? " " : "", tw_command_at(k)->name);
}

void tw_print_bash_completion(FILE *to)
{
    fputs(head, to);
    for (size_t k = 0; tw_command_at(k); k++) print_values(tw_command_at(k), to);
    fputs("    *' --completion') _talweg_words 'bash zsh' ;;\n    'help '*) _talweg_words '", to);
    print_commands(to);
    fprintf(to, "' ;;\n%s    if [ \"$COMP_CWORD\" = 1 ]; then\n        _talweg_words '", middle);
    print_commands(to);
    fprintf(to, " help --help --version --man-page --completion'\n        return\n%s", tail);
    for (size_t k = 0; tw_command_at(k); k++) print_options(tw_command_at(k), to);
    fputs("    esac\n}\ncomplete -F _talweg talweg\n", to);
}

/* ---- zsh: a completion function with a short description of every option ---- */

enum { CLAUSE = 70 };

/* Print the first clause of a text, at most CLAUSE characters,
 * without characters that are special to _arguments. */
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

/* Print ":description:action" of an option's value. */
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
        fprintf(to, "'%s--%s%s[", option->kind == TW_OPTION_TEXTS ? "*" : "", option->name, flag ? "" : "=");
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
    fprintf(to, "    %s)\n      _arguments -S '--help[help on the command]'", command->name);
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
    fputs("    'help:help on a command'\n"
          "  )\n"
          "  _describe command commands\n"
          "}\n\n"
          "_talweg() {\n"
          "  local context state state_descr line\n"
          "  typeset -A opt_args\n"
          "  _arguments -C '(- *)--help[the commands]' '(- *)--version[the version]' \\\n"
          "      '(- *)--man-page[the manual page]' '(- *)--completion[completion script for a "
          "shell]:shell:(bash zsh)' \\\n"
          "      '1:command:_talweg_commands' '*::argument:->arguments' && return\n"
          "  [[ $state = arguments ]] || return 1\n"
          "  case $words[1] in\n"
          "    help) _arguments ':command:_talweg_commands' ;;\n",
          to);
    for (size_t k = 0; tw_command_at(k); k++) print_command(tw_command_at(k), to);
    fputs("  esac\n}\n\n_talweg \"$@\"\n", to);
}
