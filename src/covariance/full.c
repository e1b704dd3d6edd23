/* full.c: dense covariances of leaves that have only a sparse precision (full.h). With u ~ N(0, Q^-1),
 * x = C u, and V'u = 0 if Q is intrinsic (Q V = 0, V orthonormal),
 *
 *   K = C S C',   S = (Q + s V V')^-1 - V V'/s,        dK = -C S dQ S C'
 *
 * for any s > 0; s is the mean of Q's diagonal. The cost is O(r^3) flops for r variables.
 */
#include "covariance/full.h"

#include <string.h>

#include "covariance/precision.h"
#include "linalg/cholesky.h"
#include "linalg/product.h"

void tw_full_free(tw_full *full)
{
    if (!full) return;
    tw_context *ctx = full->kernel->ctx;
    for (size_t i = 0; full->value && i < full->kernel->node_count; i++) tw_release(ctx, full->value[i]);
    for (size_t j = 0; full->slope && j < full->kernel->parameter_count; j++) tw_release(ctx, full->slope[j]);
    tw_release(ctx, full->value);
    tw_release(ctx, full->slope);
    tw_release(ctx, full);
}

/* a (r x r) = Q + s V V'. */
static void fill_dense(const tw_precision *p, double *a)
{
    const tw_sparse *q = p->q;
    size_t r = q->rows;
    double scale = 0.0;
    for (size_t j = 0; j < r; j++)
        for (size_t e = q->start[j]; e < q->start[j + 1]; e++) {
            a[q->row[e] + j * r] = a[j + q->row[e] * r] = q->value[e];
            if (q->row[e] == j) scale += q->value[e] / (double)r;
        }
    for (size_t k = 0; k < p->constraints.count; k++) {
        const double *v = p->constraints.v + k * r;
        for (size_t j = 0; j < r; j++)
            for (size_t i = 0; i < r; i++) a[i + j * r] += scale * v[i] * v[j];
    }
}

/* y (r x n) = S C' = (Q + s V V')^-1 (I - V V') C'. On exit a (r x r) holds a Cholesky factor. */
static tw_status solve(const tw_precision *p, size_t n, double *a, double *y)
{
    size_t r = p->q->rows;
    tw_pivot failed;
    fill_dense(p, a);
    if (!tw_cholesky_in_place(r, a, r, &failed))
        return tw_fail(
            p->ctx, TW_NOT_POSITIVE_DEFINITE,
            "the precision matrix is not positive definite: its factorisation fails at variable %zu",
            failed.pivot + 1);
    for (size_t j = 0; j < r; j++) {
        const tw_sparse *c = p->design;
        if (!c) y[j + j * r] = 1.0;
        for (size_t e = c ? c->start[j] : 0; c && e < c->start[j + 1]; e++)
            y[j + c->row[e] * r] = c->value[e];
    }
    for (size_t k = 0; k < p->constraints.count; k++) { /* subtract the component along V */
        const double *v = p->constraints.v + k * r;
        for (size_t i = 0; i < n; i++) {
            double along = 0.0;
            for (size_t j = 0; j < r; j++) along += v[j] * y[j + i * r];
            for (size_t j = 0; j < r; j++) y[j + i * r] -= along * v[j];
        }
    }
    tw_cholesky_solve(r, a, r, n, y, r);
    return TW_OK;
}

/* k (n x n) = C y. */
static void apply_design(const tw_precision *p, size_t n, const double *y, double *k)
{
    size_t r = p->q->rows;
    const tw_sparse *c = p->design;
    for (size_t m = 0; m < n; m++)
        for (size_t j = 0; j < r; j++) {
            if (!c) k[j + m * n] = y[j + m * r];
            for (size_t e = c ? c->start[j] : 0; c && e < c->start[j + 1]; e++)
                k[c->row[e] + m * n] += c->value[e] * y[j + m * r];
        }
}

/* k (n x n) = -y' dQ y = dK. work: r x n. */
static void fill_slope(const tw_sparse *dq, size_t n, const double *y, double *work, double *k)
{
    size_t r = dq->rows;
    for (size_t m = 0; m < n; m++) tw_sparse_multiply(dq, y + m * r, work + m * r);
    tw_product_inner(n, n, r, y, r, work, r, k, n);
    for (size_t i = 0; i < n * n; i++) k[i] = -k[i];
}

