/* predict_reach.c: do the draws reach the part of the posterior that makes a mean over lines?
 *
 * The mean is E[M(w)], M(w) = int G h dt / int h dt of a line w (predict_line.c). How far M varies is not left to the
 * lines through the draws, which may all miss the part that makes the mean, and then also its error and its tail:
 * chains sample q(x) proportional to g(f*) p(x | y), whose lines have the density M(w) p(w | y) / E[M], so that
 *
 *   E_q[M] / E[M] = E[M^2] / E[M]^2 = 1 + the relative variance of M under the posterior.
 *
 * If it is above that of the lines, the error of the mean is increased; if few effective lines are left, N E[M]^2 / E[M^2],
 * the mean is withheld.
 *
 * A transition takes t from its distribution on the line, g(t) h(t) at the nodes, and then moves w by elliptical slice
 * sampling at that t: w is independent of t under the prior. Each chain begins at the line with the largest M of its
 * part of the lines. The random numbers depend on the chain and transition only.
 */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "math/random.h"
#include "sample/predict_line.h"

enum { WALKERS = 8, MOVES = 4, LEAST_SWEEPS = 12, MOST_SWEEPS = 64, LINES_PER_SWEEP = 16, MOST_CUTS = 60 };

static const double CIRCLE = 6.28318530717958647693;
static const double NO_SPREAD = 1e-10; /* a relative variance: the errors of quadrature */

/* The chains of all kinds of a case. */
typedef struct chains {
    const tw_draws_predictor *p;
    const tw_line *line;
    const tw_line_place *place;
    const double *u; /* whitened covariances */
    size_t count, sweeps, size;
    tw_line_kind kind[TW_LINE_KINDS];
    double log_mean[TW_LINE_KINDS]; /* log E[M] of the lines through draws */
    double *x, *t;                  /* n and 1 for each chain */
    double *sum;                    /* mean of M / E[M] of each chain */
    double *work;                   /* size for each thread */
} chains;

/* The work space of a thread. */
typedef struct room {
    double *line, *w, *next, *value, *moves, *z, *h, *g;
} room;

