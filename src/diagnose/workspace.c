/* workspace.c: allocate and free a workspace, and load the draws of one scalar. */
#include <math.h>
#include <string.h>

#include "diagnose/diagnose.h"
#include "math/normal.h"

void tw_diagnose_free(tw_diagnose *d)
{
    if (!d) return;
    tw_context *ctx = d->ctx;
    tw_release(ctx, d->x);
    tw_release(ctx, d->sorted);
    tw_release(ctx, d->place);
    tw_release(ctx, d->folded);
    tw_release(ctx, d->folded_place);
    tw_release(ctx, d->score);
    tw_release(ctx, d->series);
    tw_release(ctx, d->rho);
    tw_autocovariance_free(d->autocovariance);
    tw_release(ctx, d->items);
    tw_release(ctx, d->counts);
    tw_release(ctx, d);
}

static tw_status allocate_integers(tw_context *ctx, size_t n, uint32_t **out)
{
    void *memory = NULL;
    tw_status status = tw_allocate(ctx, n, sizeof **out, "the order of the draws", &memory);
    *out = memory;
    return status;
}

static tw_status allocate_arrays(tw_diagnose *d)
{
    tw_context *ctx = d->ctx;
    void *items = NULL;
    size_t total = d->total, split = 2 * d->half * d->chains;
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "the draws", &d->x));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "the sorted draws", &d->sorted));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "the folded draws", &d->folded));
    TW_TRY(tw_allocate_doubles(ctx, total, 1, "a series of draws", &d->series));
    TW_TRY(tw_allocate_doubles(ctx, 2 * split + 1, 1, "the normal scores", &d->score));
    TW_TRY(tw_allocate_doubles(ctx, d->half + 2, 1, "the autocorrelations", &d->rho));
    TW_TRY(allocate_integers(ctx, total, &d->place));
    TW_TRY(allocate_integers(ctx, total, &d->folded_place));
    TW_TRY(allocate_integers(ctx, (size_t)TW_SORT_PASSES * TW_SORT_BUCKETS, &d->counts));
    TW_TRY(tw_allocate(ctx, 2 * total, sizeof *d->items, "sorting the draws", &items));
    d->items = items;
    return tw_autocovariance_new(ctx, 2 * d->chains, d->half, &d->autocovariance);
}

/* The score of rank r of S is the normal quantile of (r - 3/8) / (S + 1/4) (Blom). Ties share their mean
 * rank, a multiple of 1/2, so there are two scores per rank. */
static void fill_scores(tw_diagnose *d)
{
    size_t split = 2 * d->half * d->chains;
    for (size_t k = 2; k <= 2 * split; k++)
        d->score[k] = tw_normal_quantile((0.5 * (double)k - 0.375) / ((double)split + 0.25));
}

tw_status tw_diagnose_new(tw_context *ctx, size_t draws, size_t chains, tw_diagnose **out)
{
    void *memory = NULL;
    *out = NULL;
    if (draws == 0 || chains == 0 || draws > UINT32_MAX / 4 / chains)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "diagnostics need 1 to 2^30 draws in total, not %zu draws of %zu chains", draws,
                       chains);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_diagnose), "diagnostics", &memory));
    tw_diagnose *d = memory;
    *d = (tw_diagnose){
        .ctx = ctx, .draws = draws, .chains = chains, .total = draws * chains, .half = draws / 2};
    tw_status status = allocate_arrays(d);
    if (status != TW_OK) {
        tw_diagnose_free(d);
        return status;
    }
    fill_scores(d);
    d->has_nan = true; /* every result is NaN until draws are loaded */
    d->x[0] = NAN;
    *out = d;
    return TW_OK;
}

void tw_diagnose_prepare(tw_diagnose *d)
{
    d->has_nan = false;
    for (size_t i = 0; i < d->total; i++) d->has_nan |= isnan(d->x[i]) != 0;
    if (!d->has_nan) tw_sort(d->total, d->x, d->items, d->counts, d->sorted, d->place);
}

void tw_diagnose_load(tw_diagnose *d, const double *x, size_t ld)
{
    for (size_t c = 0; c < d->chains; c++) memcpy(d->x + c * d->draws, x + c * ld, d->draws * sizeof *x);
    tw_diagnose_prepare(d);
}
