/* sparse_energy.c: the mean of a conditioned sparse Gaussian and m'A^-1 m, as log Z needs them; see
 * tw_gaussian_kind.
 *
 * The mean m = C u solves G u = C'nu with G = Q + C' diag(tau) C, and m'A^-1 m = u'Qu. The form nu'm - m' diag(tau) m
 * of the same number loses the digits of nu'm, and its error is linear in that of u. With u'Qu, log Z is
 * stationary in u: the error of u counts only by half the square of its length in standard deviations, which is
 * half of rest'(G^-1 rest) with rest = C'(nu - diag(tau) m) - Q u. Steps u <- u + G^-1 rest make u as good as the
 * rounding of rest allows.
 */
#include <float.h>
#include <math.h>

#include "gaussian/sparse_inside.h"
#include "linalg/vector.h"

enum { STEPS = 4 };

typedef struct energy {
    const tw_sparse_gaussian *s;
    double *solved, *u, *rest, *product; /* r each; `solved` is in elimination order */
} energy;

/* product = Q u, without the pins of constraints. */
static void multiply(const energy *e)
{
    const tw_pattern *p = e->s->pattern;
    tw_sparse_multiply(p->q, e->u, e->product);
    for (size_t j = 0; j < p->constraints; j++) e->product[p->pin[j]] -= p->pinned[j] * e->u[p->pin[j]];
}

/* x = C u. */
static void find_sites(const energy *e, double *x)
{
    const tw_sparse *c = e->s->pattern->sites;
    for (size_t i = 0; i < e->s->g.n; i++) {
        x[i] = c ? 0.0 : e->u[i];
        for (size_t k = c ? c->start[i] : 0; c && k < c->start[i + 1]; k++)
            x[i] += c->value[k] * e->u[c->row[k]];
    }
}

/* rest = C'(nu - diag(tau) x) - Q u; product is Q u. */
static void find_rest(const energy *e, const double *nu, const double *x)
{
    const tw_sparse *c = e->s->pattern->sites;
    for (size_t j = 0; j < e->s->pattern->r; j++) e->rest[j] = -e->product[j];
    for (size_t i = 0; i < e->s->g.n; i++) {
        double pull = nu[i] - e->s->tau[i] * x[i];
        if (!c) e->rest[i] += pull;
        for (size_t k = c ? c->start[i] : 0; c && k < c->start[i + 1]; k++)
            e->rest[c->row[k]] += c->value[k] * pull;
    }
}

/* Subtract from rest its part along V, against which the constraints hold. */
static void confine(const energy *e)
{
    const tw_pattern *p = e->s->pattern;
    for (size_t c = 0; c < p->constraints; c++) {
        const double *v = p->v + c * p->r;
        double along = tw_dot(p->r, v, e->rest);
        for (size_t j = 0; j < p->r; j++) e->rest[j] -= along * v[j];
    }
}

/* u += G^-1 rest; returns rest'(G^-1 rest). */
static double step(const energy *e)
{
    const tw_pattern *p = e->s->pattern;
    const uint32_t *place = p->analysis->place;
    double square = 0.0;
    confine(e);
    for (size_t j = 0; j < p->r; j++) e->solved[place[j]] = e->rest[j];
    tw_sparse_solve_lower(p->analysis, e->s->l, 1, e->solved);
    tw_confined_project(&e->s->confined, p->r, 1, e->solved);
    tw_sparse_solve_upper(p->analysis, e->s->l, 1, e->solved);
    for (size_t j = 0; j < p->r; j++) {
        square += e->rest[j] * e->solved[place[j]];
        e->u[j] += e->solved[place[j]];
    }
    return square;
}

/* Bring u back to V'u = 0, along G~^-1 V (sparse_confine.c), constraint by constraint; further steps correct what that
 * changes otherwise. A solve within the constraints loses digits of V'u where the pins dominate M. */
static void return_to_constraints(const energy *e)
{
    const tw_pattern *p = e->s->pattern;
    const tw_confined *q = &e->s->confined;
    const uint32_t *place = p->analysis->place;
    for (size_t c = 0; c < q->c; c++) {
        const double *v = p->v + c * p->r;
        double along = 0.0;
        for (size_t i = 0; i < p->r; i++) e->solved[i] = q->n[c + i * q->k];
        tw_sparse_solve_upper(p->analysis, e->s->l, 1, e->solved);
        for (size_t j = 0; j < p->r; j++) along += v[j] * e->solved[place[j]];
        double off = tw_dot(p->r, v, e->u) / along;
        for (size_t j = 0; j < p->r && isfinite(off); j++) e->u[j] -= off * e->solved[place[j]];
    }
}

/* Constraints V'u = 0 hold to rounding only. Along V the sites may pull as hard as all data together, so u'Qu receives
 * a correction of first order, which makes log Z that of u - V V'u. */
static double violation(const energy *e, double *error)
{
    const tw_pattern *p = e->s->pattern;
    double sum = 0.0;
    for (size_t c = 0; c < p->constraints; c++) {
        double pull = 0.0, off = 0.0, parts = 0.0, most = 0.0;
        for (size_t j = 0; j < p->r; j++) {
            double v = p->v[j + c * p->r];
            pull += v * e->rest[j];
            off += v * e->u[j];
            parts += fabs(e->u[j]);
            most = fmax(most, fabs(v));
        }
        sum += pull * off;
        *error +=
            DBL_EPSILON * fabs(pull) * most * parts; /* entries of V have errors relative to the largest */
    }
    return 2.0 * sum;
}

/* u'Qu and its rounding error: each entry of Q and each product is rounded. */
static double value_of(const energy *e, double *error)
{
    const tw_pattern *p = e->s->pattern;
    double sum = 0.0, parts = 0.0;
    for (size_t j = 0; j < p->r; j++) {
        sum += e->u[j] * e->product[j];
        parts += p->q->value[p->q->start[j]] * e->u[j] * e->u[j];
    }
    *error += DBL_EPSILON * parts;
    return sum;
}

double tw_sparse_energy(const tw_gaussian *g, const double *nu, double *mean, double *error)
{
    const tw_sparse_gaussian *s = (const tw_sparse_gaussian *)g;
    size_t r = s->pattern->r;
    tw_buffer *buffer = tw_pattern_borrow(s->pattern);
    double *numbers = buffer->numbers;
    const energy e = {
        .s = s, .solved = numbers, .u = numbers + r, .rest = numbers + 2 * r, .product = numbers + 3 * r};
    for (size_t j = 0; j < r; j++) e.u[j] = 0.0;
    *error = 0.0;
    for (int k = 0; k <= STEPS; k++) {
        find_sites(&e, mean);
        multiply(&e);
        find_rest(&e, nu, mean);
        if (k == STEPS) break;
        *error = fabs(step(&e));
        return_to_constraints(&e);
    }
    double value = value_of(&e, error) + violation(&e, error);
    tw_buffer_give_back(buffer);
    return value;
}
