/* categories.c: text inputs. New cases get the category numbers of the training cases. */
#include <stdio.h>
#include <string.h>

#include "data/readers.h"
#include "data/text.h"

const tw_levels *tw_data_levels(const tw_data *data, size_t input)
{
    return data->levels && data->levels[input].count ? &data->levels[input] : NULL;
}

static tw_status allocate_levels(tw_data *data)
{
    void *memory = NULL;
    if (data->levels) return TW_OK;
    TW_TRY(tw_allocate(data->ctx, data->d, sizeof(tw_levels), "categories", &memory));
    data->levels = memory;
    return TW_OK;
}

static tw_status replace_levels(tw_data *data, size_t input, const tw_levels *with)
{
    tw_levels copy = {0};
    TW_TRY(allocate_levels(data));
    TW_TRY(tw_levels_copy(data->ctx, with, &copy));
    tw_release(data->ctx, data->levels[input].text);
    data->levels[input] = copy;
    return TW_OK;
}

tw_status tw_data_set_levels(tw_data *data, size_t input, size_t count, const char *const *texts)
{
    if (input >= data->d)
        return tw_fail(data->ctx, TW_BAD_ARGUMENT, "input %zu does not exist: there are %zu", input + 1,
                       data->d);
    for (size_t i = 0; i < data->n; i++) {
        double code = data->x[i + input * data->n];
        if (!(code >= 0.0 && code < (double)count && code == (double)(size_t)code))
            return tw_fail(data->ctx, TW_BAD_DATA,
                           "row %zu of input %zu: %g is not a category number from 0 to %zu", i + 1,
                           input + 1, code, count - 1);
    }
    return replace_levels(data, input, &(tw_levels){count, (char **)texts});
}

/* The name of an input, or "input 3" if the data have no names. */
static const char *input_name(const tw_data *data, size_t input, char text[32])
{
    snprintf(text, 32, "input %zu", input + 1);
    return data->names ? data->names[input] : text;
}

/* Report a text that is not a category of the training cases. */
static tw_status fail_text(const tw_data *data, size_t input, size_t row, const char *text,
                           const tw_levels *known)
{
    char name[32], list[300], line[32] = "";
    if (data->lines) snprintf(line, sizeof line, " (line %zu)", data->lines[row]);
    tw_levels_list(known, list, sizeof list);
    return tw_fail(data->ctx, TW_NEW_CATEGORY,
                   "row %zu%s of %s: found %s, but the categories of the training cases are %s", row + 1,
                   line, input_name(data, input, name), tw_quote(text, text + strlen(text)).text, list);
}

/* Set the categories to the known texts followed by the texts of the new cases, the list that the codes of
 * recode() refer to. */
static tw_status known_and_new(tw_data *data, size_t input, const tw_levels *known)
{
    const tw_levels *own = &data->levels[input];
    void *memory = NULL;
    size_t count = known->count + own->count;
    TW_TRY(tw_allocate(data->ctx, count, sizeof(char *), "categories", &memory));
    char **both = memory;
    memcpy(both, known->text, known->count * sizeof *both);
    memcpy(both + known->count, own->text, own->count * sizeof *both);
    tw_status status = replace_levels(data, input, &(tw_levels){count, both});
    tw_release(data->ctx, memory);
    return status;
}

/* Replace each code by the position of its text among the known texts; a new text with code c gets
 * known->count + c, its position in the list of known_and_new(). */
static tw_status recode(tw_data *data, size_t input, const tw_levels *known, bool new_ones)
{
    const tw_levels *own = &data->levels[input];
    double *x = data->x + input * data->n;
    for (size_t i = 0; i < data->n; i++) {
        const char *text = own->text[(size_t)x[i]];
        if (!new_ones && tw_levels_find(known, text) == known->count)
            return fail_text(data, input, i, text, known);
    }
    for (size_t i = 0; i < data->n; i++) {
        size_t code = (size_t)x[i], place = tw_levels_find(known, own->text[code]);
        x[i] = (double)(place < known->count ? place : known->count + code);
    }
    return new_ones ? known_and_new(data, input, known) : replace_levels(data, input, known);
}

tw_status tw_data_match_levels(tw_data *data, const tw_data *train, const bool *needed, bool new_ones)
{
    char name[32];
    for (size_t k = 0; k < train->d && k < data->d; k++) {
        const tw_levels *known = tw_data_levels(train, k), *own = tw_data_levels(data, k);
        if ((!known && !own) || (needed && !needed[k])) continue;
        if (known && own)
            TW_TRY(recode(data, k, known, new_ones));
        else
            return tw_fail(data->ctx, TW_BAD_DATA, "%s is %s, but in the training cases it is %s",
                           input_name(data, k, name), own ? "text" : "numbers", own ? "numbers" : "text");
    }
    return TW_OK;
}

void tw_levels_free(tw_context *ctx, size_t count, tw_levels *levels)
{
    for (size_t k = 0; levels && k < count; k++) tw_release(ctx, levels[k].text);
    tw_release(ctx, levels);
}
