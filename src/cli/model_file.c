/* model_file.c: reads a model file as arguments of a command. Its structure is checked here; the values of
 * its options are checked by the parser of options. */
#include "cli/model_file.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/model_options.h"
#include "cli/names.h"
#include "cli/prior_options.h"

enum { MOST_BYTES = 1 << 22 };

/* A list of arguments. It is filled twice: first to count them, then to write them. */
typedef struct list {
    size_t count, bytes;
    const char **item; /* NULL: only count */
    char *text;
} list;

/* Add the concatenation of four texts as one argument. */
static void add(list *l, const char *dashes, const char *name, const char *equals, const char *value)
{
    size_t length = strlen(dashes) + strlen(name) + strlen(equals) + strlen(value) + 1;
    if (l->item) {
        l->item[l->count] = l->text + l->bytes;
        snprintf(l->text + l->bytes, length, "%s%s%s%s", dashes, name, equals, value);
    }
    l->count++;
    l->bytes += length;
}

/* ---- the file ---- */

static tw_status fail(tw_context *ctx, const char *path, const char *what)
{
    return tw_fail(ctx, TW_BAD_DATA, "%.1000s: %s: use a file written by talweg model or talweg fit", path,
                   what);
}

static tw_status load(tw_context *ctx, const char *path, json_t **root)
{
    json_error_t error;
    struct stat about;
    FILE *file = fopen(path, "rb");
    if (!file) return tw_fail(ctx, TW_BAD_DATA, "%.1000s: cannot be opened: %s", path, strerror(errno));
    bool regular = fstat(fileno(file), &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES;
    *root = regular ? json_loadf(file, JSON_REJECT_DUPLICATES, &error) : NULL;
    fclose(file);
    if (!regular) return fail(ctx, path, "not a regular file, or too large for a model");
    if (*root) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "%.1000s: line %d, column %d: not a model file, or truncated: %.200s",
                   path, error.line, error.column, error.text);
}

static tw_status check(tw_context *ctx, const char *path, const json_t *root)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    const json_t *options = json_object_get(root, "options");
    if (!format || strcmp(format, "talweg model") != 0)
        return fail(ctx, path, "field \"format\" is not \"talweg model\"");
    if (json_integer_value(json_object_get(root, "version")) != 1)
        return fail(ctx, path, "field \"version\" is not 1, the only version supported");
    return json_is_object(options) ? TW_OK : fail(ctx, path, "field \"options\" is missing");
}

bool tw_model_file_is(const char *path)
{
    struct stat about;
    bool small = stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= MOST_BYTES;
    json_t *root = small ? json_load_file(path, 0, NULL) : NULL;
    const char *format = json_string_value(json_object_get(root, "format"));
    bool is = format && strcmp(format, "talweg model") == 0;
    json_decref(root);
    return is;
}

/* ---- conversion to arguments ---- */

/* The row of that name among the model's options; NULL: none. */
static const tw_option *find_row(const tw_command *command, const char *name)
{
    for (size_t g = 0; g < command->group_count; g++) {
        const tw_option_group *group = &command->groups[g];
        const tw_option *option = NULL;
        if (!tw_group_is_of_model(group)) continue;
        for (size_t i = 0; (option = tw_group_option(group, i)); i++)
            if (!tw_option_is_operand(option) && strcmp(option->name, name) == 0) return option;
    }
    return NULL;
}

static void add_number(const char *name, double value, list *l)
{
    char number[40];
    snprintf(number, sizeof number, "%.17g", value);
    for (char *c = number; *c; c++)
        if (*c == ',') *c = '.';
    add(l, "--", name, "=", number);
}

/* Add the value of an option that is not a flag. Returns false if its type is wrong. */
static bool add_value(const tw_option *row, const json_t *value, list *l)
{
    if (json_is_number(value)) {
        add_number(row->name, json_number_value(value), l);
        return true;
    }
    if (json_is_string(value)) {
        add(l, "--", row->name, "=", json_string_value(value));
        return true;
    }
    if (row->kind != TW_OPTION_TEXTS || !json_is_array(value)) return false;
    for (size_t k = 0; k < json_array_size(value); k++)
        if (!add_value(row, json_array_get(value, k), l)) return false;
    return true;
}

