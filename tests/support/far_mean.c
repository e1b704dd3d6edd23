/* far_mean.c: see far_mean.h. */
#include "support/far_mean.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "likelihood/likelihood.h"
#include "support/observe.h"
#include "support/problem.h"
#include "support/support.h"

enum { THIN = 5, WARMUP = 100 };

static const double PLACE[TAIL_NEW] = {0.0, 0.5, -1.5};
static const double LIGHT = 9.0, FAR = 36.0;

static double covariance(const far_mean_case *c, double a, double b)
{
    double z = (a - b) / c->ell;
    return c->sigma * c->sigma * exp(-0.5 * z * z);
}

static tw_observations observed(const far_mean_case *c)
{
    tw_observations o = observations_of(tw_likelihood_find(c->likelihood), c->n, c->y, c->first);
    o.phi = c->phi;
    return o;
}

static tw_observations new_case(const far_mean_case *c)
{
    tw_observations o = observations_of(tw_likelihood_find(c->likelihood), 1, &c->label, NULL);
    o.phi = c->phi;
    return o;
}

/* The lower factor of K. */
static void factor(const far_mean_case *c, double l[TAIL_MOST][TAIL_MOST])
{
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = covariance(c, (double)i, (double)j);
            for (size_t k = 0; k < j; k++) sum -= l[i][k] * l[j][k];
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
}

static double log_likelihood(const tw_observations *o, const double *x)
{
    double value[TAIL_MOST], sum = 0.0;
    o->likelihood->terms(o, x, value, NULL, NULL, NULL);
    for (size_t i = 0; i < o->n; i++) sum += value[i];
    return isnan(sum) ? -INFINITY : sum;
}

/* ---- exact values ---- */

/* Orthonormal columns, the first of which is u / |u|. */
static void complete(size_t n, const double *u, double norm, double q[TAIL_MOST][TAIL_MOST])
{
    for (size_t i = 0; i < n; i++) q[0][i] = u[i] / norm;
    for (size_t k = 1, axis = 0; k < n; axis++) {
        double length = 0.0;
        for (size_t i = 0; i < n; i++) q[k][i] = i == axis ? 1.0 : 0.0;
        for (size_t j = 0; j < k; j++) {
            double dot = 0.0;
            for (size_t i = 0; i < n; i++) dot += q[k][i] * q[j][i];
            for (size_t i = 0; i < n; i++) q[k][i] -= dot * q[j][i];
        }
        for (size_t i = 0; i < n; i++) length += q[k][i] * q[k][i];
        if (length < 0.1) continue;
        for (size_t i = 0; i < n; i++) q[k][i] /= sqrt(length);
        k++;
    }
}

/* Integrate over whitened v = q0 t + q1 s1 + q2 s2 by the trapezoidal rule: far along t, which alone determines the
 * new latent, and over 9 standard deviations of the others. */
static void integrate(const far_mean_case *c, size_t j, far_mean_values *out)
{
    double l[TAIL_MOST][TAIL_MOST] = {{0}}, u[TAIL_MOST], q[TAIL_MOST][TAIL_MOST] = {{0}}, norm = 0.0;
    double step = fmin(0.1, 0.12 / c->sigma),
           wide = fmin(0.2, 0.6 / c->sigma); /* p(y) has widths above 0.13 */
    tw_observations o = observed(c), at = new_case(c);
    factor(c, l);
    for (size_t i = 0; i < c->n; i++) {
        u[i] = covariance(c, PLACE[j], (double)i);
        for (size_t k = 0; k < i; k++) u[i] -= l[i][k] * u[k];
        u[i] /= l[i][i];
        norm += u[i] * u[i];
    }
    double rest = fmax(c->sigma * c->sigma - norm, 0.0);
    if (PLACE[j] == 0.0) rest = 0.0;
    norm = sqrt(norm);
    complete(c->n, u, norm, q);
    tw_marginal label = tw_marginal_of(&at, 0, rest);
    double one = 0.0, mean = 0.0, square = 0.0, scored = 0.0, top = -INFINITY, top_score = -INFINITY;
    size_t nodes = (size_t)(2.0 * FAR / step), across = (size_t)(2.0 * LIGHT / wide) + 1;
    for (size_t k = 0; k < nodes; k++) {
        double t = -FAR + (double)k * step, f = norm * t, e = 0.0, v = 0.0, p = 0.0, inner = 0.0;
        if (tw_likelihood_expect(&at, &f, rest, &e, &v) != TW_OK || !isfinite(v + e * e)) e = v = 0.0;
        if (tw_marginal_log(&label, 1, &f, &p) != TW_OK) p = -INFINITY;
        double high = -INFINITY;
        for (size_t a = 0; a < (c->n > 1 ? across : 1); a++)
            for (size_t b = 0; b < (c->n > 2 ? across : 1); b++) {
                double s[TAIL_MOST] = {t, -LIGHT + (double)a * wide, -LIGHT + (double)b * wide}, x[TAIL_MOST];
                double log_h = 0.0;
                for (size_t i = 0; i < c->n; i++) {
                    x[i] = 0.0;
                    for (size_t m = 0; m <= i; m++)
                        /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): n is at most 3 */
                        for (size_t d = 0; d < c->n; d++) x[i] += l[i][m] * q[d][m] * s[d];
                    log_h -= 0.5 * s[i] * s[i];
                }
                log_h += log_likelihood(&o, x);
                if (log_h > high) {
                    inner = inner * exp(high - log_h) + 1.0;
                    high = log_h;
                } else if (log_h > -INFINITY) {
                    inner += exp(log_h - high);
                }
            }
        double weight = high + log(inner);
        if (!(weight > -INFINITY)) continue;
        double scale = weight > top ? exp(top - weight) : 1.0;
        top = fmax(top, weight);
        one = one * scale + exp(weight - top);
        mean = mean * scale + exp(weight - top) * e;
        square = square * scale + exp(weight - top) * (v + e * e);
        if (!(p > -INFINITY)) continue;
        double both = weight + p;
        scored = both > top_score ? scored * exp(top_score - both) + 1.0 : scored + exp(both - top_score);
        top_score = fmax(top_score, both);
    }
    out->mean[j] = mean / one;
    out->sd[j] = sqrt(square / one - out->mean[j] * out->mean[j]);
    out->score[j] = top_score + log(scored) - top - log(one);
}

