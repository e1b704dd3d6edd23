/* compose.c: sparse precisions of sums and products of leaves.
 *
 *   sum       x = C_1 u_1 + C_2 u_2 + ...:  u stacks the variables of all terms,
 *             Q = diag(Q_1, Q_2, ...),  C = [C_1 C_2 ...]
 *   product   K = K_1 o K_2, as in ar1(t) * spde(lon, lat):  u has one variable for each pair of a variable
 *             of the first factor and one of the second, Q = Q_1 (x) Q_2 (Kronecker), and row i of C is the
 *             Kronecker product of the rows of C_1 and C_2 for the two places of case i
 *   number    multiplies the variance of a product
 *
 * A kernel that also has leaves with covariances only is dense (full.h) and is not composed here.
 *
 * and log |Q| is the sum of the terms', or r_2 log |Q_1| + r_1 log |Q_2|.
 *
 * The derivative with respect to a parameter changes one leaf: in a sum the blocks of the other terms are
 * zero; in a product the other factor is unchanged. New cases have the designs of all terms side by side, or
 * the Kronecker product of those of both factors.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/compose_leaf.h"
#include "covariance/precision.h"

static tw_status compose(const tw_cases *c, size_t node, tw_precision *out);

/* The number of entries of a design; NULL is the identity, with n entries. */
static size_t count_of(const tw_sparse *design, size_t n)
{
    return design ? design->start[design->columns] : n;
}

/* ---- sums ---- */

/* diag(Q_a, Q_b). If a slope is requested, the block that does not depend on the parameter is zero. */
static tw_status join_q(const tw_precision *a, const tw_precision *b, tw_sparse **out)
{
    tw_entries e;
    const tw_sparse *q[2] = {a->q, b->q};
    const bool zero[2] = {a->slope && !a->moves, b->slope && !b->moves};
    size_t shift = 0, r = a->q->rows + b->q->rows;
    tw_status status = tw_entries_new(a->ctx, a->q->start[a->q->columns] + b->q->start[b->q->columns], &e);
    for (size_t k = 0; status == TW_OK && k < 2; shift += q[k]->rows, k++)
        for (size_t j = 0; j < q[k]->columns; j++)
            for (size_t s = q[k]->start[j]; s < q[k]->start[j + 1]; s++)
                tw_entries_add(&e, shift + q[k]->row[s], shift + j, zero[k] ? 0.0 : q[k]->value[s]);
    return tw_entries_finish(&e, status, r, r, true, out);
}

/* [C_a C_b] for n cases; NULL is the identity. */
static tw_status join_design(const tw_precision *a, const tw_precision *b, const tw_sparse *of_a,
                             const tw_sparse *of_b, size_t n, tw_sparse **out)
{
    tw_entries e;
    const tw_precision *p[2] = {a, b};
    const tw_sparse *of[2] = {of_a, of_b};
    size_t shift = 0;
    tw_status status = tw_entries_new(a->ctx, count_of(of_a, n) + count_of(of_b, n), &e);
    for (size_t k = 0; status == TW_OK && k < 2; shift += p[k]->q->rows, k++)
        for (size_t j = 0; j < p[k]->q->rows; j++) {
            const tw_sparse *c = of[k];
            if (!c) tw_entries_add(&e, j, shift + j, 1.0);
            for (size_t s = c ? c->start[j] : 0; c && s < c->start[j + 1]; s++)
                tw_entries_add(&e, c->row[s], shift + j, c->value[s]);
        }
    return tw_entries_finish(&e, status, n, a->q->rows + b->q->rows, false, out);
}

/* New cases of a sum: designs side by side, and the sum of the variances. */
static tw_status join_new(const tw_precision *a, const tw_precision *b, tw_precision *sum)
{
    size_t m = sum->at->count;
    TW_TRY(join_design(a, b, a->at_design, b->at_design, m, &sum->at_design));
    TW_TRY(tw_allocate_doubles(sum->ctx, m, 1, "the variances of new cases", &sum->at_variance));
    for (size_t i = 0; i < m; i++) sum->at_variance[i] = a->at_variance[i] + b->at_variance[i];
    return TW_OK;
}

