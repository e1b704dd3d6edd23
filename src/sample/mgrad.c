/* mgrad.c: the marginal gradient sampler (mGrad) of Titsias & Papaspiliopoulos (2018, section 3.2).
 *
 * The target is N(x; m, C) exp(E(x)) with E = sum e_n (frame.h). With the prior's C this is the published
 * sampler; with that of EP's Gaussian it is its generalisation. With g = dE/dx, A = (C^-1 + (2/delta) I)^-1
 * and positions relative to m, a move proposes
 *
 *   y ~ N((2/delta) A (x + (delta/2) g(x)), (2/delta) A^2 + A)
 *
 * and accepts it with probability
 *
 *   min(1, exp(E(y) - E(x) + h(x, y) - h(y, x))),
 *   h(z, y) = (z - (2/delta) A (y + (delta/4) g(y)))' ((2/delta) A + I)^-1 g(y).
 *
 * This is a gradient step on E with an auxiliary variable, which is integrated out; C shrinks the proposal.
 * The densities N(x; m, C) and N(y; m, C) cancel in the acceptance probability.
 * With the eigenvectors Q of C (gaussian/spectral.h) A is diagonal for every delta, so that tuning delta
 * needs no new decomposition. A move costs one product with Q and one with Q', for all columns of a tile
 * together, and n sites.
 *
 * delta = 2 eps^2 tr(C) / n, so that eps has no unit.
 */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "gaussian/spectral.h"
#include "math/random.h"
#include "sample/cost.h"
#include "sample/sampler.h"

/* A tile of P columns. All arrays are n x P except excess. */
typedef struct tile {
    size_t columns;
    double *z, *trial_z;               /* Q' (x - m) */
    double *gradient, *trial_gradient; /* Q' g */
    double *trial_x;                   /* the proposal y + m; work in mgrad_load */
    double *slope;                     /* g */
    double *excess;                    /* P: E at z */
} tile;

typedef struct mgrad {
    tw_spectral *spectral;
    double scale; /* tr(C) / n */
    tile **tiles;
} mgrad;

static mgrad *own_of(const tw_sampler *s)
{
    return s->own;
}

static tile *tile_of(const tw_sampler *s, size_t piece)
{
    return own_of(s)->tiles[piece];
}

static void release_tile(tw_context *ctx, tile *t)
{
    if (!t) return;
    double *arrays[] = {t->z, t->trial_z, t->gradient, t->trial_gradient, t->trial_x, t->slope, t->excess};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, t);
}

static void mgrad_release(tw_sampler *s)
{
    mgrad *m = s->own;
    if (!m) return;
    for (size_t i = 0; m->tiles && i < s->pieces; i++) release_tile(s->ctx, m->tiles[i]);
    tw_release(s->ctx, m->tiles);
    tw_spectral_free(m->spectral);
    tw_release(s->ctx, m);
}

static tw_status make_tile(tw_sampler *s, size_t piece, tile **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(tile), "a tile of chains", &memory));
    tile *t = *out = memory;
    t->columns = tw_piece_count(s, piece);
    double **blocks[] = {&t->z, &t->trial_z, &t->gradient, &t->trial_gradient, &t->trial_x, &t->slope};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        TW_TRY(tw_allocate_doubles(s->ctx, s->n, t->columns, "a tile of chains", blocks[i]));
    return tw_allocate_doubles(s->ctx, t->columns, 1, "a tile of chains", &t->excess);
}

/* A folded base changes with the temperature and would need an eigendecomposition for each temperature. */
static tw_status make_frame(tw_sampler *s)
{
    TW_TRY(tw_frame_make(s->target, s->options.metric, s->options.gaussian, &s->frame));
    if (!s->frame.linear && !(s->frame.own_base && s->target->own)) return TW_OK;
    return tw_fail(s->ctx, TW_BAD_ARGUMENT, "mGrad is centred at the prior or at EP's Gaussian");
}

