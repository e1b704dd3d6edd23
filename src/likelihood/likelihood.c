/* likelihood.c: the table of built-in likelihoods (list.h), the checks of observations, and tilted moments. */
#include "likelihood/likelihood.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/context.h"

#define ADDRESS(name) &tw_likelihood_##name,
#define COMMA_NAME(name) ", " #name

static const tw_likelihood *const TABLE[] = {TW_LIKELIHOOD_LIST(ADDRESS)};
static const char NAMES[] = TW_LIKELIHOOD_LIST(COMMA_NAME);

const tw_likelihood *tw_likelihood_find(const char *name)
{
    for (size_t i = 0; i < sizeof TABLE / sizeof TABLE[0]; i++)
        if (strcmp(TABLE[i]->name, name) == 0) return TABLE[i];
    return NULL;
}

const tw_likelihood *tw_likelihood_at(size_t i)
{
    return i < sizeof TABLE / sizeof TABLE[0] ? TABLE[i] : NULL;
}

const char *tw_likelihood_names(void)
{
    return NAMES + strlen(", ");
}

size_t tw_likelihood_column(const tw_likelihood *likelihood, const char *name)
{
    size_t k = 0;
    while (k < likelihood->columns && strcmp(likelihood->column[k].name, name) != 0) k++;
    return k;
}

/* ---- checks ---- */

static const char *const MUST_BE[] = {[TW_RANGE_ANY] = "a finite number",
                                      [TW_RANGE_POSITIVE] = "> 0",
                                      [TW_RANGE_COUNT] = "1, 2, 3, ...",
                                      [TW_RANGE_FLAG] = "0 or 1"};

static bool within(tw_range range, double value)
{
    if (!isfinite(value)) return false;
    switch (range) {
    case TW_RANGE_POSITIVE: return value > 0.0;
    case TW_RANGE_COUNT: return value >= 1.0 && floor(value) == value;
    case TW_RANGE_FLAG: return value == 0.0 || value == 1.0;
    default: return true;
    }
}

/* " (line 8)", or "". */
typedef struct line_text {
    char text[32];
} line_text;

static line_text line_of(const tw_observations *o, size_t i)
{
    line_text line = {""};
    if (o->line) snprintf(line.text, sizeof line.text, " (line %zu)", o->line[i]);
    return line;
}

static tw_status check_column(tw_context *ctx, const tw_observations *o, size_t k)
{
    const tw_column *column = &o->likelihood->column[k];
    const double *values = o->column[k];
    if (!values && column->required)
        return tw_fail(ctx, TW_BAD_DATA, "the %s likelihood needs the column %s", o->likelihood->name,
                       column->name);
    for (size_t i = 0; values && i < o->n; i++)
        if (!within(column->range, values[i]))
            return tw_fail(ctx, TW_BAD_DATA, "%s of case %zu is %g, but must be %s%s", column->name, i + 1,
                           values[i], MUST_BE[column->range], line_of(o, i).text);
    return TW_OK;
}

static tw_status check_parameters(tw_context *ctx, const tw_observations *o)
{
    for (size_t k = 0; k < o->likelihood->parameters; k++) {
        double value = tw_observations_parameter(o, k);
        bool above = o->likelihood->parameter[k].transform == TW_TRANSFORM_LOG;
        if (!isfinite(value) || (above && !(value > 0.0)))
            return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is %g, but must be %s", o->likelihood->parameter[k].name,
                           value, MUST_BE[above ? TW_RANGE_POSITIVE : TW_RANGE_ANY]);
    }
    return TW_OK;
}

/* The constants of observation i, for messages: " (trials 4)"; "" if it has none. */
static void describe_columns(const tw_observations *o, size_t i, char *words, size_t bytes)
{
    size_t length = 0;
    words[0] = '\0';
    for (size_t k = 0; k < o->likelihood->columns && length < bytes; k++)
        if (o->column[k])
            length += (size_t)snprintf(words + length, bytes - length, "%s%s %g", length ? ", " : " (",
                                       o->likelihood->column[k].name, o->column[k][i]);
    if (length > 0 && length < bytes) snprintf(words + length, bytes - length, ")");
}

static tw_status fail_observation(tw_context *ctx, const tw_observations *o, size_t i)
{
    char columns[160];
    describe_columns(o, i, columns, sizeof columns);
    return tw_fail(ctx, TW_BAD_DATA, "observation %zu is %g%s, but %s needs %s%s", i + 1, o->y[i], columns,
                   o->likelihood->name, o->likelihood->support, line_of(o, i).text);
}

tw_status tw_likelihood_check(tw_context *ctx, const tw_observations *observed)
{
    const tw_likelihood *likelihood = observed->likelihood;
    for (size_t k = likelihood->columns; k < TW_COLUMNS; k++)
        if (observed->column[k])
            return tw_fail(ctx, TW_BAD_ARGUMENT, "the %s likelihood has no column %zu", likelihood->name,
                           k + 1);
    if (likelihood->levels > TW_LEVELS)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "the %s likelihood has %zu levels, more than %d",
                       likelihood->name, likelihood->levels, TW_LEVELS);
    TW_TRY(check_parameters(ctx, observed));
    for (size_t k = 0; k < likelihood->columns; k++) TW_TRY(check_column(ctx, observed, k));
    for (size_t i = 0; observed->y && i < observed->n; i++)
        if (!likelihood->supports(observed, i)) return fail_observation(ctx, observed, i);
    return TW_OK;
}

/* ---- tilted moments ---- */

static bool usable(const tw_tilted *t)
{
    return isfinite(t->log_z) && isfinite(t->mean) && isfinite(t->c3) && isfinite(t->c4) &&
           isfinite(t->variance) && t->variance > 0.0;
}

tw_status tw_likelihood_tilted(const tw_observations *observed, size_t i, double m, double v, tw_tilted *out)
{
    if (!(v > 0.0) || !isfinite(v) || !isfinite(m)) return TW_BAD_ARGUMENT;
    if (observed->likelihood->tilted)
        TW_TRY(observed->likelihood->tilted(observed, i, m, v, out));
    else
        TW_TRY(tw_tilted_by_quadrature(observed, i, m, v, out, NULL));
    return usable(out) ? TW_OK : TW_NUMERICAL_FAILURE;
}
