/* sampler.c: an ensemble of chains. It divides the columns into pieces, distributes the pieces over the team
 * and the threads, and calls the method's functions for each piece. The size of a piece does not depend on
 * the number of workers, so that results do not either. */
#include "sample/sampler.h"

#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/random.h"

static const double divergence_limit = 1000.0; /* Stan's */

bool tw_metropolis(const tw_move *move, size_t column, double before, double after, tw_record *record)
{
    tw_stream stream =
        tw_stream_at(move->seed, TW_STREAM_ACCEPT, move->first_chain + column, move->iteration);
    double error = after - before, u = tw_stream_uniform(&stream);
    record->energy = before;
    record->energy_error = error;
    record->energy_divergence = !(error <= divergence_limit);
    record->acceptance_rate = isnan(error) ? 0.0 : fmin(1.0, exp(-error));
    record->accepted = u < record->acceptance_rate;
    return record->accepted;
}

void tw_sampler_free(tw_sampler *s)
{
    if (!s) return;
    tw_context *ctx = s->ctx;
    s->method->release(s);
    tw_release(ctx, s->x);
    tw_release(ctx, s->log_density);
    tw_release(ctx, s->log_likelihood);
    tw_release(ctx, s);
}

static tw_status allocate(tw_sampler *s)
{
    TW_TRY(tw_allocate_doubles(s->ctx, s->n, s->columns, "the chains' positions", &s->x));
    TW_TRY(tw_allocate_doubles(s->ctx, s->columns, 1, "the chains' densities", &s->log_density));
    TW_TRY(tw_allocate_doubles(s->ctx, s->columns, 1, "the chains' likelihoods", &s->log_likelihood));
    return s->method->set_up(s);
}

/* If one piece would hold all columns and is more than half full, divide it in two, so that two threads or
 * ranks can share the work. */
static size_t columns_of_a_piece(const tw_method_row *row, size_t columns)
{
    size_t most = row->piece_columns;
    return most > 1 && columns <= most && columns > most / 2 ? most / 2 : most;
}

tw_status tw_sampler_new(const tw_target *target, const tw_sampler_options *options, size_t columns,
                         tw_sampler **out)
{
    void *memory = NULL;
    tw_sampler_options defaults = TW_SAMPLER_DEFAULTS;
    if (!options) options = &defaults;
    const tw_method_row *row = tw_method_row_of(options->method);
    *out = NULL;
    if (!row) return tw_fail(target->ctx, TW_BAD_ARGUMENT, "unknown method number %d", (int)options->method);
    if (columns == 0) return tw_fail(target->ctx, TW_BAD_ARGUMENT, "a sampler needs at least one chain");
    if (!(options->reverse_check >= 0.0 && options->reverse_check <= 1.0))
        return tw_fail(target->ctx, TW_BAD_ARGUMENT,
                       "the fraction of reversibility checks must be from 0 to 1, not %g",
                       options->reverse_check);
    TW_TRY(tw_allocate(target->ctx, 1, sizeof(tw_sampler), "a sampler", &memory));
    tw_sampler *s = memory;
    *s = (tw_sampler){.ctx = target->ctx,
                      .target = target,
                      .options = *options,
                      .method = row,
                      .n = target->model->n,
                      .r = target->model->prior->r,
                      .columns = columns};
    s->options.threads = tw_model_threads(target->model, s->options.threads);
    s->each = columns_of_a_piece(row, columns);
    s->pieces = (columns + s->each - 1) / s->each;
    s->strand = (tw_strand){0, 1};
    s->mine = tw_team_share(s->ctx, s->pieces);
    tw_status status = allocate(s);
    if (status != TW_OK) {
        tw_sampler_free(s);
        return status;
    }
    *out = s;
    return TW_OK;
}

typedef struct load_job {
    tw_sampler *sampler;
    bool moved;
} load_job;

static void load_piece(void *user, size_t piece, size_t worker)
{
    load_job *job = user;
    tw_sampler *s = job->sampler;
    s->method->load(s, s->mine.first + piece, worker, job->moved);
}

void tw_sampler_gather(tw_sampler *s, size_t bytes, void *data)
{
    tw_team_gather_strand(s->ctx, s->pieces, s->strand, s->each * bytes, s->columns * bytes, data);
}

void tw_sampler_join(tw_sampler *s, tw_strand strand)
{
    s->joined = true;
    s->strand = strand;
    s->mine = tw_team_share_strand(s->ctx, s->pieces, strand);
}

void tw_sampler_share(tw_sampler *s)
{
    if (!s->outdated) return;
    tw_sampler_gather(s, s->n * sizeof *s->x, s->x);
    tw_sampler_gather(s, sizeof *s->log_density, s->log_density);
    tw_sampler_gather(s, sizeof *s->log_likelihood, s->log_likelihood);
    s->outdated = false;
}

static void load(tw_sampler *s, bool moved)
{
    load_job job = {s, moved};
    tw_parallel_for(s->mine.count, s->options.threads, load_piece, &job);
    s->outdated = true;
}

void tw_sampler_refresh(tw_sampler *s)
{
    load(s, tw_frame_follow(&s->frame));
}

/* The columns that positions are read for: a joined sampler reads only its own. */
static tw_share columns_read(const tw_sampler *s)
{
    return s->joined ? tw_sampler_mine(s) : (tw_share){0, s->columns};
}