/* dK/dtheta_j for all parameters of a leaf. */
static tw_status fill_slopes(tw_full *f, const tw_node *node, size_t d, const tw_inputs *cases,
                             const double *y, double *work)
{
    for (size_t s = 0; s < node->leaf->slot_count; s++)
        for (size_t j = node->slot[s].first; j < node->slot[s].first + node->slot[s].count; j++) {
            tw_precision slope = {.ctx = f->kernel->ctx, .slope = &j};
            TW_TRY(
                tw_allocate_doubles(f->kernel->ctx, f->n, f->n, "derivatives of covariances", &f->slope[j]));
            tw_status status = tw_leaf_precision_of(f->kernel, node, f->n, d, cases->x, cases->ld, &slope);
            if (status == TW_OK) fill_slope(slope.q, f->n, y, work, f->slope[j]);
            tw_precision_release(&slope);
            TW_TRY(status);
        }
    return TW_OK;
}

static tw_status fill_leaf(tw_full *f, const tw_node *node, size_t d, const tw_inputs *cases)
{
    static const char what[] = "the covariances of a sparse prior";
    tw_context *ctx = f->kernel->ctx;
    double *a = NULL, *y = NULL, *work = NULL, **to = &f->value[node - f->kernel->nodes];
    tw_precision p = {.ctx = ctx};
    tw_status status = tw_leaf_precision_of(f->kernel, node, f->n, d, cases->x, cases->ld, &p);
    size_t r = status == TW_OK ? p.q->rows : 0;
    if (status == TW_OK) status = tw_allocate_doubles(ctx, r, r, what, &a);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, r, f->n, what, &y);
    if (status == TW_OK) status = tw_allocate_doubles(ctx, f->n, f->n, what, to);
    if (status == TW_OK) status = solve(&p, f->n, a, y);
    if (status == TW_OK) apply_design(&p, f->n, y, *to);
    if (status == TW_OK && f->slope) status = tw_allocate_doubles(ctx, r, f->n, what, &work);
    if (status == TW_OK && f->slope) status = fill_slopes(f, node, d, cases, y, work);
    tw_precision_release(&p);
    tw_release(ctx, a);
    tw_release(ctx, y);
    tw_release(ctx, work);
    return status;
}

static tw_status fill(tw_full *f, size_t d, const tw_inputs *cases, bool slopes)
{
    const tw_kernel *kernel = f->kernel;
    void *memory = NULL;
    TW_TRY(tw_allocate(kernel->ctx, kernel->node_count, sizeof *f->value, "covariances", &memory));
    f->value = memory;
    if (slopes) {
        TW_TRY(tw_allocate(kernel->ctx, kernel->parameter_count, sizeof *f->slope, "covariances", &memory));
        f->slope = memory;
    }
    for (size_t i = 0; i < kernel->node_count; i++)
        if (kernel->nodes[i].kind == TW_NODE_LEAF && kernel->nodes[i].leaf->precision)
            TW_TRY(fill_leaf(f, &kernel->nodes[i], d, cases));
    return TW_OK;
}

tw_status tw_full_new(const tw_kernel *kernel, size_t d, const tw_inputs *cases, bool slopes, tw_full **out)
{
    void *memory = NULL;
    TW_TRY(tw_allocate(kernel->ctx, 1, sizeof **out, "covariances", &memory));
    *out = memory;
    **out = (tw_full){.kernel = kernel, .n = cases->count};
    tw_status status = fill(*out, d, cases, slopes);
    if (status == TW_OK) return TW_OK;
    tw_full_free(*out);
    *out = NULL;
    return status;
}

/* ---- functions for tw_leaf ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): the table of leaves has this type */
bool tw_full_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    (void)panel, (void)node, (void)value;
    return false;
}

void tw_full_value(const tw_panel *panel, const tw_node *node, double *out)
{
    const tw_full *f = panel->geometry->full;
    const double *k = f->value[node - panel->kernel->nodes];
    size_t rows = panel->rows;
    if (panel->kind == TW_PANEL_DIAGONAL) {
        for (size_t i = 0; i < rows; i++) out[i] = k[i + i * f->n];
        return;
    }
    for (size_t j = 0; j < panel->columns; j++)
        memcpy(out + j * rows, k + panel->first_row + (panel->first_column + j) * f->n, rows * sizeof *out);
}

void tw_full_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    const tw_full *f = panel->geometry->full;
    for (size_t s = 0; s < node->leaf->slot_count; s++)
        for (size_t p = node->slot[s].first; p < node->slot[s].first + node->slot[s].count; p++)
            for (size_t j = 0; j < panel->columns; j++) {
                const double *k = f->slope[p] + panel->first_row + (panel->first_column + j) * f->n;
                for (size_t i = 0; i < panel->rows; i++) gradient[p] += adjoint[i + j * panel->rows] * k[i];
            }
}
