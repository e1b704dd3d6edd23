/* contract.c: computes sum_mn W_mn dK_mn/dtheta_j for all j, by reverse-mode differentiation of blocks of
 * columns.
 *
 * K and W are symmetric, so the sum runs over the lower triangle, with 2 W_mn below the diagonal. An adjoint,
 * the derivative of this sum with respect to the entries of a node, is passed from the root to the leaves: a
 * sum passes it on unchanged, a product multiplies it by the values of the other factors. The cost is that of
 * computing K; one length scale per input adds one matrix product of the size of the syrk, whatever their
 * number.
 */
#include <string.h>

#include "covariance/full.h"
#include "covariance/panel.h"
#include "covariance/precision.h"
#include "linalg/product.h"
#include "linalg/vector.h"

/* r = row sums of p, c = column sums of p. */
static void sum_rows_and_columns(size_t rows, size_t columns, const double *p, double *r, double *c)
{
    memset(r, 0, rows * sizeof *r);
    for (size_t j = 0; j < columns; j++) {
        c[j] = 0.0;
        for (size_t i = 0; i < rows; i++) {
            r[i] += p[i + j * rows];
            c[j] += p[i + j * rows];
        }
    }
}

/* The terms of near pairs, where the sums below cancel: add them and set their p to 0. */
static void contract_near(const tw_panel *panel, const tw_set *set, size_t each, double *p, double *gradient)
{
    const tw_geometry *g = panel->geometry;
    for (size_t j = 0; j < panel->columns; j++)
        for (size_t i = 0; i < panel->rows; i++) {
            size_t at = i + j * panel->rows, row = panel->first_row + i, column = panel->first_column + j;
            if (!tw_set_is_near(set, column, set->numbers[at])) continue;
            for (size_t k = 0; k < set->width; k++)
                gradient[k / each] -= 2.0 * p[at] * tw_set_square(g, set, row, column, k);
            p[at] = 0.0;
        }
}

/* Let r and c be the row and column sums of p. Then sum_ij p_ij (u_ik - v_jk)^2 is
 *
 *   sum_i r_i u_ik^2 + sum_j c_j v_jk^2 - 2 sum_j v_jk (P'U)_jk
 *
 * and sum_ij p_ij u_ik v_jk is sum_j v_jk (P'U)_jk.
 */
void tw_contract_lengths(tw_panel *panel, const tw_node *node, double *p, double *gradient)
{
    const tw_geometry *g = panel->geometry;
    const tw_set *set = tw_panel_set(panel, node);
    size_t rows = panel->rows, columns = panel->columns;
    bool distances = set->want == TW_WANT_DISTANCES;
    const double *u = set->rows.values + panel->first_row, *v = set->columns.values + panel->first_column;
    double *r = tw_panel_take(panel), c[TW_PANEL_COLUMNS];
    if (distances) contract_near(panel, set, node->leaf->features, p, gradient);
    sum_rows_and_columns(rows, columns, p, r, c);
    tw_product_inner(columns, set->width, rows, p, rows, u, g->n, panel->wide, columns);
    for (size_t k = 0; k < set->width; k++) {
        const double *uk = u + k * g->n, *vk = v + k * g->m, *pu = panel->wide + k * columns;
        double squares = 0.0, cross = 0.0;
        for (size_t i = 0; distances && i < rows; i++) squares += r[i] * uk[i] * uk[i];
        for (size_t j = 0; j < columns; j++) {
            squares += c[j] * vk[j] * vk[j];
            cross += vk[j] * pu[j];
        }
        gradient[k / node->leaf->features] -= 2.0 * (distances ? squares - 2.0 * cross : cross);
    }
    tw_panel_give(panel);
}

/* adjoint *= the covariances of a node. */
static void multiply_by(tw_panel *panel, size_t node, double *adjoint)
{
    size_t n = panel->rows * panel->columns;
    double *values = tw_panel_take(panel);
    tw_panel_evaluate(panel, node, values);
    for (size_t i = 0; i < n; i++) adjoint[i] *= values[i];
    tw_panel_give(panel);
}

