/* sparse_curved.c: the metric of a sparse Gaussian.
 *
 * Let K = Q + C' diag(tau) C be the precision of the variables. G = K + C' Lambda C has the same pattern, and
 * after one factorisation every operation is a solve:
 *
 *   y = C G^-1 C' d,    xdot = g - C G^-1 C' (lambda o g),    (C G^-1 C')_ii from the selected inverse,
 *   log |B| = log |G| - log |K|.
 *
 * If C is the identity and there are no constraints, xdot = G^-1 K g, which avoids a difference of large
 * numbers. No site is omitted, because that would save nothing.
 */
#include <math.h>
#include <string.h>

#include "gaussian/sparse_inside.h"
#include "linalg/vector.h"

typedef struct sparse_curved {
    tw_curved c;
    tw_pattern *pattern;
    double *l, *z; /* the factor of G and its selected inverse */
    tw_front front;
    tw_confined confined;
    double *lambda, *sites; /* n each */
    double *work;           /* r, in elimination order */
} sparse_curved;

static const tw_curved_kind curved_kind;

static void release(tw_curved *c)
{
    sparse_curved *s = (sparse_curved *)c;
    double *const arrays[] = {s->l, s->z, s->lambda, s->sites, s->work};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) tw_release(c->ctx, arrays[k]);
    tw_front_free(c->ctx, &s->front);
    tw_confined_free(c->ctx, &s->confined);
    tw_pattern_release(s->pattern);
}

static tw_status allocate(sparse_curved *s)
{
    tw_context *ctx = s->c.ctx;
    const tw_pattern *p = s->pattern;
    TW_TRY(tw_front_new(p->analysis, &s->front));
    TW_TRY(tw_confined_new(p, &s->confined));
    TW_TRY(tw_allocate_doubles(ctx, p->analysis->entries, 1, "the factor of a metric", &s->l));
    TW_TRY(tw_allocate_doubles(ctx, p->analysis->entries, 1, "the inverse of a metric", &s->z));
    TW_TRY(tw_allocate_doubles(ctx, p->n, 1, "the curvatures of a metric", &s->lambda));
    TW_TRY(tw_allocate_doubles(ctx, p->n, 1, "the curvatures of a metric", &s->sites));
    return tw_allocate_doubles(ctx, p->r, 1, "a velocity", &s->work);
}

tw_status tw_sparse_curve(const tw_gaussian *g, size_t sites, tw_curved **out)
{
    (void)sites;
    TW_TRY(tw_curved_allocate(g, &curved_kind, sizeof(sparse_curved), out));
    sparse_curved *s = (sparse_curved *)*out;
    s->pattern = tw_pattern_hold(((const tw_sparse_gaussian *)g)->pattern);
    tw_status status = allocate(s);
    if (status == TW_OK) return TW_OK;
    tw_curved_free(*out);
    *out = NULL;
    return status;
}

static bool factor(tw_curved *c, const double *lambda, double threshold)
{
    (void)threshold;
    sparse_curved *s = (sparse_curved *)c;
    const tw_sparse_gaussian *base = (const tw_sparse_gaussian *)c->base;
    size_t failed;
    memcpy(s->lambda, lambda, c->n * sizeof *lambda);
    for (size_t i = 0; i < c->n; i++) c->root[i] = sqrt(lambda[i]);
    c->active = c->n;
    if (!tw_pattern_factor(base->pattern, &s->front, base->tau, lambda, s->l, &failed)) return false;
    if (!tw_confined_set(s->pattern, s->l, &s->confined)) return false;
    c->log_det = tw_sparse_log_det(s->pattern->analysis, s->l) + s->confined.log_m - base->log_precision;
    return isfinite(c->log_det);
}

/* work = G^-1 work. */
static void solve(sparse_curved *s)
{
    tw_sparse_solve_lower(s->pattern->analysis, s->l, 1, s->work);
    tw_confined_project(&s->confined, s->pattern->r, 1, s->work);
    tw_sparse_solve_upper(s->pattern->analysis, s->l, 1, s->work);
}