far_mean_values far_mean_exact(const far_mean_case *c)
{
    far_mean_values out;
    for (size_t j = 0; j < TAIL_NEW; j++) integrate(c, j, &out);
    return out;
}

/* ---- draws ---- */

static void prior_draw(const far_mean_case *c, double l[TAIL_MOST][TAIL_MOST], test_random *random, double *x)
{
    double z[TAIL_MOST] = {0};
    test_normals(random, c->n, z);
    for (size_t i = 0; i < c->n; i++) {
        x[i] = 0.0;
        for (size_t j = 0; j <= i; j++) x[i] += l[i][j] * z[j];
    }
}

/* Elliptical slice sampling with the prior's ellipses (Murray, Adams and MacKay 2010). */
static void move(const far_mean_case *c, double l[TAIL_MOST][TAIL_MOST], test_random *random, double *x)
{
    const double circle = 6.283185307179586;
    tw_observations o = observed(c);
    double other[TAIL_MOST] = {0}, next[TAIL_MOST], level = log_likelihood(&o, x) + log(test_uniform(random));
    prior_draw(c, l, random, other);
    double angle = circle * test_uniform(random), low = angle - circle, high = angle;
    for (;;) {
        for (size_t i = 0; i < c->n; i++) next[i] = x[i] * cos(angle) + other[i] * sin(angle);
        if (log_likelihood(&o, next) > level) break;
        if (angle < 0.0)
            low = angle;
        else
            high = angle;
        angle = low + (high - low) * test_uniform(random);
    }
    memcpy(x, next, c->n * sizeof *x);
}

static double *draw(const far_mean_case *c, size_t chains, size_t draws, uint64_t seed)
{
    double l[TAIL_MOST][TAIL_MOST] = {{0}}, *x = malloc(c->n * chains * draws * sizeof *x);
    test_random random = {seed};
    assert_non_null(x);
    factor(c, l);
    for (size_t chain = 0; chain < chains; chain++) {
        double now[TAIL_MOST] = {0.0};
        for (size_t i = 0; i < WARMUP; i++) move(c, l, &random, now);
        for (size_t s = 0; s < draws; s++) {
            for (size_t i = 0; i < THIN; i++) move(c, l, &random, now);
            memcpy(x + c->n * (chain + chains * s), now, c->n * sizeof *x);
        }
    }
    return x;
}

static size_t only_place(void *user, size_t chain, size_t draw)
{
    (void)user;
    (void)chain;
    (void)draw;
    return 0;
}

static tw_status go(void *user, size_t place, const tw_model **model, const tw_kernel **kernel)
{
    (void)place;
    *model = user;
    *kernel = NULL;
    return TW_OK;
}

far_mean_predictions far_mean_predict(const far_mean_case *c, size_t chains, size_t draws, uint64_t seed,
                                      bool place)
{
    double k[TAIL_MOST * TAIL_MOST], cross[TAIL_NEW * TAIL_MOST], diagonal[TAIL_NEW], label[TAIL_NEW];
    tw_context *ctx = new_context();
    tw_model *model = NULL;
    tw_draws_predictor *predictor = NULL;
    far_mean_predictions out;
    tw_observations o = observed(c), at = {.n = TAIL_NEW, .y = label};
    for (size_t i = 0; i < c->n; i++)
        for (size_t j = 0; j < c->n; j++) k[i + c->n * j] = covariance(c, (double)i, (double)j);
    for (size_t j = 0; j < TAIL_NEW; j++) {
        for (size_t i = 0; i < c->n; i++) cross[i + c->n * j] = covariance(c, PLACE[j], (double)i);
        diagonal[j] = c->sigma * c->sigma;
        label[j] = c->label;
    }
    assert_int_equal(tw_model_new(ctx, k, c->n, &o, 0.0, &model), TW_OK);
    tw_draws kept = {.ctx = ctx, .n = c->n, .chains = chains, .draws = draws};
    kept.x = draw(c, chains, draws, seed);
    tw_draw_source source = tw_draws_source(&kept);
    tw_draw_places places = {
        .count = 1, .effective = (double)(chains * draws), .user = model, .of = only_place};
    places.go = go;
    if (place) source.places = &places;
    assert_int_equal(tw_draws_predictor_new(model, &source, NULL, &predictor), TW_OK);
    tw_predictions to = {.expected = out.at.mean,
                         .mcse = out.mcse.mean,
                         .sd = out.at.sd,
                         .sd_mcse = out.mcse.sd,
                         .log_score = out.at.score,
                         .log_score_mcse = out.mcse.score};
    assert_int_equal(tw_draws_predictor_apply(predictor, cross, diagonal, &at, &to), TW_OK);
    tw_draws_predictor_free(predictor);
    tw_model_free(model);
    free(kept.x);
    tw_context_free(ctx);
    return out;
}
