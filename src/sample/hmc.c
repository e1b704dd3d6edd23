/* hmc.c: Hamiltonian Monte Carlo with a constant metric, for tiles of columns in lockstep.
 *
 * In the metric's frame the mass is the identity. A transition draws p ~ N(0, I), runs a leapfrog trajectory
 * and accepts or rejects its end by the change of H. The coordinates and gradients of a tile are saved before
 * the trajectory, and restored for a rejected column. Its x need not be saved: the sampler's x changes only
 * on acceptance.
 */
#include <string.h>

#include "dynamics/leapfrog.h"
#include "math/random.h"
#include "sample/cost.h"
#include "sample/sampler.h"

/* From this number of cases on, products with the factor take most of the time, and packed products in
 * single precision are several times as fast. */
enum { SINGLE_FROM = 100 };

/* With a straight drift the acceptance falls as n eps^4. From this number of cases on it needs several
 * steps for each step with a rotation. */
enum { TURN_FROM = 100 };

typedef struct hmc {
    tw_packed *packed; /* the metric's factor; NULL: not packed */
    struct tile **tiles;
} hmc;

typedef struct tile {
    tw_leapfrog *flow;
    double *w, *gradient;                 /* before the trajectory */
    double *log_density, *log_likelihood; /* before the trajectory */
    double *energy;                       /* H at its start */
} tile;

static void release_tile(tw_context *ctx, tile *t)
{
    if (!t) return;
    tw_leapfrog_free(t->flow);
    double *arrays[] = {t->w, t->gradient, t->log_density, t->log_likelihood, t->energy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    tw_release(ctx, t);
}

static void hmc_release(tw_sampler *s)
{
    hmc *h = s->own;
    if (!h) return;
    for (size_t i = 0; h->tiles && i < s->pieces; i++) release_tile(s->ctx, h->tiles[i]);
    tw_release(s->ctx, h->tiles);
    tw_packed_free(h->packed);
    tw_release(s->ctx, h);
}

static tile *tile_of(const tw_sampler *s, size_t piece)
{
    return ((const hmc *)s->own)->tiles[piece];
}

static tw_status make_tile(tw_sampler *s, size_t piece, tile **out)
{
    size_t columns = tw_piece_count(s, piece);
    void *memory = NULL;
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(tile), "a tile of chains", &memory));
    tile *t = *out = memory;
    TW_TRY(tw_leapfrog_new(&s->frame, columns, &t->flow));
    t->flow->first = tw_piece_first(s, piece);
    TW_TRY(tw_allocate_doubles(s->ctx, s->frame.r, columns, "the saved positions", &t->w));
    TW_TRY(tw_allocate_doubles(s->ctx, s->frame.r, columns, "the saved gradients", &t->gradient));
    TW_TRY(tw_allocate_doubles(s->ctx, columns, 1, "the saved densities", &t->log_density));
    TW_TRY(tw_allocate_doubles(s->ctx, columns, 1, "the saved likelihoods", &t->log_likelihood));
    return tw_allocate_doubles(s->ctx, columns, 1, "the energies", &t->energy);
}

/* Pack the metric's factor, in single precision if that is requested or pays. A frame that is the target's
 * base is not packed, because it changes with the temperature, nor is a linear one, which needs solves. */
static tw_status pack_factor(tw_sampler *s, hmc *h)
{
    tw_forces forces = s->options.forces;
    if (!s->frame.gaussian || s->frame.linear || s->frame.own_base) return TW_OK;
    bool pays = s->options.metric == TW_METRIC_EP && s->n >= SINGLE_FROM;
    bool single = forces == TW_FORCES_SINGLE || (forces == TW_FORCES_AUTO && pays);
    TW_TRY(tw_packed_new(s->frame.gaussian, single, &h->packed));
    s->frame.packed = h->packed;
    return TW_OK;
}

static bool turns(const tw_sampler *s)
{
    tw_drift drift = s->options.drift;
    return !s->frame.linear && (drift == TW_DRIFT_TURN || (drift == TW_DRIFT_AUTO && s->n >= TURN_FROM));
}

static tw_status hmc_set_up(tw_sampler *s)
{
    void *memory = NULL;
    TW_TRY(tw_frame_make(s->target, s->options.metric, s->options.gaussian, &s->frame));
    s->frame.turns = turns(s);
    TW_TRY(tw_allocate(s->ctx, 1, sizeof(hmc), "HMC", &memory));
    hmc *h = s->own = memory;
    TW_TRY(pack_factor(s, h));
    TW_TRY(tw_allocate(s->ctx, s->pieces, sizeof(tile *), "the tiles", &memory));
    h->tiles = memory;
    for (size_t i = 0; i < s->pieces; i++) TW_TRY(make_tile(s, i, &h->tiles[i]));
    return TW_OK;
}

/* Copy column j of a tile to the sampler after it has moved. */
static void publish(tw_sampler *s, const tw_leapfrog *flow, size_t j)
{
    size_t column = flow->first + j;
    memcpy(s->x + column * s->n, flow->at.x + j * s->n, s->n * sizeof *s->x);
    s->log_density[column] = flow->at.log_density[j];
    s->log_likelihood[column] = flow->at.log_likelihood[j];
}

