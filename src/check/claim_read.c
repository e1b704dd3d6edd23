/* claim_read.c: reads a claim from another program's file, CSV or JSON, and checks all of it. */
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data/file.h"
#include "data/readers.h"
#include "model/model.h"
#include "talweg/check.h"

/* ---- one number ---- */

/* The index of a latent, from 0: x.3, x[3], x3 and 3 have index 2, with any word for x (Predictor:3).
 * Returns n if the model has no such latent: x.-3 is none, and x.c3 may mean something else. */
static size_t latent_of(const char *name, size_t n)
{
    char *end = NULL;
    while (isalpha((unsigned char)*name) || *name == '_') name++;
    bool bracket = *name == '[';
    if (bracket || *name == '.' || *name == ':') name++;
    unsigned long long number = isdigit((unsigned char)*name) ? strtoull(name, &end, 10) : 0;
    if (number == 0 || number > n || strcmp(end, bracket ? "]" : "") != 0) return n;
    return (size_t)number - 1;
}

static tw_status find_latent(const tw_claim *claim, const char *name, size_t row, size_t *latent)
{
    *latent = latent_of(name, claim->n);
    if (*latent < claim->n) return TW_OK;
    return tw_fail(claim->ctx, TW_BAD_DATA,
                   "row %zu: %s is not a latent of this model: the names are x.1 to x.%zu, one for each case "
                   "of the data",
                   row + 1, tw_quote(name, name + strlen(name)).text, claim->n);
}

/* Check a claimed number and store it. */
static tw_status put(tw_claim *claim, size_t quantity, size_t row, size_t latent, double value)
{
    const char *name = tw_check_quantity_name((tw_check_quantity)quantity);
    if (!isfinite(value))
        return tw_fail(claim->ctx, TW_BAD_DATA, "row %zu: the %s is not a finite number", row + 1, name);
    if (quantity == TW_CHECK_SD && !(value > 0.0))
        return tw_fail(claim->ctx, TW_BAD_DATA, "row %zu: the sd is %g, but must be positive", row + 1,
                       value);
    if (!isnan(claim->value[quantity][latent]))
        return tw_fail(claim->ctx, TW_BAD_DATA, "row %zu: x.%zu has a second row", row + 1, latent + 1);
    claim->value[quantity][latent] = value;
    return TW_OK;
}

static tw_status check_rows(const tw_claim *claim, size_t rows, bool named)
{
    if (named ? rows <= claim->n : rows == claim->n) return TW_OK;
    return tw_fail(claim->ctx, TW_BAD_DATA,
                   "there are %zu rows, but the model has %zu latents, one for each case of the data%s", rows,
                   claim->n, named ? "" : ": to check only some latents, add a column \"name\"");
}

/* ---- CSV ---- */

static size_t find_column(const tw_table *table, const char *name)
{
    size_t k = 0;
    while (k < table->columns && strcasecmp(table->names[k], name) != 0) k++;
    return k;
}

/* The latent of a row: from column `names`, text or numbers, if the table has it;
 * otherwise rows are in order. */
static tw_status latent_in_table(const tw_claim *claim, const tw_table *table, size_t names, size_t row,
                                 size_t *latent)
{
    *latent = row;
    if (names == table->columns) return TW_OK;
    double code = table->values[row + names * table->rows];
    if (table->levels && table->levels[names].count)
        return find_latent(claim, table->levels[names].text[(size_t)code], row, latent);
    char number[32];
    snprintf(number, sizeof number, "%.17g", code);
    return find_latent(claim, number, row, latent);
}

static tw_status take_column(tw_claim *claim, const tw_table *table, size_t names, size_t quantity)
{
    size_t column = find_column(table, tw_check_quantity_name((tw_check_quantity)quantity));
    if (column == table->columns) return TW_OK;
    if (table->levels && table->levels[column].count)
        return tw_fail(claim->ctx, TW_BAD_DATA, "column \"%s\" must hold numbers, not text",
                       table->names[column]);
    for (size_t row = 0; row < table->rows; row++) {
        size_t latent = 0;
        TW_TRY(latent_in_table(claim, table, names, row, &latent));
        TW_TRY(put(claim, quantity, row, latent, table->values[row + column * table->rows]));
    }
    return TW_OK;
}

static tw_status take_table(tw_claim *claim, const tw_table *table)
{
    if (!table->names)
        return tw_fail(
            claim->ctx, TW_BAD_DATA,
            "the header is missing: the first line must name the columns, such as name,mean,sd,q05,q50,q95");
    size_t names = find_column(table, "name");
    TW_TRY(check_rows(claim, table->rows, names < table->columns));
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) TW_TRY(take_column(claim, table, names, q));
    return TW_OK;
}

/* Fail if a column has a missing value, or text among numbers. */
static tw_status check_flaws(const tw_table *table)
{
    for (size_t j = 0; table->flaws && j < table->columns; j++)
        if (table->flaws[j].words) return tw_fail(table->ctx, TW_BAD_DATA, "%s", table->flaws[j].words);
    return TW_OK;
}

static tw_status read_csv(tw_claim *claim, const char *path)
{
    tw_table *table = NULL;
    TW_TRY(tw_table_read_text(claim->ctx, path, &table));
    tw_status status = check_flaws(table);
    if (status == TW_OK) status = take_table(claim, table);
    tw_table_free(table);
    return status == TW_OK ? TW_OK : tw_fail_within(claim->ctx, status, "%.1000s: ", path);
}

