/* summarise.c: what the draws of all chains are worth: effective sizes, R-hat, energy, for every latent. */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "sample/sampler.h"
#include "talweg/chains.h"

typedef struct job {
    const tw_draws *draws;
    tw_diagnose **workspace; /* one per worker */
    tw_summary *rows;
} job;

static void summarise_latent(void *user, size_t latent, size_t worker)
{
    job *j = user;
    const tw_draws *d = j->draws;
    tw_strides strides = {.draw = d->n * d->chains, .chain = d->n, .variable = 1};
    tw_diagnose_run(j->workspace[worker], 1, d->x + latent, strides, &j->rows[latent]);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The extremes over latents; a latent whose figures are NaN makes the extreme NaN. */
static void extremes(size_t n, const tw_summary *rows, double *sorted, tw_chains_summary *out)
{
    out->ess_bulk_min = out->ess_tail_min = INFINITY;
    out->rhat_max = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        sorted[i] = rows[i].ess_bulk;
        if (rows[i].ess_bulk < out->ess_bulk_min) out->worst = i;
        if (!(rows[i].ess_bulk >= out->ess_bulk_min)) out->ess_bulk_min = rows[i].ess_bulk;
        if (!(rows[i].ess_tail >= out->ess_tail_min)) out->ess_tail_min = rows[i].ess_tail;
        if (!(rows[i].rhat <= out->rhat_max)) out->rhat_max = rows[i].rhat;
    }
    qsort(sorted, n, sizeof *sorted, by_value);
    out->ess_bulk_median = isnan(out->ess_bulk_min) ? NAN : 0.5 * (sorted[(n - 1) / 2] + sorted[n / 2]);
}

static void run_job(job *j, size_t threads, double *sorted, tw_chains_summary *out)
{
    size_t n = j->draws->n;
    tw_parallel_for(n, threads, summarise_latent, j);
    extremes(n, j->rows, sorted, out);
}

static tw_status make_workspaces(const tw_draws *d, size_t threads, tw_diagnose ***out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(d->ctx, threads, sizeof(tw_diagnose *), "the diagnostics", &memory));
    *out = memory;
    for (size_t i = 0; i < threads; i++) TW_TRY(tw_diagnose_new(d->ctx, d->draws, d->chains, &(*out)[i]));
    return TW_OK;
}

static tw_status summarise_latents(const tw_draws *d, size_t threads, tw_summary *rows,
                                   tw_chains_summary *out)
{
    job j = {.draws = d, .rows = rows};
    double *sorted = NULL;
    void *own = NULL;
    tw_status status = make_workspaces(d, threads, &j.workspace);
    if (status == TW_OK) status = tw_allocate_doubles(d->ctx, d->n, 1, "the sizes", &sorted);
    if (status == TW_OK && !rows)
        status = tw_allocate(d->ctx, d->n, sizeof *rows, "the summaries of the latents", &own);
    if (!rows) j.rows = own;
    if (status == TW_OK) run_job(&j, threads, sorted, out);
    for (size_t i = 0; j.workspace && i < threads; i++) tw_diagnose_free(j.workspace[i]);
    tw_release(d->ctx, j.workspace);
    tw_release(d->ctx, sorted);
    tw_release(d->ctx, own);
    return status;
}

static tw_status smallest_ebfmi(const tw_draws *d, double *out)
{
    double *energy = NULL;
    *out = NAN;
    if (d->method == TW_METHOD_SLICE || d->draws < 3) return TW_OK;
    TW_TRY(tw_allocate_doubles(d->ctx, d->draws, 1, "the energies of a chain", &energy));
    for (size_t c = 0; c < d->chains; c++) {
        for (size_t i = 0; i < d->draws; i++) energy[i] = d->records[c + i * d->chains].energy;
        double fraction = tw_ebfmi(d->draws, energy);
        if (isnan(*out) || fraction < *out) *out = fraction;
    }
    tw_release(d->ctx, energy);
    return TW_OK;
}

tw_status tw_draws_summarise(const tw_draws *d, size_t threads, tw_summary *rows, tw_chains_summary *out)
{
    *out = (tw_chains_summary){NAN, NAN, NAN, NAN, 0, NAN, NAN};
    if (threads == 0) threads = 1;
    if (d->sampling.transitions > 0)
        out->acceptance = d->sampling.acceptance / (double)d->sampling.transitions;
    TW_TRY(smallest_ebfmi(d, &out->ebfmi_min));
    return d->x && d->draws > 0 ? summarise_latents(d, threads, rows, out) : TW_OK;
}
