/* sampler_state.c: save and restore the state of a sampler's columns.
 *
 * Random numbers are functions of seed, chain and iteration, so a transition depends on nothing earlier than
 * this state. The state includes gradients and densities, although they follow from the positions:
 * recomputing them could change their last bits.
 */
#include "sample/sampler.h"

/* All parts of a column: those of the method, and x and the densities, which every method has. */
static size_t parts_of(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS + 3])
{
    size_t count = s->method->parts(s, column, part);
    part[count++] = (tw_column_part){s->x + column * s->n, s->n};
    part[count++] = (tw_column_part){s->log_density + column, 1};
    part[count++] = (tw_column_part){s->log_likelihood + column, 1};
    return count;
}

void tw_sampler_visit(tw_sampler *s, tw_visit *v)
{
    tw_column_part part[TW_MOST_PARTS + 3];
    double *begin = v->to;
    bool restores = v->from != NULL;
    size_t before = v->count;
    for (size_t j = 0; j < s->columns; j++) {
        size_t count = parts_of(s, j, part);
        for (size_t k = 0; k < count; k++) tw_visit_doubles(v, part[k].count, part[k].at);
    }
    if (restores) s->outdated = false; /* the state contains the columns of all members */
    if (!begin || s->columns == 0) return;
    size_t bytes = (v->count - before) * sizeof *begin; /* all columns have the same number of bytes */
    tw_team_gather_strand(s->ctx, s->pieces, s->strand, s->each * (bytes / s->columns), bytes, begin);
}

size_t tw_sampler_state_size(tw_sampler *s)
{
    tw_visit v = tw_visit_count();
    tw_sampler_visit(s, &v);
    return v.count;
}

void tw_sampler_save(tw_sampler *s, double *state)
{
    tw_visit v = tw_visit_save(state);
    tw_sampler_visit(s, &v);
}

void tw_sampler_restore(tw_sampler *s, const double *state)
{
    tw_visit v = tw_visit_restore(state, tw_sampler_state_size(s));
    tw_sampler_visit(s, &v);
}