/* ---- JSON ---- */

static tw_status take_number(const tw_claim *claim, const json_t *root, const char *name, double *value)
{
    const json_t *found = json_object_get(root, name);
    if (!found || json_is_null(found)) return TW_OK;
    if (!json_is_number(found)) return tw_fail(claim->ctx, TW_BAD_DATA, "field \"%s\" is not a number", name);
    *value = json_number_value(found);
    return TW_OK;
}

static tw_status latent_in_array(const tw_claim *claim, const json_t *names, size_t row, size_t *latent)
{
    const json_t *name = json_array_get(names, row);
    *latent = row;
    if (!names) return TW_OK;
    if (json_is_string(name)) return find_latent(claim, json_string_value(name), row, latent);
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)json_integer_value(name));
    return find_latent(claim, number, row, latent);
}

static tw_status take_array(tw_claim *claim, const json_t *root, const json_t *names, size_t quantity)
{
    const char *name = tw_check_quantity_name((tw_check_quantity)quantity);
    const json_t *array = json_object_get(root, name);
    if (!array || json_is_null(array)) return TW_OK;
    if (!json_is_array(array) || (names && json_array_size(array) != json_array_size(names)))
        return tw_fail(claim->ctx, TW_BAD_DATA, "field \"%s\" is not an array%s", name,
                       names ? " of as many numbers as there are names" : "");
    TW_TRY(check_rows(claim, json_array_size(array), names != NULL));
    for (size_t row = 0; row < json_array_size(array); row++) {
        const json_t *value = json_array_get(array, row);
        size_t latent = 0;
        TW_TRY(latent_in_array(claim, names, row, &latent));
        TW_TRY(put(claim, quantity, row, latent, json_is_number(value) ? json_number_value(value) : NAN));
    }
    return TW_OK;
}

static bool is_known(const char *field)
{
    static const char *const known[] = {"log_z", "log_z_omits", "name"};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(field, known[k]) == 0) return true;
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        if (strcmp(field, tw_check_quantity_name((tw_check_quantity)q)) == 0) return true;
    return false;
}

/* Unknown fields may hold notes (text). Numbers in unknown fields are an error:
 * they would be claims that are never checked. */
static tw_status check_fields(const tw_claim *claim, json_t *root)
{
    const char *field;
    json_t *value;
    json_object_foreach(root, field, value)
    {
        if (is_known(field) || json_is_string(value) || json_is_boolean(value) || json_is_null(value))
            continue;
        return tw_fail(
            claim->ctx, TW_BAD_DATA,
            "field %s is not known: log_z, log_z_omits, and the arrays name, mean, sd, q05, q50 and q95 "
            "are; other fields may only hold text",
            tw_quote(field, field + strlen(field)).text);
    }
    return TW_OK;
}

static tw_status take_object(tw_claim *claim, json_t *root)
{
    double omitted = 0.0;
    const json_t *names = json_object_get(root, "name");
    if (!json_is_object(root) || (names && !json_is_array(names)))
        return tw_fail(claim->ctx, TW_BAD_DATA, "%s",
                       names ? "field \"name\" is not an array" : "this is not a JSON object");
    TW_TRY(check_fields(claim, root));
    TW_TRY(take_number(claim, root, "log_z", &claim->log_z));
    TW_TRY(take_number(claim, root, "log_z_omits", &omitted));
    claim->log_z += omitted;
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++) TW_TRY(take_array(claim, root, names, q));
    return TW_OK;
}

static tw_status read_json(tw_claim *claim, const char *path)
{
    tw_file file;
    json_t *root = NULL;
    json_error_t error = {.text = ""};
    tw_status status = tw_file_read(claim->ctx, path, &file);
    if (status == TW_OK) {
        root = json_loadb(file.bytes, file.length, JSON_REJECT_DUPLICATES, &error);
        status = root ? take_object(claim, root)
                      : tw_fail(claim->ctx, TW_BAD_DATA, "line %d, column %d: this is not JSON: %.200s",
                                error.line, error.column, error.text);
    }
    json_decref(root);
    tw_file_release(&file);
    return status == TW_OK ? TW_OK : tw_fail_within(claim->ctx, status, "%.1000s: ", path);
}

/* ---- both formats ---- */

static bool is_json(const char *path)
{
    size_t length = strlen(path), tail = strlen(".json");
    return length >= tail && strcasecmp(path + length - tail, ".json") == 0;
}

static tw_status check_content(const tw_claim *claim, const char *path)
{
    if (isfinite(claim->log_z)) return TW_OK;
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        for (size_t i = 0; i < claim->n; i++)
            if (!isnan(claim->value[q][i])) return TW_OK;
    return tw_fail(claim->ctx, TW_BAD_DATA,
                   "%.1000s has nothing to check: no column mean, sd, q05, q50 or q95%s", path,
                   is_json(path) ? ", and no log_z" : "");
}

tw_status tw_claim_read(const tw_model *model, const char *path, tw_claim **out)
{
    const char *slash = strrchr(path, '/');
    TW_TRY(tw_claim_new(model, slash && slash[1] ? slash + 1 : path, out));
    tw_status status = is_json(path) ? read_json(*out, path) : read_csv(*out, path);
    if (status == TW_OK) status = check_content(*out, path);
    if (status == TW_OK) return TW_OK;
    tw_claim_free(*out);
    *out = NULL;
    return status;
}
