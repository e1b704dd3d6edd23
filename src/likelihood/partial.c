/* partial.c: a likelihood with sites that are not observed, where p = 1.
 *
 * The observation of such a site is NaN. The functions below replace it by a valid observation, call the
 * whole likelihood, and then replace the results at these sites by those of a constant.
 */
#include "likelihood/partial.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

static const tw_likelihood *whole_of(const tw_observations *o)
{
    return ((const tw_partial *)o->likelihood)->whole;
}

static double *at(double *array, size_t offset)
{
    return array ? array + offset : NULL;
}

/* Observations [start, start + count), with the stand-in for those that are missing; room holds
 * (1 + TW_COLUMNS) CHUNK numbers. */
static tw_observations stand_in(const tw_observations *o, size_t start, size_t count, double *room)
{
    const tw_partial *p = (const tw_partial *)o->likelihood;
    tw_observations part = tw_observations_part(o, start, count);
    const double *y = part.y;
    part.likelihood = p->whole;
    for (size_t i = 0; i < count; i++) room[i] = isnan(y[i]) ? p->y : y[i];
    part.y = room;
    for (size_t k = 0; k < TW_COLUMNS; k++) {
        double *column = room + (k + 1) * CHUNK;
        if (!part.column[k]) continue;
        for (size_t i = 0; i < count; i++) column[i] = isnan(y[i]) ? p->column[k] : part.column[k][i];
        part.column[k] = column;
    }
    return part;
}

/* Set the results of missing observations to 0. */
static void flatten(const double *y, size_t count, double *to)
{
    for (size_t i = 0; to && i < count; i++)
        if (isnan(y[i])) to[i] = 0.0;
}

static bool supports(const tw_observations *o, size_t i)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    if (isnan(o->y[i])) return true;
    tw_observations one = stand_in(o, i, 1, room);
    return whole_of(o)->supports(&one, 0);
}

static void terms(const tw_observations *o, const double *x, double *value, double *slope, double *lambda,
                  double *dlambda)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    double *const out[] = {value, slope, lambda, dlambda};
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = o->n - start < CHUNK ? o->n - start : CHUNK;
        tw_observations part = stand_in(o, start, count, room);
        part.likelihood->terms(&part, x + start, at(value, start), at(slope, start), at(lambda, start),
                               at(dlambda, start));
        for (size_t k = 0; k < 4; k++) flatten(o->y + start, count, at(out[k], start));
    }
}

static void d_parameter(const tw_observations *o, size_t j, const double *x, double *value, double *slope,
                        double *lambda)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    double *const out[] = {value, slope, lambda};
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = o->n - start < CHUNK ? o->n - start : CHUNK;
        tw_observations part = stand_in(o, start, count, room);
        part.likelihood->d_parameter(&part, j, x + start, at(value, start), at(slope, start),
                                     at(lambda, start));
        for (size_t k = 0; k < 3; k++) flatten(o->y + start, count, at(out[k], start));
    }
}

/* A constant has no peak: return any. */
static void peak(const tw_observations *o, size_t i, double *x, double *width)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    tw_observations one = stand_in(o, i, 1, room);
    one.likelihood->peak(&one, 0, x, width);
    if (!isnan(o->y[i])) return;
    *x = 0.0;
    *width = 1.0;
}

static tw_status tilted(const tw_observations *o, size_t i, double m, double v, tw_tilted *out)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    *out = (tw_tilted){.mean = m, .variance = v};
    if (isnan(o->y[i])) return TW_OK;
    tw_observations one = stand_in(o, i, 1, room);
    return tw_likelihood_tilted(&one, 0, m, v, out);
}

static void marginal(const tw_observations *o, const double *m, double v, double *log_p)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = o->n - start < CHUNK ? o->n - start : CHUNK;
        tw_observations part = stand_in(o, start, count, room);
        part.likelihood->marginal(&part, m + start, v, log_p + start);
        flatten(o->y + start, count, log_p + start);
    }
}

static void smoothed(const tw_observations *o, const double *s2, const double *x, double *lambda,
                     double *dlambda)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = o->n - start < CHUNK ? o->n - start : CHUNK;
        tw_observations part = stand_in(o, start, count, room);
        part.likelihood->smoothed(&part, s2 + start, x + start, at(lambda, start), at(dlambda, start));
        flatten(o->y + start, count, at(lambda, start));
        flatten(o->y + start, count, at(dlambda, start));
    }
}

static void fisher(const tw_observations *o, const double *x, double *lambda, double *dlambda)
{
    double room[(1 + TW_COLUMNS) * CHUNK];
    for (size_t start = 0; start < o->n; start += CHUNK) {
        size_t count = o->n - start < CHUNK ? o->n - start : CHUNK;
        tw_observations part = stand_in(o, start, count, room);
        part.likelihood->fisher(&part, x + start, at(lambda, start), at(dlambda, start));
        flatten(o->y + start, count, at(lambda, start));
        flatten(o->y + start, count, at(dlambda, start));
    }
}

/* Predictions do not depend on y. */
static void expect(const tw_observations *o, const double *x, double *mean, double *variance)
{
    tw_observations all = *o;
    all.likelihood = whole_of(o);
    all.likelihood->expect(&all, x, mean, variance);
}

static void predict(const tw_observations *o, const double *m, double v, double *mean, double *variance)
{
    tw_observations all = *o;
    all.likelihood = whole_of(o);
    all.likelihood->predict(&all, m, v, mean, variance);
}

bool tw_partial_needed(const tw_observations *o)
{
    for (size_t i = 0; o->y && i < o->n; i++)
        if (isnan(o->y[i])) return true;
    return false;
}

void tw_partial_fill(const tw_observations *o, tw_partial *out)
{
    const tw_likelihood *whole = o->likelihood;
    size_t seen = 0;
    while (seen + 1 < o->n && isnan(o->y[seen])) seen++;
    *out = (tw_partial){.table = *whole, .whole = whole, .y = o->y[seen]};
    for (size_t k = 0; k < TW_COLUMNS; k++)
        if (o->column[k]) out->column[k] = o->column[k][seen];
    tw_likelihood *t = &out->table;
    t->supports = supports;
    t->terms = terms;
    t->tilted = tilted;
    if (t->d_parameter) t->d_parameter = d_parameter;
    if (t->peak) t->peak = peak;
    if (t->marginal) t->marginal = marginal;
    if (t->smoothed) t->smoothed = smoothed;
    if (t->fisher) t->fisher = fisher;
    if (t->expect) t->expect = expect;
    if (t->predict) t->predict = predict;
}
