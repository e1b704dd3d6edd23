/* sampler.h: what the transitions share. */
#ifndef TALWEG_SAMPLE_SAMPLER_H
#define TALWEG_SAMPLE_SAMPLER_H

#include "dynamics/leapfrog.h"
#include "dynamics/riemann.h"
#include "talweg/sample.h"

/* Columns are worked on in tiles of this size: wide enough for level-3 BLAS to pay. */
enum { TW_TILE_COLUMNS = 32 };

/* A way back that misses by more than this, in whitened coordinates, is no way back: a hundred times what
 * solves to 1e-9 leave after a long trajectory, and far below what Metropolis could notice. */
#define TW_REVERSAL_LIMIT 1e-5

typedef struct tw_hmc_tile tw_hmc_tile;
typedef struct tw_slice_tile tw_slice_tile;

/* Numbers of a column that last from one transition to the next. */
typedef struct tw_column_part {
    double *at;
    size_t count;
} tw_column_part;
enum { TW_MOST_PARTS = 8 };

/* The transition of one kind: pieces are tiles of columns, or single columns. */
typedef struct tw_transition {
    size_t piece_columns;
    tw_status (*set_up)(tw_sampler *s);
    void (*release)(tw_sampler *s);
    /* Take up x after it changed (moved), or the temperature alone after that did. */
    void (*load)(tw_sampler *s, size_t piece, size_t worker, bool moved);
    void (*advance)(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records);
    /* The coordinates of a column that the transition keeps beside x. */
    double *(*coordinates)(tw_sampler *s, size_t column);
    /* All that it keeps of a column beside x, log_density and log_likelihood; returns how many parts. */
    size_t (*parts)(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS]);
} tw_transition;

extern const tw_transition tw_transition_hmc, tw_transition_rmhmc, tw_transition_slice;

struct tw_sampler {
    tw_context *ctx;
    const tw_target *target;
    tw_sampler_options options;
    const tw_transition *transition;
    size_t n, r, columns, pieces;
    double *x;                            /* n x P */
    double *log_density, *log_likelihood; /* P */

    tw_frame frame;          /* hmc, slice */
    tw_hmc_tile **hmc;       /* one per piece */
    tw_slice_tile **slice;   /* one per piece */
    tw_riemann **riemann;    /* rmhmc: one per worker */
    double *v;               /* rmhmc: r x P whitened positions */
    double *normals, *saved; /* rmhmc: per worker, n + r each */
};

/* The columns of a piece: [first, first + count). */
static inline size_t tw_piece_first(const tw_sampler *s, size_t piece)
{
    return piece * s->transition->piece_columns;
}
static inline size_t tw_piece_count(const tw_sampler *s, size_t piece)
{
    size_t left = s->columns - tw_piece_first(s, piece);
    return left < s->transition->piece_columns ? left : s->transition->piece_columns;
}

/* Metropolis: fill the record from the energies at both ends and decide with the accept stream of this chain.
 */
bool tw_metropolis(const tw_move *move, size_t column, double before, double after, tw_record *record);

/* All that a sampler knows of where its columns are, in tw_sampler_state_size(s) numbers. Put back into a
 * sampler made in the same way and at the same temperature, every later transition is the same to the bit. */
size_t tw_sampler_state_size(tw_sampler *s);
void tw_sampler_save(tw_sampler *s, double *state);
void tw_sampler_restore(tw_sampler *s, const double *state);

/* Exchange the columns marked in `which` between two samplers of the same kind and number of columns, whose
 * targets differ in temperature. Where both have the same frame, coordinates go along with x and nothing is
 * solved for; gradient and density are computed anew. Nothing is done where none is marked. */
void tw_sampler_exchange(tw_sampler *a, tw_sampler *b, const bool *which);

#endif
