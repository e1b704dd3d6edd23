/* likelihood_options.c: makes the options of all likelihoods from their tables, and reads their values
 * (likelihood_options.h). */
#include "cli/likelihood_options.h"

#include <math.h>
#include <string.h>

enum {
    MOST_ROWS = 2 * TW_LIKELIHOOD_NAMES,
    MOST_MEANINGS = 4,
    NAME_BYTES = 64,
    HELP_BYTES = 400,
    LIST_BYTES = 160
};

/* The help of a name, and the likelihoods that share it: "the hazard grows above 1", "weibull". */
typedef struct meaning {
    char likelihoods[LIST_BYTES];
    const char *help;
} meaning;

/* The name of a parameter or column, the likelihoods that have it, and its help in each of them. */
typedef struct entry {
    const char *name;
    const tw_parameter *parameter; /* or NULL */
    const tw_column *column;       /* or NULL */
    char likelihoods[LIST_BYTES];
    size_t meanings;
    meaning meaning[MOST_MEANINGS];
} entry;

/* Option rows, and the texts that they point to. */
typedef struct rows {
    size_t count;
    tw_option option[MOST_ROWS + 1];
    char name[MOST_ROWS][NAME_BYTES], default_value[MOST_ROWS][NAME_BYTES], help[MOST_ROWS][HELP_BYTES];
} rows;

/* ---- names ---- */

/* The entry of a name, added if it is new. */
static entry *find_or_add(entry *all, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    entry *e = &all[*count < TW_LIKELIHOOD_NAMES - 1 ? (*count)++ : TW_LIKELIHOOD_NAMES - 1];
    e->name = name;
    return e;
}

/* Do a and b differ only in their number, as ordinal3 and ordinal4? */
static bool same_family(const char *a, const char *b)
{
    size_t stem = strcspn(a, "0123456789");
    return a[stem] != '\0' && strcspn(b, "0123456789") == stem && strncmp(a, b, stem) == 0;
}

/* Append a name to a list such as "poisson, ordinal3 to ordinal7". */
static void append_name(char list[LIST_BYTES], const char *name)
{
    size_t length = strlen(list);
    const char *space = strrchr(list, ' '), *last = space ? space + 1 : list;
    if (strcmp(last, name) == 0) return;
    bool family = same_family(last, name),
         open = family && space && last - list > 4 && strncmp(last - 4, " to ", 4) == 0;
    if (open) length = (size_t)(last - list) - 4;
    snprintf(list + length, LIST_BYTES - length, "%s%s", !length ? "" : family ? " to " : ", ", name);
}

/* Add a likelihood and its help to an entry. */
static void add_meaning(entry *e, const tw_likelihood *likelihood, const char *help)
{
    size_t k = 0;
    append_name(e->likelihoods, likelihood->name);
    if (!help) help = e->name;
    while (k < e->meanings && strcmp(e->meaning[k].help, help) != 0) k++;
    if (k == MOST_MEANINGS) return;
    if (k == e->meanings) e->meaning[e->meanings++].help = help;
    append_name(e->meaning[k].likelihoods, likelihood->name);
}

/* List all names in the order of the likelihoods; returns their number. A column with the name of a parameter
 * holds that parameter's value for each case, so the parameter's help serves for both. */
static size_t list_entries(entry all[TW_LIKELIHOOD_NAMES])
{
    size_t count = 0;
    const tw_likelihood *likelihood = NULL;
    for (size_t l = 0; (likelihood = tw_likelihood_at(l)); l++) {
        for (size_t k = 0; k < likelihood->parameters; k++) {
            entry *e = find_or_add(all, &count, likelihood->parameter[k].name);
            e->parameter = &likelihood->parameter[k];
            add_meaning(e, likelihood, likelihood->parameter[k].help);
        }
        for (size_t k = 0; k < likelihood->columns; k++) {
            entry *e = find_or_add(all, &count, likelihood->column[k].name);
            e->column = &likelihood->column[k];
            if (!e->parameter) add_meaning(e, likelihood, likelihood->column[k].help);
        }
    }
    return count;
}

/* The index of a name in the list of all names. */
static size_t index_of(const char *name)
{
    entry all[TW_LIKELIHOOD_NAMES] = {0};
    size_t count = list_entries(all), i = 0;
    while (i < count && strcmp(all[i].name, name) != 0) i++;
    return i;
}

/* ---- rows ---- */

static tw_option *add_row(rows *r, const entry *e, size_t offset, tw_option_kind kind, const char *suffix)
{
    tw_option *option = &r->option[r->count];
    snprintf(r->name[r->count], NAME_BYTES, "%s%s", e->name, suffix);
    *option = (tw_option){.name = r->name[r->count],
                          .offset = offset,
                          .argument = kind == TW_OPTION_NUMBER ? "X" : "NAME|INDEX",
                          .help = r->help[r->count],
                          .kind = kind};
    r->count++;
    return option;
}

/* Add --noise X: a parameter, or one value of a column for all cases. */
static void add_number(rows *r, const entry *e, size_t slot)
{
    size_t at = r->count;
    bool required = !e->parameter && e->column->required;
    tw_option *option =
        add_row(r, e, offsetof(tw_likelihood_options, number) + slot * sizeof(double), TW_OPTION_NUMBER, "");
    option->given = offsetof(tw_likelihood_options, typed) + slot * sizeof(bool);
    option->per_case = e->column != NULL;
    option->positive = e->parameter
                           ? e->parameter->transform == TW_TRANSFORM_LOG
                           : e->column->range == TW_RANGE_POSITIVE || e->column->range == TW_RANGE_COUNT;
    snprintf(r->default_value[at], NAME_BYTES, "%g",
             e->parameter ? e->parameter->initial
             : required   ? 0.0
                          : e->column->default_value);
    option->default_value = required ? NULL : r->default_value[at];
    for (size_t k = 0, length = 0; k < e->meanings && length < HELP_BYTES; k++)
        length += (size_t)snprintf(r->help[at] + length, HELP_BYTES - length, "%s%s: %s", k ? "; " : "",
                                   e->meaning[k].likelihoods, e->meaning[k].help);
}

