/* compose.c: the precisions of sums and products of leaves that have one.
 *
 *   sum       x = C_1 u_1 + C_2 u_2 + ...: the variables of all terms side by side, Q = diag(Q_1, Q_2, ...), C = [C_1 C_2 ...]
 *   product   u over all pairs of a place of the first factor and one of the second, Q = Q_1 (x) Q_2 (Kronecker), where case i sees
 *             the pair of its own two places: ar1(t) * spde(lon, lat)
 *   constant  one variable, which all cases see;   white  one for each case;   categorical  one for each category
 *   a number  scales a product by that much variance
 *
 * Terms that have covariances alone make a kernel dense, and are refused beside one that has none.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "covariance/precision.h"

enum { MOST_COLUMNS = 3 };

typedef struct cases {
    const tw_kernel *kernel;
    size_t n, d;
    const double *x;
    size_t ldx;
} cases;

static tw_status compose(const cases *c, size_t node, tw_precision *out);

/* ---- entries of a matrix that is being made ---- */

typedef struct entries {
    tw_context *ctx;
    size_t count;
    uint32_t *row, *column;
    double *value;
} entries;

static tw_status entries_new(tw_context *ctx, size_t room, entries *e)
{
    static const char what[] = "a composed prior";
    *e = (entries){.ctx = ctx};
    TW_TRY(tw_index_allocate(ctx, room, what, &e->row));
    TW_TRY(tw_index_allocate(ctx, room, what, &e->column));
    return tw_allocate_doubles(ctx, room, 1, what, &e->value);
}

static void entries_free(entries *e)
{
    tw_release(e->ctx, e->row);
    tw_release(e->ctx, e->column);
    tw_release(e->ctx, e->value);
}

static void add(entries *e, size_t i, size_t j, double value)
{
    e->row[e->count] = (uint32_t)i;
    e->column[e->count] = (uint32_t)j;
    e->value[e->count++] = value;
}

static tw_status finish(entries *e, tw_status status, size_t rows, size_t columns, bool symmetric,
                        tw_sparse **out)
{
    if (status == TW_OK)
        status = tw_sparse_new(e->ctx, rows, columns, symmetric, e->count, e->row, e->column, e->value, out);
    entries_free(e);
    return status;
}

/* How many entries C has; the identity has n. */
static size_t design_count(const tw_precision *p, size_t n)
{
    return p->design ? p->design->start[p->design->columns] : n;
}

/* ---- simple leaves ---- */

/* r variables of this precision by themselves. */
static tw_status independent(const cases *c, size_t r, double precision, const uint32_t *of,
                             tw_precision *out)
{
    entries e;
    tw_status status = entries_new(c->kernel->ctx, r, &e);
    for (size_t j = 0; status == TW_OK && j < r; j++) add(&e, j, j, precision);
    TW_TRY(finish(&e, status, r, r, true, &out->q));
    return tw_precision_pick(out, c->n, r, of);
}

/* A case and the inputs of a leaf. */
typedef struct place {
    double key[MOST_COLUMNS];
    uint32_t site;
} place;

static int compare(const void *a, const void *b)
{
    const place *p = a, *q = b;
    for (size_t k = 0; k < MOST_COLUMNS; k++)
        if (p->key[k] != q->key[k]) return (p->key[k] > q->key[k]) - (p->key[k] < q->key[k]);
    return (p->site > q->site) - (p->site < q->site);
}

static bool same_place(const place *p, const place *q)
{
    for (size_t k = 0; k < MOST_COLUMNS; k++)
        if (p->key[k] != q->key[k]) return false;
    return true;
}

