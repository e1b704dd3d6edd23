/* grid_state.c: checkpoints of a grid: the points that are done, and the state of EP's extrapolation. */
#include <string.h>

#include "cli/grid_surface.h"
#include "talweg/base.h"

size_t tw_surface_unconverged(const tw_surface *s, size_t done)
{
    size_t count = 0;
    for (size_t k = 0; k < done; k++) count += s->grid.column[TW_GRID_CONVERGED][k] == 0.0;
    return count;
}

/* The format of checkpoints. Increase it with every change of tw_surface_save or tw_ep_sequence_state. */
static const size_t format = 2;

void tw_surface_save(tw_surface *s, size_t done)
{
    const size_t counts[] = {done, tw_surface_unconverged(s, done)};
    size_t count = 0;
    const double *row = tw_ep_sequence_state(s->row, &count);
    tw_saver_put(&s->saver, "format", sizeof format, &format);
    tw_saver_put(&s->saver, "counts", sizeof counts, counts);
    tw_saver_put(&s->saver, "points", s->points * TW_GRID_COLUMNS * sizeof(double), s->grid.column[0]);
    tw_saver_put(&s->saver, "sequence", count * sizeof *row, row);
    tw_saver_write(&s->saver);
}

/* A checkpoint without a block "format" has format 1. */
static tw_status check_format(const tw_surface *s)
{
    const size_t *theirs = tw_saver_get(&s->saver, "format", sizeof format);
    if (theirs && *theirs == format) return TW_OK;
    return tw_fail(s->ctx, TW_BAD_DATA,
                   "--resume %.1000s: this checkpoint has format %zu, but talweg %s reads format %zu: start "
                   "again without --resume",
                   s->options->saver.resume, theirs ? *theirs : 1, tw_version(), format);
}

tw_status tw_surface_resume(tw_surface *s)
{
    size_t bytes = s->points * TW_GRID_COLUMNS * sizeof(double), count = 0;
    const size_t *counts = tw_saver_get(&s->saver, "counts", 2 * sizeof *counts);
    const void *points = tw_saver_get(&s->saver, "points", bytes);
    const double *row = tw_saver_get_numbers(&s->saver, "sequence", &count);
    if (!counts) return TW_OK;
    TW_TRY(check_format(s));
    if (!points || !row || counts[0] > s->points || tw_ep_sequence_restore(s->row, count, row) != TW_OK)
        return tw_fail(s->ctx, TW_BAD_DATA,
                       "--resume %.1000s: this checkpoint is damaged: start again without --resume",
                       s->options->saver.resume);
    memcpy(s->grid.column[0], points, bytes);
    s->done = counts[0];
    return TW_OK;
}
