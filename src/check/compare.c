/* compare.c: compares a claim with draws, latent by latent.
 *
 * Let e be an estimate from the draws (a mean, standard deviation or quantile) and s the standard deviation
 * of the draws. A claimed number c differs by d = (c - e) / s posterior standard deviations. The standard
 * error of d is the Monte Carlo standard error of e divided by s; the error of s itself changes d by a factor
 * close to one and is neglected.
 */
#include <math.h>
#include <stdlib.h>

#include "base/parallel.h"
#include "check/check.h"

static const double probability[TW_CHECK_QUANTITIES] = {
    [TW_CHECK_Q05] = 0.05, [TW_CHECK_Q50] = 0.5, [TW_CHECK_Q95] = 0.95};

static bool is_claimed(const tw_claim *claim, size_t latent)
{
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        if (!isnan(claim->value[q][latent])) return true;
    return false;
}

/* ---- one latent ---- */

/* The quantity's estimate from the draws. */
static double exact_of(const tw_diagnose *d, tw_check_quantity q)
{
    if (q == TW_CHECK_MEAN) return tw_diagnose_mean(d);
    return q == TW_CHECK_SD ? tw_diagnose_sd(d) : tw_diagnose_quantile(d, probability[q]);
}

/* Its Monte Carlo standard error. */
static double error_of(tw_diagnose *d, tw_check_quantity q)
{
    if (q == TW_CHECK_MEAN) return tw_diagnose_mcse_mean(d);
    return q == TW_CHECK_SD ? tw_diagnose_mcse_sd(d) : tw_diagnose_mcse_quantile(d, probability[q]);
}

static tw_check_value compare_value(tw_diagnose *d, tw_check_quantity q, double claimed, double sd)
{
    double exact = exact_of(d, q);
    if (isnan(claimed)) return (tw_check_value){claimed, exact, NAN, NAN};
    return (tw_check_value){claimed, exact, (claimed - exact) / sd, error_of(d, q) / sd};
}

/* |difference| in units of the quantity's allowed tolerances. */
static double distance(const tw_check_value *value, size_t q)
{
    return fabs(value[q].difference) / tw_check_quantity_tolerances((tw_check_quantity)q);
}

/* The quantity with the largest distance; NaN distances (not claimed) do not count. */
static tw_check_quantity furthest(const tw_check_value *value)
{
    size_t worst = 0;
    for (size_t q = 1; q < TW_CHECK_QUANTITIES; q++)
        if (isnan(distance(value, worst)) || distance(value, q) > distance(value, worst)) worst = q;
    return (tw_check_quantity)worst;
}

/* ---- all latents, on several threads ---- */

typedef struct job {
    const tw_claim *claim;
    const tw_draws *draws;
    tw_diagnose **workspace; /* one per worker */
    double **column;         /* draws x chains of one latent, one per worker */
    tw_check_row *rows;
} job;

static void compare_latent(void *user, size_t piece, size_t worker)
{
    job *j = user;
    const tw_draws *x = j->draws;
    tw_diagnose *d = j->workspace[worker];
    tw_check_row *row = &j->rows[piece];
    double *column = j->column[worker];
    for (size_t c = 0; c < x->chains; c++)
        for (size_t i = 0; i < x->draws; i++)
            column[i + c * x->draws] = x->x[row->latent + x->n * (c + x->chains * i)];
    tw_diagnose_load(d, column, x->draws);
    double sd = tw_diagnose_sd(d);
    for (size_t q = 0; q < TW_CHECK_QUANTITIES; q++)
        row->value[q] = compare_value(d, (tw_check_quantity)q, j->claim->value[q][row->latent], sd);
    row->worst = furthest(row->value);
}

static tw_status make_workspaces(job *j, size_t threads)
{
    tw_context *ctx = j->claim->ctx;
    void *memory = NULL;
    TW_TRY(tw_allocate(ctx, threads, sizeof *j->workspace, "the diagnostics", &memory));
    j->workspace = memory;
    TW_TRY(tw_allocate(ctx, threads, sizeof *j->column, "the draws of a latent", &memory));
    j->column = memory;
    for (size_t k = 0; k < threads; k++) {
        TW_TRY(tw_diagnose_new(ctx, j->draws->draws, j->draws->chains, &j->workspace[k]));
        TW_TRY(tw_allocate_doubles(ctx, j->draws->draws, j->draws->chains, "the draws of a latent",
                                   &j->column[k]));
    }
    return TW_OK;
}

static void free_workspaces(job *j, size_t threads)
{
    tw_context *ctx = j->claim->ctx;
    for (size_t k = 0; j->workspace && k < threads; k++) tw_diagnose_free(j->workspace[k]);
    for (size_t k = 0; j->column && k < threads; k++) tw_release(ctx, j->column[k]);
    tw_release(ctx, j->workspace);
    tw_release(ctx, j->column);
}

/* ---- the result ---- */

/* The largest distance first; if equal, the first latent first. */
static int by_distance(const void *a, const void *b)
{
    const tw_check_row *x = a, *y = b;
    double p = distance(x->value, x->worst), q = distance(y->value, y->worst);
    if (p != q) return p < q ? 1 : -1;
    return x->latent < y->latent ? -1 : 1;
}

static double root_mean_square(const tw_check_result *r, tw_check_quantity q)
{
    double sum = 0.0;
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++) {
        double d = r->rows[k].value[q].difference;
        if (isnan(d)) continue;
        sum += d * d;
        count++;
    }
    return sqrt(sum / (double)count); /* 0/0 = NaN if none is claimed */
}

/* One row for each latent with a claim. */
static tw_status choose_rows(const tw_claim *claim, tw_check_result *out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(claim->ctx, claim->n, sizeof *out->rows, "the differences", &memory));
    out->rows = memory;
    for (size_t i = 0; i < claim->n; i++)
        if (is_claimed(claim, i)) out->rows[out->count++].latent = i;
    return TW_OK;
}

tw_status tw_check_compare(const tw_claim *claim, const tw_draws *draws, size_t threads, tw_check_result *out)
{
    job j = {.claim = claim, .draws = draws};
    TW_TRY(choose_rows(claim, out));
    threads = threads < out->count ? threads : out->count;
    if (out->count == 0) return TW_OK;
    j.rows = out->rows;
    tw_status status = make_workspaces(&j, threads);
    if (status == TW_OK) tw_parallel_for(out->count, threads, compare_latent, &j);
    free_workspaces(&j, threads);
    if (status != TW_OK) return status;
    qsort(out->rows, out->count, sizeof *out->rows, by_distance);
    out->rms_mean = root_mean_square(out, TW_CHECK_MEAN);
    out->rms_sd = root_mean_square(out, TW_CHECK_SD);
    return TW_OK;
}
