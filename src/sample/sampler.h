/* sampler.h: what the transitions share. */
#ifndef TALWEG_SAMPLE_SAMPLER_H
#define TALWEG_SAMPLE_SAMPLER_H

#include "base/team.h"
#include "base/visit.h"
#include "dynamics/frame.h"
#include "sample/method.h"

/* Columns are worked on in tiles of this size: wide enough for level-3 BLAS to pay. */
enum { TW_TILE_COLUMNS = 32 };

/* A way back that misses by more than this, in whitened coordinates, is no way back: a hundred times what
 * solves to 1e-9 leave after a long trajectory, and far below what Metropolis could notice. */
#define TW_REVERSAL_LIMIT 1e-5

struct tw_sampler {
    tw_context *ctx;
    const tw_target *target;
    tw_sampler_options options;
    const tw_method_row *method;
    size_t n, r, columns;
    size_t pieces, each; /* columns are worked on in so many pieces, of so many columns but for the last */
    tw_strand strand;    /* how pieces are shared out: see tw_sampler_join */
    bool joined;
    tw_share mine;                        /* pieces that this member of the team does */
    bool apart;                           /* the arrays below are up to date in its own columns alone */
    double *x;                            /* n x P */
    double *log_density, *log_likelihood; /* P */
    tw_frame frame;                       /* of constant metrics */
    void *own;                            /* what the method keeps beside: its own file knows */
};

/* The columns of a piece: [first, first + count). */
static inline size_t tw_piece_first(const tw_sampler *s, size_t piece)
{
    return piece * s->each;
}
static inline size_t tw_piece_count(const tw_sampler *s, size_t piece)
{
    size_t left = s->columns - tw_piece_first(s, piece);
    return left < s->each ? left : s->each;
}

/* The columns of this member of the team. */
static inline tw_share tw_sampler_mine(const tw_sampler *s)
{
    size_t first = tw_piece_first(s, s->mine.first), end = first + s->mine.count * s->each;
    if (first > s->columns) first = s->columns;
    return (tw_share){first, (end < s->columns ? end : s->columns) - first};
}

/* Hand round `bytes` for each column, which each member has for its own columns. */
void tw_sampler_gather(tw_sampler *s, size_t bytes, void *data);

/* Hand round positions and densities, if they have changed since: after a transition only its records travel. All
 * members call this together, before anything looks at the columns of others. */
void tw_sampler_share(tw_sampler *s);

/* From now on this is one of several samplers with the same number of columns, whose pieces are shared out together. It hands
 * nothing round by itself, neither records nor densities, and takes positions of its own columns alone: who made them
 * does that for all of them at once. What its columns know stays where it is. */
void tw_sampler_join(tw_sampler *s, tw_strand strand);

/* Metropolis: fill the record from the energies at both ends and decide with the accept stream of this chain.
 */
bool tw_metropolis(const tw_move *move, size_t column, double before, double after, tw_record *record);

/* From now on column j has the Gaussian columns[j], the caller's, in place of the one that all share: the frame of HMC and
 * slice sampling in the metrics prior and ep, the base of RMHMC, which then has no sites (tau NULL). x stays, coordinates
 * follow. NULL: all share one again. May be called as often as the Gaussians change. */
tw_status tw_sampler_set_gaussians(tw_sampler *s, const tw_frame_column *columns);

/* All that a sampler knows of where its columns are, in tw_sampler_state_size(s) numbers. Put back into a
 * sampler made in the same way and at the same temperature, every later transition is the same to the bit. */
void tw_sampler_visit(tw_sampler *s, tw_visit *v);
size_t tw_sampler_state_size(tw_sampler *s);
void tw_sampler_save(tw_sampler *s, double *state);
void tw_sampler_restore(tw_sampler *s, const double *state);

/* Exchange the columns marked in `which` between two samplers of the same kind and number of columns, whose
 * targets differ in temperature. Where both have the same frame, coordinates go along with x and nothing is
 * solved for; gradient and density are computed anew. Nothing is done where none is marked. Of two that joined others,
 * columns are exchanged that are this member's in both; those of another member have been put in before. */
void tw_sampler_exchange(tw_sampler *a, tw_sampler *b, const bool *which);

/* What travels of the marked columns of a piece, x and coordinates, taken out or put in: returns how many numbers it is. */
size_t tw_sampler_take(tw_sampler *s, size_t piece, const bool *which, double *numbers);
void tw_sampler_put(tw_sampler *s, size_t piece, const bool *which, const double *numbers);

#endif