/* The different places of a leaf's inputs: of[i] is that of case i, first[j] the first case there. Returns how many. */
static tw_status find_places(const cases *c, const tw_node *node, uint32_t *of, uint32_t *first,
                             size_t *count)
{
    void *memory = NULL;
    size_t width = tw_node_width(node, c->d);
    if (width > MOST_COLUMNS)
        return tw_fail(c->kernel->ctx, TW_BAD_ARGUMENT,
                       "%s looks at %zu inputs: with a sparse precision it may look at %d",
                       tw_node_name(node), width, MOST_COLUMNS);
    TW_TRY(tw_allocate(c->kernel->ctx, c->n, sizeof(place), "the places of a leaf", &memory));
    place *p = memory;
    for (size_t i = 0; i < c->n; i++) {
        p[i].site = (uint32_t)i;
        for (size_t k = 0; k < width; k++)
            p[i].key[k] = c->x[i + tw_node_column(c->kernel, node, k) * c->ldx];
    }
    qsort(p, c->n, sizeof *p, compare);
    *count = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (i == 0 || !same_place(&p[i - 1], &p[i])) first[(*count)++] = p[i].site;
        of[p[i].site] = (uint32_t)(*count - 1);
    }
    tw_release(c->kernel->ctx, memory);
    return TW_OK;
}

static tw_status categories(const cases *c, const tw_node *node, tw_precision *out)
{
    uint32_t *of = NULL, *first = NULL;
    size_t count = 0;
    tw_status status = tw_index_allocate(c->kernel->ctx, c->n, "categories", &of);
    if (status == TW_OK) status = tw_index_allocate(c->kernel->ctx, c->n, "categories", &first);
    if (status == TW_OK) status = find_places(c, node, of, first, &count);
    if (status == TW_OK) status = independent(c, count, 1.0 / tw_node_sigma2(c->kernel, node, 0), of, out);
    tw_release(c->kernel->ctx, of);
    tw_release(c->kernel->ctx, first);
    return status;
}

/* Variables of the same variance: one that all see, or one for each case. */
static tw_status constant(const cases *c, bool one, double variance, tw_precision *out)
{
    uint32_t *of = NULL;
    TW_TRY(tw_index_allocate(c->kernel->ctx, c->n, "a constant", &of));
    for (size_t i = 0; !one && i < c->n; i++) of[i] = (uint32_t)i;
    tw_status status = independent(c, one ? 1 : c->n, 1.0 / variance, of, out);
    tw_release(c->kernel->ctx, of);
    return status;
}

static tw_status leaf(const cases *c, const tw_node *node, tw_precision *out)
{
    bool one = node->leaf == &tw_leaf_constant;
    if (one || node->leaf == &tw_leaf_white)
        return constant(c, one, tw_node_value(c->kernel, node, 0, 0), out);
    if (node->leaf == &tw_leaf_categorical) return categories(c, node, out);
    TW_TRY(tw_leaf_precision_of(c->kernel, node, c->n, c->d, c->x, c->ldx, out));
    if (out->q) return TW_OK;
    return tw_fail(c->kernel->ctx, TW_BAD_ARGUMENT,
                   "%s has covariances and no sparse precision: it cannot stand beside a leaf that has a "
                   "precision and no covariances",
                   tw_node_name(node));
}

/* ---- sums ---- */

static tw_status join_q(const tw_precision *a, const tw_precision *b, tw_sparse **out)
{
    entries e;
    const tw_sparse *q[2] = {a->q, b->q};
    size_t shift = 0, r = a->q->rows + b->q->rows;
    tw_status status = entries_new(a->ctx, a->q->start[a->q->columns] + b->q->start[b->q->columns], &e);
    for (size_t k = 0; status == TW_OK && k < 2; shift += q[k]->rows, k++)
        for (size_t j = 0; j < q[k]->columns; j++)
            for (size_t s = q[k]->start[j]; s < q[k]->start[j + 1]; s++)
                add(&e, shift + q[k]->row[s], shift + j, q[k]->value[s]);
    return finish(&e, status, r, r, true, out);
}

static tw_status join_design(const tw_precision *a, const tw_precision *b, size_t n, tw_sparse **out)
{
    entries e;
    const tw_precision *p[2] = {a, b};
    size_t shift = 0;
    tw_status status = entries_new(a->ctx, design_count(a, n) + design_count(b, n), &e);
    for (size_t k = 0; status == TW_OK && k < 2; shift += p[k]->q->rows, k++)
        for (size_t j = 0; j < p[k]->q->rows; j++) {
            const tw_sparse *c = p[k]->design;
            if (!c) add(&e, j, shift + j, 1.0);
            for (size_t s = c ? c->start[j] : 0; c && s < c->start[j + 1]; s++)
                add(&e, c->row[s], shift + j, c->value[s]);
        }
    return finish(&e, status, n, a->q->rows + b->q->rows, false, out);
}

