/* proposal.c: the t distribution with df degrees of freedom, location m and scale matrix C:
 *
 *   log g(theta) = log Gamma((df + d)/2) - log Gamma(df/2) - d/2 log(df pi) - 1/2 log|C|
 *                  - (df + d)/2 log(1 + q/df),
 *   q = (theta - m)' C^-1 (theta - m).
 *
 * m and C are adapted to the moments of weighted points; the covariance df/(df - 2) C is then slightly wider
 * than theirs. */
#include "hyper/proposal.h"

#include <math.h>
#include <string.h>

#include "base/fault.h"
#include "linalg/vector.h"
#include "math/constants.h"
#include "math/gamma_distribution.h"
#include "math/normal.h"

tw_status tw_proposal_new(tw_context *ctx, size_t d, double df, tw_proposal **out)
{
    void *memory = NULL;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_proposal), "a proposal", &memory));
    tw_proposal *p = memory;
    *p = (tw_proposal){.ctx = ctx, .d = d, .df = df};
    tw_status status = tw_allocate_doubles(ctx, d, 1, "a proposal", &p->mean);
    if (status == TW_OK)
        *out = p;
    else
        tw_proposal_free(p);
    return status;
}

void tw_proposal_free(tw_proposal *p)
{
    if (!p) return;
    tw_context *ctx = p->ctx;
    tw_gaussian_free(p->shape);
    tw_release(ctx, p->mean);
    tw_release(ctx, p);
}

/* Factor `next`, whose matrix is set, and make it the shape; free it if the factorisation fails. */
static tw_status take_shape(tw_proposal *p, tw_gaussian *next)
{
    tw_gaussian_report report;
    tw_status status = tw_gaussian_dense_factor(next, 0.0, &report);
    if (status == TW_OK && !next->full_rank)
        status =
            tw_fail(p->ctx, TW_NUMERICAL_FAILURE, "the proposal of parameters has a singular covariance");
    if (status != TW_OK) {
        tw_gaussian_free(next);
        return status;
    }
    tw_gaussian_free(p->shape);
    p->shape = next;
    double half = 0.5 * (double)p->d, k = 0.5 * p->df;
    p->log_constant =
        lgamma(k + half) - lgamma(k) - half * (log(0.5 * p->df) + TW_LOG_TWO_PI) - 0.5 * next->log_det;
    return TW_OK;
}

tw_status tw_proposal_invert(tw_proposal *p, const tw_gaussian *precision)
{
    tw_gaussian *next = NULL;
    size_t d = p->d;
    TW_TRY(tw_gaussian_dense_new(p->ctx, d, NULL, 0, &next));
    double *c = tw_gaussian_dense_matrix(next);
    for (size_t a = 0; a < d; a++) {
        double unit[TW_PROPOSAL_MOST] = {0.0};
        unit[a] = 1.0;
        tw_gaussian_solve(precision, 1, unit, c + a * d);
        tw_gaussian_solve_transposed(precision, 1, c + a * d);
    }
    return take_shape(p, next);
}

tw_status tw_proposal_spread(tw_proposal *p, const double *sd)
{
    tw_gaussian *next = NULL;
    TW_TRY(tw_gaussian_dense_new(p->ctx, p->d, NULL, 0, &next));
    double *c = tw_gaussian_dense_matrix(next);
    for (size_t a = 0; a < p->d; a++) c[a + a * p->d] = sd[a] * sd[a];
    return take_shape(p, next);
}

tw_status tw_proposal_scaled(const tw_proposal *from, double scale, tw_proposal **out)
{
    tw_proposal *p = NULL;
    tw_gaussian *next = NULL;
    size_t d = from->d;
    *out = NULL;
    TW_TRY(tw_proposal_new(from->ctx, d, from->df, &p));
    memcpy(p->mean, from->mean, d * sizeof *p->mean);
    tw_status status = tw_gaussian_dense_new(p->ctx, d, NULL, 0, &next);
    if (status == TW_OK) {
        double *c = tw_gaussian_dense_matrix(next);
        tw_gaussian_block(from->shape, 0, d, 0, d, c);
        for (size_t a = 0; a < d * d; a++) c[a] *= scale * scale;
        status = take_shape(p, next);
    }
    if (status == TW_OK)
        *out = p;
    else
        tw_proposal_free(p);
    return status;
}

