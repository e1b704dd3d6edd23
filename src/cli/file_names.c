/* file_names.c: checks the names of files that a command was given,
 * and lists them for its JSON (file_names.h). */
#include "cli/file_names.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/completion.h"
#include "cli/names.h"
#include "talweg/base.h"

/* Options whose file is written, and those whose file is deleted at the end of the command. */
static const char written[] = "output, joint, marginals, save-approx, plot, csv, checkpoint, resume";
static const char temporary[] = "checkpoint, resume";

enum { MOST_NAMES = 32 };

typedef struct named {
    const tw_option *option;
    const char *file;
} named;

/* ---- the files of a command ---- */

/* Is the value a prefix of several names? */
static bool is_prefix(const tw_option *option)
{
    return option->argument && strcmp(option->argument, "PREFIX") == 0;
}

/* Add a file to the list unless it is the default; an empty name is an error. */
static tw_status add(tw_context *ctx, const tw_option *option, const char *file, named *list, size_t *count)
{
    if (!file || file == option->default_value) return TW_OK;
    if (!*file)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%s%s needs the name of a file, not \"\"",
                       tw_option_is_operand(option) ? "" : "--", option->name);
    if (*count < MOST_NAMES) list[(*count)++] = (named){option, file};
    return TW_OK;
}

static tw_status add_option(tw_context *ctx, const tw_option *option, const char *field, named *list,
                            size_t *count)
{
    const char *file = NULL;
    if (!tw_completion_of(option).files || is_prefix(option)) return TW_OK;
    if (option->kind != TW_OPTION_OPERANDS) {
        memcpy(&file, field, sizeof file);
        return add(ctx, option, file, list, count);
    }
    const tw_operands *operands = (const void *)field;
    for (size_t i = 0; i < operands->count; i++) TW_TRY(add(ctx, option, operands->item[i], list, count));
    return TW_OK;
}

/* ---- conflicts ---- */

/* The absolute folder of a file, with links resolved, and the name within it.
 * Returns false if the folder does not exist. */
static bool folder_of(const char *file, char folder[PATH_MAX], const char **name)
{
    char above[PATH_MAX] = ".";
    const char *slash = strrchr(file, '/');
    *name = slash ? slash + 1 : file;
    if (slash) snprintf(above, sizeof above, "%.*s", (int)(slash - file + 1), file);
    return realpath(above, folder) != NULL;
}

bool tw_file_names_are_same(const char *a, const char *b)
{
    struct stat about_a, about_b;
    char folder_a[PATH_MAX], folder_b[PATH_MAX];
    const char *name_a = NULL, *name_b = NULL;
    bool exists = stat(a, &about_a) == 0;
    if (exists && !S_ISREG(about_a.st_mode)) return false;
    if (exists && stat(b, &about_b) == 0)
        return about_a.st_dev == about_b.st_dev && about_a.st_ino == about_b.st_ino;
    return folder_of(a, folder_a, &name_a) && folder_of(b, folder_b, &name_b) &&
           strcmp(name_a, name_b) == 0 && strcmp(folder_a, folder_b) == 0;
}

static bool is_new_checkpoint(const tw_option *option)
{
    return strcmp(option->name, "checkpoint") == 0;
}

/* A file that is read, except a model file, which talweg fit may replace by the fitted model. */
static bool is_source(const tw_option *option)
{
    return !tw_name_is_among(option->name, written) && strcmp(option->name, "model") != 0;
}

/* A file that is written and kept. */
static bool is_result(const tw_option *option)
{
    return tw_name_is_among(option->name, written) && !tw_name_is_among(option->name, temporary);
}

/* May two options name the same file? --resume and --checkpoint may: the checkpoint is read and then updated.
 * Two written files may not, nor a result and its data, nor a new checkpoint and any other file. */