static tw_status join_constraints(const tw_precision *a, const tw_precision *b, tw_constraints *out)
{
    const tw_precision *p[2] = {a, b};
    size_t r = a->q->rows + b->q->rows, shift = 0, count = a->constraints.count + b->constraints.count;
    if (count == 0) return TW_OK;
    if (count > TW_MOST_CONSTRAINTS)
        return tw_fail(a->ctx, TW_BAD_ARGUMENT, "the terms of a sum have %zu constraints; there may be %d",
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
    tw_precision sum = {.ctx = a->ctx, .hidden = true};
    tw_status status = join_q(a, b, &sum.q);
    if (status == TW_OK) status = join_design(a, b, n, &sum.design);
    if (status == TW_OK) status = join_constraints(a, b, &sum.constraints);
    tw_precision_release(a);
    *a = sum;
    return status;
}

static tw_status sum(const cases *c, size_t node, tw_precision *out)
{
    const tw_node *nodes = c->kernel->nodes;
    TW_TRY(compose(c, node + 1, out));
    for (size_t k = nodes[node + 1].end; k < nodes[node].end; k = nodes[k].end) {
        tw_precision part = {.ctx = c->kernel->ctx};
        tw_status status = compose(c, k, &part);
        if (status == TW_OK) status = join(out, &part, c->n);
        tw_precision_release(&part);
        TW_TRY(status);
    }
    return TW_OK;
}

/* ---- products ---- */

/* A factor at its different places, which are cases of its own. */
typedef struct factor {
    uint32_t *of, *first;
    double *x; /* places x d */
    size_t places;
    tw_precision p;
    tw_sparse *by_place; /* C', a column for each place; NULL: the identity */
} factor;

static void factor_free(tw_context *ctx, factor *f)
{
    tw_release(ctx, f->of);
    tw_release(ctx, f->first);
    tw_release(ctx, f->x);
    tw_sparse_free(f->by_place);
    tw_precision_release(&f->p);
}

static tw_status factor_fill(const cases *c, const tw_node *node, factor *f)
{
    tw_context *ctx = c->kernel->ctx;
    f->p.ctx = ctx;
    if (node->kind != TW_NODE_LEAF)
        return tw_fail(
            ctx, TW_BAD_ARGUMENT,
            "a product with a sparse precision is one of two leaves, as in ar1(t) * spde(lon, lat)");
    TW_TRY(tw_index_allocate(ctx, c->n, "a product", &f->of));
    TW_TRY(tw_index_allocate(ctx, c->n, "a product", &f->first));
    TW_TRY(find_places(c, node, f->of, f->first, &f->places));
    TW_TRY(tw_allocate_doubles(ctx, f->places, c->d, "a product", &f->x));
    for (size_t k = 0; k < c->d; k++)
        for (size_t i = 0; i < f->places; i++) f->x[i + k * f->places] = c->x[f->first[i] + k * c->ldx];
    const cases own = {c->kernel, f->places, c->d, f->x, f->places};
    TW_TRY(leaf(&own, node, &f->p));
    if (f->p.constraints.count)
        return tw_fail(ctx, TW_BAD_ARGUMENT,
                       "%s is intrinsic, and so would be its product, at every place of the other factor",
                       tw_node_name(node));
    return f->p.design ? tw_sparse_transpose(f->p.design, &f->by_place) : TW_OK;
}

/* Variable (i, j) of r_a x r_b is i r_b + j. An entry off both diagonals stands in two places of the lower triangle. */
static tw_status multiply_q(const factor *f, const factor *g, double scale, tw_sparse **out)
{
    entries e;
    const tw_sparse *a = f->p.q, *b = g->p.q;
    size_t r = b->rows, room = a->start[a->columns] * (2 * b->start[b->columns]);
    tw_status status = entries_new(f->p.ctx, room, &e);
    for (size_t i = 0; status == TW_OK && i < a->columns; i++)
        for (size_t s = a->start[i]; s < a->start[i + 1]; s++)
            for (size_t j = 0; j < b->columns; j++)
                for (size_t t = b->start[j]; t < b->start[j + 1]; t++) {
                    double value = scale * a->value[s] * b->value[t];
                    add(&e, a->row[s] * r + b->row[t], i * r + j, value);
                    if (a->row[s] != i && b->row[t] != j)
                        add(&e, a->row[s] * r + j, i * r + b->row[t], value);
                }
    return finish(&e, status, a->rows * r, a->rows * r, true, out);
}

/* The variables that a place sees. */
static void seen(const factor *f, size_t at, size_t *count, const uint32_t **row, const double **value,
                 uint32_t *own)
{
    static const double one = 1.0;
    *own = (uint32_t)at;
    *count = 1;
    *row = own;
    *value = &one;
    if (!f->by_place) return;
    *count = f->by_place->start[at + 1] - f->by_place->start[at];
    *row = f->by_place->row + f->by_place->start[at];
    *value = f->by_place->value + f->by_place->start[at];
}

static tw_status multiply_design(const cases *c, const factor *f, const factor *g, tw_sparse **out)
{
    entries e;
    const uint32_t *row[2];
    const double *value[2];
    uint32_t own[2];
    size_t count[2], room = 0;
    for (size_t i = 0; i < c->n; i++) {
        seen(f, f->of[i], &count[0], &row[0], &value[0], &own[0]);
        seen(g, g->of[i], &count[1], &row[1], &value[1], &own[1]);
        room += count[0] * count[1];
    }
    tw_status status = entries_new(f->p.ctx, room, &e);
    for (size_t i = 0; status == TW_OK && i < c->n; i++) {
        seen(f, f->of[i], &count[0], &row[0], &value[0], &own[0]);
        seen(g, g->of[i], &count[1], &row[1], &value[1], &own[1]);
        for (size_t s = 0; s < count[0]; s++)
            for (size_t t = 0; t < count[1]; t++)
                add(&e, i, row[0][s] * g->p.q->rows + row[1][t], value[0][s] * value[1][t]);
    }
    return finish(&e, status, c->n, f->p.q->rows * g->p.q->rows, false, out);
}

static tw_status multiply(const cases *c, const tw_node *a, const tw_node *b, double scale, tw_precision *out)
{
    factor f = {0}, g = {0};
    tw_status status = factor_fill(c, a, &f);
    if (status == TW_OK) status = factor_fill(c, b, &g);
    if (status == TW_OK && f.p.q->rows > UINT32_MAX / 2 / g.p.q->rows)
        status = tw_fail(out->ctx, TW_BAD_DATA, "a product of %zu and %zu variables is too large",
                         f.p.q->rows, g.p.q->rows);
    if (status == TW_OK) status = multiply_q(&f, &g, scale, &out->q);
    if (status == TW_OK) status = multiply_design(c, &f, &g, &out->design);
    factor_free(out->ctx, &f);
    factor_free(out->ctx, &g);
    return status;
}

static tw_status product(const cases *c, size_t node, tw_precision *out)
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
                       "a product with a sparse precision has two factors, not %zu", count);
    if (count == 2) return multiply(c, part[0], part[1], 1.0 / variance, out);
    TW_TRY(compose(c, (size_t)(part[0] - nodes), out));
    for (size_t e = 0; e < out->q->start[out->q->columns]; e++) out->q->value[e] /= variance;
    return TW_OK;
}

/* ---- any node ---- */

static tw_status compose(const cases *c, size_t node, tw_precision *out)
{
    const tw_node *at = &c->kernel->nodes[node];
    out->ctx = c->kernel->ctx;
    if (at->kind == TW_NODE_SUM) return sum(c, node, out);
    if (at->kind == TW_NODE_PRODUCT) return product(c, node, out);
    if (at->kind == TW_NODE_NUMBER) return constant(c, true, at->number, out);
    return leaf(c, at, out);
}

tw_status tw_precision_compose(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                               tw_precision *out)
{
    const cases c = {kernel, n, d, x, ldx};
    return compose(&c, 0, out);
}