static tw_status add_option(tw_context *ctx, const tw_command *command, const char *name, const json_t *value,
                            list *l)
{
    const tw_option *row = find_row(command, name);
    if (!row || strcmp(name, "model") == 0)
        return tw_fail(ctx, TW_BAD_DATA, "field \"options.%.60s\" is not an option of talweg %s", name,
                       command->name);
    bool flag = row->kind == TW_OPTION_FLAG;
    if (flag && json_is_true(value)) add(l, "--", name, "", "");
    if (flag ? json_is_boolean(value) : add_value(row, value, l)) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA, "field \"options.%.60s\" is not %s", name,
                   flag ? "true or false" : "a number or a text");
}

/* Does the command have an option of this name? */
static bool takes(const tw_command *command, const char *name)
{
    const tw_option *option = NULL;
    for (size_t g = 0; g < command->group_count; g++)
        for (size_t i = 0; (option = tw_group_option(&command->groups[g], i)); i++)
            if (strcmp(option->name, name) == 0) return true;
    return false;
}

/* Add an array of texts, each as a value of the same option. A command without that option (--prior, --fix)
 * uses the parameters of the file. */
static tw_status add_texts(tw_context *ctx, const tw_command *command, const json_t *root, const char *field,
                           const char *option, list *l)
{
    const json_t *texts = json_object_get(root, field);
    if (texts && !json_is_array(texts))
        return tw_fail(ctx, TW_BAD_DATA, "field \"%s\" is not an array", field);
    for (size_t k = 0; k < json_array_size(texts); k++) {
        const char *text = json_string_value(json_array_get(texts, k));
        if (!text) return tw_fail(ctx, TW_BAD_DATA, "field \"%s\" has an entry that is not text", field);
        if (takes(command, option)) add(l, "--", option, "=", text);
    }
    return TW_OK;
}

/* Add the name of a file: in the folder of the model file `path` if it exists there, otherwise as written. So
 * a model file used from another folder does not pick up a file of the same name there. */
static void add_file(const char *path, const char *dashes, const char *equals, const char *name, list *l)
{
    const char *slash = strrchr(path, '/');
    char place[8192] = "";
    bool beside = slash && *name != '/';
    snprintf(place, sizeof place, "%.*s%s", beside ? (int)(slash - path + 1) : 0, path, name);
    add(l, dashes, equals, "", beside && access(place, F_OK) == 0 ? place : name);
}

/* Add --kernel-matrix=FILE and the like. */
static void add_matrix(const char *path, const char *option, const char *name, list *l)
{
    char equals[40];
    snprintf(equals, sizeof equals, "%s=", option);
    add_file(path, "--", equals, name, l);
}

static tw_status fill(tw_context *ctx, const tw_command *command, const char *path, json_t *root,
                      bool with_data, list *l)
{
    const char *name = NULL, *data = json_string_value(json_object_get(root, "data"));
    json_t *value = NULL;
    if (with_data && data) add_file(path, "", "", data, l);
    json_object_foreach(json_object_get(root, "options"), name, value)
    {
        if (tw_name_is_among(name, "kernel-matrix, precision-matrix, design-matrix") &&
            json_is_string(value) && find_row(command, name))
            add_matrix(path, name, json_string_value(value), l);
        else
            TW_TRY(add_option(ctx, command, name, value, l));
    }
    TW_TRY(add_texts(ctx, command, root, "priors", "prior", l));
    return add_texts(ctx, command, root, "fixed", "fix", l);
}

/* Build the list in two passes: the file's arguments, then those of the command line. */
static tw_status build(tw_context *ctx, const tw_command *command, const char *path, json_t *root,
                       size_t count, const char *const *arguments, tw_model_arguments *out)
{
    bool with_data = !tw_options_have_operand(command, count, arguments);
    list l = {0};
    void *memory = NULL;
    TW_TRY(fill(ctx, command, path, root, with_data, &l));
    TW_TRY(tw_allocate(ctx, 1, (l.count + count) * sizeof(char *) + l.bytes + 1, "the arguments", &memory));
    out->item = memory;
    l = (list){.item = out->item, .text = (char *)(out->item + l.count + count)};
    TW_TRY(fill(ctx, command, path, root, with_data, &l));
    for (size_t k = 0; k < count; k++) out->item[l.count + k] = arguments[k];
    out->count = l.count + count;
    return TW_OK;
}

