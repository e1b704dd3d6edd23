/* likelihood_options.c: see likelihood_options.h. */
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

/* What some likelihoods say of a name: "weibull", "the hazard grows above 1". */
typedef struct meaning {
    char likelihoods[LIST_BYTES];
    const char *help;
} meaning;

/* A name of a parameter or a column, the likelihoods that have it, and what each of them says of it. */
typedef struct entry {
    const char *name;
    const tw_parameter *parameter; /* or NULL */
    const tw_column *column;       /* or NULL */
    char likelihoods[LIST_BYTES];
    size_t meanings;
    meaning meaning[MOST_MEANINGS];
} entry;

/* Rows, and the texts that they point to. */
typedef struct rows {
    size_t count;
    tw_option option[MOST_ROWS + 1];
    char name[MOST_ROWS][NAME_BYTES], default_value[MOST_ROWS][NAME_BYTES], help[MOST_ROWS][HELP_BYTES];
} rows;

/* ---- names ---- */

static entry *place(entry *all, size_t *count, const char *name)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(all[i].name, name) == 0) return &all[i];
    entry *e = &all[*count < TW_LIKELIHOOD_NAMES - 1 ? (*count)++ : TW_LIKELIHOOD_NAMES - 1];
    e->name = name;
    return e;
}

/* Are a and b names of one family, as ordinal3 and ordinal4? */
static bool same_family(const char *a, const char *b)
{
    size_t stem = strcspn(a, "0123456789");
    return a[stem] != '\0' && strcspn(b, "0123456789") == stem && strncmp(a, b, stem) == 0;
}

/* Add a name to a list: "poisson, ordinal3 to ordinal7". */
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

/* A column that has the name of a parameter is the same thing for each case: one help for both. */
static void note(entry *e, const tw_likelihood *likelihood, const char *help)
{
    size_t k = 0;
    append_name(e->likelihoods, likelihood->name);
    if (!help) help = e->name;
    while (k < e->meanings && strcmp(e->meaning[k].help, help) != 0) k++;
    if (k == MOST_MEANINGS) return;
    if (k == e->meanings) e->meaning[e->meanings++].help = help;
    append_name(e->meaning[k].likelihoods, likelihood->name);
}

/* All names, in the order of the likelihoods; returns how many. */
static size_t list_entries(entry all[TW_LIKELIHOOD_NAMES])
{
    size_t count = 0;
    const tw_likelihood *likelihood = NULL;
    for (size_t l = 0; (likelihood = tw_likelihood_at(l)); l++) {
        for (size_t k = 0; k < likelihood->parameters; k++) {
            entry *e = place(all, &count, likelihood->parameter[k].name);
            e->parameter = &likelihood->parameter[k];
            note(e, likelihood, likelihood->parameter[k].help);
        }
        for (size_t k = 0; k < likelihood->columns; k++) {
            entry *e = place(all, &count, likelihood->column[k].name);
            e->column = &likelihood->column[k];
            if (!e->parameter) note(e, likelihood, likelihood->column[k].help);
        }
    }
    return count;
}

/* The place of a name among all; they are few. */
static size_t place_of(const char *name)
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

/* --noise X: a parameter, or one constant for all cases. */
static void add_number(rows *r, const entry *e, size_t slot)
{
    size_t at = r->count;
    bool required = !e->parameter && e->column->required;
    tw_option *option =
        add_row(r, e, offsetof(tw_likelihood_options, number) + slot * sizeof(double), TW_OPTION_NUMBER, "");
    option->given = offsetof(tw_likelihood_options, typed) + slot * sizeof(bool);
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

/* --exposure-column NAME. */
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
    static rows made; /* once, from constants */
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

/* Was a number typed for entry i? */
static bool is_given(const tw_likelihood_options *options, size_t i)
{
    return options->typed[i] && !isnan(options->number[i]);
}

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
        const char *name = likelihood->column[k].name, *column = options->column[place_of(name)];
        if (column) places[count++] = (tw_column_place){name, column};
    }
    return count;
}

tw_status tw_likelihood_options_fill(const tw_likelihood_options *options, const tw_likelihood *likelihood,
                                     tw_data *data)
{
    for (size_t k = 0; k < likelihood->columns; k++) {
        const char *name = likelihood->column[k].name;
        size_t i = place_of(name);
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
        size_t i = place_of(parameter->name);
        phi[k] = tw_parameter_theta(parameter, options->number[i]);
        given[k] = options->typed[i];
    }
}