/* sites = C G^-1 C' sites. */
static void respond_in_place(sparse_curved *s)
{
    tw_pattern_gather(s->pattern, 1, s->sites, NULL, s->work);
    solve(s);
    tw_pattern_scatter(s->pattern, 1, s->work, s->sites);
}

/* sites = xdot; see the head of this file for the two forms. */
static void find_velocity(sparse_curved *s, const double *g)
{
    const tw_sparse_gaussian *base = (const tw_sparse_gaussian *)s->c.base;
    size_t n = s->c.n;
    if (s->pattern->sites || s->confined.c > 0) {
        for (size_t i = 0; i < n; i++) s->sites[i] = s->lambda[i] * g[i];
        respond_in_place(s);
        for (size_t i = 0; i < n; i++) s->sites[i] = g[i] - s->sites[i];
        return;
    }
    tw_sparse_multiply(base->pattern->q, g, s->sites);
    for (size_t i = 0; base->tau && i < n; i++) s->sites[i] += base->tau[i] * g[i];
    respond_in_place(s);
}

static void velocity(tw_curved *c, const double *g, double *xdot, double *z)
{
    sparse_curved *s = (sparse_curved *)c;
    find_velocity(s, g);
    for (size_t i = 0; z && i < c->n; i++) z[i] = s->lambda[i] * s->sites[i];
    if (xdot) memcpy(xdot, s->sites, c->n * sizeof *xdot);
}

static void respond(tw_curved *c, const double *d, double *y, double *rest)
{
    sparse_curved *s = (sparse_curved *)c;
    memcpy(s->sites, d, c->n * sizeof *d);
    respond_in_place(s);
    for (size_t i = 0; rest && i < c->n; i++) rest[i] = d[i] - s->lambda[i] * s->sites[i];
    if (y) memcpy(y, s->sites, c->n * sizeof *y);
}

static void diagonal(tw_curved *c, double *to)
{
    sparse_curved *s = (sparse_curved *)c;
    tw_sparse_select(s->pattern->analysis, &s->front, s->l, s->z);
    tw_pattern_variances(s->pattern, s->z, to);
    tw_confined_variances(&s->confined, s->pattern, s->l, to);
}

/* k' (A + Lambda^-1)^-1 k = k' Lambda k - z' (I - N M^-1 N') z with z = L^-1 P C' Lambda k; the second term
 * in parentheses is that of constraints. */
static void explain(const tw_curved *c, size_t columns, double *k, double *explained)
{
    const sparse_curved *s = (const sparse_curved *)c;
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    for (size_t j = 0; j < columns; j++, k += c->n) {
        explained[j] = 0.0;
        for (size_t i = 0; i < c->n; i++) {
            explained[j] += s->lambda[i] * k[i] * k[i];
            k[i] *= s->lambda[i];
        }
        tw_pattern_gather(s->pattern, 1, k, NULL, buffer->numbers);
        tw_sparse_solve_lower(s->pattern->analysis, s->l, 1, buffer->numbers);
        explained[j] -= tw_dot(s->pattern->r, buffer->numbers, buffer->numbers) -
                        tw_confined_square(&s->confined, s->pattern->r, buffer->numbers);
    }
    tw_buffer_give_back(buffer);
}

static tw_curved_flops flops(const tw_curved *c, double active)
{
    const tw_analysis *a = ((const sparse_curved *)c)->pattern->analysis;
    double entries = (double)a->entries;
    (void)active;
    return (tw_curved_flops){
        .factor = a->flops, .solve = 4.0 * entries, .diagonal = 2.0 * a->flops, .product = 4.0 * entries};
}

static const tw_curved_kind curved_kind = {.whole = true,
                                           .release = release,
                                           .factor = factor,
                                           .velocity = velocity,
                                           .respond = respond,
                                           .diagonal = diagonal,
                                           .explain = explain,
                                           .flops = flops};
