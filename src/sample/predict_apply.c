/* predict_apply.c: predict new inputs block by block. A block computes its whitened covariances U = L^-1 k
 * once, then for each block of draws the conditional means U'V by matrix products, with the tiles of the
 * block in parallel. Cases whose averages rest on a few draws get averages over lines (predict_line.c). */
#include <float.h>
#include <math.h>

#include "base/parallel.h"
#include "linalg/vector.h"
#include "sample/predict_line.h"
#include "talweg/warning.h"

/* The caller's new cases, and which of them are in the current block. */
typedef struct new_cases {
    const double *cross, *diagonal; /* of all cases */
    tw_observations all;
    const tw_predictions *out;
    size_t first, count;           /* the block */
    const tw_data *train, *inputs; /* to compute `cross` at each place; NULL: it is given */
    size_t from;                   /* inputs: the index of case 0 */
} new_cases;

/* The argument of the functions that process all tiles of a block in parallel. */
typedef struct step {
    tw_draws_predictor *p;
    const new_cases *cases;
    const tw_gaussian *prior;       /* of all draws, or of the current place */
    const double *cross, *diagonal; /* of the block */
    const double *phi;              /* the likelihood's parameters */
    const double *v;                /* rank x count whitened draws: */
    size_t chain, first, count;     /* first .. first + count - 1 of a chain or, */
    const tw_placed_draw *placed;   /* with places, these */
} step;

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void for_each_tile(step *s, tw_parallel_function *function)
{
    tw_parallel_for((s->cases->count + TW_PREDICT_TILE - 1) / TW_PREDICT_TILE, s->p->threads, function, s);
}

/* Set the cases of a tile and their sums. */
static void begin_tile(void *user, size_t tile, size_t worker)
{
    (void)worker;
    const step *s = user;
    tw_draws_predictor *p = s->p;
    const new_cases *c = s->cases;
    size_t start = tile * TW_PREDICT_TILE, end = smaller(start + TW_PREDICT_TILE, c->count);
    for (size_t j = start; j < end; j++) {
        size_t from = c->first + j;
        p->cases[j].at = tw_observations_part(&c->all, from, 1);
        p->cases[j].y = c->all.y ? c->all.y[from] : NAN;
        tw_new_case_begin(p, j);
    }
}

/* U = L^-1 k and the variances k** - u'u. */
static void condition_tile(void *user, size_t tile, size_t worker)
{
    (void)worker;
    const step *s = user;
    tw_draws_predictor *p = s->p;
    const tw_gaussian *prior = s->prior;
    size_t start = tile * TW_PREDICT_TILE, end = smaller(start + TW_PREDICT_TILE, s->cases->count);
    double *u = p->u + start * prior->r;
    tw_gaussian_solve(prior, end - start, s->cross + start * prior->n, u);
    for (size_t j = start; j < end; j++, u += prior->r) {
        p->cases[j].variance = fmax(s->diagonal[j] - tw_dot(prior->r, u, u), 0.0);
        p->cases[j].at.phi = s->phi;
        tw_new_case_set_marginals(&p->cases[j]);
    }
}

/* Add a block of draws: the conditional means U'V of a tile, then case by case. */
static void add_tile(void *user, size_t tile, size_t worker)
{
    const step *s = user;
    tw_draws_predictor *p = s->p;
    tw_predict_worker *w = &p->workers[worker];
    size_t rank = s->prior->r;
    size_t start = tile * TW_PREDICT_TILE, end = smaller(start + TW_PREDICT_TILE, s->cases->count);
    tw_dots(s->count, end - start, rank, s->v, p->u + start * rank, w->means);
    for (size_t j = start; j < end; j++) {
        const double *means = w->means + (j - start) * s->count;
        if (!s->placed) tw_new_case_add(p, j, s->chain, s->first, s->count, means, w->values);
        for (size_t i = 0; s->placed && i < s->count; i++)
            tw_new_case_add(p, j, s->placed[i].chain, s->placed[i].draw, 1, means + i, w->values);
    }
}

static void finish_tile(void *user, size_t tile, size_t worker)
{
    const step *s = user;
    size_t start = tile * TW_PREDICT_TILE, end = smaller(start + TW_PREDICT_TILE, s->cases->count);
    for (size_t j = start; j < end; j++) tw_new_case_finish(s->p, j, s->p->workers[worker].diagnose);
}

