/* options.c: the parser: arguments to a command's struct, by its tables. */
#include "cli/options.h"

#include <math.h>
#include <string.h>

#include "talweg/base.h"

/* The arguments of one call, and where the parser is in them. */
typedef struct parser {
    tw_context *ctx;
    const tw_command *command;
    char *values;
    size_t count, next;
    const char *const *arguments;
    size_t operands; /* seen so far */
} parser;

static tw_quoted quote(const char *text)
{
    return tw_quote(text, text + strlen(text));
}

static tw_status store(parser *p, const tw_option_group *group, const tw_option *option, const char *text)
{
    return tw_option_store(p->ctx, option, text, p->values + group->offset + option->offset);
}

static tw_status store_defaults(parser *p)
{
    for (size_t g = 0; g < p->command->group_count; g++) {
        const tw_option_group *group = &p->command->groups[g];
        const tw_option *option = NULL;
        for (size_t i = 0; (option = tw_group_option(group, i)); i++) {
            if (option->default_value) {
                TW_TRY(store(p, group, option, option->default_value));
            } else if (option->kind == TW_OPTION_NUMBER) {
                memcpy(p->values + group->offset + option->offset, &(double){NAN}, sizeof(double));
            }
        }
    }
    return TW_OK;
}

/* ---- arguments ---- */

/* The row whose name is the `length` bytes at name (or whose letter is `letter`); NULL: there is none. */
static const tw_option *find(const tw_command *command, const char *name, size_t length, char letter,
                             const tw_option_group **of)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) {
            if (tw_option_is_operand(option)) continue;
            bool same = name && strlen(option->name) == length && memcmp(option->name, name, length) == 0;
            if (!same && !(letter && option->letter == letter)) continue;
            *of = &command->groups[g];
            return option;
        }
    return NULL;
}

static tw_status fail_unknown(parser *p, const char *argument)
{
    char names[2048], nearest[TW_NAME_BYTES], word[TW_NAME_BYTES];
    size_t length = 0;
    const tw_option *option = NULL;
    for (size_t g = 0; g < p->command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&p->command->groups[g], i)); i++) {
            if (tw_option_is_operand(option) || length + TW_NAME_BYTES >= sizeof names) continue;
            length +=
                (size_t)snprintf(names + length, TW_NAME_BYTES, "%s%s", length ? ", " : "", option->name);
        }
    const char *bare = argument + strspn(argument, "-");
    snprintf(word, sizeof word, "%.*s", (int)strcspn(bare, "="), bare);
    tw_nearest_name(word, names, nearest);
    return tw_fail(p->ctx, TW_BAD_ARGUMENT,
                   "talweg %s has no option %s%s%s%s; talweg %s --help lists the options", p->command->name,
                   quote(argument).text, *nearest ? " (did you mean --" : "", nearest, *nearest ? "?)" : "",
                   p->command->name);
}

/* Options that every command takes, so that a script may give the same to all: one that has no use for some of
 * them, being short or not random, has no row of its own and passes them over. */
static const tw_option always[] = {
    {.name = "seed", .kind = TW_OPTION_INTEGER, .argument = "S"},
    {.name = "threads", .kind = TW_OPTION_INTEGER, .argument = "T", .most = TW_MOST_THREADS},
    {.name = "json", .kind = TW_OPTION_FLAG},
    {.name = "quiet", .kind = TW_OPTION_FLAG},
    {.name = "no-warnings", .kind = TW_OPTION_FLAG},
    {.name = "checkpoint", .kind = TW_OPTION_TEXT, .argument = "FILE"},
    {.name = "resume", .kind = TW_OPTION_TEXT, .argument = "FILE"},
};

const tw_option *tw_option_ignored(const tw_command *command, size_t k)
{
    const tw_option_group *group = NULL;
    for (size_t i = 0; i < TW_COUNT(always); i++) {
        const char *name = always[i].name;
        if (!find(command, name, strlen(name), '\0', &group) && k-- == 0) return &always[i];
    }
    return NULL;
}

/* The row of such an option, by its name. */
static const tw_option *find_ignored(const tw_command *command, const char *name, size_t length)
{
    const tw_option *option = NULL;
    for (size_t k = 0; (option = tw_option_ignored(command, k)); k++)
        if (strlen(option->name) == length && memcmp(option->name, name, length) == 0) break;
    return option;
}

/* The value of an option: behind its '=', or the next argument. */
static tw_status take_value(parser *p, const tw_option *option, const char *equals, const char **value)
{
    *value = equals ? equals + 1 : NULL;
    if (option->kind == TW_OPTION_FLAG) {
        if (!equals) return TW_OK;
        return tw_fail(p->ctx, TW_BAD_ARGUMENT, "--%s takes no value, but %s was given", option->name,
                       quote(equals + 1).text);
    }
    if (*value) return TW_OK;
    const char *next = p->next < p->count ? p->arguments[p->next] : NULL;
    if (!next || (strncmp(next, "--", 2) == 0 && next[2]))
        return tw_fail(p->ctx, TW_BAD_ARGUMENT, "--%s needs a value: --%s %s", option->name, option->name,
                       option->argument);
    *value = next;
    p->next++;
    return TW_OK;
}