/* ---- adaptation ---- */

/* C = (E sum w (theta - mean)(theta - mean)' / sum w + k C_old) / (E + k), with E the effective number of
 * points. The mean and covariance of few points are uncertain, so that the next point is from a wider
 * distribution: if `widen`, C is multiplied by 1 + (d + 2) / E, as far as MOST_WIDER. */
static const double MOST_WIDER = 3.0;
static void fill_covariance(const tw_proposal *old, const tw_weighed *from, const double *mean, double k,
                            bool widen, double *c)
{
    size_t d = old->d;
    double sum = 0.0, squares = 0.0;
    for (size_t s = 0; s < from->points; s++) {
        sum += from->weight[s];
        squares += from->weight[s] * from->weight[s];
    }
    double effective = sum * sum / squares, share = effective / (effective + k);
    double wider = widen ? fmin(1.0 + (double)(d + 2) / effective, MOST_WIDER) : 1.0;
    tw_gaussian_block(old->shape, 0, d, 0, d, c);
    for (size_t a = 0; a < d * d; a++) c[a] *= 1.0 - share;
    for (size_t s = 0; s < from->points; s++) {
        const double *t = from->theta + s * d;
        double w = share * from->weight[s] / sum;
        for (size_t a = 0; a < d && w > 0.0; a++)
            for (size_t b = 0; b < d; b++) c[b + a * d] += w * (t[a] - mean[a]) * (t[b] - mean[b]);
    }
    for (size_t a = 0; a < d * d; a++) c[a] *= wider;
}

static bool find_mean(size_t d, const tw_weighed *from, double *mean)
{
    double sum = 0.0;
    for (size_t s = 0; s < from->points; s++) sum += from->weight[s];
    for (size_t a = 0; a < d; a++) mean[a] = 0.0;
    for (size_t s = 0; s < from->points; s++)
        for (size_t a = 0; a < d; a++) mean[a] += from->weight[s] / sum * from->theta[a + s * d];
    return sum > 0.0;
}

tw_status tw_proposal_learn(const tw_proposal *old, const tw_weighed *from, double prior_points, bool widen,
                            tw_proposal **out)
{
    tw_proposal *p = NULL;
    tw_gaussian *next = NULL;
    *out = NULL;
    TW_TRY(tw_proposal_new(old->ctx, old->d, old->df, &p));
    if (!find_mean(p->d, from, p->mean)) {
        tw_proposal_free(p);
        return TW_OK;
    }
    tw_status status = tw_gaussian_dense_new(p->ctx, p->d, NULL, 0, &next);
    if (status == TW_OK) {
        fill_covariance(old, from, p->mean, prior_points, widen, tw_gaussian_dense_matrix(next));
        status = take_shape(p, next);
    }
    if (status == TW_OK)
        *out = p;
    else
        tw_proposal_free(p);
    return status;
}

/* ---- drawing ---- */

void tw_proposal_draw(const tw_proposal *p, const double *u, double *theta)
{
    double z[TW_PROPOSAL_MOST], half = 0.5 * p->df, scale = sqrt(half / tw_gamma_quantile(u[p->d], half));
    for (size_t a = 0; a < p->d; a++) z[a] = scale * tw_normal_quantile(u[a]);
    tw_gaussian_spread(p->shape, 1, z, theta);
    for (size_t a = 0; a < p->d; a++) theta[a] += p->mean[a];
}

double tw_proposal_distance2(const tw_proposal *p, const double *a, const double *b)
{
    double difference[TW_PROPOSAL_MOST], w[TW_PROPOSAL_MOST];
    for (size_t k = 0; k < p->d; k++) difference[k] = a[k] - b[k];
    tw_gaussian_solve(p->shape, 1, difference, w);
    return tw_dot(p->d, w, w);
}

double tw_proposal_log_density(const tw_proposal *p, const double *theta)
{
    double q = tw_proposal_distance2(p, theta, p->mean);
    double value = p->log_constant - 0.5 * (p->df + (double)p->d) * log1p(q / p->df);
    return TW_FAULTY(TW_FAULT_NO_PROPOSAL, value, 0.0);
}