/* The constraints of both terms, each on its own variables. */
static tw_status join_constraints(const tw_precision *a, const tw_precision *b, tw_constraints *out)
{
    const tw_precision *p[2] = {a, b};
    size_t r = a->q->rows + b->q->rows, shift = 0, count = a->constraints.count + b->constraints.count;
    if (count == 0) return TW_OK;
    if (count > TW_MOST_CONSTRAINTS)
        return tw_fail(a->ctx, TW_BAD_ARGUMENT, "the terms of a sum have %zu constraints: the limit is %d",
                       count, TW_MOST_CONSTRAINTS);
    TW_TRY(tw_allocate_doubles(a->ctx, r, count, "constraints", &out->v));
    for (size_t k = 0; k < 2; shift += p[k]->q->rows, k++)
        for (size_t j = 0; j < p[k]->constraints.count; j++) {
            const double *v = p[k]->constraints.v + j * p[k]->q->rows;
            memcpy(out->v + shift + out->count * r, v, p[k]->q->rows * sizeof *v);
            out->pin[out->count++] = shift + p[k]->constraints.pin[j];
        }
    return TW_OK;
}

/* a = a + b. */
static tw_status join(tw_precision *a, const tw_precision *b, size_t n)
{
    tw_precision sum = {.ctx = a->ctx,
                        .hidden = true,
                        .slope = a->slope,
                        .at = a->at,
                        .wants_log_det = a->wants_log_det,
                        .has_log_det = a->has_log_det && b->has_log_det,
                        .log_det = a->log_det + b->log_det,
                        .moves = a->moves || b->moves};
    tw_status status = join_q(a, b, &sum.q);
    if (status == TW_OK) status = join_design(a, b, a->design, b->design, n, &sum.design);
    if (status == TW_OK && sum.at) status = join_new(a, b, &sum);
    if (status == TW_OK) status = join_constraints(a, b, &sum.constraints);
    tw_precision_release(a);
    *a = sum;
    return status;
}

static tw_status sum(const tw_cases *c, size_t node, tw_precision *out)
{
    const tw_node *nodes = c->kernel->nodes;
    TW_TRY(compose(c, node + 1, out));
    for (size_t k = nodes[node + 1].end; k < nodes[node].end; k = nodes[k].end) {
        tw_precision part = {
            .ctx = c->kernel->ctx, .slope = out->slope, .at = out->at, .wants_log_det = out->wants_log_det};
        tw_status status = compose(c, k, &part);
        if (status == TW_OK) status = join(out, &part, c->n);
        tw_precision_release(&part);
        TW_TRY(status);
    }
    return TW_OK;
}

/* ---- products ---- */

/* A factor of a product. A place is a distinct value of the factor's inputs;
 * its precision treats places as cases. */
typedef struct factor {
    size_t places;
    uint32_t *of;        /* n: the place of each case */
    uint32_t *first;     /* the first case at each place */
    double *x;           /* places x d inputs */
    tw_precision p;      /* of the places */
    tw_sparse *by_place; /* C', one column per place; NULL: the identity */
    tw_sparse *by_new;   /* C*', one column per new case; NULL: no new cases */
} factor;

static void factor_free(tw_context *ctx, factor *f)
{
    tw_release(ctx, f->of);
    tw_release(ctx, f->first);
    tw_release(ctx, f->x);
    tw_sparse_free(f->by_place);
    tw_sparse_free(f->by_new);
    tw_precision_release(&f->p);
}

static tw_status factor_fill(const tw_cases *c, const tw_node *node, const tw_precision *out, factor *f)
{
    tw_context *ctx = c->kernel->ctx;
    f->p =
        (tw_precision){.ctx = ctx, .slope = out->slope, .at = out->at, .wants_log_det = out->wants_log_det};
    if (node->kind != TW_NODE_LEAF)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "a product with a sparse precision must have two leaves, as in ar1(t) * spde(lon, lat)");
    TW_TRY(tw_index_allocate(ctx, c->n, "a product", &f->of));
    TW_TRY(tw_index_allocate(ctx, c->n, "a product", &f->first));
    TW_TRY(tw_compose_places(c, node, f->of, f->first, &f->places));
    TW_TRY(tw_allocate_doubles(ctx, f->places, c->d, "a product", &f->x));
    for (size_t k = 0; k < c->d; k++)
        for (size_t i = 0; i < f->places; i++) f->x[i + k * f->places] = c->x[f->first[i] + k * c->ldx];
    const tw_cases own = {c->kernel, f->places, c->d, f->x, f->places};
    TW_TRY(tw_compose_leaf(&own, node, &f->p));
    if (f->p.constraints.count)
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%s is intrinsic and cannot be a factor of a product",
                       tw_node_name(node));
    if (f->p.at_design) TW_TRY(tw_sparse_transpose(f->p.at_design, &f->by_new));
    return f->p.design ? tw_sparse_transpose(f->p.design, &f->by_place) : TW_OK;
}