/* Add all draws, if they share their parameters. */
static tw_status add_draws(step *s)
{
    tw_draws_predictor *p = s->p;
    size_t draws = p->source.draws;
    for (s->chain = 0; s->chain < p->source.chains; s->chain++)
        for (s->first = 0; s->first < draws; s->first += p->block) {
            s->count = smaller(draws - s->first, p->block);
            TW_TRY(tw_predict_whitened(p, s->chain, s->first, s->count, &s->v));
            for_each_tile(s, add_tile);
        }
    return TW_OK;
}

/* ---- places ---- */

/* Make a place current: the factor of its K, its covariances with the new cases, U and the variances. */
static tw_status enter_place(step *s, size_t place)
{
    tw_draws_predictor *p = s->p;
    const new_cases *c = s->cases;
    const tw_draw_places *places = p->source.places;
    const tw_model *model = NULL;
    const tw_kernel *kernel = NULL;
    TW_TRY(places->go(places->user, place, &model, &kernel));
    s->prior = model->prior;
    s->phi = model->observed.phi;
    if (c->inputs) {
        TW_TRY(tw_model_cross(model, kernel, c->train, c->inputs, c->from + c->first, c->count, p->cross,
                              p->diagonal));
        s->cross = p->cross;
        s->diagonal = p->diagonal;
    }
    for_each_tile(s, condition_tile);
    return TW_OK;
}

/* Add the draws s->placed[0 .. count - 1], which share a place; count is at most p->block. */
static tw_status add_placed_draws(step *s, size_t count)
{
    tw_draws_predictor *p = s->p;
    for (size_t i = 0; i < count; i++)
        TW_TRY(
            p->source.read(p->source.user, s->placed[i].chain, s->placed[i].draw, 1, p->x + i * p->source.n));
    TW_TRY(tw_poll(p->ctx));
    tw_gaussian_solve(s->prior, count, p->x, p->v);
    s->v = p->v;
    s->count = count;
    for_each_tile(s, add_tile);
    return TW_OK;
}

/* Add all draws, place by place. */
static tw_status add_all_places(step *s)
{
    tw_draws_predictor *p = s->p;
    size_t total = p->source.draws * p->source.chains;
    for (size_t first = 0; first < total;) {
        size_t count = 1, place = p->placed[first].place;
        bool new_place = first == 0 || p->placed[first - 1].place != place;
        while (first + count < total && p->placed[first + count].place == place && count < p->block) count++;
        if (new_place) TW_TRY(enter_place(s, place));
        s->placed = p->placed + first;
        TW_TRY(add_placed_draws(s, count));
        first += count;
    }
    return TW_OK;
}

/* ---- lines ---- */

/* The cases of a block that need lines, and the work space of each thread. */
typedef struct lines {
    step *s;
    size_t count, size; /* cases; numbers of work space */
    size_t *point;
    tw_line **line;
    double *work;
    size_t draw; /* the current draw, its number among those that lines use, and its latents */
    const double *x, *v;
} lines;

static tw_line_place place_of(const lines *l, size_t i)
{
    const step *s = l->s;
    const double *u = s->p->u + l->point[i] * s->prior->r;
    tw_line_place place = {.sites = s->p->model->observed,
                           .cross = s->cross + l->point[i] * s->prior->n,
                           .norm = fmax(sqrt(tw_dot(s->prior->r, u, u)), DBL_MIN)};
    place.sites.phi = s->phi;
    return place;
}

static void enter_line(void *user, size_t i, size_t worker)
{
    const lines *l = user;
    (void)worker;
    tw_line_place place = place_of(l, i);
    tw_line_enter(l->line[i], &place);
}

static void add_line(void *user, size_t i, size_t worker)
{
    const lines *l = user;
    const step *s = l->s;
    tw_line_place place = place_of(l, i);
    double t = tw_dot(s->prior->r, s->p->u + l->point[i] * s->prior->r, l->v) / place.norm;
    tw_line_add(l->line[i], &place, s->chain, l->draw, l->x, t, l->work + worker * l->size);
}

/* Add draw number r of a chain to all lines. */
static tw_status add_to_lines(lines *l, size_t chain, size_t r)
{
    tw_draws_predictor *p = l->s->p;
    size_t draw = tw_draw_for_line(p, r), rank = l->s->prior->r;
    TW_TRY(p->source.read(p->source.user, chain, draw, 1, p->x));
    if (!p->kept) tw_gaussian_solve(l->s->prior, 1, p->x, p->v);
    l->x = p->x;
    l->v = p->v + (p->kept ? (chain * p->source.draws + draw) * rank : 0);
    l->draw = r;
    l->s->chain = chain;
    tw_parallel_for(l->count, p->threads, add_line, l);
    return tw_poll(p->ctx);
}

