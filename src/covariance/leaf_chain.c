/* leaf_chain.c: ar1 on one input t, the process with covariances sigma^2 exp(-|s - t|/ell), by its
 * tridiagonal precision. Let two neighbouring times be h = ell e apart. Then x' = rho x + noise with
 * rho = exp(-e) and noise of variance sigma^2 s, s = 1 - rho^2, so that each step adds
 *
 *   [ rho^2  -rho ]
 *   [ -rho     1  ]  / (sigma^2 s)
 *
 * to the precision, and the first time adds 1/sigma^2. With respect to log ell, de = -e, and
 *
 *   d(rho^2/s) = d(1/s) = 2 e rho^2/s^2,      d(-rho/s) = -e rho (1 + rho^2)/s^2.
 *
 * and log |Q| = -r log sigma^2 - sum log s over the steps of r times. Times need not be sorted or equally spaced, and several cases may have the same time. By the Markov
 * property a new time depends only on its two neighbours, and one beyond all others only on the nearest.
 */
#include <math.h>

#include "covariance/precision.h"
#include "covariance/times.h"

enum { ELL = 0, SIGMA = 1 };

typedef struct chain {
    double ell, sigma2;
    bool slope; /* compute derivatives with respect to log ell */
} chain;

/* What a step adds to the precision: to the diagonal at its first and second time, and between them. */
typedef struct step {
    double first, second, between;
} step;

/* s = 1 - rho^2: the share of the variance at the second time that the first does not explain. */
static double unexplained(const chain *c, double h)
{
    return -expm1(-2.0 * h / c->ell);
}

static step step_of(const chain *c, double h)
{
    double e = h / c->ell, rho = exp(-e), s = unexplained(c, h);
    step out = {rho * rho / s, 1.0 / s, -rho / s};
    if (c->slope) {
        out.first = out.second = 2.0 * e * rho * rho / (s * s);
        out.between = -e * rho * (1.0 + rho * rho) / (s * s);
    }
    out.first /= c->sigma2;
    out.second /= c->sigma2;
    out.between /= c->sigma2;
    return out;
}

/* Are all times far enough apart? If s is close to 0, the precision overflows. */
static bool are_apart(const chain *c, const tw_times *t)
{
    for (size_t k = 1; k < t->r; k++)
        if (!(unexplained(c, t->t[k] - t->t[k - 1]) > 1e-12)) return false;
    return true;
}

static tw_status make_matrix(const chain *c, const tw_times *t, tw_precision *out)
{
    tw_entries e;
    tw_status status = tw_entries_new(out->ctx, 2 * t->r, &e);
    double diagonal = c->slope ? 0.0 : 1.0 / c->sigma2;
    out->has_log_det = true;
    out->log_det = -(double)t->r * log(c->sigma2);
    for (size_t k = 0; status == TW_OK && k + 1 < t->r; k++) {
        step s = step_of(c, t->t[k + 1] - t->t[k]);
        tw_entries_add(&e, t->variable[k], t->variable[k], diagonal + s.first);
        tw_entries_add(&e, t->variable[k + 1], t->variable[k], s.between);
        diagonal = s.second;
        out->log_det -= log(unexplained(c, t->t[k + 1] - t->t[k]));
    }
    if (status == TW_OK) tw_entries_add(&e, t->variable[t->r - 1], t->variable[t->r - 1], diagonal);
    return tw_entries_finish(&e, status, t->r, t->r, true, &out->q);
}

/* Row i of C* and v*: the conditional mean and variance of x at a new time, given its neighbours. */
static void add_new(const chain *c, const tw_times *t, double at, size_t i, tw_entries *design,
                    double *variance)
{
    bool same;
    size_t before = tw_times_before(t, at, &same);
    step left = {0}, right = {0};
    if (same) {
        tw_entries_add(design, i, t->variable[before], 1.0);
        return;
    }
    if (before > 0) left = step_of(c, at - t->t[before - 1]);
    if (before < t->r) right = step_of(c, t->t[before] - at);
    double precision = (before > 0 ? left.second : 1.0 / c->sigma2) + right.first;
    if (before > 0) tw_entries_add(design, i, t->variable[before - 1], -left.between / precision);
    if (before < t->r) tw_entries_add(design, i, t->variable[before], -right.between / precision);
    *variance = 1.0 / precision;
}

static tw_status make_new(const chain *c, const tw_times *t, const double *input, tw_precision *out)
{
    tw_entries design;
    tw_status status = tw_precision_begin_new(out, 2, &design);
    for (size_t i = 0; status == TW_OK && i < out->at->count; i++)
        add_new(c, t, input[i], i, &design, &out->at_variance[i]);
    return tw_entries_finish(&design, status, out->at->count, t->r, false, &out->at_design);
}

tw_status tw_chain_precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d,
                             const double *x, size_t ldx, tw_precision *out)
{
    size_t k, column = tw_node_column(kernel, node, 0);
    chain c = {tw_node_value(kernel, node, ELL, 0), tw_node_sigma2(kernel, node, SIGMA),
               tw_precision_asks(out, node, ELL, &k)};
    tw_times t;
    (void)d;
    tw_status status = tw_times_find(kernel->ctx, n, x + column * ldx, &t);
    bool apart = status == TW_OK && are_apart(&c, &t);
    if (apart) status = make_matrix(&c, &t, out);
    if (status == TW_OK && apart) status = tw_precision_pick(out, n, t.r, t.of);
    if (status == TW_OK && apart && out->at)
        status = make_new(&c, &t, out->at->x + column * out->at->ld, out);
    tw_times_free(&t);
    return status;
}
