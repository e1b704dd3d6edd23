/* draws.c: write the groups posterior, sample_stats, log_likelihood (and summary) of a run file in blocks of
 * draws. The draws are in the layout of a journal, whether they come from one or from memory. */
#include <stdio.h>
#include <string.h>

#include "likelihood/partial.h"
#include "output/run/file.h"

/* ---- draws ---- */

/* The transfer of draws to the file, `rows` at a time. */
typedef struct transfer {
    const tw_draws_feed *feed;
    const tw_journal *journal; /* the layout of the feed */
    tw_nc_writer *file;
    size_t n, chains, rows;
    const tw_observations *observed;
    int posterior, x; /* ids of groups and variables */
    int stats, statistic[TW_STATISTIC_COUNT];
    int likelihood, y;
    void *draws;   /* in the layout of a journal */
    double *block; /* rows x n */
    /* Statistics are buffered for as many draws as HDF5 writes at a time (its sieve buffer, 64 kB of one
     * chain); otherwise it would rewrite the buffer for every few draws. held[i + room (c + chains k)] is
     * statistic k of chain c. */
    double *held;
    size_t room, held_first, held_count;
} transfer;

static size_t rows_at_once(const tw_journal *j)
{
    size_t rows = (TW_RUN_BLOCK / 4) / j->stride, most = j->draws < 256 ? j->draws : 256;
    return rows < 1 ? 1 : rows < most ? rows : most;
}

/* The number of draws whose statistics are buffered: 64 kB of each, if they fit. */
static size_t statistics_at_once(const tw_journal *j)
{
    size_t bytes = TW_STATISTIC_COUNT * (size_t)j->settings.chains * sizeof(double);
    size_t fit = TW_RUN_BLOCK / 4 / bytes, most = 1 << 13;
    return fit < 1 ? 1 : fit < most ? fit : most;
}

static void define_draws(transfer *t)
{
    tw_nc_writer *w = t->file;
    const tw_journal_settings *s = &t->journal->settings;
    int dimensions[3];
    if (!s->summary_only) {
        t->posterior = tw_nc_group(w, "posterior");
        dimensions[0] = tw_nc_index(w, t->posterior, "chain", t->chains);
        dimensions[1] = tw_nc_index(w, t->posterior, "draw", t->journal->draws);
        dimensions[2] = tw_nc_index(w, t->posterior, "obs", t->n);
        t->x = tw_nc_variable(w, t->posterior, "x", NC_DOUBLE, 3, dimensions);
        tw_nc_describe(w, t->posterior, t->x, "latent value of each observation");
    }
    t->likelihood = tw_nc_group(w, "log_likelihood");
    dimensions[0] = tw_nc_index(w, t->likelihood, "chain", t->chains);
    dimensions[1] = tw_nc_index(w, t->likelihood, "draw", t->journal->draws);
    if (s->pointwise) dimensions[2] = tw_nc_index(w, t->likelihood, "obs", t->n);
    t->y = tw_nc_variable(w, t->likelihood, "y", NC_DOUBLE, s->pointwise ? 3 : 2, dimensions);
    tw_nc_describe(w, t->likelihood, t->y,
                   s->pointwise ? "log p(y | x) of each observation"
                                : "log p(y | x), summed over the observations");
}

static void define_statistics(transfer *t)
{
    tw_nc_writer *w = t->file;
    t->stats = tw_nc_group(w, "sample_stats");
    const int dimensions[2] = {tw_nc_index(w, t->stats, "chain", t->chains),
                               tw_nc_index(w, t->stats, "draw", t->journal->draws)};
    for (size_t k = 0; k < TW_STATISTIC_COUNT; k++) {
        const tw_statistic *s = &tw_statistics[k];
        t->statistic[k] = s->type == NC_BYTE ? tw_nc_flag(w, t->stats, s->name, 2, dimensions)
                                             : tw_nc_variable(w, t->stats, s->name, s->type, 2, dimensions);
        tw_nc_describe(w, t->stats, t->statistic[k], s->words);
    }
}

static void put_statistic(transfer *t, size_t k, int group, int variable)
{
    for (size_t c = 0; c < t->chains && tw_nc_ok(t->file, NC_NOERR); c++) {
        const size_t start[2] = {c, t->held_first}, edge[2] = {1, t->held_count};
        tw_nc_ok(t->file,
                 nc_put_vara_double(group, variable, start, edge, t->held + t->room * (c + t->chains * k)));
    }
}

/* Write the buffered statistics. */
static void put_held(transfer *t)
{
    if (t->held_count == 0) return;
    for (size_t k = 0; k < TW_STATISTIC_COUNT; k++) put_statistic(t, k, t->stats, t->statistic[k]);
    if (!t->journal->settings.pointwise) put_statistic(t, TW_STATISTIC_COUNT - 1, t->likelihood, t->y);
    t->held_first += t->held_count;
    t->held_count = 0;
}

static void hold_statistics(transfer *t, const tw_journal_draw *draw)
{
    const tw_journal_record *records = tw_journal_records_of(draw);
    for (size_t k = 0; k < TW_STATISTIC_COUNT; k++)
        for (size_t c = 0; c < t->chains; c++)
            t->held[t->held_count + t->room * (c + t->chains * k)] =
                tw_statistics[k].value(draw, &records[c]);
    if (++t->held_count == t->room) put_held(t);
}

