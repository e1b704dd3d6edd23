/* slice.c: elliptical slice sampling (Murray, Adams & MacKay 2010) in a Gaussian frame.
 *
 * The target is N(w; 0, I) exp(E(x)) with x = c + F w and E = sum e_n (frame.h). With the prior's frame this
 * is the published sampler; with EP's frame it is its generalisation. A transition draws a direction nu ~
 * N(0, I) and a level E(x) + log u, and shrinks an angle towards 0 until E at w cos(theta) + nu sin(theta)
 * exceeds the level. The ellipse is linear in w and nu, so F nu is computed once, for all columns of a tile
 * together, and a trial costs n site evaluations.
 *
 * An ellipse seldom leads into a tail that is longer than its Gaussian's. If there are such tails (lines.h), a
 * transition also moves along one of their lines, drawn at random, by slice sampling in one dimension.
 */
#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "math/random.h"
#include "sample/cost.h"
#include "sample/lines.h"
#include "sample/sampler.h"

/* A trial shrinks the bracket by a constant factor on average: after this many its width is below rounding
 * error, and the column stays where it is. */
enum { MAX_TRIALS = 200 };

/* Steps out along a line, at most so many, of so many standard deviations of the Gaussian. */
enum { MOST_STEPS_OUT = 32 };
static const double step_out = 2.0;

typedef struct slice {
    tw_lines lines;
    struct tile **tiles;
} slice;

typedef struct tile {
    size_t columns;
    double *w, *nu;             /* r x P */
    double *offset, *direction; /* n x P: F w and F nu */
    double *excess;             /* P: E at w */
    double *trial;              /* n */
} tile;

static void release_tile(tw_context *ctx, tile *t)
{
    if (!t) return;
    double *arrays[] = {t->w, t->nu, t->offset, t->direction, t->excess, t->trial};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, t);
}

static void slice_release(tw_sampler *s)
{
    slice *own = s->own;
    if (!own) return;
    for (size_t i = 0; own->tiles && i < s->pieces; i++) release_tile(s->ctx, own->tiles[i]);
    tw_release(s->ctx, own->tiles);
    tw_lines_release(&own->lines);
    tw_release(s->ctx, own);
}

static tile *tile_of(const tw_sampler *s, size_t piece)
{
    return ((const slice *)s->own)->tiles[piece];
}

static tw_status make_tile(tw_sampler *s, size_t piece, tile **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(tile), "a tile of chains", &memory));
    tile *t = *out = memory;
    size_t columns = t->columns = tw_piece_count(s, piece);
    TW_TRY(tw_allocate_doubles(s->ctx, s->r, columns, "the positions", &t->w));
    TW_TRY(tw_allocate_doubles(s->ctx, s->r, columns, "the directions", &t->nu));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, columns, "the positions", &t->offset));
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, columns, "the directions", &t->direction));
    TW_TRY(tw_allocate_doubles(s->ctx, columns, 1, "the levels", &t->excess));
    return tw_allocate_doubles(s->ctx, s->n, 1, "a trial", &t->trial);
}

static tw_status slice_set_up(tw_sampler *s)
{
    void *memory = NULL;
    TW_TRY(tw_frame_make(s->target, s->options.metric, s->options.gaussian, &s->frame));
    if (s->frame.linear)
        return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                       "elliptical slice sampling is centred at the prior or at EP's Gaussian");
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(slice), "slice sampling", &memory));
    slice *own = s->own = memory;
    if (s->options.lines) TW_TRY(tw_lines_find(&s->frame, &own->lines));
    TW_TRY(tw_allocate(s->ctx, s->pieces, sizeof(tile *), "the tiles", &memory));
    own->tiles = memory;
    for (size_t i = 0; i < s->pieces; i++) TW_TRY(make_tile(s, i, &own->tiles[i]));
    return TW_OK;
}

/* L_b = -w'w/2 + E + const for a column. */
static void set_density(tw_sampler *s, const tile *t, size_t column, size_t j)
{
    tw_frame frame = tw_frame_from(&s->frame, column);
    double square = 0.0;
    for (size_t i = 0; i < s->r; i++) square += t->w[i + j * s->r] * t->w[i + j * s->r];
    s->log_density[column] = tw_frame_constant(&frame) - 0.5 * square + t->excess[j];
}

static void slice_load(tw_sampler *s, size_t piece, size_t worker, bool moved)
{
    (void)worker;
    tile *t = tile_of(s, piece);
    size_t first = tw_piece_first(s, piece), n = s->n;
    tw_frame tile_frame = tw_frame_from(&s->frame, first);
    if (moved) tw_frame_coordinates(&tile_frame, t->columns, s->x + first * n, t->w);
    for (size_t j = 0; j < t->columns; j++) {
        tw_frame frame = tw_frame_from(&tile_frame, j);
        const double *x = s->x + (first + j) * n, *centre = tw_frame_centre(&frame);
        for (size_t i = 0; i < n; i++) t->offset[i + j * n] = x[i] - (centre ? centre[i] : 0.0);
        t->excess[j] = tw_frame_excess(&frame, x, NULL, &s->log_likelihood[first + j]);
        set_density(s, t, first + j, j);
    }
}

