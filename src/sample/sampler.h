/* sampler.h: an ensemble of chains, as all methods share it. Column j is the state of chain j. */
#ifndef TALWEG_SAMPLE_SAMPLER_H
#define TALWEG_SAMPLE_SAMPLER_H

#include "base/team.h"
#include "base/visit.h"
#include "dynamics/frame.h"
#include "sample/method.h"

/* The largest number of columns in a tile: enough for level-3 BLAS to be efficient. */
enum { TW_TILE_COLUMNS = 32 };

/* A reversed trajectory that ends further than this from the start, in whitened coordinates, counts as
 * irreversible. The limit is a hundred times the error that solves to 1e-9 leave after a long trajectory, and
 * too small to affect the Metropolis test. */
#define TW_REVERSAL_LIMIT 1e-5

struct tw_sampler {
    tw_context *ctx;
    const tw_target *target;
    tw_sampler_options options;
    const tw_method_row *method;
    size_t n, r, columns;
    size_t pieces, each; /* number of pieces, and columns of each; the last may have fewer */
    tw_strand strand;    /* how pieces are distributed over the team: see tw_sampler_join */
    bool joined;         /* tw_sampler_join was called */
    tw_share mine;       /* the pieces of this member of the team */
    bool outdated;       /* x and the densities below are current only in this member's columns */
    double *x;           /* n x P */
    double *log_density, *log_likelihood; /* P */
    tw_frame frame;                       /* for constant metrics */
    void *own;                            /* the method's own state, defined in its file */
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

/* Send `bytes` per column from the member that owns the column to all other members. */
void tw_sampler_gather(tw_sampler *s, size_t bytes, void *data);

/* Send positions and densities to all members, if they are outdated: a transition sends only its records. All
 * members must call this together, before any of them reads the columns of another. */
void tw_sampler_share(tw_sampler *s);

/* Make this one of several samplers with the same number of columns, whose pieces are distributed over the
 * team together. A joined sampler sends neither records nor densities and reads only the positions of its own
 * columns; the caller communicates for all joined samplers at once. The state of the columns does not move
 * between members. */
void tw_sampler_join(tw_sampler *s, tw_strand strand);

/* The Metropolis test: fill the record from H at both ends of the trajectory, and accept with probability
 * min(1, exp(before - after)), with the accept stream of this chain. */
bool tw_metropolis(const tw_move *move, size_t column, double before, double after, tw_record *record);

/* Give every column its own Gaussian, columns[j], which the caller keeps. It replaces the frame of HMC and
 * slice sampling in the metrics prior and ep, and the base of RMHMC, where it must not have sites (tau NULL).
 * x stays and the coordinates are recomputed. NULL: all columns share one Gaussian again. Call again whenever
 * the Gaussians change. */
tw_status tw_sampler_set_gaussians(tw_sampler *s, const tw_frame_column *columns);

/* The state of all columns, as tw_sampler_state_size(s) numbers. A sampler with the same options and
 * temperature that restores it makes the same transitions to the bit. */
void tw_sampler_visit(tw_sampler *s, tw_visit *v);
size_t tw_sampler_state_size(tw_sampler *s);
void tw_sampler_save(tw_sampler *s, double *state);
void tw_sampler_restore(tw_sampler *s, const double *state);

/* Exchange the columns marked in `which` between two samplers with the same method, metric and number of
 * columns, whose targets differ in temperature, and recompute gradients and densities. If both have the same
 * frame, the coordinates are exchanged with x, which saves a solve. Joined samplers exchange the columns that
 * this member owns in both; the caller has put in (tw_sampler_put) those that another member owns in one of
 * them. */
void tw_sampler_exchange(tw_sampler *a, tw_sampler *b, const bool *which);

/* Copy x and the coordinates of the marked columns of a piece to or from `numbers`, for sending them to
 * another member. tw_sampler_take returns how many numbers it wrote. */
size_t tw_sampler_take(tw_sampler *s, size_t piece, const bool *which, double *numbers);
void tw_sampler_put(tw_sampler *s, size_t piece, const bool *which, const double *numbers);

#endif