/* Write x of one chain or, with `likelihood`, log p(y | x) of each observation. */
static void put_chain(transfer *t, size_t chain, size_t first, size_t count, bool likelihood)
{
    const size_t start[3] = {chain, first, 0}, edge[3] = {1, count, t->n};
    const tw_observations *o = t->observed;
    for (size_t i = 0; i < count; i++) {
        const double *x =
            tw_journal_x_of(t->journal, tw_journal_draw_at(t->journal, t->draws, i)) + chain * t->n;
        double *row = t->block + i * t->n;
        if (likelihood)
            o->likelihood->terms(o, x, row, NULL, NULL, NULL);
        else
            memcpy(row, x, t->n * sizeof *x);
    }
    if (tw_nc_ok(t->file, NC_NOERR))
        tw_nc_ok(t->file, nc_put_vara_double(likelihood ? t->likelihood : t->posterior,
                                             likelihood ? t->y : t->x, start, edge, t->block));
}

static void put_draws(transfer *t, size_t first, size_t count)
{
    const tw_journal_settings *s = &t->journal->settings;
    for (size_t i = 0; i < count; i++) hold_statistics(t, tw_journal_draw_at(t->journal, t->draws, i));
    for (size_t c = 0; c < t->chains; c++) {
        if (!s->summary_only) put_chain(t, c, first, count, false);
        if (s->pointwise) put_chain(t, c, first, count, true);
    }
}

static tw_status transfer_draws(transfer *t)
{
    const tw_journal *j = t->journal;
    TW_TRY(tw_allocate(j->ctx, t->rows, j->stride, "draws of the journal", &t->draws));
    TW_TRY(tw_allocate_doubles(j->ctx, t->rows, t->n, "draws of a chain", &t->block));
    TW_TRY(tw_allocate_doubles(j->ctx, t->room * TW_STATISTIC_COUNT, t->chains, "statistics of the draws",
                               &t->held));
    define_draws(t);
    define_statistics(t);
    for (size_t first = 0; first < j->draws && t->file->error == NC_NOERR; first += t->rows) {
        size_t count = j->draws - first < t->rows ? j->draws - first : t->rows;
        TW_TRY(t->feed->read(t->feed->from, first, count, t->draws));
        put_draws(t, first, count);
    }
    put_held(t);
    return TW_OK;
}

/* ---- a summary instead of draws ---- */

static tw_status put_summary(const tw_draws_feed *feed, tw_nc_writer *w)
{
    const tw_journal *j = feed->layout;
    const tw_latents latents = {j->ctx,   (size_t)j->settings.n, (size_t)j->settings.chains,
                                j->draws, feed->read_latents,    feed->from};
    void *rows = NULL;
    TW_TRY(tw_allocate(j->ctx, latents.n, sizeof(tw_summary), "the summaries of the latents", &rows));
    tw_status status = tw_latents_summarise(&latents, (size_t)j->settings.threads, rows);
    if (status == TW_OK) tw_summary_put(w, latents.n, rows);
    tw_release(j->ctx, rows);
    return status;
}

/* ---- the groups ---- */

static tw_status add_groups(const tw_draws_feed *feed, tw_nc_writer *w, const tw_observations *observed)
{
    const tw_journal *j = feed->layout;
    tw_observations sites = *observed;
    tw_partial partial;
    if (tw_partial_needed(observed)) {
        tw_partial_fill(observed, &partial);
        sites.likelihood = &partial.table;
    }
    transfer t = {.feed = feed,
                  .journal = j,
                  .file = w,
                  .n = (size_t)j->settings.n,
                  .chains = (size_t)j->settings.chains,
                  .rows = w->rows,
                  .room = statistics_at_once(j),
                  .observed = &sites};
    tw_status status = transfer_draws(&t);
    tw_release(j->ctx, t.draws);
    tw_release(j->ctx, t.block);
    tw_release(j->ctx, t.held);
    return status == TW_OK && j->settings.summary_only ? put_summary(feed, w) : status;
}

/* An upper bound of the length of the file; closing it releases the rest. */
static uint64_t bytes_needed(const tw_journal *j)
{
    enum { GROUPS = 1 << 16, PER_DRAW = 16, PER_LATENT = 16 };
    const tw_journal_settings *s = &j->settings;
    uint64_t arrays = (s->summary_only ? 0u : 1u) + (s->pointwise ? 1u : 0u);
    uint64_t numbers = (s->n * arrays + PER_DRAW) * s->chains * j->draws + PER_LATENT * s->n;
    return s->bytes + numbers * sizeof(double) + GROUPS;
}

tw_status tw_draws_put(const tw_draws_feed *feed, tw_writer *writer, const tw_run_facts *facts,
                       const tw_observations *observed)
{
    const tw_journal *j = feed->layout;
    tw_nc_writer w = {.ctx = j->ctx,
                      .path = writer->path,
                      .file = -1,
                      .compress = (unsigned)j->settings.compress,
                      .rows = j->draws > 0 ? rows_at_once(j) : 1};
    TW_TRY(tw_writer_reserve(writer, bytes_needed(j)));
    snprintf(w.created_at, sizeof w.created_at, "%s", facts->created_at);
    tw_nc_reopen(&w, writer->temporary);
    tw_facts_put(&w, facts);
    tw_status status = j->draws > 0 ? add_groups(feed, &w, observed) : TW_OK;
    tw_status closed = tw_nc_finish(&w);
    return status == TW_OK ? closed : status;
}