/* Add --exposure-column NAME; `fresh`: for new cases. */
static void add_column(rows *r, const entry *e, size_t slot, bool fresh)
{
    size_t at = r->count;
    add_row(r, e, offsetof(tw_likelihood_options, column) + slot * sizeof(char *), TW_OPTION_TEXT, "-column");
    if (fresh)
        snprintf(
            r->help[at], HELP_BYTES,
            "%s: the column of the new cases with their %s; default: the column named as in the training "
            "data, or, if there is no such column, the value of the training data if it is constant%s",
            e->likelihoods, e->name, e->column->required ? "" : ", otherwise the default");
    else
        snprintf(r->help[at], HELP_BYTES,
                 "%s: the column with the value of --%s for each case, named as for --label-column; it is "
                 "not an input",
                 e->likelihoods, e->name);
}

/* Row i, NULL after the last; makes all rows at the first call. */
static const tw_option *row(rows *r, bool fresh, size_t i)
{
    if (r->count == 0) {
        entry all[TW_LIKELIHOOD_NAMES] = {0};
        size_t count = list_entries(all);
        for (size_t k = 0; k < count; k++) {
            if (!fresh) add_number(r, &all[k], k);
            if (all[k].column) add_column(r, &all[k], k, fresh);
        }
    }
    return i < r->count ? &r->option[i] : NULL;
}

static const tw_option *training_row(size_t i)
{
    static rows made; /* made once, from constant tables */
    return row(&made, false, i);
}

static const tw_option *new_row(size_t i)
{
    static rows made;
    return row(&made, true, i);
}

const tw_option tw_likelihood_option_row = {.made = training_row},
                tw_new_column_option_row = {.made = new_row};

/* ---- values ---- */

static bool has_parameter(const tw_likelihood *likelihood, const char *name)
{
    for (size_t k = 0; k < likelihood->parameters; k++)
        if (strcmp(likelihood->parameter[k].name, name) == 0) return true;
    return false;
}

/* Was a number given for entry i? */
static bool is_given(const tw_likelihood_options *options, size_t i)
{
    return options->typed[i] && !isnan(options->number[i]);
}

/* An option that does not belong to the likelihood. */
static tw_status fail_stray(tw_context *ctx, const char *name, const char *suffix,
                            const tw_likelihood *likelihood)
{
    return tw_fail(ctx, TW_BAD_ARGUMENT, "--%s%s cannot be used with the %s likelihood", name, suffix,
                   likelihood->name);
}

tw_status tw_new_columns_check(tw_context *ctx, const tw_likelihood_options *options,
                               const tw_likelihood *likelihood)
{
    entry all[TW_LIKELIHOOD_NAMES] = {0};
    size_t count = list_entries(all);
    for (size_t i = 0; i < count; i++)
        if (options->column[i] && tw_likelihood_column(likelihood, all[i].name) == likelihood->columns)
            return fail_stray(ctx, all[i].name, "-column", likelihood);
    return TW_OK;
}

tw_status tw_likelihood_options_check(tw_context *ctx, const tw_likelihood_options *options,
                                      const tw_likelihood *likelihood)
{
    entry all[TW_LIKELIHOOD_NAMES] = {0};
    size_t count = list_entries(all);
    for (size_t i = 0; i < count; i++) {
        const char *name = all[i].name;
        bool parameter = has_parameter(likelihood, name), number = is_given(options, i);
        if (number && !parameter && tw_likelihood_column(likelihood, name) == likelihood->columns)
            return fail_stray(ctx, name, "", likelihood);
        if (number && options->column[i])
            return tw_fail(
                ctx, TW_BAD_ARGUMENT,
                "use either --%s (one value for all cases) or --%s-column (one per case), not both", name,
                name);
    }
    return tw_new_columns_check(ctx, options, likelihood);
}

const char *tw_likelihood_options_file(const tw_likelihood_options *options)
{
    const tw_option *option = NULL;
    for (size_t i = 0; (option = new_row(i)); i++) {
        const char *column = NULL;
        memcpy(&column, (const char *)options + option->offset, sizeof column);
        if (column) return option->name;
    }
    return NULL;
}

size_t tw_likelihood_options_places(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                    tw_column_place places[TW_COLUMNS])
{
    size_t count = 0;
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name, *column = options->column[index_of(name)];
        if (column) places[count++] = (tw_column_place){name, column};
    }
    return count;
}

tw_status tw_likelihood_options_fill(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                     tw_data *data)
{
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name;
        size_t i = index_of(name);
        if (tw_data_column(data, name) || has_parameter(likelihood, name)) continue;
        if (is_given(options, i)) TW_TRY(tw_data_repeat_column(data, name, options->number[i]));
    }
    return TW_OK;
}

void tw_likelihood_options_phi(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                               double *phi, bool *given)
{
    for (size_t k = 0; k < likelihood->parameters; k++) {
        const tw_parameter *parameter = &likelihood->parameter[k];
        size_t i = index_of(parameter->name);
        phi[k] = tw_parameter_theta(parameter, options->number[i]);
        given[k] = options->typed[i];
    }
}
