/* commands.c: the list of subcommands, and the way from the program's arguments to one of them. */
#include "cli/commands.h"

#include <string.h>

#include "base/context.h"
#include "cli/names.h"

enum { COMMANDS = 7 };
static const tw_command *const commands[COMMANDS] = {
    &tw_command_approx,  &tw_command_sample, &tw_command_evidence, &tw_command_grid,
    &tw_command_predict, &tw_command_bench,  &tw_command_demo};

const tw_command *tw_command_at(size_t k)
{
    return k < COMMANDS ? commands[k] : NULL;
}

tw_status tw_command_run(tw_context *ctx, const tw_command *command, size_t count,
                         const char *const *arguments)
{
    void *values = NULL;
    bool wants_help = false;
    TW_TRY(tw_allocate(ctx, 1, command->bytes, "the options", &values));
    tw_status status = tw_options_parse(ctx, command, count, arguments, values, &wants_help);
    if (status == TW_OK && wants_help)
        tw_options_help(command, stdout);
    else if (status == TW_OK)
        status = command->run(ctx, values);
    tw_release(ctx, values);
    return status;
}

static void print_help(void)
{
    printf("talweg %s: exact Bayesian inference in Gaussian process models with non-Gaussian likelihoods\n\n"
           "Usage: talweg COMMAND [arguments] [options]\n\n",
           tw_version());
    for (size_t k = 0; k < COMMANDS; k++) printf("  %-10s%s\n", commands[k]->name, commands[k]->summary);
    printf("\ntalweg COMMAND --help says what a command takes. Results go to standard output, messages to\n"
           "standard error. Exit: 0 done, 1 bad input or usage, 2 numerical failure, 3 a limit of the\n"
           "machine.\n");
}

static tw_status fail_unknown(tw_context *ctx, const char *word)
{
    char names[512] = "", nearest[TW_NAME_BYTES];
    size_t length = 0;
    for (size_t k = 0; k < COMMANDS; k++)
        length +=
            (size_t)snprintf(names + length, sizeof names - length, "%s%s", k ? ", " : "", commands[k]->name);
    tw_nearest_name(word, names, nearest);
    return tw_fail(ctx, TW_BAD_ARGUMENT, "there is no command '%.60s'%s%s%s; there are: %s (talweg --help)",
                   word, *nearest ? " (did you mean " : "", nearest, *nearest ? "?)" : "", names);
}

tw_status tw_program_run(tw_context *ctx, size_t count, const char *const *arguments)
{
    if (count == 0)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "say what to do: talweg COMMAND ...; talweg --help lists them");
    const char *word = arguments[0];
    for (size_t k = 0; k < COMMANDS; k++)
        if (strcmp(word, commands[k]->name) == 0)
            return tw_command_run(ctx, commands[k], count - 1, arguments + 1);
    if (strcmp(word, "--version") == 0)
        printf("talweg %s\n", tw_version());
    else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0)
        print_help();
    else
        return fail_unknown(ctx, word);
    return TW_OK;
}