static tw_status take_option(parser *p, const char *argument)
{
    const tw_option_group *group = NULL;
    const char *equals = NULL, *value = NULL;
    const tw_option *option = NULL;
    if (argument[1] == '-') {
        equals = strchr(argument, '=');
        const char *name = argument + 2;
        size_t length = equals ? (size_t)(equals - name) : strlen(name);
        option = find(p->command, name, length, '\0', &group);
        if (!option) option = find_ignored(p->command, name, length);
    } else if (!argument[2]) {
        option = find(p->command, NULL, 0, argument[1], &group);
    }
    if (!option) return fail_unknown(p, argument);
    TW_TRY(take_value(p, option, equals, &value));
    if (!group) { /* passed over, but not unseen */
        uint64_t number = 0;
        return option->kind == TW_OPTION_INTEGER ? tw_option_store(p->ctx, option, value, &number) : TW_OK;
    }
    if (option->given) memcpy(p->values + group->offset + option->given, &(bool){true}, sizeof(bool));
    return store(p, group, option, value);
}

/* The row that an argument "--name", "--name=value" or "-o" names; NULL: there is none. */
static const tw_option *row_of(const tw_command *command, const char *argument)
{
    const tw_option_group *group = NULL;
    const char *name = argument + 2;
    if (argument[1] != '-') return argument[2] ? NULL : find(command, NULL, 0, argument[1], &group);
    const tw_option *option = find(command, name, strcspn(name, "="), '\0', &group);
    return option ? option : find_ignored(command, name, strcspn(name, "="));
}

bool tw_options_have_operand(const tw_command *command, size_t count, const char *const *arguments)
{
    for (size_t k = 0; k < count; k++) {
        const char *argument = arguments[k];
        if (argument[0] != '-' || !argument[1]) return true;
        if (strcmp(argument, "--") == 0) return k + 1 < count;
        const tw_option *option = row_of(command, argument);
        if (option && option->kind != TW_OPTION_FLAG && !strchr(argument, '=')) k++;
    }
    return false;
}

/* The row that takes the k-th operand, NULL behind the last. */
static const tw_option *operand(const tw_command *command, size_t k, const tw_option_group **of)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++) {
            if (!tw_option_is_operand(option)) continue;
            if (option->kind == TW_OPTION_OPERAND && k-- > 0) continue;
            *of = &command->groups[g];
            return option;
        }
    return NULL;
}

static tw_status take_operand(parser *p, const char *argument)
{
    const tw_option_group *group = NULL;
    const tw_option *option = operand(p->command, p->operands, &group);
    if (!option)
        return tw_fail(p->ctx, TW_BAD_ARGUMENT, "unexpected argument %s of talweg %s; options start with --",
                       quote(argument).text, p->command->name);
    p->operands++;
    return store(p, group, option, argument);
}

static tw_status check_operands(parser *p)
{
    const tw_option_group *group = NULL;
    const tw_option *missing = operand(p->command, p->operands, &group);
    if (!missing || missing->default_value) return TW_OK;
    const void *field = p->values + group->offset + missing->offset;
    if (missing->kind == TW_OPTION_OPERANDS && ((const tw_operands *)field)->count > 0) return TW_OK;
    return tw_fail(p->ctx, TW_BAD_ARGUMENT, "talweg %s needs %s: %s (see talweg %s --help)", p->command->name,
                   missing->name, missing->help, p->command->name);
}

static bool asks_for_help(const parser *p)
{
    for (size_t i = 0; i < p->count && strcmp(p->arguments[i], "--") != 0; i++)
        if (strcmp(p->arguments[i], "--help") == 0 || strcmp(p->arguments[i], "-h") == 0) return true;
    return false;
}

static tw_status parse(parser *p)
{
    bool ended = false;
    TW_TRY(store_defaults(p));
    while (p->next < p->count) {
        const char *argument = p->arguments[p->next++];
        if (!ended && strcmp(argument, "--") == 0)
            ended = true;
        else if (!ended && argument[0] == '-' && argument[1])
            TW_TRY(take_option(p, argument));
        else
            TW_TRY(take_operand(p, argument));
    }
    return check_operands(p);
}

tw_status tw_options_parse(tw_context *ctx, const tw_command *command, size_t count,
                           const char *const *arguments, void *values, bool *wants_help)
{
    parser p = {.ctx = ctx, .command = command, .values = values, .count = count, .arguments = arguments};
    *wants_help = asks_for_help(&p);
    if (*wants_help) return TW_OK;
    return parse(&p);
}

bool tw_options_flag(const tw_command *command, const void *values, const char *name)
{
    const tw_option_group *group = NULL;
    const tw_option *option = find(command, name, strlen(name), '\0', &group);
    return option && *(const bool *)((const char *)values + group->offset + option->offset);
}