static bool may_be_same(const tw_option *a, const tw_option *b)
{
    if (tw_name_is_among(a->name, temporary) && tw_name_is_among(b->name, temporary)) return true;
    if (tw_name_is_among(a->name, written) && tw_name_is_among(b->name, written)) return false;
    if ((is_source(a) && is_result(b)) || (is_source(b) && is_result(a))) return false;
    return !is_new_checkpoint(a) && !is_new_checkpoint(b);
}

tw_status tw_file_names_check(tw_context *ctx, const tw_command *command, const void *values)
{
    named list[MOST_NAMES];
    size_t count = 0;
    for (size_t g = 0; g < command->group_count; g++) {
        const tw_option_group *group = &command->groups[g];
        for (size_t i = 0; i < group->count; i++) {
            const tw_option *option = &group->options[i];
            const char *field = (const char *)values + group->offset + option->offset;
            TW_TRY(add_option(ctx, option, field, list, &count));
        }
    }
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++) {
            const tw_option *a = list[k].option, *b = list[i].option;
            if (may_be_same(a, b) || !tw_file_names_are_same(list[k].file, list[i].file)) continue;
            return tw_fail(ctx, TW_BAD_ARGUMENT,
                           "%s%s and %s%s name the same file, %.1000s: use different files",
                           tw_option_is_operand(a) ? "" : "--", a->name, tw_option_is_operand(b) ? "" : "--",
                           b->name, list[i].file);
        }
    return TW_OK;
}

/* ---- the files that a command reads and writes, for its JSON ---- */

static struct {
    const tw_command *command;
    const void *values;
} running;

void tw_file_names_of(const tw_command *command, const void *values)
{
    running.command = command;
    running.values = values;
}

/* Is the value a word that the option takes instead of a file, such as "ep" in "ep|laplace|FILE"? */
static bool is_word(const tw_option *option, const char *value)
{
    tw_completion c = tw_completion_of(option);
    for (char *word = strtok(c.words, " "); word; word = strtok(NULL, " "))
        if (strcmp(word, value) == 0) return true;
    return false;
}

/* Add a value to the names of files read (names[0]) or written (names[1]). A default value is a file only if
 * it is written. "MEAN,COV" stands for two files. */
static void encode_name(const tw_option *option, const char *value, json_t *names[2], bool *ok)
{
    bool is_written = is_result(option);
    if (!value || (value == option->default_value && !is_written) || is_word(option, value)) return;
    const char *comma = option->argument && strstr(option->argument, "MEAN,COV") ? strchr(value, ',') : NULL;
    if (comma) {
        char mean[PATH_MAX];
        snprintf(mean, sizeof mean, "%.*s", (int)(comma - value), value);
        tw_json_append(names[0], tw_json_text(mean), ok);
        value = comma + 1;
    }
    tw_json_append(names[is_written], tw_json_text(value), ok);
}

static void encode_option(const tw_option *option, const char *field, json_t *names[2], bool *ok)
{
    const char *value = NULL;
    if (!tw_completion_of(option).files || is_prefix(option) || tw_name_is_among(option->name, temporary))
        return;
    if (option->kind != TW_OPTION_OPERANDS) {
        memcpy(&value, field, sizeof value);
        encode_name(option, value, names, ok);
        return;
    }
    const tw_operands *operands = (const void *)field;
    for (size_t i = 0; i < operands->count; i++) encode_name(option, operands->item[i], names, ok);
}

json_t *tw_file_names_encode(bool *ok)
{
    json_t *object = json_object(), *names[2] = {json_array(), json_array()};
    for (size_t g = 0; running.command && g < running.command->group_count; g++) {
        const tw_option_group *group = &running.command->groups[g];
        for (size_t i = 0; i < group->count; i++)
            encode_option(&group->options[i],
                          (const char *)running.values + group->offset + group->options[i].offset, names, ok);
    }
    tw_json_set(object, "read", names[0], ok);
    tw_json_set(object, "written", names[1], ok);
    return object;
}
