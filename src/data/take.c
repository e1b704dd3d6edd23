/* take.c: turn inputs into labels or constants, and remember the names of their columns. */
#include <string.h>

#include "data/readers.h"

/* The source name of a role: the column that it was read from. NULL if the data have no such role. */
static char **source_of(tw_data *data, const char *role)
{
    if (strcmp(role, "label") == 0) return &data->label_source;
    for (size_t k = 0; k < data->columns; k++)
        if (strcmp(data->column[k].name, role) == 0) return &data->column[k].source;
    return NULL;
}

const char *tw_data_source(const tw_data *data, const char *role)
{
    char **source = source_of((tw_data *)data, role);
    return source ? *source : NULL;
}

tw_status tw_data_set_source(tw_data *data, const char *role, const char *name)
{
    char **source = source_of(data, role);
    void *copy = NULL;
    if (!source) return tw_fail(data->ctx, TW_BAD_ARGUMENT, "the data have no %.60s column", role);
    if (name) {
        TW_TRY(tw_allocate(data->ctx, strlen(name) + 1, 1, "the name of a column", &copy));
        strcpy(copy, name);
    }
    tw_release(data->ctx, *source);
    *source = copy;
    return TW_OK;
}

static tw_status take_label(tw_data *data, size_t input)
{
    double *y = NULL;
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, 1, "the labels", &y));
    memcpy(y, data->x + input * data->n, data->n * sizeof *y);
    tw_release(data->ctx, data->y);
    data->y = y;
    if (!data->levels) return TW_OK;
    tw_release(data->ctx, data->labels.text);
    data->labels = data->levels[input];
    data->levels[input] = (tw_levels){0};
    return TW_OK;
}

static tw_status take_constant(tw_data *data, size_t input, const char *role)
{
    const tw_levels *levels = tw_data_levels(data, input);
    if (!levels) return tw_data_set_column(data, role, data->x + input * data->n);
    return tw_fail(data->ctx, TW_BAD_DATA, "the %.60s column must hold numbers, not text such as %s", role,
                   tw_quote(levels->text[0], levels->text[0] + strlen(levels->text[0])).text);
}

/* Remove an input: the inputs after it move up by one. */
static void remove_input(tw_data *data, size_t input)
{
    size_t behind = --data->d - input;
    double *column = data->x + input * data->n;
    memmove(column, column + data->n, behind * data->n * sizeof *column);
    if (data->names) memmove(data->names + input, data->names + input + 1, behind * sizeof(char *));
    if (!data->levels) return;
    tw_release(data->ctx, data->levels[input].text);
    memmove(data->levels + input, data->levels + input + 1, behind * sizeof *data->levels);
    data->levels[data->d] = (tw_levels){0};
}

tw_status tw_data_take(tw_data *data, size_t input, const char *role)
{
    TW_TRY(strcmp(role, "label") == 0 ? take_label(data, input) : take_constant(data, input, role));
    if (data->names) TW_TRY(tw_data_set_source(data, role, data->names[input]));
    remove_input(data, input);
    return TW_OK;
}