/* Add the contributions of node i and its parts to the gradient. */
static void contract(tw_panel *panel, size_t i, const double *adjoint, double *gradient)
{
    const tw_node *nodes = panel->kernel->nodes;
    bool product = nodes[i].kind == TW_NODE_PRODUCT;
    if (nodes[i].kind == TW_NODE_LEAF) nodes[i].leaf->contract(panel, &nodes[i], adjoint, gradient);
    if (nodes[i].kind == TW_NODE_LEAF || nodes[i].kind == TW_NODE_NUMBER) return;
    for (size_t c = i + 1; c < nodes[i].end; c = nodes[c].end) {
        if (!product) {
            contract(panel, c, adjoint, gradient);
            continue;
        }
        double *own = tw_panel_take(panel);
        memcpy(own, adjoint, panel->rows * panel->columns * sizeof *own);
        for (size_t other = i + 1; other < nodes[i].end; other = nodes[other].end)
            if (other != c) multiply_by(panel, other, own);
        contract(panel, c, own, gradient);
        tw_panel_give(panel);
    }
}

/* The adjoint of the root: 2 W below the diagonal, W on it, 0 above it. */
static void weigh(const tw_panel *panel, const double *w, size_t ldw, double *adjoint)
{
    for (size_t j = 0; j < panel->columns; j++) {
        double *to = adjoint + j * panel->rows;
        const double *from = w + panel->first_row + (panel->first_column + j) * ldw;
        for (size_t i = 0; i < j; i++) to[i] = 0.0;
        to[j] = from[j];
        for (size_t i = j + 1; i < panel->rows; i++) to[i] = 2.0 * from[i];
    }
}

static void contract_blocks(tw_panel *panel, tw_geometry *g, const double *w, size_t ldw, double *gradient)
{
    for (size_t first = 0; first < g->n; first += TW_PANEL_COLUMNS) {
        size_t left = g->n - first;
        panel->first_row = panel->first_column = first;
        panel->rows = left;
        panel->columns = left < TW_PANEL_COLUMNS ? left : TW_PANEL_COLUMNS;
        tw_geometry_block(g, first, first, panel->columns);
        double *adjoint = tw_panel_take(panel);
        weigh(panel, w, ldw, adjoint);
        contract(panel, 0, adjoint, gradient);
        tw_panel_give(panel);
    }
}

/* Scratch: one piece for the adjoint, three for a leaf, and two for a product at each level. */
static tw_status allocate_panel(const tw_kernel *kernel, const tw_geometry *g, tw_panel *panel)
{
    size_t columns = g->n < TW_PANEL_COLUMNS ? g->n : TW_PANEL_COLUMNS;
    *panel = (tw_panel){.kernel = kernel, .geometry = g, .kind = TW_PANEL_MIXED, .capacity = g->n * columns};
    TW_TRY(tw_allocate_doubles(kernel->ctx, columns, g->widest, "products of inputs", &panel->wide));
    return tw_allocate_doubles(kernel->ctx, panel->capacity, 4 + 2 * tw_kernel_depth(kernel),
                               "a block of covariances", &panel->scratch);
}

tw_status tw_kernel_contract(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                             const double *w, size_t ldw, double *gradient)
{
    const tw_inputs inputs = {n, x, ldx};
    tw_geometry *g = NULL;
    tw_panel panel;
    for (size_t j = 0; j < kernel->parameter_count; j++) gradient[j] = 0.0;
    if (kernel->parameter_count == 0) return TW_OK;
    TW_TRY(tw_kernel_check_covariances(kernel, false));
    TW_TRY(tw_geometry_new(kernel, d, &inputs, &inputs, 0, &g));
    tw_status status = allocate_panel(kernel, g, &panel);
    if (status == TW_OK && tw_kernel_has_precision_only(kernel))
        status = tw_full_new(kernel, d, &inputs, true, &g->full);
    if (status == TW_OK) contract_blocks(&panel, g, w, ldw, gradient);
    tw_release(kernel->ctx, panel.scratch);
    tw_release(kernel->ctx, panel.wide);
    tw_geometry_free(g);
    return status;
}
