/* sparse_contract.c: derivatives of log Z with respect to the parameters of a sparse precision Q.
 *
 * Let Pi = Q + C'TC be the precision of q's variables. Then dK = -C Q^-1 dQ Q^-1 C' turns the sum of
 * contract.h into
 *
 *   d log Z = 1/2 sum_ij dQ_ij (Q^-1 - Pi^-1 - m m' - a m' - m a')_ij,     m = Q^-1 C' b,   a = Q^-1 C' u
 *
 * (m is the mean of the variables, a the term of Laplace's mode). dQ is nonzero only in the pattern of Q,
 * where the selected inverses give the entries. The cost is two selected inverses, two solves, and one matrix
 * dQ for each parameter. With constraints, each inverse loses a low-rank term (sparse_confine.c, equation 1).
 */
#include <string.h>

#include "covariance/precision.h"
#include "gaussian/contract.h"
#include "gaussian/sparse_inside.h"

enum { M, A, VECTORS };

/* The inverse precision of a Gaussian, on the pattern of L. */
typedef struct inverse {
    const tw_sparse_gaussian *of;
    double *z; /* the selected inverse, as long as L */
    double *y; /* G~^-1 U, r x k; NULL: no constraints */
} inverse;

typedef struct work {
    tw_context *ctx;
    const tw_pattern *pattern;
    inverse prior, q;
    double *vector; /* r x VECTORS, rows in elimination order: m and a of each variable are adjacent */
} work;

static tw_status invert(const tw_sparse_gaussian *of, inverse *i)
{
    const tw_pattern *p = of->pattern;
    tw_front front;
    i->of = of;
    TW_TRY(tw_allocate_doubles(p->ctx, p->analysis->entries, 1, "a selected inverse", &i->z));
    if (of->confined.c > 0)
        TW_TRY(tw_allocate_doubles(p->ctx, p->r, of->confined.k, "the constraints of a Gaussian", &i->y));
    TW_TRY(tw_front_new(p->analysis, &front));
    tw_sparse_select(p->analysis, &front, of->l, i->z);
    tw_confined_reach(&of->confined, p, of->l, i->y);
    tw_front_free(p->ctx, &front);
    return TW_OK;
}

/* The entry in row i and column j, in elimination order; `at` is its position in z. */
static double entry(const inverse *v, size_t at, size_t i, size_t j)
{
    const tw_confined *c = &v->of->confined;
    double value = v->z[at];
    for (size_t a = 0; a < c->k; a++)
        for (size_t b = 0; b < c->k; b++)
            value -= v->y[a + i * c->k] * c->inverse[a + b * c->k] * v->y[b + j * c->k];
    return value;
}

/* m = Q^-1 C' b and a = Q^-1 C' u. */
static tw_status set_vectors(work *k, const tw_contraction *with)
{
    const tw_sparse_gaussian *prior = k->prior.of;
    const tw_pattern *p = k->pattern;
    double *sites = NULL;
    TW_TRY(tw_allocate_doubles(k->ctx, p->r, VECTORS, "derivatives of log Z", &k->vector));
    TW_TRY(tw_allocate_doubles(k->ctx, p->n, VECTORS, "derivatives of log Z", &sites));
    memcpy(sites, with->b, p->n * sizeof *sites);
    memcpy(sites + p->n, with->u, p->n * sizeof *sites);
    tw_pattern_gather(p, VECTORS, sites, NULL, k->vector);
    tw_sparse_solve_lower(p->analysis, prior->l, VECTORS, k->vector);
    tw_confined_project(&prior->confined, p->r, VECTORS, k->vector);
    tw_sparse_solve_upper(p->analysis, prior->l, VECTORS, k->vector);
    tw_release(k->ctx, sites);
    return TW_OK;
}

static double contract_with(const work *k, const tw_sparse *dq)
{
    const tw_analysis *analysis = k->pattern->analysis;
    const double *v = k->vector;
    double sum = 0.0;
    for (size_t column = 0; column < dq->columns; column++)
        for (size_t e = dq->start[column]; e < dq->start[column + 1]; e++) {
            if (dq->value[e] == 0.0) continue;
            size_t row = dq->row[e], at = tw_analysis_find(analysis, row, column);
            size_t i = analysis->place[row], j = analysis->place[column];
            double w = entry(&k->prior, at, i, j) - entry(&k->q, at, i, j) -
                       v[M + i * VECTORS] * v[M + j * VECTORS] - v[A + i * VECTORS] * v[M + j * VECTORS] -
                       v[M + i * VECTORS] * v[A + j * VECTORS];
            sum += (i == j ? 0.5 : 1.0) * dq->value[e] * w;
        }
    return sum;
}

static tw_status contract(work *k, const tw_contraction *with, double *gradient)
{
    TW_TRY(invert((const tw_sparse_gaussian *)with->prior, &k->prior));
    TW_TRY(invert(k->q.of, &k->q));
    TW_TRY(set_vectors(k, with));
    for (size_t j = 0; j < tw_kernel_count(with->kernel); j++) {
        tw_precision slope;
        tw_status status = tw_kernel_precision_slope(with->kernel, j, k->pattern->n - with->hidden, with->d,
                                                     with->x, k->pattern->n, &slope);
        if (status == TW_OK) gradient[j] = contract_with(k, slope.q);
        tw_precision_release(&slope);
        TW_TRY(status);
    }
    return TW_OK;
}

tw_status tw_sparse_contract(const tw_gaussian *q, const tw_contraction *with, double *gradient)
{
    const tw_sparse_gaussian *s = (const tw_sparse_gaussian *)q;
    work k = {.ctx = q->ctx, .pattern = s->pattern, .q.of = s};
    if (tw_kernel_count(with->kernel) == 0) return TW_OK;
    tw_status status = contract(&k, with, gradient);
    double *const arrays[] = {k.prior.z, k.prior.y, k.q.z, k.q.y, k.vector};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) tw_release(q->ctx, arrays[i]);
    return status;
}
