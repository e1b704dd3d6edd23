/* match.c: match inputs by name, and put those of new cases in the order of the training cases. */
#include <string.h>
#include <strings.h>

#include "data/readers.h"

tw_status tw_data_set_names(tw_data *data, const char *const *names)
{
    char **copy = NULL;
    if (names) TW_TRY(tw_names_copy(data->ctx, data->d, names, &copy));
    tw_release(data->ctx, data->names);
    data->names = copy;
    return TW_OK;
}

static tw_quoted quote(const char *name)
{
    return tw_quote(name, name + strlen(name));
}

static bool same_names(const tw_data *data, size_t d, const char *const *names)
{
    size_t k = 0;
    if (data->d != d) return false;
    while (k < d && strcmp(data->names[k], names[k]) == 0) k++;
    return k == d;
}

/* Report that an input is missing, and a name that differs from it only in capitals. */
static tw_status fail_missing(const tw_data *data, const char *name)
{
    size_t j = 0;
    while (j < data->d && strcasecmp(data->names[j], name) != 0) j++;
    return tw_fail(data->ctx, TW_BAD_DATA, "the input %s of the model is missing%s%s", quote(name).text,
                   j < data->d ? ", but there is " : "", j < data->d ? quote(data->names[j]).text : "");
}

/* Find the only input of that name; *place is data->d if it is absent and not needed. */
static tw_status find_input(const tw_data *data, const char *name, bool needed, size_t *place)
{
    size_t count = 0;
    *place = data->d;
    for (size_t j = 0; j < data->d; j++)
        if (strcmp(data->names[j], name) == 0) {
            *place = j;
            count++;
        }
    if (count == 1 || (count == 0 && !needed)) return TW_OK;
    if (count == 0) return fail_missing(data, name);
    return tw_fail(data->ctx, TW_BAD_DATA, "several inputs have the name %s of an input of the model",
                   quote(name).text);
}

/* Fail if the data have an input that the model has not. */
static tw_status fail_extra(const tw_data *data, size_t d, const size_t *place)
{
    for (size_t j = 0; j < data->d; j++) {
        size_t k = 0;
        while (k < d && place[k] != j) k++;
        if (k == d)
            return tw_fail(data->ctx, TW_BAD_DATA, "the model has no input %s", quote(data->names[j]).text);
    }
    return TW_OK;
}

static tw_status find_places(const tw_data *data, size_t d, const char *const *names, const bool *needed,
                             size_t *place)
{
    for (size_t k = 0; k < d; k++) TW_TRY(find_input(data, names[k], !needed || needed[k], &place[k]));
    return fail_extra(data, d, place);
}

/* Move the categories with their inputs, and free those of inputs that are dropped. */
static tw_status move_levels(tw_data *data, size_t d, const size_t *place)
{
    void *memory = NULL;
    if (!data->levels) return TW_OK;
    TW_TRY(tw_allocate(data->ctx, d, sizeof(tw_levels), "categories", &memory));
    tw_levels *moved = memory;
    for (size_t k = 0; k < d; k++) {
        if (place[k] == data->d) continue;
        moved[k] = data->levels[place[k]];
        data->levels[place[k]] = (tw_levels){0};
    }
    for (size_t j = 0; j < data->d; j++) tw_release(data->ctx, data->levels[j].text);
    tw_release(data->ctx, data->levels);
    data->levels = moved;
    return TW_OK;
}

static tw_status move_inputs(tw_data *data, size_t d, const size_t *place)
{
    double *x = NULL;
    TW_TRY(tw_allocate_doubles(data->ctx, data->n, d, "the inputs", &x));
    tw_status status = move_levels(data, d, place);
    if (status != TW_OK) {
        tw_release(data->ctx, x);
        return status;
    }
    for (size_t k = 0; k < d; k++)
        if (place[k] < data->d) memcpy(x + k * data->n, data->x + place[k] * data->n, data->n * sizeof *x);
    tw_release(data->ctx, data->x);
    data->x = x;
    data->d = d;
    return TW_OK;
}

tw_status tw_data_match(tw_data *data, size_t d, const char *const *names, const bool *needed)
{
    void *memory = NULL;
    if (data->names && names) {
        if (same_names(data, d, names)) return TW_OK;
        TW_TRY(tw_allocate(data->ctx, d, sizeof(size_t), "the places of the inputs", &memory));
        tw_status status = find_places(data, d, names, needed, memory);
        if (status == TW_OK) status = move_inputs(data, d, memory);
        tw_release(data->ctx, memory);
        return status == TW_OK ? tw_data_set_names(data, names) : status;
    }
    if (data->d == d) return TW_OK;
    return tw_fail(data->ctx, TW_BAD_DATA,
                   "there are %zu inputs, but the model has %zu: give the same columns in the same order",
                   data->d, d);
}
