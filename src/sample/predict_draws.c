/* predict_draws.c: make a predictor: allocate its memory, and read and whiten the draws. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "sample/predict.h"

/* ---- draws in memory as a source ---- */

static tw_status read_from_memory(void *user, size_t chain, size_t first, size_t count, double *x)
{
    const tw_draws *d = user;
    for (size_t i = 0; i < count; i++)
        memcpy(x + i * d->n, d->x + d->n * (chain + d->chains * (first + i)), d->n * sizeof *x);
    return TW_OK;
}

tw_draw_source tw_draws_source(const tw_draws *draws)
{
    return (tw_draw_source){.n = draws->n,
                            .chains = draws->chains,
                            .draws = draws->x ? draws->draws : 0,
                            .user = (void *)draws,
                            .read = read_from_memory};
}

/* ---- whitening ---- */

typedef struct whitening {
    const tw_draws_predictor *p;
    size_t count;
    double *v;
} whitening;

static void whiten_tile(void *user, size_t tile, size_t worker)
{
    (void)worker;
    const whitening *w = user;
    const tw_gaussian *prior = w->p->model->prior;
    size_t start = tile * TW_PREDICT_TILE, left = w->count - start;
    tw_gaussian_solve(prior, left < TW_PREDICT_TILE ? left : TW_PREDICT_TILE, w->p->x + start * prior->n,
                      w->v + start * prior->r);
}

/* Read draws and write V = L^-1 X to v. */
static tw_status read_whitened(tw_draws_predictor *p, size_t chain, size_t first, size_t count, double *v)
{
    size_t n = p->source.n;
    whitening w = {.p = p, .count = count};
    w.v = v;
    TW_TRY(p->source.read(p->source.user, chain, first, count, p->x));
    for (size_t i = 0; i < n * count; i++)
        if (!isfinite(p->x[i]))
            return tw_fail(p->ctx, TW_BAD_DATA, "draw %zu of chain %zu has the value %g for latent %zu",
                           first + i / n + 1, chain + 1, p->x[i], i % n + 1);
    tw_parallel_for((count + TW_PREDICT_TILE - 1) / TW_PREDICT_TILE, p->threads, whiten_tile, &w);
    return TW_OK;
}

tw_status tw_predict_whitened(tw_draws_predictor *p, size_t chain, size_t first, size_t count,
                              const double **v)
{
    size_t before = p->kept ? chain * p->source.draws + first : 0;
    *v = p->v + before * p->model->prior->r;
    return p->kept ? TW_OK : read_whitened(p, chain, first, count, p->v);
}

/* Whiten all draws once, if they are to be kept. */
static tw_status keep_draws(tw_draws_predictor *p)
{
    size_t draws = p->source.draws, rank = p->model->prior->r;
    for (size_t chain = 0; p->kept && chain < p->source.chains; chain++)
        for (size_t first = 0; first < draws; first += p->block) {
            size_t count = draws - first < p->block ? draws - first : p->block;
            TW_TRY(read_whitened(p, chain, first, count, p->v + (chain * draws + first) * rank));
        }
    return TW_OK;
}

/* ---- memory ---- */

void tw_draws_predictor_free(tw_draws_predictor *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    double *arrays[] = {p->lengths,
                        p->x,
                        p->v,
                        p->cross,
                        p->u,
                        p->series,
                        p->square_series,
                        p->log_series,
                        p->score_series,
                        p->left_out,
                        p->error_series,
                        p->quantile_means,
                        p->quantile_sds,
                        p->diagonal};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(ctx, arrays[i]);
    for (size_t i = 0; p->workers && i < p->threads; i++) {
        tw_release(ctx, p->workers[i].means);
        tw_release(ctx, p->workers[i].values);
        tw_diagnose_free(p->workers[i].diagnose);
    }
    tw_release(ctx, p->workers);
    tw_release(ctx, p->placed);
    tw_release(ctx, p->cases);
    tw_release(ctx, p);
}

static tw_status allocate_workers(tw_draws_predictor *p)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(p->ctx, p->threads, sizeof *p->workers, "the threads' work space", &memory));
    p->workers = memory;
    for (size_t i = 0; i < p->threads; i++) {
        tw_predict_worker *w = &p->workers[i];
        TW_TRY(tw_allocate_doubles(p->ctx, p->block, TW_PREDICT_TILE, "a tile of predictions", &w->means));
        TW_TRY(tw_allocate_doubles(p->ctx, p->block, 2, "predictions of a case", &w->values));
        TW_TRY(tw_diagnose_new(p->ctx, p->batches, p->source.chains, &w->diagnose));
    }
    return TW_OK;
}

static tw_status allocate_series(tw_draws_predictor *p)
{
    static const char *const what = "the predictions of batches";
    size_t length = p->batches * p->source.chains;
    void *cases = NULL;
    TW_TRY(tw_allocate_doubles(p->ctx, p->batches, 1, what, &p->lengths));
    TW_TRY(tw_allocate_doubles(p->ctx, length, p->points, what, &p->series));
    TW_TRY(tw_allocate_doubles(p->ctx, length, p->two_classes ? 0 : p->points, what, &p->square_series));
    TW_TRY(tw_allocate_doubles(p->ctx, length, p->points, what, &p->log_series));
    TW_TRY(tw_allocate_doubles(p->ctx, length, 1, what, &p->score_series));
    TW_TRY(tw_allocate_doubles(p->ctx, length, 1, what, &p->error_series));
    TW_TRY(tw_allocate_doubles(p->ctx, tw_predict_groups(p), 1, what, &p->left_out));
    TW_TRY(tw_allocate_doubles(p->ctx, p->quantile_draws, p->points, what, &p->quantile_means));
    TW_TRY(tw_allocate(p->ctx, p->points, sizeof *p->cases, "the new cases", &cases));
    p->cases = cases;
    for (size_t t = 0; t < p->batches; t++)
        p->lengths[t] = (double)(tw_batch_start(p, t + 1) - tw_batch_start(p, t));
    return TW_OK;
}

