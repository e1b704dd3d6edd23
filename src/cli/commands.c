/* commands.c: the list of subcommands, and the dispatch of the program's arguments to one of them. */
#include "cli/commands.h"

#include <string.h>

#include "cli/file_names.h"
#include "cli/help.h"
#include "cli/model_file.h"
#include "cli/names.h"
#include "cli/ranks.h"
#include "cli/terminal.h"
#include "cli/warnings.h"
#include "talweg/base.h"
#include "talweg/sparse.h"

static const tw_command *const commands[] = {
    &tw_command_approx,  &tw_command_sample, &tw_command_evidence, &tw_command_grid,  &tw_command_predict,
    &tw_command_summary, &tw_command_report, &tw_command_selftest, &tw_command_bench, &tw_command_demo,
    &tw_command_model,   &tw_command_fit,    &tw_command_compare,  &tw_command_merge, &tw_command_check};

const tw_command *tw_command_at(size_t k)
{
    return k < TW_COUNT(commands) ? commands[k] : NULL;
}

/* ---- the command line, recorded in files ----
 * A word of plain characters is copied. Any other word is put in single quotes, and a quote within it
 * becomes '\''. */

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,/:@%";

/* Append a space and a word; returns the end.
 * `to` must have room for 4 bytes per character of the word and 3 more. */
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

/* Check the options, set the command line, and run the command. */
static tw_status run_parsed(tw_context *ctx, const tw_command *command, size_t count,
                            const char *const *arguments, void *values)
{
    char *line = NULL;
    TW_TRY(tw_file_names_check(ctx, command, values));
    if (command->line) {
        TW_TRY(tw_command_line(ctx, command->name, count, arguments, &line));
        memcpy((char *)values + command->line, &line, sizeof line);
    }
    tw_warnings_silence(tw_options_flag(command, values, "no-warnings"));
    tw_file_names_of(command, values);
    tw_status status = command->run(ctx, values);
    tw_file_names_of(NULL, NULL);
    tw_release(ctx, line);
    return status;
}

tw_status tw_command_run(tw_context *ctx, const tw_command *command, size_t count,
                         const char *const *arguments)
{
    void *values = NULL;
    bool wants_help = false;
    tw_model_arguments all = {0};
    tw_terminal_restart();
    tw_warnings_forget();
    tw_warnings_use(TW_USED_COMMAND, command->name);
    TW_TRY(tw_allocate(ctx, 1, command->bytes, "the options", &values));
    tw_status status = tw_model_file_expand(ctx, command, count, arguments, &all);
    if (status == TW_OK) status = tw_options_parse(ctx, command, all.count, all.item, values, &wants_help);
    if (status == TW_OK && wants_help)
        tw_options_help(command, stdout);
    else if (status == TW_OK)
        status = run_parsed(ctx, command, count, arguments, values);
    tw_release(ctx, values);
    tw_model_arguments_release(ctx, &all);
    return status;
}

static tw_status fail_unknown(tw_context *ctx, const char *word)
{
    char names[512] = "", nearest[TW_NAME_BYTES];
    size_t length = 0;
    for (size_t k = 0; k < TW_COUNT(commands); k++)
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "", commands[k]->name);
    tw_nearest_name(word, names, nearest);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "unknown command '%.60s'%s%s%s; choose from: %s (talweg --help)",
                   word, *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", names);
}

static const tw_command *find(const char *name)
{
    for (size_t k = 0; k < TW_COUNT(commands); k++)
        if (strcmp(name, commands[k]->name) == 0) return commands[k];
    return NULL;
}

/* talweg help COMMAND. */
static tw_status print_help_on(tw_context *ctx, const char *word)
{
    const tw_command *command = find(word);
    if (!command) return fail_unknown(ctx, word);
    tw_options_help(command, stdout);
    return TW_OK;
}

static tw_status print_completion(tw_context *ctx, const char *shell)
{
    if (shell && strcmp(shell, "bash") == 0)
        tw_print_bash_completion(stdout);
    else if (shell && strcmp(shell, "zsh") == 0)
        tw_print_zsh_completion(stdout);
    else
        return tw_fail(ctx, TW_BAD_ARGUMENT, "--completion needs the name of a shell: bash or zsh");
    return TW_OK;
}

/* Print the version and the optional parts of this build. */
static void print_version(void)
{
    const char *orderings = tw_sparse_orderings(), *mpi = tw_ranks_library();
    printf("talweg %s\nsparse precision matrices: %s\nMPI: %s\n", tw_version(),
           orderings ? orderings : "not in this build", mpi ? mpi : "not in this build");
}

/* help, --version, --man-page and --completion. */
static tw_status print_about(tw_context *ctx, size_t count, const char *const *arguments)
{
    const char *word = arguments[0], *next = count > 1 ? arguments[1] : NULL;
    bool help = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
    bool takes_one = help || strcmp(word, "--completion") == 0;
    if (count > (takes_one ? 2 : 1))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "unexpected argument '%.60s' of talweg %s",
                       arguments[takes_one ? 2 : 1], word);
    if (help && next) return print_help_on(ctx, next);
    if (takes_one && !help) return print_completion(ctx, next);
    if (help)
        tw_print_program_help(stdout);
    else if (strcmp(word, "--man-page") == 0)
        tw_print_manual(stdout);
    else
        print_version();
    return TW_OK;
}

tw_status tw_program_run(tw_context *ctx, size_t count, const char *const *arguments)
{
    if (count == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "no command was given: use talweg COMMAND ...; talweg --help lists the commands");
    const char *word = arguments[0];
    const tw_command *command = find(word);
    if (command) return tw_command_run(ctx, command, count - 1, arguments + 1);
    if (tw_name_is_among(word, "help, -h, --help, --version, --man-page, --completion"))
        return print_about(ctx, count, arguments);
    return fail_unknown(ctx, word);
}