static size_t size_of_room(size_t n, size_t r)
{
    return tw_line_work(n) + (3 + MOVES) * n + MOVES * r + (size_t)2 * TW_LINE_NODES;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the room is written */
static room take_room(double *work, size_t n, size_t r)
{
    room out = {.line = work, .w = work + tw_line_work(n)};
    out.next = out.w + n;
    out.value = out.next + n;
    out.moves = out.value + n;
    out.z = out.moves + MOVES * n;
    out.h = out.z + MOVES * r;
    out.g = out.h + TW_LINE_NODES;
    return out;
}

/* ---- a transition ---- */

/* log g at a node. */
static double integrand(const tw_line *line, tw_line_kind kind, size_t k)
{
    return log(kind == TW_LINE_MEAN ? line->mean[k] : line->square[k]);
}

/* Add up exp(a), relative to the largest of them. */
static double log_sum(size_t n, const double *a)
{
    double most = -INFINITY, sum = 0.0;
    for (size_t k = 0; k < n; k++) most = fmax(most, a[k]);
    for (size_t k = 0; k < n && most > -INFINITY; k++) sum += exp(a[k] - most);
    return most + log(sum);
}

/* Take t from g h on the line through x; returns log M. */
static double move_along(const chains *c, tw_line_kind kind, const room *r, tw_stream *stream,
                         const double *x, double *t)
{
    const tw_line *line = c->line;
    tw_active a = tw_line_take_active(c->place, x, *t, r->line);
    for (size_t k = 0; k < line->nodes; k++) {
        r->h[k] = tw_line_log_density(&a, line->low + (double)k * line->step);
        r->g[k] = r->h[k] + integrand(line, kind, k);
    }
    double all = log_sum(line->nodes, r->g), left = tw_stream_uniform(stream);
    size_t k = 0;
    for (; k + 1 < line->nodes; k++)
        if ((left -= exp(r->g[k] - all)) <= 0.0) break;
    *t = line->low + (double)k * line->step;
    return all - log_sum(line->nodes, r->h);
}

static double log_likelihood(const chains *c, const room *r, const double *x)
{
    const tw_observations *sites = &c->place->sites;
    double sum = 0.0;
    sites->likelihood->terms(sites, x, r->value, NULL, NULL, NULL);
    for (size_t i = 0; i < sites->n; i++) sum += r->value[i];
    return isnan(sum) ? -INFINITY : sum;
}

/* MOVES draws of w from its prior. */
static void draw_moves(const chains *c, const room *r, tw_stream *stream)
{
    size_t rank = c->p->model->prior->r;
    double norm = c->place->norm;
    tw_stream_normals(stream, MOVES * rank, r->z);
    for (size_t m = 0; m < MOVES; m++) {
        double *z = r->z + m * rank, along = 0.0;
        for (size_t i = 0; i < rank; i++) along += z[i] * c->u[i] / norm;
        for (size_t i = 0; i < rank; i++) z[i] -= along * c->u[i] / norm;
    }
    tw_gaussian_spread(c->p->model->prior, MOVES, r->z, r->moves);
}

/* Elliptical slice sampling of w with one ellipse, at the t of `shift` = t k / |u|. */
static void move_across(const chains *c, const room *r, tw_stream *stream, const double *other, double t,
                        double *x)
{
    size_t n = c->p->model->n;
    double level = log_likelihood(c, r, x) - tw_stream_exponential(stream), slope = t / c->place->norm;
    double angle = CIRCLE * tw_stream_uniform(stream), low = angle - CIRCLE, high = angle;
    for (size_t i = 0; i < n; i++) r->w[i] = x[i] - slope * c->place->cross[i];
    for (size_t cut = 0; cut < MOST_CUTS; cut++) {
        double along = cos(angle), across = sin(angle);
        for (size_t i = 0; i < n; i++)
            r->next[i] = slope * c->place->cross[i] + along * r->w[i] + across * other[i];
        if (log_likelihood(c, r, r->next) >= level) {
            memcpy(x, r->next, n * sizeof *x);
            return;
        }
        *(angle < 0.0 ? &low : &high) = angle;
        angle = low + (high - low) * tw_stream_uniform(stream);
    }
}

/* Run chain number `piece`; its first quarter is left out. */
static void run_chain(void *user, size_t piece, size_t worker)
{
    chains *c = user;
    size_t n = c->p->model->n, which = piece / WALKERS, first = c->sweeps / 4;
    room r = take_room(c->work + worker * c->size, n, c->p->model->prior->r);
    double *x = c->x + piece * n, *t = c->t + piece, sum = 0.0;
    for (size_t s = 0; s < c->sweeps; s++) {
        tw_stream stream = tw_stream_at(0, TW_STREAM_REACH, piece, s);
        double before = *t;
        double log_m = move_along(c, c->kind[which], &r, &stream, x, t);
        for (size_t i = 0; i < n; i++) x[i] += (*t - before) / c->place->norm * c->place->cross[i];
        draw_moves(c, &r, &stream);
        for (size_t m = 0; m < MOVES; m++) move_across(c, &r, &stream, r.moves + m * n, *t, x);
        if (s >= first) sum += exp(log_m - c->log_mean[which]);
    }
    c->sum[piece] = sum / (double)(c->sweeps - first);
}

/* ---- the chains of a case ---- */

static double log_of_line(const tw_line *line, tw_line_kind kind, size_t i)
{
    return log(kind == TW_LINE_MEAN ? line->means[i] : line->squares[i]);
}

/* log E[M] and the relative variance of M over the lines. */
static double log_mean_of_lines(const tw_line *line, tw_line_kind kind, double *spread)
{
    size_t lines = line->count * line->chains;
    double most = -INFINITY, sum = 0.0, squares = 0.0;
    for (size_t i = 0; i < lines; i++) most = fmax(most, log_of_line(line, kind, i));
    for (size_t i = 0; i < lines; i++) sum += exp(log_of_line(line, kind, i) - most) / (double)lines;
    for (size_t i = 0; i < lines; i++) {
        double away = exp(log_of_line(line, kind, i) - most) / sum - 1.0;
        squares += away * away / (double)lines;
    }
    *spread = squares;
    /* cppcheck-suppress invalidFunctionArg; the largest term is 1 */
    return most + log(sum);
}

/* The line with the largest M of a part of the lines. */
static size_t start_of(const tw_line *line, tw_line_kind kind, size_t part)
{
    size_t lines = line->count * line->chains, best = part * lines / WALKERS;
    for (size_t i = best; i < (part + 1) * lines / WALKERS; i++)
        if (log_of_line(line, kind, i) > log_of_line(line, kind, best)) best = i;
    return best;
}

/* The latents and the t of the draw of a line. */
static tw_status read_start(const chains *c, size_t from, double *x, double *t)
{
    const tw_draws_predictor *p = c->p;
    const tw_line *line = c->line;
    size_t chain = from / line->count, draw = tw_draw_for_line(p, from % line->count * line->stride);
    TW_TRY(p->source.read(p->source.user, chain, draw, 1, x));
    tw_gaussian_solve(p->model->prior, 1, x, c->work);
    *t = 0.0;
    for (size_t i = 0; i < p->model->prior->r; i++) *t += c->u[i] * c->work[i] / c->place->norm;
    return TW_OK;
}

/* Choose the kinds whose averages the lines may replace, and whose integrals are positive and vary. */
static void choose(chains *c, tw_line *line, const tw_averages *a)
{
    double lines = (double)(line->count * line->chains);
    bool wanted[TW_LINE_KINDS] = {tw_mean_is_heavy(a, TW_PREDICT_HEAVY), tw_sd_is_heavy(a, TW_PREDICT_HEAVY)};
    for (size_t k = 0; k < line->nodes; k++) wanted[TW_LINE_MEAN] &= line->mean[k] >= 0.0;
    for (tw_line_kind k = 0; k < TW_LINE_KINDS; k++) {
        double spread = 0.0, log_mean = wanted[k] ? log_mean_of_lines(line, k, &spread) : NAN;
        if (!isfinite(log_mean) || !(spread > NO_SPREAD)) continue;
        line->beyond[k] = 1.0 + spread;
        if (lines < TW_PREDICT_LEAST_LINES * line->beyond[k])
            continue; /* the lines alone show that they are too few */
        line->beyond[k] = 0.0;
        c->log_mean[c->count] = log_mean;
        c->kind[c->count++] = k;
    }
}

static tw_status run_chains(tw_draws_predictor *p, tw_line *line, chains *c)
{
    static const char *const what = "the reach of lines";
    size_t n = p->model->n, all = c->count * WALKERS;
    TW_TRY(tw_allocate_doubles(p->ctx, c->size, p->threads, what, &c->work));
    TW_TRY(tw_allocate_doubles(p->ctx, all, n + 2, what, &c->x));
    c->t = c->x + all * n;
    c->sum = c->t + all;
    for (size_t i = 0; i < all; i++)
        TW_TRY(read_start(c, start_of(line, c->kind[i / WALKERS], i % WALKERS), c->x + i * n, c->t + i));
    tw_parallel_for(all, p->threads, run_chain, c);
    for (size_t i = 0; i < all; i++) line->beyond[c->kind[i / WALKERS]] += c->sum[i] / WALKERS;
    return tw_poll(p->ctx);
}

tw_status tw_line_reach(tw_draws_predictor *p, tw_line *line, const tw_line_place *place, const double *u)
{
    size_t lines = line->count * line->chains, sweeps = lines / LINES_PER_SWEEP;
    chains c = {.p = p, .line = line, .place = place, .u = u};
    c.size = size_of_room(p->model->n, p->model->prior->r);
    c.sweeps = sweeps < LEAST_SWEEPS ? LEAST_SWEEPS : sweeps > MOST_SWEEPS ? MOST_SWEEPS : sweeps;
    if (line->failed || line->two_classes || lines < WALKERS) return TW_OK;
    choose(&c, line, &line->c->averages);
    if (c.count == 0) return TW_OK;
    tw_status status = run_chains(p, line, &c);
    tw_release(p->ctx, c.work);
    tw_release(p->ctx, c.x);
    return status;
}