static void hmc_load(tw_sampler *s, size_t piece, size_t worker, bool moved)
{
    (void)worker;
    tw_leapfrog *flow = tile_of(s, piece)->flow;
    tw_frame frame = tw_frame_from(&s->frame, flow->first);
    if (moved) tw_frame_coordinates(&frame, flow->columns, s->x + flow->first * s->n, flow->w);
    tw_leapfrog_refresh(flow);
    for (size_t j = 0; j < flow->columns; j++) publish(s, flow, j);
}

static void save(const tw_sampler *s, tile *t)
{
    const tw_leapfrog *f = t->flow;
    size_t coordinates = s->frame.r * f->columns;
    memcpy(t->w, f->w, coordinates * sizeof *t->w);
    memcpy(t->gradient, f->at.gradient, coordinates * sizeof *t->gradient);
    memcpy(t->log_density, f->at.log_density, f->columns * sizeof *t->log_density);
    memcpy(t->log_likelihood, f->at.log_likelihood, f->columns * sizeof *t->log_likelihood);
}

static void put_back(const tw_sampler *s, tile *t, size_t j)
{
    tw_leapfrog *f = t->flow;
    size_t r = s->frame.r;
    memcpy(f->w + j * r, t->w + j * r, r * sizeof *f->w);
    memcpy(f->at.gradient + j * r, t->gradient + j * r, r * sizeof *f->w);
    f->at.log_density[j] = t->log_density[j];
    f->at.log_likelihood[j] = t->log_likelihood[j];
}

static void hmc_advance(tw_sampler *s, const tw_move *move, size_t piece, size_t worker, tw_record *records)
{
    (void)worker;
    tile *t = tile_of(s, piece);
    tw_leapfrog *flow = t->flow;
    size_t first = tw_piece_first(s, piece), r = s->frame.r;
    save(s, t);
    for (size_t j = 0; j < flow->columns; j++) {
        tw_stream stream =
            tw_stream_at(move->seed, TW_STREAM_MOMENTUM, move->first_chain + first + j, move->iteration);
        tw_stream_normals(&stream, r, flow->p + j * r);
        t->energy[j] = tw_leapfrog_energy(flow, j);
    }
    tw_leapfrog_run(flow, move->eps, move->steps);
    for (size_t j = 0; j < flow->columns; j++) {
        tw_record *record = &records[first + j];
        *record = (tw_record){.steps = move->steps};
        if (tw_metropolis(move, first + j, t->energy[j], tw_leapfrog_energy(flow, j), record))
            publish(s, flow, j);
        else
            put_back(s, t, j);
        record->log_density = flow->at.log_density[j];
    }
}

static double *hmc_coordinates(tw_sampler *s, size_t column)
{
    return tile_of(s, column / s->each)->flow->w + column % s->each * s->frame.r;
}

static size_t hmc_parts(tw_sampler *s, size_t column, tw_column_part part[TW_MOST_PARTS])
{
    tw_leapfrog *f = tile_of(s, column / s->each)->flow;
    size_t j = column % s->each, r = s->frame.r;
    part[0] = (tw_column_part){f->w + j * r, r};
    part[1] = (tw_column_part){f->at.gradient + j * r, r};
    part[2] = (tw_column_part){f->at.log_density + j, 1};
    part[3] = (tw_column_part){f->at.log_likelihood + j, 1};
    return 4;
}

/* A step takes the products x = F w and F' slope, and n sites. A linear frame takes two more solves; with
 * the identity metric these two alone. With forces in single precision, the product for x at the end is in
 * double precision. */
static double hmc_cost(tw_sampler *s, double steps)
{
    double products = (s->frame.gaussian ? 2.0 : 0.0) + (s->frame.linear ? 2.0 : 0.0);
    double forces = tw_cost_double(s), last = forces; /* cost of a flop, in forces and in the x at the end */
    if (s->frame.packed) last = forces = 2.0 * tw_cost_single(s);
    if (tw_frame_narrows(&s->frame)) {
        forces = tw_cost_single(s);
        last = tw_cost_double(s);
    }
    double step = products * tw_cost_product(s) * forces + TW_COST_SITE * (double)s->n;
    return steps * step + (last - forces) * tw_cost_product(s) + TW_COST_NORMAL * (double)s->r;
}

static double hmc_least_cost(tw_sampler *s)
{
    return hmc_cost(s, 1.0);
}

static bool lacks_ep(const tw_posterior *p)
{
    return p->approximation->kind != TW_EP;
}

const tw_method_row tw_method_hmc = {
    .info = {.method = TW_METHOD_HMC,
             .name = "hmc",
             .title = "HMC",
             .meaning = "Hamiltonian Monte Carlo with a constant metric",
             .metric_count = 4,
             .metrics = {TW_METRIC_EP, TW_METRIC_PRIOR, TW_METRIC_IDENTITY, TW_METRIC_DENSE},
             .form = TW_FORM_OPEN,
             .has_eps = true,
             .has_steps = true,
             .has_energy = true,
             .counts = "leapfrog steps"},
    .piece_columns = TW_TILE_COLUMNS,
    .set_up = hmc_set_up,
    .release = hmc_release,
    .load = hmc_load,
    .advance = hmc_advance,
    .coordinates = hmc_coordinates,
    .parts = hmc_parts,
    .cost = hmc_cost,
    .least_cost = hmc_least_cost,
    .trials = {{.turn = 2, .metric = TW_METRIC_EP},
               {.turn = 4, .metric = TW_METRIC_PRIOR, .applies = lacks_ep}},
    .selftest_draws = 1000};
