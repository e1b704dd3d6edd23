/* gaussian.c: functions common to all kinds of Gaussians; see gaussian.h. */
#include "gaussian/gaussian.h"

#include "linalg/vector.h"
#include "math/constants.h"

void tw_gaussian_free(tw_gaussian *g)
{
    if (!g) return;
    tw_context *ctx = g->ctx;
    g->kind->release(g);
    tw_release(ctx, g->mean);
    tw_release(ctx, g->variance);
    tw_release(ctx, g->work);
    tw_release(ctx, g);
}

tw_status tw_gaussian_allocate(tw_context *ctx, const tw_gaussian_kind *kind, size_t size, size_t n,
                               bool moves, size_t r, tw_gaussian **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, size, "a Gaussian", &memory));
    tw_gaussian *g = memory;
    g->kind = kind;
    g->ctx = ctx;
    g->n = n;
    tw_status status = tw_allocate_doubles(ctx, n, 1, "the variances of a Gaussian", &g->variance);
    if (status == TW_OK && moves) status = tw_allocate_doubles(ctx, n, 1, "the mean of a Gaussian", &g->mean);
    if (status == TW_OK && moves)
        status = tw_allocate_doubles(ctx, n + r, 1, "the mean of a Gaussian", &g->work);
    if (status == TW_OK)
        *out = g;
    else
        tw_gaussian_free(g);
    return status;
}

void tw_gaussian_positions(const tw_gaussian *g, size_t columns, const double *w, double *x)
{
    g->kind->spread(g, columns, w, x);
    if (!g->mean) return;
    for (size_t j = 0; j < columns; j++)
        for (size_t i = 0; i < g->n; i++) x[i + j * g->n] += g->mean[i];
}

void tw_gaussian_whiten(const tw_gaussian *g, size_t columns, const double *x, double *w)
{
    g->kind->solve(g, columns, x, g->mean, w);
}

double tw_gaussian_log_constant(const tw_gaussian *g)
{
    return -0.5 * ((double)g->r * TW_LOG_TWO_PI + g->log_det);
}

double tw_gaussian_log_density(const tw_gaussian *g, const double *x, double *work)
{
    tw_gaussian_whiten(g, 1, x, work);
    return -0.5 * (tw_dot(g->r, work, work) + (double)g->r * TW_LOG_TWO_PI + g->log_det);
}

tw_status tw_gaussian_marginal(const tw_gaussian *g, size_t count, const size_t *index, tw_gaussian **out)
{
    *out = NULL;
    if (g->kind->marginal) return g->kind->marginal(g, count, index, out);
    return tw_fail(g->ctx, TW_BAD_ARGUMENT, "%s does not support the marginal of a subset of its sites",
                   g->kind->name);
}

tw_status tw_gaussian_like(const tw_gaussian *base, bool products, tw_gaussian **out)
{
    return base->kind->like(base, products, out);
}

/* Set the mean to S shift = F h with h = F' shift; the first n numbers of work are the shift. Returns
 * |h|^2 = shift' S shift. */
static double set_mean(tw_gaussian *g)
{
    double *h = g->work + g->n;
    g->kind->pull_back(g, 1, g->work, h);
    g->kind->spread(g, 1, h, g->mean);
    return tw_dot(g->r, h, h);
}

bool tw_gaussian_condition(const tw_gaussian *base, double scale, const double *tau, const double *nu,
                           tw_gaussian *out, double *log_z)
{
    double log_det;
    for (size_t i = 0; i < base->n; i++) out->work[i] = scale * tau[i];
    if (!base->kind->condition(base, out->work, out, &log_det)) return false;
    for (size_t i = 0; i < base->n; i++) out->work[i] = scale * nu[i];
    *log_z = 0.5 * (set_mean(out) - log_det);
    return true;
}

tw_status tw_gaussian_check_mix(const tw_gaussian *base, const tw_gaussian *other)
{
    if (base->kind->mix && base->kind == other->kind && base->full_rank && other->full_rank) return TW_OK;
    return tw_fail(base->ctx, TW_BAD_ARGUMENT,
                   "%s and %s cannot be mixed: both must be dense and of full rank", base->kind->name,
                   other->kind->name);
}

/* log Z = 1/2 log |C| - b/2 log |A| - (1-b)/2 log |S| - 1/2 [(1-b) |F_S^-1 mu|^2 - |F_C^-1 mean|^2]. */
bool tw_gaussian_mix(const tw_gaussian *base, const tw_gaussian *other, double b, tw_gaussian *out,
                     double *log_z)
{
    double rest = 1.0 - b, mu2 = 0.0;
    if (!base->kind->mix(base, other, b, out)) return false;
    for (size_t i = 0; i < base->n; i++) out->work[i] = 0.0;
    if (other->mean) {
        tw_gaussian_solve(other, 1, other->mean, out->work);
        mu2 = tw_dot(other->r, out->work, out->work);
        tw_gaussian_solve_transposed(other, 1, out->work);
        for (size_t i = 0; i < base->n; i++) out->work[i] *= rest;
    }
    double h2 = set_mean(out);
    *log_z = 0.5 * (out->log_det - b * base->log_det - rest * other->log_det) - 0.5 * (rest * mu2 - h2);
    return true;
}