static tw_status mgrad_set_up(tw_sampler *s)
{
    void *memory = NULL;
    TW_TRY(make_frame(s));
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(mgrad), "mGrad", &memory));
    mgrad *m = s->own = memory;
    TW_TRY(tw_spectral_new(s->frame.gaussian, &m->spectral));
    for (size_t i = 0; i < s->n; i++) m->scale += m->spectral->values[i] / (double)s->n;
    TW_TRY(tw_allocate(s->ctx, s->pieces, sizeof(tile *), "the tiles", &memory));
    m->tiles = memory;
    for (size_t i = 0; i < s->pieces; i++) TW_TRY(make_tile(s, i, &m->tiles[i]));
    return TW_OK;
}

/* L_b = -z' diag(s)^-1 z / 2 + E + const for a column, with s the eigenvalues of C; directions with s = 0 do
 * not move. */
static void set_density(tw_sampler *s, const tile *t, size_t column, size_t j)
{
    const double *values = own_of(s)->spectral->values, *z = t->z + j * s->n;
    double square = 0.0;
    for (size_t i = 0; i < s->n; i++)
        if (values[i] > 0.0) square += z[i] * z[i] / values[i];
    s->log_density[column] = tw_frame_constant(&s->frame) - 0.5 * square + t->excess[j];
}

static void mgrad_load(tw_sampler *s, size_t piece, size_t worker, bool moved)
{
    (void)worker;
    (void)moved; /* recomputing z is cheap */
    tile *t = tile_of(s, piece);
    size_t first = tw_piece_first(s, piece), n = s->n;
    const double *centre = tw_frame_centre(&s->frame);
    for (size_t j = 0; j < t->columns; j++) {
        const double *x = s->x + (first + j) * n;
        for (size_t i = 0; i < n; i++) t->trial_x[i + j * n] = x[i] - (centre ? centre[i] : 0.0);
        t->excess[j] = tw_frame_excess(&s->frame, x, t->slope + j * n, &s->log_likelihood[first + j]);
    }
    tw_spectral_pull_back(own_of(s)->spectral, t->columns, t->trial_x, t->z);
    tw_spectral_pull_back(own_of(s)->spectral, t->columns, t->slope, t->gradient);
    for (size_t j = 0; j < t->columns; j++) set_density(s, t, first + j, j);
}

/* a = (2/delta) A along an eigenvector with eigenvalue s: 1 / (1 + delta / (2 s)). */
static double shrinkage(double s, double delta)
{
    return 2.0 * s / (delta + 2.0 * s);
}

/* Draw y for every column, as Q' y and as y + m. Along an eigenvector the variance (2/delta) A^2 + A is
 * (delta/2) a (1 + a). */
static void propose(tw_sampler *s, tile *t, const tw_move *move, size_t first, double delta)
{
    const double *values = own_of(s)->spectral->values, *centre = tw_frame_centre(&s->frame);
    size_t n = s->n;
    for (size_t j = 0; j < t->columns; j++) {
        tw_stream stream =
            tw_stream_at(move->seed, TW_STREAM_MOMENTUM, move->first_chain + first + j, move->iteration);
        double *y = t->trial_z + j * n;
        const double *z = t->z + j * n, *g = t->gradient + j * n;
        tw_stream_normals(&stream, n, y);
        for (size_t i = 0; i < n; i++) {
            double a = shrinkage(values[i], delta);
            y[i] = a * (z[i] + 0.5 * delta * g[i]) + sqrt(0.5 * delta * a * (1.0 + a)) * y[i];
        }
    }
    tw_spectral_spread(own_of(s)->spectral, t->columns, t->trial_z, t->trial_x);
    for (size_t i = 0; centre && i < n * t->columns; i++) t->trial_x[i] += centre[i % n];
}

/* h(z, y), with g the gradient at y. */
static double correction(const tw_sampler *s, double delta, const double *z, const double *y, const double *g)
{
    const double *values = own_of(s)->spectral->values;
    double sum = 0.0;
    for (size_t i = 0; i < s->n; i++) {
        double a = shrinkage(values[i], delta);
        sum += (z[i] - a * (y[i] + 0.25 * delta * g[i])) * g[i] / (1.0 + a);
    }
    return sum;
}