/* scale Q_f (x) Q_g, lower triangles only. Variable (i, j) has the number i r_g + j. A pair of entries that
 * are both off-diagonal gives two entries of the lower triangle. */
static tw_status multiply_q(const factor *f, const factor *g, double scale, tw_sparse **out)
{
    tw_entries e;
    const tw_sparse *a = f->p.q, *b = g->p.q;
    size_t r = b->rows, room = a->start[a->columns] * (2 * b->start[b->columns]);
    tw_status status = tw_entries_new(f->p.ctx, room, &e);
    for (size_t i = 0; status == TW_OK && i < a->columns; i++)
        for (size_t s = a->start[i]; s < a->start[i + 1]; s++)
            for (size_t j = 0; j < b->columns; j++)
                for (size_t t = b->start[j]; t < b->start[j + 1]; t++) {
                    double value = scale * a->value[s] * b->value[t];
                    tw_entries_add(&e, a->row[s] * r + b->row[t], i * r + j, value);
                    if (a->row[s] != i && b->row[t] != j)
                        tw_entries_add(&e, a->row[s] * r + j, i * r + b->row[t], value);
                }
    return tw_entries_finish(&e, status, a->rows * r, a->rows * r, true, out);
}

/* A row of a design: the variables that a place or a new case depends on, and their weights. */
typedef struct design_row {
    size_t count;
    const uint32_t *variable;
    const double *weight;
    uint32_t own; /* the only variable, if the design is the identity */
} design_row;

/* Row `at` of the design whose transpose is `by`; NULL: the identity. */
static void get_row(const tw_sparse *by, size_t at, design_row *r)
{
    static const double one = 1.0;
    *r = (design_row){1, &r->own, &one, (uint32_t)at};
    if (!by) return;
    r->count = by->start[at + 1] - by->start[at];
    r->variable = by->row + by->start[at];
    r->weight = by->value + by->start[at];
}

/* The design of a product for n cases, or for n new cases (fresh): row i is the Kronecker product of the rows
 * of both factors. The first pass counts the entries. */
static tw_status multiply_design(const factor *f, const factor *g, size_t n, bool fresh, tw_sparse **out)
{
    tw_entries e = {.ctx = f->p.ctx};
    const tw_sparse *by[2] = {fresh ? f->by_new : f->by_place, fresh ? g->by_new : g->by_place};
    const uint32_t *of[2] = {fresh ? NULL : f->of, fresh ? NULL : g->of};
    design_row a, b;
    tw_status status = TW_OK;
    for (size_t pass = 0, room = 0; status == TW_OK && pass < 2; pass++) {
        for (size_t i = 0; i < n; i++) {
            get_row(by[0], of[0] ? of[0][i] : i, &a);
            get_row(by[1], of[1] ? of[1][i] : i, &b);
            room += a.count * b.count;
            for (size_t s = 0; pass == 1 && s < a.count; s++)
                for (size_t t = 0; t < b.count; t++)
                    tw_entries_add(&e, i, a.variable[s] * g->p.q->rows + b.variable[t],
                                   a.weight[s] * b.weight[t]);
        }
        if (pass == 0) status = tw_entries_new(f->p.ctx, room, &e);
    }
    return tw_entries_finish(&e, status, n, f->p.q->rows * g->p.q->rows, false, out);
}

/* variance_i += v_f s_g for new case i: v_f is the variance of factor f that its variables leave unexplained,
 * and s_g = c_g' Q_g^-1 c_g the variance that those of g explain. */
static tw_status add_unexplained(const factor *f, const factor *g, size_t m, double *variance)
{
    double *explained = NULL;
    bool any = false;
    for (size_t i = 0; i < m; i++) any = any || f->p.at_variance[i] > 0.0;
    if (!any) return TW_OK;
    TW_TRY(tw_allocate_doubles(f->p.ctx, m, 1, "the variances of new cases", &explained));
    tw_status status = tw_sparse_forms(g->p.q, g->by_new, explained);
    for (size_t i = 0; status == TW_OK && i < m; i++) variance[i] += f->p.at_variance[i] * explained[i];
    tw_release(f->p.ctx, explained);
    return status;
}