/* Set the trial point of column j: x = c + F w cos(theta) + F nu sin(theta). */
static void set_trial(const tw_sampler *s, const tw_frame *frame, tile *t, size_t j, double theta)
{
    const double *offset = t->offset + j * s->n, *direction = t->direction + j * s->n;
    const double *centre = tw_frame_centre(frame);
    double c = cos(theta), d = sin(theta);
    for (size_t i = 0; i < s->n; i++)
        t->trial[i] = (centre ? centre[i] : 0.0) + c * offset[i] + d * direction[i];
}

/* Shrink the angle of column j until E exceeds the level; false after MAX_TRIALS trials. The angle starts
 * uniform on a bracket of width 2 pi that contains 0, and a rejected angle becomes the end of the bracket on
 * its side of 0. */
static bool shrink(const tw_sampler *s, const tw_frame *frame, tile *t, size_t j, tw_stream *stream,
                   double *theta, double *excess, double *log_likelihood, size_t *trials)
{
    double level = t->excess[j] - tw_stream_exponential(stream); /* E(x) + log u, u uniform */
    double two_pi = 6.283185307179586477, low, high;
    *theta = two_pi * tw_stream_uniform(stream);
    low = *theta - two_pi;
    high = *theta;
    for (*trials = 1; *trials <= MAX_TRIALS; ++*trials) {
        set_trial(s, frame, t, j, *theta);
        *excess = tw_frame_excess(frame, t->trial, NULL, log_likelihood);
        if (*excess > level) return true;
        if (*theta < 0.0)
            low = *theta;
        else
            high = *theta;
        *theta = low + (high - low) * tw_stream_uniform(stream);
    }
    return false;
}

/* Move column j to the accepted trial point. */
static void move_column(tw_sampler *s, tile *t, size_t j, size_t column, double theta)
{
    double c = cos(theta), d = sin(theta);
    for (size_t i = 0; i < s->r; i++) t->w[i + j * s->r] = c * t->w[i + j * s->r] + d * t->nu[i + j * s->r];
    for (size_t i = 0; i < s->n; i++)
        t->offset[i + j * s->n] = c * t->offset[i + j * s->n] + d * t->direction[i + j * s->n];
    memcpy(s->x + column * s->n, t->trial, s->n * sizeof *t->trial);
}

/* ---- along lines ---- */

/* A point t on a line through column j: the log density along the line, -(w'u + t)^2/2 + E + constant, and its
 * parts. */
typedef struct line_point {
    double t, excess, log_likelihood;
} line_point;

typedef struct line {
    const tw_sampler *sampler;
    const tw_frame *frame;
    tile *tile;
    size_t column;       /* of the tile */
    const double *u, *s; /* as in lines.h */
    double along;        /* w'u */
    size_t *trials;
} line;

static double line_density(const line *l, line_point *at)
{
    const double *centre = tw_frame_centre(l->frame), *offset = l->tile->offset + l->column * l->sampler->n;
    for (size_t i = 0; i < l->sampler->n; i++)
        l->tile->trial[i] = (centre ? centre[i] : 0.0) + offset[i] + at->t * l->s[i];
    at->excess = tw_frame_excess(l->frame, l->tile->trial, NULL, &at->log_likelihood);
    ++*l->trials;
    return at->excess - 0.5 * (l->along + at->t) * (l->along + at->t);
}

/* Slice sampling along a line (Neal 2003): step out from a random interval around 0 until both ends are below
 * the level or the steps are used up, which are divided between the ends at random; then shrink. False after
 * MAX_TRIALS trials. */
static bool search_line(const line *l, tw_stream *stream, line_point *to)
{
    line_point at = {.excess = l->tile->excess[l->column]};
    double gaussian = TW_FAULTY(TW_FAULT_LINE_LEVEL, -0.5 * l->along * l->along, 0.0);
    double level = at.excess + gaussian - tw_stream_exponential(stream);
    double low = -step_out * tw_stream_uniform(stream), high = low + step_out;
    size_t down = (size_t)(tw_stream_uniform(stream) * MOST_STEPS_OUT), up = MOST_STEPS_OUT - 1 - down;
    for (at.t = low; down > 0 && line_density(l, &at) > level; down--) at.t = low -= step_out;
    for (at.t = high; up > 0 && line_density(l, &at) > level; up--) at.t = high += step_out;
    for (size_t k = 0; k < MAX_TRIALS; k++) {
        to->t = low + (high - low) * tw_stream_uniform(stream);
        if (line_density(l, to) > level) return true;
        *(to->t < 0.0 ? &low : &high) = to->t;
    }
    return false;
}

static void move_along(tw_sampler *s, const line *l, size_t column, const line_point *to)
{
    tile *t = l->tile;
    size_t j = l->column;
    for (size_t i = 0; i < s->r; i++) t->w[i + j * s->r] += to->t * l->u[i];
    for (size_t i = 0; i < s->n; i++) t->offset[i + j * s->n] += to->t * l->s[i];
    memcpy(s->x + column * s->n, t->trial, s->n * sizeof *t->trial);
    t->excess[j] = to->excess;
    s->log_likelihood[column] = to->log_likelihood;
    set_density(s, t, column, j);
}