static void accept(tw_sampler *s, tile *t, size_t column, size_t j, double excess, double log_likelihood)
{
    size_t n = s->n, bytes = n * sizeof(double);
    memcpy(t->z + j * n, t->trial_z + j * n, bytes);
    memcpy(t->gradient + j * n, t->trial_gradient + j * n, bytes);
    memcpy(s->x + column * n, t->trial_x + j * n, bytes);
    t->excess[j] = excess;
    s->log_likelihood[column] = log_likelihood;
    set_density(s, t, column, j);
}

static void mgrad_advance(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records)
{
    (void)worker;
    tile *t = tile_of(s, piece);
    size_t first = tw_piece_first(s, piece), n = s->n;
    double delta = 2.0 * move->eps * move->eps * own_of(s)->scale;
    double excess[TW_TILE_COLUMNS], log_likelihood[TW_TILE_COLUMNS];
    propose(s, t, move, first, delta);
    for (size_t j = 0; j < t->columns; j++)
        excess[j] = tw_frame_excess(&s->frame, t->trial_x + j * n, t->slope + j * n, &log_likelihood[j]);
    tw_spectral_pull_back(own_of(s)->spectral, t->columns, t->slope, t->trial_gradient);
    for (size_t j = 0; j < t->columns; j++) {
        const double *z = t->z + j * n, *y = t->trial_z + j * n;
        double reverse = correction(s, delta, z, y, t->trial_gradient + j * n);
        double forward = correction(s, delta, y, z, t->gradient + j * n);
        double gain = excess[j] - t->excess[j] + TW_FAULTY(TW_FAULT_ONE_WAY, reverse, 0.0) - forward;
        double energy = -s->log_density[first + j];
        tw_record *record = &records[first + j];
        *record = (tw_record){.steps = 1};
        if (tw_metropolis(move, first + j, energy, energy - gain, record))
            accept(s, t, first + j, j, excess[j], log_likelihood[j]);
        record->log_density = s->log_density[first + j];
    }
}

static double *mgrad_coordinates(tw_sampler *s, size_t column)
{
    return tile_of(s, column / s->each)->z + column % s->each * s->n;
}

static size_t mgrad_parts(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS])
{
    tile *t = tile_of(s, column / s->each);
    size_t j = column % s->each;
    part[0] = (tw_column_part){t->z + j * s->n, s->n};
    part[1] = (tw_column_part){t->gradient + j * s->n, s->n};
    part[2] = (tw_column_part){t->excess + j, 1};
    return 3;
}

/* Two products with full n x n matrices, n sites and n normal numbers. */
static double mgrad_cost(tw_sampler *s, double moves)
{
    double n = (double)s->n;
    return moves * (4.0 * n * n * tw_cost_double(s) + (TW_COST_SITE + TW_COST_NORMAL) * n);
}

static double mgrad_least_cost(tw_sampler *s)
{
    return mgrad_cost(s, 1.0);
}

/* `auto` does not try it: HMC and slice sampling are faster on all problems of docs/samplers.md. */
const tw_method_row tw_method_mgrad = {.info = {.method = TW_METHOD_MGRAD,
                                                .name = "mgrad",
                                                .title = "mGrad",
                                                .meaning = "the marginal gradient sampler",
                                                .metric_count = 3,
                                                .metrics = {TW_METRIC_EP, TW_METRIC_PRIOR, TW_METRIC_DENSE},
                                                .form = TW_FORM_OPEN,
                                                .has_eps = true,
                                                .counts = "gradients"},
                                       .piece_columns = TW_TILE_COLUMNS,
                                       .dense = true,
                                       .set_up = mgrad_set_up,
                                       .release = mgrad_release,
                                       .load = mgrad_load,
                                       .advance = mgrad_advance,
                                       .coordinates = mgrad_coordinates,
                                       .parts = mgrad_parts,
                                       .cost = mgrad_cost,
                                       .least_cost = mgrad_least_cost,
                                       .cheap = true,
                                       .selftest_draws = 6000,
                                       .selftest_of = "HMC and mGrad"};