tw_status tw_sampler_set_positions(tw_sampler *s, const double *x)
{
    tw_share read = columns_read(s);
    size_t end = read.first + read.count;
    for (size_t j = read.first; j < end; j++)
        for (size_t i = 0; i < s->n; i++)
            if (!isfinite(x[i + j * s->n]))
                return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                               "the start of chain %zu is %g at site %zu: it must be finite", j + 1,
                               x[i + j * s->n], i + 1);
    memcpy(s->x + read.first * s->n, x + read.first * s->n, s->n * read.count * sizeof *x);
    load(s, true);
    if (!s->joined) tw_sampler_gather(s, sizeof *s->log_density, s->log_density);
    for (size_t j = read.first; j < end; j++)
        if (!isfinite(s->log_density[j]))
            return tw_fail(
                s->ctx, TW_BAD_ARGUMENT,
                "the start of chain %zu has log density %g: choose a start with positive posterior density",
                j + 1, s->log_density[j]);
    return TW_OK;
}

/* A frame that follows a Gaussian can have one per column; RMHMC has no frame and can have a base per
 * column. */
static tw_status check_gaussians(const tw_sampler *s, const tw_frame_column *columns)
{
    bool framed = s->frame.gaussian && !s->frame.linear, frameless = !s->frame.gaussian && !s->frame.linear;
    if (columns && s->method->dense)
        return tw_fail(s->ctx, TW_BAD_ARGUMENT, "%s needs one Gaussian for all chains: use another method",
                       s->method->info.title);
    for (size_t j = 0; columns && j < s->columns; j++) {
        const tw_frame_column *c = &columns[j];
        if (c->gaussian->n != s->n || c->gaussian->r != s->r)
            return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                           "chain %zu has a Gaussian of %zu sites and %zu coordinates, the others have %zu "
                           "and %zu",
                           j + 1, c->gaussian->n, c->gaussian->r, s->n, s->r);
        if (!framed && !(frameless && !c->tau))
            return tw_fail(s->ctx, TW_BAD_ARGUMENT,
                           "Gaussians for each chain need the metric prior or ep, or RMHMC and no sites");
    }
    return TW_OK;
}

tw_status tw_sampler_set_gaussians(tw_sampler *s, const tw_frame_column *columns)
{
    TW_TRY(check_gaussians(s, columns));
    s->frame.column = columns;
    load(s, true);
    return TW_OK;
}

static void swap_numbers(size_t count, double *a, double *b)
{
    for (size_t i = 0; i < count; i++) {
        double kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static bool is_in(tw_share share, size_t j)
{
    return j >= share.first && j < share.first + share.count;
}

void tw_sampler_exchange(tw_sampler *a, tw_sampler *b, const bool *which)
{
    bool same_frame = a->frame.gaussian == b->frame.gaussian && !a->frame.column && !b->frame.column;
    bool any = false;
    tw_share of_a = columns_read(a), of_b = columns_read(b);
    for (size_t j = 0; j < a->columns; j++) {
        any = any || which[j];
        if (!which[j] || !is_in(of_a, j) || !is_in(of_b, j)) continue;
        swap_numbers(a->n, a->x + j * a->n, b->x + j * b->n);
        swap_numbers(a->r, a->method->coordinates(a, j), b->method->coordinates(b, j));
    }
    if (!any) return;
    load(a, !same_frame);
    load(b, !same_frame);
}

size_t tw_sampler_take(tw_sampler *s, size_t piece, const bool *which, double *numbers)
{
    double *next = numbers;
    for (size_t k = 0; k < tw_piece_count(s, piece); k++) {
        size_t j = tw_piece_first(s, piece) + k;
        if (!which[j]) continue;
        memcpy(next, s->x + j * s->n, s->n * sizeof *next);
        memcpy(next + s->n, s->method->coordinates(s, j), s->r * sizeof *next);
        next += s->n + s->r;
    }
    return (size_t)(next - numbers);
}

void tw_sampler_put(tw_sampler *s, size_t piece, const bool *which, const double *numbers)
{
    for (size_t k = 0; k < tw_piece_count(s, piece); k++) {
        size_t j = tw_piece_first(s, piece) + k;
        if (!which[j]) continue;
        memcpy(s->x + j * s->n, numbers, s->n * sizeof *numbers);
        memcpy(s->method->coordinates(s, j), numbers + s->n, s->r * sizeof *numbers);
        numbers += s->n + s->r;
    }
}

typedef struct advance_job {
    tw_sampler *sampler;
    const tw_move *move;
    tw_record *records;
} advance_job;

static void advance_piece(void *user, size_t piece, size_t worker)
{
    advance_job *job = user;
    tw_sampler *s = job->sampler;
    s->method->advance(s, job->move, s->mine.first + piece, worker, job->records);
}

void tw_sampler_advance(tw_sampler *s, const tw_move *move, tw_record *records)
{
    advance_job job = {s, move, records};
    tw_parallel_for(s->mine.count, s->options.threads, advance_piece, &job);
    s->outdated = true;
    if (!s->joined) tw_sampler_gather(s, sizeof *records, records);
}

const double *tw_sampler_positions(tw_sampler *s)
{
    tw_sampler_share(s);
    return s->x;
}

const double *tw_sampler_log_density(tw_sampler *s)
{
    tw_sampler_share(s);
    return s->log_density;
}

const double *tw_sampler_log_likelihood(tw_sampler *s)
{
    tw_sampler_share(s);
    return s->log_likelihood;
}
