/* summary.c: summaries of a run from blocks of latents that fit into memory; and the group summary, which
 * replaces the draws if they are not kept. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "output/run/file.h"
#include "sample/summarise.h"

/* ---- blocks of latents ---- */

static size_t latents_at_once(const tw_latents *l)
{
    size_t each = l->draws * l->chains * sizeof(double);
    size_t count = TW_RUN_BLOCK / each > 0 ? TW_RUN_BLOCK / each : 1;
    return count < l->n ? count : l->n;
}

/* The workspace of a thread takes 100 bytes for each draw of each chain (diagnose.h). Use as many threads as
 * fit into eight blocks. */
static size_t threads_for(const tw_latents *l, size_t threads)
{
    size_t most = 8 * (size_t)TW_RUN_BLOCK / (100 * l->draws * l->chains);
    return threads < most ? threads : most > 0 ? most : 1;
}

tw_status tw_latents_summarise(const tw_latents *l, size_t threads, tw_summary *rows)
{
    size_t most = latents_at_once(l), each = l->draws * l->chains;
    double *x = NULL;
    TW_TRY(tw_allocate_doubles(l->ctx, each, most, "draws of some latents", &x));
    tw_status status = TW_OK;
    for (size_t first = 0; status == TW_OK && first < l->n; first += most) {
        size_t count = l->n - first < most ? l->n - first : most;
        tw_draw_block block = {l->draws, l->chains, count, x, {1, l->draws, each}};
        status = l->read(l->from, first, count, x);
        if (status == TW_OK)
            status = tw_summarise_block(l->ctx, &block, threads_for(l, threads), rows + first);
    }
    tw_release(l->ctx, x);
    return status;
}

/* ---- the group ---- */

typedef struct column {
    const char *name;
    size_t offset;
    bool later; /* absent in older files: NaN */
} column;

static const column columns[] = {
    {"mean", offsetof(tw_summary, mean), false},
    {"mcse_mean", offsetof(tw_summary, mcse_mean), false},
    {"sd", offsetof(tw_summary, sd), false},
    {"q5", offsetof(tw_summary, q5), false},
    {"median", offsetof(tw_summary, median), false},
    {"q95", offsetof(tw_summary, q95), false},
    {"ess_bulk", offsetof(tw_summary, ess_bulk), false},
    {"ess_tail", offsetof(tw_summary, ess_tail), false},
    {"ess_fold", offsetof(tw_summary, ess_fold), true},
    {"rhat", offsetof(tw_summary, rhat), false},
    {"rhat_chance", offsetof(tw_summary, rhat_chance), true},
};

enum { COLUMNS = sizeof columns / sizeof *columns };

void tw_summary_put(tw_nc_writer *w, size_t n, const tw_summary *rows)
{
    int group = tw_nc_group(w, "summary"), obs = tw_nc_index(w, group, "obs", n);
    double *values = NULL;
    if (tw_allocate_doubles(w->ctx, n, 1, "a column of the summary", &values) != TW_OK)
        tw_nc_ok(w, NC_ENOMEM);
    for (size_t k = 0; k < COLUMNS && w->error == NC_NOERR; k++) {
        for (size_t i = 0; i < n; i++)
            memcpy(&values[i], (const char *)&rows[i] + columns[k].offset, sizeof *values);
        tw_nc_doubles(w, group, columns[k].name, 1, &obs, values);
    }
    tw_release(w->ctx, values);
}

static tw_status read_column(const tw_nc_reader *r, int group, const column *c, size_t n, double *values)
{
    if (!c->later || tw_nc_has_variable(group, c->name))
        return tw_nc_read_doubles(r, group, c->name, 1, &n, values);
    for (size_t i = 0; i < n; i++) values[i] = NAN;
    return TW_OK;
}

