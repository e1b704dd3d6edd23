/* start.c: the initial positions of chains: x = mean + scale L z, where L L' is the covariance of a reference
 * and z ~ N(0, I) comes from the start streams. */
#include <string.h>

#include "math/random.h"
#include "sample/sampler.h"
#include "talweg/chains.h"

enum { ATTEMPTS = 40 }; /* 2^-40 of a standard deviation is in practice the mean itself */

static void draw_start(const tw_gaussian *q, double scale, tw_stream stream, double *z, double *x)
{
    tw_stream_normals(&stream, q->r, z);
    tw_gaussian_spread(q, 1, z, x);
    for (size_t i = 0; i < q->n; i++) x[i] = scale * x[i] + (q->mean ? q->mean[i] : 0.0);
}

/* If the density at a start is zero, try again with the same z and half the scale. */
static tw_status start(tw_sampler *s, const tw_reference *q, double scale, uint64_t seed, double *z,
                       double *x)
{
    tw_status status = TW_OK;
    for (size_t attempt = 0; attempt < ATTEMPTS; attempt++) {
        for (size_t j = 0; j < s->columns; j++)
            draw_start(q->gaussian, scale, tw_stream_at(seed, TW_STREAM_START, j, 0), z, x + j * s->n);
        status = tw_sampler_set_positions(s, x);
        if (status != TW_BAD_ARGUMENT) break;
        scale *= 0.5;
    }
    return status;
}

tw_status tw_sampler_start(tw_sampler *s, const tw_reference *q, double scale, uint64_t seed)
{
    double *z = NULL, *x = NULL;
    if (q->model != s->target->model)
        return tw_fail(s->ctx, TW_BAD_ARGUMENT, "the starting distribution was made for another model");
    tw_status status = tw_allocate_doubles(s->ctx, s->r, 1, "a start", &z);
    if (status == TW_OK) status = tw_allocate_doubles(s->ctx, s->n, s->columns, "the starts", &x);
    if (status == TW_OK) status = start(s, q, scale, seed, z, x);
    tw_release(s->ctx, z);
    tw_release(s->ctx, x);
    return status;
}

tw_status tw_sampler_start_at(tw_sampler *s, size_t rows, size_t columns, const double *x)
{
    double *all = NULL;
    if (rows != s->n || (columns != 1 && columns != s->columns))
        return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                       "a start must have %zu rows, one per case, and one column for all chains or %zu "
                       "columns, but it is %zu x %zu",
                       s->n, s->columns, rows, columns);
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, s->columns, "the starts", &all));
    for (size_t j = 0; j < s->columns; j++)
        memcpy(all + j * s->n, x + (columns == 1 ? 0 : j) * s->n, s->n * sizeof *x);
    tw_status status = tw_sampler_set_positions(s, all);
    tw_release(s->ctx, all);
    return status;
}
