/* geometry.c: scaled squared distances by level-3 products.
 *
 * With inputs scaled by 1/ell and centred (centring keeps the numbers small, since d2 = |a|^2 + |b|^2 - 2 a.b cancels
 * where a and b are close and far from the origin), G = X Z' gives d2_ij = |x_i|^2 + |z_j|^2 - 2 G_ij. The absolute error
 * of d2 is about eps |a|^2.
 */
#include <math.h>

#include "covariance/panel.h"
#include "linalg/product.h"
#include "linalg/size.h"

enum { LENGTHS = 0 }; /* the slot of a stationary leaf's length scales */

/* ---- sets: which leaves share distances ---- */

static bool shares(const tw_kernel *kernel, const tw_node *a, const tw_node *b, double *factor)
{
    size_t count = a->slot[LENGTHS].count;
    *factor = 1.0;
    if (count != b->slot[LENGTHS].count) return false;
    if (count == 1) {
        *factor = exp(2.0 * (tw_node_theta(kernel, a, LENGTHS, 0) - tw_node_theta(kernel, b, LENGTHS, 0)));
        return true;
    }
    for (size_t k = 0; k < count; k++)
        if (tw_node_theta(kernel, a, LENGTHS, k) != tw_node_theta(kernel, b, LENGTHS, k)) return false;
    return true;
}

static void assign_sets(tw_geometry *g)
{
    for (size_t i = 0; i < g->kernel->node_count; i++) {
        const tw_node *node = &g->kernel->nodes[i];
        size_t s = 0;
        if (!node->shape) continue;
        while (s < g->set_count && !shares(g->kernel, g->sets[s].node, node, &g->factor[i])) s++;
        if (s == g->set_count) g->sets[g->set_count++] = (tw_distances){.node = node};
        if (g->sets[s].node == node) g->factor[i] = 1.0;
        g->set_of[i] = s;
    }
}

/* ---- inputs ---- */

static double column_mean(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] / (double)n;
    return sum;
}

static void scale(const tw_geometry *g, const tw_node *node, const tw_inputs *from, tw_scaled *to)
{
    size_t n = from->count;
    for (size_t i = 0; i < n; i++) to->norm2[i] = 0.0;
    for (size_t k = 0; k < g->d; k++) {
        double inverse = exp(-tw_node_theta(g->kernel, node, LENGTHS, k));
        for (size_t i = 0; i < n; i++) {
            double value = (from->x[i + k * from->ld] - g->centre[k]) * inverse;
            to->values[i + k * n] = value;
            to->norm2[i] += value * value;
        }
    }
}

static tw_status allocate_scaled(tw_context *ctx, size_t rows, size_t d, tw_scaled *out)
{
    TW_TRY(tw_allocate_doubles(ctx, rows, d, "the scaled inputs", &out->values));
    return tw_allocate_doubles(ctx, rows, 1, "the norms of the inputs", &out->norm2);
}

static tw_status fill_set(tw_geometry *g, size_t s, const tw_inputs *rows, const tw_inputs *columns)
{
    tw_context *ctx = g->kernel->ctx;
    tw_distances *set = &g->sets[s];
    size_t width = g->m < TW_PANEL_COLUMNS ? g->m : TW_PANEL_COLUMNS;
    TW_TRY(allocate_scaled(ctx, g->n, g->d, &set->rows));
    scale(g, set->node, rows, &set->rows);
    if (s >= g->first_block) TW_TRY(tw_allocate_doubles(ctx, g->n, width, "the distances", &set->block));
    if (g->self) {
        set->columns = set->rows;
        return TW_OK;
    }
    TW_TRY(allocate_scaled(ctx, g->m, g->d, &set->columns));
    scale(g, set->node, columns, &set->columns);
    return TW_OK;
}

/* ---- all of it ---- */

