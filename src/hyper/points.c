/* points.c: compute the points of the estimate row by row. Row i has point i of every scramble, so that an
 * interrupted run has equally many points of each. */
#include <math.h>
#include <string.h>

#include "base/team.h"
#include "hyper/hyper.h"
#include "talweg/diagnose.h"

typedef struct batch {
    tw_hyper *h;
    tw_sobol *sobol;  /* scrambles */
    tw_guess *guess;  /* scrambles: for the current row; tau NULL: none */
    tw_point *point;  /* scrambles: for the current row */
    double *log_rest; /* scrambles: log p(theta) - log g(theta) */
    size_t first;     /* the number of the row's first point */
    tw_hyper_sums sums;
} batch;

static void release(batch *b)
{
    void *arrays[] = {b->sobol, b->guess, b->point, b->log_rest};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(b->h->ctx, arrays[i]);
}

static tw_status allocate(batch *b)
{
    tw_context *ctx = b->h->ctx;
    size_t count = b->h->o->scrambles;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, count, sizeof *b->sobol, "Sobol points", &memory));
    b->sobol = memory;
    TW_TRY(tw_allocate(ctx, count, sizeof *b->guess, "points", &memory));
    b->guess = memory;
    TW_TRY(tw_allocate(ctx, count, sizeof *b->point, "points", &memory));
    b->point = memory;
    return tw_allocate_doubles(ctx, count, 1, "points", &b->log_rest);
}

/* Draw the thetas of a row, and set EP's initial sites and the factor p / g of the weights. */
static void draw(batch *b)
{
    tw_hyper *h = b->h;
    double u[TW_HYPER_MOST + 1];
    size_t count = h->o->scrambles;
    for (size_t r = 0; r < count; r++) {
        double *theta = h->result->theta + (b->first + r) * h->unknown;
        tw_sobol_point(&b->sobol[r], (uint32_t)(b->first / count), u);
        tw_mixture_draw(h->g, u, theta);
        if (!tw_library_find(h->library, h->g, theta, &b->guess[r])) b->guess[r] = (tw_guess){NULL, NULL};
        tw_hyper_fill(h, theta, h->full);
        b->log_rest[r] =
            tw_priors_log_density(h->priors, h->problem, h->full, NULL) - tw_mixture_log_density(h->g, theta);
    }
}

/* Estimate one point. A theta outside the support of the prior needs no estimate. */
static tw_status compute(void *user, tw_place *place, size_t item)
{
    const batch *b = user;
    const tw_hyper *h = b->h;
    tw_hyper_result *r = h->result;
    size_t s = b->first + item, block = r->n * r->kept;
    uint64_t chain = tw_streams_of(TW_STREAMS_HYPER).first + s * h->o->particles;
    tw_kept kept = {NULL, NULL};
    if (r->x) kept = (tw_kept){r->x + s * block, r->log_density + s * r->kept};
    b->point[item] = (tw_point){.log_z = -INFINITY, .start = TW_HYPER_EP};
    if (!(b->log_rest[item] > -INFINITY)) return TW_OK;
    tw_hyper_fill(h, r->theta + s * h->unknown, place->theta);
    return tw_place_estimate(place, b->guess[item].tau ? &b->guess[item] : NULL, h->o, chain, &b->point[item],
                             kept);
}

static void take_sums(const batch *b)
{
    const tw_hyper_sums *s = &b->sums;
    tw_estimate *e = &b->h->result->estimate;
    e->acceptance = s->transitions > 0.0 ? s->acceptance / s->transitions : NAN;
    e->failures = s->transitions > 0.0 ? s->failures / s->transitions : 0.0;
}

static void take(batch *b)
{
    tw_hyper_result *r = b->h->result;
    for (size_t k = 0; k < b->h->o->scrambles; k++) {
        const tw_point *p = &b->point[k];
        r->log_z[b->first + k] = p->log_z;
        r->log_weight[b->first + k] = p->log_z > -INFINITY ? b->log_rest[k] + p->log_z : -INFINITY;
        r->started[p->start]++;
        b->sums.acceptance += p->acceptance;
        b->sums.failures += p->failures;
        b->sums.transitions += p->transitions;
    }
    r->points = b->first + b->h->o->scrambles;
    take_sums(b);
}