void tw_model_arguments_release(tw_context *ctx, tw_model_arguments *arguments)
{
    tw_release(ctx, (void *)arguments->item);
    arguments->item = NULL;
}

/* Check each text of a field. Every command does so, even if it does not use priors. */
static tw_status check_texts(tw_problem *problem, const json_t *root, const char *field,
                             tw_status (*check_one)(tw_problem *problem, tw_priors *priors, const char *text))
{
    const json_t *texts = json_object_get(root, field);
    tw_priors *priors = NULL;
    tw_status status = tw_priors_new(problem, &priors);
    for (size_t k = 0; status == TW_OK && k < json_array_size(texts); k++) {
        status = check_one(problem, priors, json_string_value(json_array_get(texts, k)));
        if (status != TW_OK) tw_fail_within(problem->ctx, status, "field \"%s\", text %zu: ", field, k + 1);
    }
    tw_priors_free(priors);
    return status;
}

static tw_status check_prior(tw_problem *problem, tw_priors *priors, const char *text)
{
    return strcmp(text, "default") == 0 ? TW_OK : tw_priors_read(priors, problem, text);
}

/* Check that the parameter of "ell", "log_ell=0.5" or "all" exists. */
static tw_status check_fixed(tw_problem *problem, tw_priors *priors, const char *text)
{
    char name[TW_PRIOR_NAME_BYTES];
    (void)priors;
    tw_prior_name(text, name);
    if (strcmp(name, "all") == 0) return TW_OK;
    for (size_t j = 0; j < tw_problem_count(problem); j++) { /* ell also means ell.1, ell.2, ... */
        const char *known = tw_problem_parameter(problem, j)->name;
        size_t length = strlen(name);
        if (strncmp(known, name, length) == 0 && (known[length] == '\0' || known[length] == '.'))
            return TW_OK;
    }
    return tw_fail(problem->ctx, TW_BAD_DATA, "the model has no parameter \"%.60s\"", name);
}

tw_status tw_model_file_check(tw_problem *problem, const char *path)
{
    json_t *root = NULL;
    TW_TRY(load(problem->ctx, path, &root));
    tw_status status = check_texts(problem, root, "fixed", check_fixed);
    if (status == TW_OK) status = check_texts(problem, root, "priors", check_prior);
    json_decref(root);
    return status == TW_OK ? TW_OK : tw_fail_within(problem->ctx, status, "%.1000s: ", path);
}

/* The value of the last --model; NULL: none. */
static const char *find_path(const tw_command *command, size_t count, const char *const *arguments)
{
    const char *path = NULL;
    for (size_t k = 0; k < count && strcmp(arguments[k], "--") != 0 && takes(command, "model"); k++) {
        if (strncmp(arguments[k], "--model=", 8) == 0) path = arguments[k] + 8;
        if (strcmp(arguments[k], "--model") == 0 && k + 1 < count && strncmp(arguments[k + 1], "--", 2) != 0)
            path = arguments[k + 1];
    }
    return path;
}

tw_status tw_model_file_expand(tw_context *ctx, const tw_command *command, size_t count,
                               const char *const *arguments, tw_model_arguments *out)
{
    const char *path = find_path(command, count, arguments);
    json_t *root = NULL;
    void *memory = NULL;
    *out = (tw_model_arguments){0};
    if (!path) {
        TW_TRY(tw_allocate(ctx, count + 1, sizeof(char *), "the arguments", &memory));
        out->item = memory;
        out->count = count;
        for (size_t k = 0; k < count; k++) out->item[k] = arguments[k];
        return TW_OK;
    }
    TW_TRY(load(ctx, path, &root));
    tw_status status = check(ctx, path, root);
    if (status == TW_OK && (status = build(ctx, command, path, root, count, arguments, out)) != TW_OK)
        tw_fail_within(ctx, status, "%.1000s: ", path);
    json_decref(root);
    return status;
}
