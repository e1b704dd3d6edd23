/* completion_bash.c: what talweg --completion bash prints: a function that completes commands, options and their
 * values, from the same tables as --help. It needs nothing but bash. */

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"

static const char head[] =
    "# Completion of talweg's arguments in bash, made by talweg --completion bash.\n"
    "\n"
    "_talweg_words() { # _talweg_words WORDS: those that begin like the current one\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\")\n"
    "}\n"
    "\n"
    "_talweg_list() { # the same behind the last comma\n"
    "    local before=\n"
    "    case $cur in *,*) before=${cur%,*}, ;; esac\n"
    "    mapfile -t COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- \"${cur##*,}\")\n"
    "}\n"
    "\n"
    "_talweg_files() { # _talweg_files f|d [WORDS]: files or directories, and words\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$2\" -- \"$cur\"; compgen -\"$1\" -- \"$cur\")\n"
    "    compopt -o filenames 2>/dev/null\n"
    "}\n"
    "\n"
    "# The value of an option: true where there is something to say about it.\n"
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

/* How the values of an option are offered. */
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