static tw_status add_draws_to_lines(lines *l)
{
    tw_draws_predictor *p = l->s->p;
    tw_parallel_for(l->count, p->threads, enter_line, l);
    for (size_t chain = 0; chain < p->source.chains; chain++)
        for (size_t r = 0; r < tw_draws_for_lines(p); r++) TW_TRY(add_to_lines(l, chain, r));
    return TW_OK;
}

static tw_status add_places_to_lines(lines *l)
{
    tw_draws_predictor *p = l->s->p;
    size_t total = p->source.draws * p->source.chains, draws = tw_draws_for_lines(p), place = SIZE_MAX;
    for (size_t i = 0; i < total; i++) {
        const tw_placed_draw *at = &p->placed[i];
        size_t r = (at->draw * draws + p->source.draws - 1) / p->source.draws;
        if (r >= draws || tw_draw_for_line(p, r) != at->draw) continue;
        if (at->place != place) {
            TW_TRY(enter_place(l->s, at->place));
            tw_parallel_for(l->count, p->threads, enter_line, l);
        }
        place = at->place;
        TW_TRY(add_to_lines(l, at->chain, r));
    }
    return TW_OK;
}

static tw_status reach_of_lines(lines *l)
{
    const step *s = l->s;
    for (size_t i = 0; i < l->count; i++) {
        tw_line_place place = place_of(l, i);
        TW_TRY(tw_line_reach(s->p, l->line[i], &place, s->p->u + l->point[i] * s->prior->r));
    }
    return TW_OK;
}

static tw_status make_lines(lines *l)
{
    tw_draws_predictor *p = l->s->p;
    void *memory = NULL;
    TW_TRY(tw_allocate(p->ctx, l->count, sizeof(tw_line *), "averages over lines", &memory));
    l->line = memory;
    l->size = tw_line_work(p->model->n);
    TW_TRY(tw_allocate_doubles(p->ctx, l->size, p->threads, "averages over lines", &l->work));
    for (size_t i = 0; i < l->count; i++)
        TW_TRY(tw_line_new(p, &p->cases[l->point[i]], tw_draws_for_lines(p), &l->line[i]));
    return TW_OK;
}

/* Average over lines for the cases that need it. */
static tw_status add_lines(step *s)
{
    tw_draws_predictor *p = s->p;
    size_t point[TW_PREDICT_POINTS];
    lines l = {.s = s, .point = point};
    for (size_t j = 0; j < s->cases->count; j++)
        if (!p->plain && !p->cases[j].failed && tw_line_is_needed(&p->cases[j])) point[l.count++] = j;
    if (l.count == 0) return TW_OK;
    tw_status status = make_lines(&l);
    if (status == TW_OK) status = p->placed ? add_places_to_lines(&l) : add_draws_to_lines(&l);
    if (status == TW_OK && !p->placed) status = reach_of_lines(&l);
    for (size_t i = 0; i < l.count && status == TW_OK; i++) status = tw_line_finish(p, l.line[i]);
    for (size_t i = 0; i < l.count && l.line; i++) tw_line_free(p, l.line[i]);
    tw_release(p->ctx, l.line);
    tw_release(p->ctx, l.work);
    return status;
}

/* ---- a block ---- */

static void put(double *to, size_t i, double value)
{
    if (to) to[i] = value;
}

static tw_status write_results(const tw_draws_predictor *p, const new_cases *block)
{
    const tw_predictions *out = block->out;
    for (size_t j = 0; j < block->count; j++) {
        const tw_new_case *c = &p->cases[j];
        size_t to = block->first + j;
        if (c->failed)
            return tw_fail(p->ctx, TW_NUMERICAL_FAILURE,
                           "the %s probabilities of new case %zu cannot be computed (latent mean %g, "
                           "variance given the training latents %g)",
                           p->model->observed.likelihood->name, to + 1, c->latent.mean, c->mean_variance);
        put(out->mean, to, c->latent.mean);
        put(out->variance, to, c->mean_variance + c->latent.squares / (double)c->draws);
        put(out->expected, to, c->averages.mean.value);
        put(out->mcse, to, c->averages.mean.mcse);
        put(out->sd, to, c->averages.sd.value);
        put(out->sd_mcse, to, c->averages.sd.mcse);
        put(out->q05, to, c->quantile[0]);
        put(out->q50, to, c->quantile[1]);
        put(out->q95, to, c->quantile[2]);
        for (size_t k = 0; k < p->levels; k++) out->levels[to * p->levels + k] = c->level[k];
        if (!p->labelled) continue;
        put(out->log_score, to, c->averages.score.value);
        put(out->log_score_mcse, to, c->averages.score.mcse);
    }
    return TW_OK;
}