static tw_status run_row(batch *b)
{
    tw_hyper *h = b->h;
    tw_hyper_result *r = h->result;
    size_t count = h->o->scrambles, bytes = sizeof *b->point, block = r->n * r->kept;
    draw(b);
    TW_TRY(tw_crew_work(h->crew, count, compute, b));
    tw_team_gather(h->ctx, count, bytes, count * bytes, b->point);
    if (r->x) {
        tw_team_gather(h->ctx, count, block * sizeof(double), count * block * sizeof(double),
                       r->x + b->first * block);
        tw_team_gather(h->ctx, count, r->kept * sizeof(double), count * r->kept * sizeof(double),
                       r->log_density + b->first * r->kept);
    }
    take(b);
    return tw_team_status(h->ctx);
}

static bool report(batch *b, size_t total)
{
    tw_hyper *h = b->h;
    const tw_hyper_result *r = h->result;
    tw_progress now = TW_PROGRESS("run", "points", r->points, total);
    now.method = "is2";
    now.acceptance = r->estimate.acceptance;
    if (h->watch.progress) now.log_z = tw_log_mean_exp(r->points, r->log_weight, &now.se);
    return tw_watch_tell(&h->watch, &now);
}

/* Check that the saved points equal those of this run's proposal, which may differ on another machine. */
static tw_status check_earlier(batch *b, const double *theta)
{
    tw_hyper *h = b->h;
    size_t count = h->o->scrambles;
    for (b->first = 0; b->first < h->result->points; b->first += count) {
        draw(b);
        const double *made = h->result->theta + b->first * h->unknown;
        if (memcmp(made, theta + b->first * h->unknown, count * h->unknown * sizeof *made) != 0)
            return tw_fail(h->ctx, TW_BAD_DATA,
                           "the saved points differ from those computed here: resume on the machine where "
                           "the run started, or start again");
    }
    take_sums(b);
    return TW_OK;
}

static tw_status take_earlier(batch *b, size_t total)
{
    tw_hyper *h = b->h;
    double *theta = NULL;
    if (!h->o->store) return TW_OK;
    TW_TRY(tw_allocate_doubles(h->ctx, h->unknown, total, "points", &theta));
    tw_status status = tw_hyper_restore(h, total, &b->sums, theta);
    if (status == TW_OK) status = check_earlier(b, theta);
    tw_release(h->ctx, theta);
    return status;
}

static tw_status run_rows(batch *b, size_t rows)
{
    tw_hyper *h = b->h;
    size_t count = h->o->scrambles;
    for (size_t i = h->result->points / count; i < rows && !h->watch.stopped; i++) {
        b->first = i * count;
        tw_status status = run_row(b);
        if (status == TW_INTERRUPTED && i >= 2 && tw_team_is_alone(h->ctx))
            h->watch.stopped = true;
        else if (status != TW_OK)
            return status;
        if (!h->watch.stopped) report(b, rows * count);
        tw_hyper_save(h, &b->sums);
    }
    return TW_OK;
}

static tw_status run(batch *b)
{
    tw_hyper *h = b->h;
    size_t count = h->o->scrambles, rows = (h->o->points + count - 1) / count;
    for (size_t r = 0; r < count; r++) tw_sobol_make(h->o->seed, r, h->unknown + 1, &b->sobol[r]);
    TW_TRY(take_earlier(b, rows * count));
    TW_TRY(run_rows(b, rows));
    h->result->stopped = h->result->points < rows * count;
    return h->result->points >= 2 * count ? TW_OK : tw_interrupt(h->ctx);
}

tw_status tw_hyper_compute(tw_hyper *h)
{
    batch b = {.h = h};
    double start = tw_wall_seconds(), cpu = tw_cpu_seconds();
    tw_status status = allocate(&b);
    if (status == TW_OK) status = run(&b);
    h->result->seconds = tw_wall_seconds() - start;
    h->result->cpu_points = tw_cpu_seconds() - cpu;
    release(&b);
    return status;
}
