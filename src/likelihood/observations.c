/* observations.c: a part of the observations, a copy of all, and one observation repeated. */
#include <string.h>

#include "base/context.h"
#include "likelihood/likelihood.h"

tw_observations tw_observations_part(const tw_observations *observed, size_t start, size_t count)
{
    tw_observations part = *observed;
    part.n = count;
    if (part.y) part.y += start;
    if (part.line) part.line += start;
    for (size_t k = 0; k < TW_COLUMNS; k++)
        if (part.column[k]) part.column[k] += start;
    return part;
}

bool tw_observations_censored(const tw_observations *o, size_t i)
{
    for (size_t k = 0; k < o->likelihood->columns; k++)
        if (o->likelihood->column[k].range == TW_RANGE_FLAG && o->column[k] && o->column[k][i] != 0.0)
            return true;
    return false;
}

double tw_observations_parameter(const tw_observations *observed, size_t k)
{
    const tw_parameter *parameter = &observed->likelihood->parameter[k];
    return observed->phi ? tw_parameter_value(parameter, observed->phi[k]) : parameter->initial;
}

/* Copy n numbers to *next and advance it. */
static const double *copy(const double *from, size_t n, double **next)
{
    double *to = *next;
    if (!from) return NULL;
    memcpy(to, from, n * sizeof *to);
    *next += n;
    return to;
}

tw_status tw_observations_copy(tw_context *ctx, const tw_observations *from, tw_observations *to,
                               double **block)
{
    size_t arrays = from->y != NULL, parameters = from->likelihood->parameters;
    for (size_t k = 0; k < TW_COLUMNS; k++) arrays += from->column[k] != NULL;
    TW_TRY(tw_allocate_doubles(ctx, from->n * arrays + parameters, 1, "the observations", block));
    double *next = *block;
    *to = (tw_observations){.likelihood = from->likelihood, .n = from->n};
    to->phi = copy(from->phi, parameters, &next);
    to->y = copy(from->y, from->n, &next);
    for (size_t k = 0; k < TW_COLUMNS; k++) to->column[k] = copy(from->column[k], from->n, &next);
    return TW_OK;
}

static const double *repeat(const double *from, size_t i, size_t count, double *to)
{
    for (size_t j = 0; from && j < count; j++) to[j] = from[i];
    return from ? to : NULL;
}

tw_observations tw_observations_repeat(const tw_observations *o, size_t i, size_t count, double *room)
{
    tw_observations out = {.likelihood = o->likelihood, .phi = o->phi, .n = count};
    out.y = repeat(o->y, i, count, room);
    for (size_t k = 0; k < TW_COLUMNS; k++)
        out.column[k] = repeat(o->column[k], i, count, room + (k + 1) * count);
    return out;
}