/* New cases of a product. With K_f = Q_f^-1, a new case has the covariances (K_f c_f) (x) (K_g c_g) with the
 * variables, so its row of C* is c_f (x) c_g. Of its variance (s_f + v_f)(s_g + v_g) the variables explain
 * s_f s_g; the rest is v_f v_g + v_f s_g + s_f v_g. */
static tw_status multiply_new(const factor *f, const factor *g, double scale, tw_precision *out)
{
    size_t m = out->at->count;
    TW_TRY(tw_allocate_doubles(out->ctx, m, 1, "the variances of new cases", &out->at_variance));
    for (size_t i = 0; i < m; i++) out->at_variance[i] = f->p.at_variance[i] * g->p.at_variance[i];
    TW_TRY(add_unexplained(f, g, m, out->at_variance));
    TW_TRY(add_unexplained(g, f, m, out->at_variance));
    for (size_t i = 0; i < m; i++) out->at_variance[i] /= scale;
    return multiply_design(f, g, m, true, &out->at_design);
}

/* log |scale Q_f (x) Q_g|. */
static void multiply_log_det(const tw_precision *f, const tw_precision *g, double scale, tw_precision *out)
{
    double rf = (double)f->q->rows, rg = (double)g->q->rows;
    out->has_log_det = f->has_log_det && g->has_log_det;
    out->log_det = rg * f->log_det + rf * g->log_det + rf * rg * log(scale);
}

/* The product of two leaves; `scale` multiplies Q. */
static tw_status multiply(const tw_cases *c, const tw_node *a, const tw_node *b, double scale,
                          tw_precision *out)
{
    factor f = {0}, g = {0};
    tw_status status = factor_fill(c, a, out, &f);
    if (status == TW_OK) status = factor_fill(c, b, out, &g);
    if (status == TW_OK && f.p.q->rows > UINT32_MAX / 2 / g.p.q->rows)
        status = tw_fail(out->ctx, TW_BAD_DATA, "a product of %zu and %zu variables is too large",
                         f.p.q->rows, g.p.q->rows);
    if (status == TW_OK) status = multiply_q(&f, &g, scale, &out->q);
    if (status == TW_OK) status = multiply_design(&f, &g, c->n, false, &out->design);
    if (status == TW_OK && out->at) status = multiply_new(&f, &g, scale, out);
    out->moves = f.p.moves || g.p.moves;
    if (status == TW_OK) multiply_log_det(&f.p, &g.p, scale, out);
    factor_free(out->ctx, &f);
    factor_free(out->ctx, &g);
    return status;
}

static tw_status product(const tw_cases *c, size_t node, tw_precision *out)
{
    const tw_node *nodes = c->kernel->nodes, *part[2] = {NULL, NULL};
    double variance = 1.0;
    size_t count = 0;
    for (size_t k = node + 1; k < nodes[node].end; k = nodes[k].end) {
        if (nodes[k].kind == TW_NODE_NUMBER)
            variance *= nodes[k].number;
        else if (count++ < 2)
            part[count - 1] = &nodes[k];
    }
    if (count > 2)
        return tw_fail(out->ctx, TW_BAD_ARGUMENT,
                       "a product with a sparse precision must have two factors, not %zu", count);
    if (count == 2) return multiply(c, part[0], part[1], 1.0 / variance, out);
    TW_TRY(compose(c, (size_t)(part[0] - nodes), out));
    for (size_t e = 0; e < out->q->start[out->q->columns]; e++) out->q->value[e] /= variance;
    out->log_det -= (double)(out->q->rows - out->constraints.count) * log(variance);
    for (size_t i = 0; out->at && i < out->at->count; i++) out->at_variance[i] *= variance;
    return TW_OK;
}

/* ---- any node ---- */

static tw_status compose(const tw_cases *c, size_t node, tw_precision *out)
{
    const tw_node *at = &c->kernel->nodes[node];
    out->ctx = c->kernel->ctx;
    if (at->kind == TW_NODE_SUM) return sum(c, node, out);
    if (at->kind == TW_NODE_PRODUCT) return product(c, node, out);
    if (at->kind == TW_NODE_NUMBER) return tw_compose_constant(c, true, at->number, out);
    return tw_compose_leaf(c, at, out);
}

tw_status tw_precision_compose(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                               tw_precision *out)
{
    const tw_cases c = {kernel, n, d, x, ldx};
    return compose(&c, 0, out);
}