static tw_status allocate(tw_draws_predictor *p, size_t bytes)
{
    tw_context *ctx = p->ctx;
    const tw_draw_source *source = &p->source;
    size_t n = source->n, rank = source->places ? n : p->model->prior->r;
    p->kept = !source->places && source->draws <= bytes / sizeof(double) / rank / source->chains;
    size_t columns = p->kept ? source->draws * source->chains : p->block;
    TW_TRY(tw_allocate_doubles(ctx, n, p->block, "a block of draws", &p->x));
    TW_TRY(tw_allocate_doubles(ctx, rank, columns, "the whitened draws", &p->v));
    TW_TRY(tw_allocate_doubles(ctx, n, p->points, "the cross-covariances", &p->cross));
    TW_TRY(tw_allocate_doubles(ctx, p->points, 1, "the prior variances", &p->diagonal));
    TW_TRY(tw_allocate_doubles(ctx, rank, p->points, "the whitened covariances", &p->u));
    TW_TRY(allocate_series(p));
    return allocate_workers(p);
}

/* ---- places ---- */

static int by_place(const void *a, const void *b)
{
    const tw_placed_draw *x = a, *y = b;
    if (x->place != y->place) return x->place < y->place ? -1 : 1;
    if (x->chain != y->chain) return x->chain < y->chain ? -1 : 1;
    return (x->draw > y->draw) - (x->draw < y->draw);
}

/* List all draws, sorted by place, then in their order. */
static tw_status list_placed_draws(tw_draws_predictor *p)
{
    const tw_draw_source *source = &p->source;
    const tw_draw_places *places = source->places;
    size_t total = source->chains * source->draws;
    void *memory = NULL;
    TW_TRY(tw_allocate(p->ctx, total, sizeof *p->placed, "the draws by their parameters", &memory));
    p->placed = memory;
    for (size_t i = 0; i < total; i++) {
        size_t chain = i / source->draws, draw = i % source->draws;
        p->placed[i] = (tw_placed_draw){places->of(places->user, chain, draw), chain, draw};
    }
    qsort(p->placed, total, sizeof *p->placed, by_place);
    return tw_allocate_doubles(p->ctx, p->quantile_draws, p->points, "the predictions of batches",
                               &p->quantile_sds);
}

/* ---- a predictor ---- */

static size_t count_batches(const tw_draw_source *source)
{
    size_t most = TW_PREDICT_SERIES / source->chains;
    if (most < TW_PREDICT_LEAST_BATCHES) most = TW_PREDICT_LEAST_BATCHES;
    return source->draws < most ? source->draws : most;
}

/* The number of draws in a block: at most 32 MB of them, but at least 16. */
static size_t draws_of_a_block(size_t n)
{
    size_t most = ((size_t)1 << 22) / n;
    return most > TW_PREDICT_DRAWS ? TW_PREDICT_DRAWS : most < 16 ? 16 : most;
}

static tw_status check_source(const tw_model *model, const tw_draw_source *source)
{
    if (source->n != model->n)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "the draws have %zu latents and the model has %zu",
                       source->n, model->n);
    if (source->draws == 0 || source->chains == 0)
        return tw_fail(model->ctx, TW_BAD_ARGUMENT, "there are no draws of the latents to predict from");
    return TW_OK;
}

tw_status tw_draws_predictor_new(const tw_model *model, const tw_draw_source *source,
                                 const tw_draws_predictor_options *options, tw_draws_predictor **out)
{
    void *memory = NULL;
    tw_draws_predictor_options o = options ? *options : TW_DRAWS_PREDICTOR_DEFAULTS;
    *out = NULL;
    TW_TRY(check_source(model, source));
    TW_TRY(tw_likelihood_check_expect(model->ctx, model->observed.likelihood));
    TW_TRY(tw_allocate(model->ctx, 1, sizeof(tw_draws_predictor), "a predictor", &memory));
    tw_draws_predictor *p = memory;
    *p = (tw_draws_predictor){.ctx = model->ctx,
                              .model = model,
                              .source = *source,
                              .two_classes = model->observed.likelihood->two_classes,
                              .plain = o.plain,
                              .threads = tw_model_threads(model, o.threads),
                              .points = tw_predict_batch(source->n),
                              .block = draws_of_a_block(source->n),
                              .batches = count_batches(source)};
    size_t total = source->draws * source->chains;
    p->quantile_stride = (total + TW_PREDICT_QUANTILE - 1) / TW_PREDICT_QUANTILE;
    p->quantile_draws = (total + p->quantile_stride - 1) / p->quantile_stride;
    tw_status status = allocate(p, o.bytes);
    if (status == TW_OK && source->places) status = list_placed_draws(p);
    if (status == TW_OK) status = keep_draws(p);
    if (status != TW_OK) {
        tw_draws_predictor_free(p);
        return status;
    }
    *out = p;
    return TW_OK;
}
