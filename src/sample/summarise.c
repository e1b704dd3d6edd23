/* summarise.c: effective sample sizes and R-hat of every latent, their worst values over latents, and
 * E-BFMI. */
#include "sample/summarise.h"

#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"

/* ---- latents ---- */

typedef struct job {
    const tw_draw_block *block;
    tw_diagnose **workspace; /* one per worker */
    tw_summary *rows;
} job;

static void summarise_latent(void *user, size_t latent, size_t worker)
{
    job *j = user;
    const tw_draw_block *b = j->block;
    tw_diagnose_run(j->workspace[worker], 1, b->x + latent * b->strides.variable, b->strides,
                    &j->rows[latent]);
}

static tw_status make_workspaces(tw_context *ctx, const tw_draw_block *b, size_t threads, tw_diagnose ***out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, threads, sizeof(tw_diagnose *), "the diagnostics", &memory));
    *out = memory;
    for (size_t i = 0; i < threads; i++) TW_TRY(tw_diagnose_new(ctx, b->draws, b->chains, &(*out)[i]));
    return TW_OK;
}

tw_status tw_summarise_block(tw_context *ctx, const tw_draw_block *block, size_t threads, tw_summary *rows)
{
    job j = {.block = block, .rows = rows};
    if (threads == 0) threads = 1;
    if (threads > block->latents) threads = block->latents;
    tw_status status = make_workspaces(ctx, block, threads, &j.workspace);
    if (status == TW_OK) tw_parallel_for(block->latents, threads, summarise_latent, &j);
    for (size_t i = 0; j.workspace && i < threads; i++) tw_diagnose_free(j.workspace[i]);
    tw_release(ctx, j.workspace);
    return status;
}

/* ---- worst values over latents and chains ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The smaller and the larger of two numbers. A NaN is the result: if one latent's value is unknown, so is the
 * extreme. */
static double smaller(double a, double b)
{
    return isnan(a) || a <= b ? a : b;
}

static double larger(double a, double b)
{
    return isnan(a) || a >= b ? a : b;
}

static void take_row(const tw_summary *row, size_t i, tw_chains_summary *out)
{
    if (!isnan(out->ess_min) && !(row->ess >= out->ess_min)) out->worst = i;
    out->ess_min = smaller(out->ess_min, row->ess);
    out->ess_bulk_min = smaller(out->ess_bulk_min, row->ess_bulk);
    out->ess_tail_min = smaller(out->ess_tail_min, row->ess_tail);
    out->ess_fold_min = smaller(out->ess_fold_min, row->ess_fold);
    out->rhat_max = larger(out->rhat_max, row->rhat);
    out->rhat_chance = smaller(out->rhat_chance, row->rhat_chance);
}

static double median_of(size_t n, double *values)
{
    qsort(values, n, sizeof *values, by_value);
    return 0.5 * (values[(n - 1) / 2] + values[n / 2]);
}

/* Does any latent move? All latents of a column are accepted or rejected together, so one that never moves
 * while others do has no posterior variance and is left out of the summary. */
static bool any_moves(size_t n, const tw_summary *rows)
{
    for (size_t i = 0; i < n; i++)
        if (rows[i].sd != 0.0) return true;
    return false;
}

tw_status tw_summarise_rows(tw_context *ctx, size_t n, const tw_summary *rows, tw_chains_summary *out)
{
    double *sizes = NULL;
    size_t count = 0;
    bool some_move = any_moves(n, rows);
    TW_TRY(tw_allocate_doubles(ctx, n, 2, "the sizes", &sizes));
    out->ess_min = out->ess_bulk_min = out->ess_tail_min = out->ess_fold_min = INFINITY;
    out->rhat_max = -INFINITY;
    out->rhat_chance = 1.0;
    for (size_t i = 0; i < n; i++) {
        if (some_move && rows[i].sd == 0.0) continue;
        sizes[count] = rows[i].ess;
        sizes[n + count++] = rows[i].ess_bulk;
        take_row(&rows[i], i, out);
    }
    out->rhat_chance = tw_rhat_chance_of_many(out->rhat_chance, count);
    out->ess_median = isnan(out->ess_min) ? NAN : median_of(count, sizes);
    out->ess_bulk_median = isnan(out->ess_bulk_min) ? NAN : median_of(count, sizes + n);
    tw_release(ctx, sizes);
    return TW_OK;
}