static tw_status read_rows(const tw_nc_reader *r, size_t n, tw_summary *rows)
{
    int group = -1;
    double *values = NULL;
    TW_TRY(tw_nc_find_group(r, "summary", &group));
    TW_TRY(tw_allocate_doubles(r->ctx, n, 1, "a column of the summary", &values));
    tw_status status = TW_OK;
    for (size_t k = 0; k < COLUMNS && status == TW_OK; k++) {
        status = read_column(r, group, &columns[k], n, values);
        for (size_t i = 0; status == TW_OK && i < n; i++)
            memcpy((char *)&rows[i] + columns[k].offset, &values[i], sizeof *values);
    }
    for (size_t i = 0; status == TW_OK && i < n; i++) rows[i].ess = tw_summary_ess(&rows[i]);
    tw_release(r->ctx, values);
    return status;
}

/* ---- an open run ---- */

static tw_status read_latents(void *from, size_t first, size_t count, double *x)
{
    return tw_run_read_latents(from, first, count, x);
}

static tw_status smallest_ebfmi(tw_run *run, double *out)
{
    const tw_run_facts *f = &run->facts.facts;
    double *energy = NULL;
    if (!tw_run_has_energy(f)) return TW_OK;
    TW_TRY(tw_allocate_doubles(run->ctx, f->draws, f->chains, "the energies of the chains", &energy));
    tw_status status = tw_run_read_statistic(run, "energy", energy);
    if (status == TW_OK) *out = tw_summarise_energies(f->draws, f->chains, energy);
    tw_release(run->ctx, energy);
    return status;
}

static tw_status get_rows(tw_run *run, size_t threads, tw_summary *rows)
{
    const tw_run_facts *f = &run->facts.facts;
    const tw_latents latents = {run->ctx, f->n, f->chains, f->draws, read_latents, run};
    if (f->has_x) return tw_latents_summarise(&latents, threads, rows);
    tw_status status = read_rows(&run->file, f->n, rows);
    return status == TW_OK ? TW_OK : tw_fail_within(run->ctx, status, "%.1000s: ", run->path);
}

/* Draws of unknown parameters are not a chain: their effective number is that of the weights, and they have
 * no R-hat. */
static void weigh_rows(const tw_run_theta *t, size_t n, tw_summary *rows)
{
    for (size_t i = 0; i < n; i++) {
        tw_summary *row = &rows[i];
        row->ess_bulk = row->ess_tail = row->ess_fold = row->ess = t->weight_ess;
        row->rhat = row->rhat_chance = NAN;
        row->mcse_mean = row->sd / sqrt(t->weight_ess);
    }
}

tw_status tw_run_summarise(tw_run *run, size_t threads, tw_summary *rows, tw_chains_summary *out)
{
    const tw_run_facts *f = &run->facts.facts;
    void *own = NULL;
    *out = tw_summarise_totals(&f->sampling);
    if (f->draws == 0) return TW_OK;
    TW_TRY(smallest_ebfmi(run, &out->ebfmi_min));
    if (!rows) TW_TRY(tw_allocate(run->ctx, f->n, sizeof *rows, "the summaries of the latents", &own));
    if (!rows) rows = own;
    tw_status status = get_rows(run, threads, rows);
    if (status == TW_OK && tw_run_read_theta(run)) weigh_rows(tw_run_read_theta(run), f->n, rows);
    if (status == TW_OK) status = tw_summarise_rows(run->ctx, f->n, rows, out);
    tw_release(run->ctx, own);
    return status;
}

/* ---- a run that is being written ---- */

static tw_status read_journal(void *from, size_t first, size_t count, double *x)
{
    return tw_journal_read_latents(from, first, count, x);
}

tw_status tw_run_look(tw_run_writer *w, size_t threads, tw_chains_summary *out)
{
    tw_journal *j = &w->journal;
    const tw_latents latents = {w->ctx,   (size_t)j->settings.n, (size_t)j->settings.chains,
                                j->draws, read_journal,          j};
    void *rows = NULL;
    *out = tw_summarise_totals(&(tw_totals){0});
    if (j->draws == 0) return TW_OK;
    TW_TRY(tw_allocate(w->ctx, latents.n, sizeof(tw_summary), "the summaries of the latents", &rows));
    tw_status status = tw_latents_summarise(&latents, threads, rows);
    if (status == TW_OK) status = tw_summarise_rows(w->ctx, latents.n, rows, out);
    tw_release(w->ctx, rows);
    return status;
}