void tw_geometry_free(tw_geometry *g)
{
    if (!g) return;
    tw_context *ctx = g->kernel->ctx;
    for (size_t s = 0; s < g->set_count; s++) {
        tw_distances *set = &g->sets[s];
        tw_release(ctx, set->rows.values);
        tw_release(ctx, set->rows.norm2);
        if (!g->self) tw_release(ctx, set->columns.values);
        if (!g->self) tw_release(ctx, set->columns.norm2);
        tw_release(ctx, set->block);
    }
    tw_release(ctx, g->sets);
    tw_release(ctx, g->set_of);
    tw_release(ctx, g->factor);
    tw_release(ctx, g->centre);
    tw_release(ctx, g);
}

static tw_status allocate_geometry(tw_geometry *g)
{
    void *memory = NULL;
    size_t nodes = g->kernel->node_count;
    TW_TRY(tw_allocate(g->kernel->ctx, nodes, sizeof *g->sets, "sets of distances", &memory));
    g->sets = memory;
    TW_TRY(tw_allocate(g->kernel->ctx, nodes, sizeof *g->set_of, "sets of distances", &memory));
    g->set_of = memory;
    TW_TRY(tw_allocate_doubles(g->kernel->ctx, nodes, 1, "factors of distances", &g->factor));
    return tw_allocate_doubles(g->kernel->ctx, g->d, 1, "the centre of the inputs", &g->centre);
}

static tw_status fill_geometry(tw_geometry *g, const tw_inputs *rows, const tw_inputs *columns)
{
    TW_TRY(allocate_geometry(g));
    assign_sets(g);
    if (g->set_count == 0) return TW_OK;
    for (size_t k = 0; k < g->d; k++) g->centre[k] = column_mean(g->n, rows->x + k * rows->ld);
    for (size_t s = 0; s < g->set_count; s++) TW_TRY(fill_set(g, s, rows, columns));
    return TW_OK;
}

tw_status tw_kernel_check_inputs(const tw_kernel *kernel, size_t d)
{
    size_t needed = tw_kernel_inputs(kernel);
    if (needed == 0 || needed == d) return TW_OK;
    return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                   "%zu length scales were given for %zu inputs; give one, or one per input", needed, d);
}

tw_status tw_geometry_new(const tw_kernel *kernel, size_t d, const tw_inputs *rows, const tw_inputs *columns,
                          size_t first_block, tw_geometry **out)
{
    void *memory = NULL;
    tw_context *ctx = kernel->ctx;
    size_t n = rows->count, m = columns->count;
    *out = NULL;
    TW_TRY(tw_kernel_check_inputs(kernel, d));
    if (!tw_size_fits(n) || !tw_size_fits(d) || !tw_size_fits(m))
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu x %zu inputs are more than the linear algebra can count",
                       n > m ? n : m, d);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_geometry), "distances", &memory));
    tw_geometry *g = memory;
    *g = (tw_geometry){
        .kernel = kernel, .n = n, .m = m, .d = d, .self = rows == columns, .first_block = first_block};
    tw_status status = fill_geometry(g, rows, columns);
    if (status == TW_OK)
        *out = g;
    else
        tw_geometry_free(g);
    return status;
}

/* ---- distances ---- */

void tw_distances_from_products(const tw_distances *set, size_t first_row, size_t rows, size_t column,
                                const double *products, double *d2)
{
    const double *a2 = set->rows.norm2 + first_row;
    double b2 = set->columns.norm2[column];
    for (size_t i = 0; i < rows; i++) {
        double value = a2[i] + b2 - 2.0 * products[i];
        d2[i] = value > 0.0 ? value : 0.0;
    }
}

void tw_geometry_block(tw_geometry *g, size_t first_row, size_t first_column, size_t columns)
{
    size_t rows = g->n - first_row;
    for (size_t s = g->first_block; s < g->set_count; s++) {
        tw_distances *set = &g->sets[s];
        tw_product_outer(rows, columns, g->d, set->rows.values + first_row, g->n,
                         set->columns.values + first_column, g->m, set->block, rows);
        for (size_t j = 0; j < columns; j++) {
            double *d2 = set->block + j * rows;
            tw_distances_from_products(set, first_row, rows, first_column + j, d2, d2);
            if (g->self && first_column + j >= first_row) d2[first_column + j - first_row] = 0.0;
        }
        set->d2 = set->block;
    }
}