double tw_summarise_energies(size_t draws, size_t chains, const double *energy)
{
    double smallest = NAN;
    for (size_t c = 0; c < chains; c++) {
        double fraction = tw_ebfmi(draws, energy + c * draws);
        if (isnan(smallest) || fraction < smallest) smallest = fraction;
    }
    return smallest;
}

tw_chains_summary tw_summarise_totals(const tw_totals *sampling)
{
    tw_chains_summary out = {NAN, NAN, NAN, NAN, NAN, NAN, 0, NAN, NAN, NAN, NAN};
    if (sampling->transitions > 0) out.acceptance = sampling->acceptance / (double)sampling->transitions;
    return out;
}

void tw_totals_add(tw_totals *t, size_t columns, const tw_record *records)
{
    for (size_t j = 0; j < columns; j++) {
        t->transitions++;
        t->leapfrog_steps += records[j].steps;
        t->acceptance += records[j].acceptance_rate;
        t->energy_divergence += records[j].energy_divergence;
        t->implicit_failure += records[j].implicit_failure;
        t->irreversible += records[j].irreversible;
        t->factorisation += records[j].factorisation;
    }
}

/* ---- draws in memory ---- */

static tw_status summarise_latents(const tw_draws *d, size_t threads, tw_summary *rows,
                                   tw_chains_summary *out)
{
    tw_draw_block block = {d->draws, d->chains, d->n, d->x, {d->n * d->chains, d->n, 1}};
    void *own = NULL;
    if (!rows) TW_TRY(tw_allocate(d->ctx, d->n, sizeof *rows, "the summaries of the latents", &own));
    if (!rows) rows = own;
    tw_status status = tw_summarise_block(d->ctx, &block, threads, rows);
    if (status == TW_OK) status = tw_summarise_rows(d->ctx, d->n, rows, out);
    tw_release(d->ctx, own);
    return status;
}

static tw_status smallest_ebfmi(const tw_draws *d, double *out)
{
    double *energy = NULL;
    if (!tw_method_describe(d->method)->has_energy || !d->records || d->draws == 0) return TW_OK;
    TW_TRY(tw_allocate_doubles(d->ctx, d->draws, d->chains, "the energies of the chains", &energy));
    for (size_t c = 0; c < d->chains; c++)
        for (size_t i = 0; i < d->draws; i++) energy[i + d->draws * c] = d->records[c + i * d->chains].energy;
    *out = tw_summarise_energies(d->draws, d->chains, energy);
    tw_release(d->ctx, energy);
    return TW_OK;
}

tw_status tw_draws_summarise(const tw_draws *d, size_t threads, tw_summary *rows, tw_chains_summary *out)
{
    *out = tw_summarise_totals(&d->sampling);
    TW_TRY(smallest_ebfmi(d, &out->ebfmi_min));
    return d->x && d->draws > 0 ? summarise_latents(d, threads, rows, out) : TW_OK;
}

/* Every so-many-th latent. As for all of them, one that does not move does not count. */
tw_status tw_draws_fall_short(const tw_draws *d, size_t threads, double ess, bool *out)
{
    enum { FEW = 32, MANY = 4 * FEW };
    size_t step = (d->n + FEW - 1) / FEW;
    tw_draw_block block = {
        d->draws, d->chains, (d->n + step - 1) / step, d->x, {d->n * d->chains, d->n, step}};
    tw_summary rows[FEW];
    *out = false;
    if (d->n < MANY) return TW_OK;
    TW_TRY(tw_summarise_block(d->ctx, &block, threads, rows));
    for (size_t i = 0; i < block.latents; i++)
        if (rows[i].sd != 0.0 && !(rows[i].ess >= ess)) *out = true;
    return TW_OK;
}