static tw_status predict_block(tw_draws_predictor *p, const new_cases *block)
{
    step s = {.p = p,
              .cases = block,
              .prior = p->model->prior,
              .phi = block->all.phi,
              .cross = block->cross ? block->cross + block->first * p->model->n : NULL,
              .diagonal = block->diagonal ? block->diagonal + block->first : NULL};
    p->labelled = block->all.y != NULL;
    p->levels = block->out->levels ? block->all.likelihood->levels : 0;
    p->quantiles = block->out->q05 || block->out->q50 || block->out->q95;
    for_each_tile(&s, begin_tile);
    if (!p->placed) for_each_tile(&s, condition_tile);
    TW_TRY(p->placed ? add_all_places(&s) : add_draws(&s));
    for_each_tile(&s, finish_tile);
    TW_TRY(add_lines(&s));
    for (size_t j = 0; j < block->count; j++) {
        p->cases[j].at.phi = block->all.phi; /* not those of the last place, which are no longer valid */
        tw_new_case_withhold(p, &p->cases[j]);
    }
    TW_TRY(write_results(p, block));
    if (p->labelled) tw_predict_score_block(p, block->count);
    return TW_OK;
}

static tw_status predict(tw_draws_predictor *p, new_cases *block)
{
    size_t total = block->all.n;
    block->all.likelihood = p->model->observed.likelihood;
    block->all.phi = p->model->observed.phi;
    TW_TRY(tw_likelihood_check(p->ctx, &block->all));
    for (; block->first < total; block->first += block->count) {
        block->count = smaller(total - block->first, p->points);
        TW_TRY(predict_block(p, block));
    }
    return TW_OK;
}

tw_status tw_draws_predictor_apply(tw_draws_predictor *p, const double *cross, const double *diagonal,
                                   const tw_observations *at, const tw_predictions *out)
{
    new_cases block = {.cross = cross, .diagonal = diagonal, .all = *at, .out = out};
    return predict(p, &block);
}

/* `out` with all arrays starting at case `first`. */
static tw_predictions from_case(const tw_predictions *out, size_t first, size_t levels)
{
    tw_predictions rest = *out;
    if (rest.levels) rest.levels += first * levels;
    double **arrays[] = {&rest.mean,   &rest.variance, &rest.expected, &rest.mcse,      &rest.sd,
                         &rest.q05,    &rest.q50,      &rest.q95,      &rest.log_score, &rest.log_score_mcse,
                         &rest.sd_mcse};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (*arrays[i]) *arrays[i] += first;
    return rest;
}

tw_status tw_draws_predictor_at(tw_draws_predictor *p, const tw_kernel *kernel, const tw_data *train,
                                const tw_data *at, size_t first, size_t count, const tw_predictions *out)
{
    tw_observations all = tw_data_observed(at, p->model->observed.likelihood, p->model->observed.phi);
    if (at->d != train->d || train->n != p->model->n || count > at->n || first > at->n - count)
        return tw_fail(p->ctx, TW_BAD_DATA,
                       "cases %zu to %zu of %zu with %zu inputs do not fit a model of %zu cases with %zu "
                       "inputs: give the same columns",
                       first + 1, first + count, at->n, at->d, train->n, train->d);
    for (size_t done = 0; done < count; done += p->points) {
        size_t m = smaller(count - done, p->points), from = first + done;
        tw_predictions rest = from_case(out, done, all.likelihood->levels);
        new_cases block = {.all = tw_observations_part(&all, from, m), .out = &rest};
        if (p->placed) {
            block.train = train;
            block.inputs = at;
            block.from = from;
        } else {
            TW_TRY(tw_model_cross(p->model, kernel, train, at, from, m, p->cross, p->diagonal));
            block.cross = p->cross;
            block.diagonal = p->diagonal;
        }
        TW_TRY(predict(p, &block));
    }
    return TW_OK;
}

void tw_draws_predictor_warn(const tw_draws_predictor *p)
{
    static const char *const why[3] = {"few draws determine them", "they do not exist",
                                       "they do not exist, or few draws determine them"};
    size_t all = p->no_means + p->no_sds + p->no_scores;
    if (all == 0) return;
    tw_warning w = {.code = TW_WARN_NO_MEANS,
                    .name = why[p->not_existing == 0     ? 0
                                : p->not_existing == all ? 1
                                                         : 2]};
    w.number[0] = (double)p->no_means;
    w.number[1] = (double)p->no_sds;
    w.number[2] = (double)p->no_scores;
    w.number[3] = (double)p->cases_done;
    tw_warn(p->ctx, &w);
}