/* Move column j along this line. */
/* NOLINTBEGIN(readability-non-const-parameter): search_line counts trials */
static void follow_line(tw_sampler *s, const tw_frame *frame, tile *t, size_t j, size_t column, size_t number,
                        tw_stream *stream, size_t *trials)
{
    const tw_lines *lines = &((const slice *)s->own)->lines;
    line l = {.sampler = s,
              .frame = frame,
              .tile = t,
              .column = j,
              .u = lines->u + number * s->r,
              .s = lines->s + number * s->n,
              .trials = trials};
    line_point to;
    for (size_t i = 0; i < s->r; i++) l.along += t->w[i + j * s->r] * l.u[i];
    if (search_line(&l, stream, &to)) move_along(s, &l, column, &to);
}
/* NOLINTEND(readability-non-const-parameter) */

/* The line of this transition, the same for all columns. */
static size_t choose_line(const tw_sampler *s, const tw_move *move)
{
    size_t count = ((const slice *)s->own)->lines.count;
    tw_stream stream = tw_stream_at(move->seed, TW_STREAM_LINE, move->first_chain, move->iteration);
    return count > 1 ? (size_t)(tw_stream_uniform(&stream) * (double)count) : 0;
}

static void slice_advance(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records)
{
    (void)worker;
    tile *t = tile_of(s, piece);
    bool has_lines = ((const slice *)s->own)->lines.count > 0;
    size_t first = tw_piece_first(s, piece), number = choose_line(s, move);
    tw_stream streams[TW_TILE_COLUMNS];
    for (size_t j = 0; j < t->columns; j++) {
        streams[j] =
            tw_stream_at(move->seed, TW_STREAM_SLICE, move->first_chain + first + j, move->iteration);
        tw_stream_normals(&streams[j], s->r, t->nu + j * s->r);
    }
    tw_frame tile_frame = tw_frame_from(&s->frame, first);
    tw_frame_spread(&tile_frame, t->columns, t->nu, t->direction);
    for (size_t j = 0; j < t->columns; j++) {
        tw_frame frame = tw_frame_from(&tile_frame, j);
        size_t column = first + j;
        double theta, excess, log_likelihood;
        tw_record *record = &records[column];
        *record = (tw_record){.acceptance_rate = 1.0, .energy = -s->log_density[column]};
        record->accepted =
            shrink(s, &frame, t, j, &streams[j], &theta, &excess, &log_likelihood, &record->steps);
        if (record->accepted) {
            move_column(s, t, j, column, theta);
            t->excess[j] = excess;
            s->log_likelihood[column] = log_likelihood;
            set_density(s, t, column, j);
        }
        if (has_lines) follow_line(s, &frame, t, j, column, number, &streams[j], &record->steps);
        record->log_density = s->log_density[column];
    }
}

static double *slice_coordinates(tw_sampler *s, size_t column)
{
    return tile_of(s, column / s->each)->w + column % s->each * s->r;
}

static size_t slice_parts(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS])
{
    tile *t = tile_of(s, column / s->each);
    size_t j = column % s->each;
    part[0] = (tw_column_part){t->w + j * s->r, s->r};
    part[1] = (tw_column_part){t->offset + j * s->n, s->n};
    part[2] = (tw_column_part){t->excess + j, 1};
    return 3;
}

/* One product with F, r normal numbers, and n sites for each trial. */
static double slice_cost(tw_sampler *s, double trials)
{
    return tw_cost_product(s) * tw_cost_double(s) + TW_COST_SITE * (double)s->n * trials +
           TW_COST_NORMAL * (double)s->r;
}

static double slice_least_cost(tw_sampler *s)
{
    return slice_cost(s, 1.0);
}

static bool slice_reaches(const tw_sampler *s)
{
    return !((const slice *)s->own)->lines.too_many;
}

/* `auto` tries EP's frame, and the prior's, which is best if the data are not informative. */
const tw_method_row tw_method_ess = {
    .info = {.method = TW_METHOD_SLICE,
             .name = "ess",
             .title = "elliptical slice",
             .meaning = "elliptical slice sampling",
             .metric_count = 3,
             .metrics = {TW_METRIC_EP, TW_METRIC_PRIOR, TW_METRIC_DENSE},
             .form = TW_FORM_OPEN,
             .counts = "evaluations"},
    .piece_columns = TW_TILE_COLUMNS,
    .set_up = slice_set_up,
    .release = slice_release,
    .load = slice_load,
    .advance = slice_advance,
    .coordinates = slice_coordinates,
    .parts = slice_parts,
    .cost = slice_cost,
    .least_cost = slice_least_cost,
    .reaches = slice_reaches,
    .trials = {{.turn = 1, .metric = TW_METRIC_EP}, {.turn = 3, .metric = TW_METRIC_PRIOR}},
    .cheap = true,
    .selftest_draws = 4000,
    .selftest_of = "HMC and elliptical slice"};
