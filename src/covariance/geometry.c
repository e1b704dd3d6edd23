/* geometry.c: features of the inputs, and their squared distances and products by level-3 BLAS.
 *
 * With features u of the rows and v of the columns, G = U V' gives d2_ij = |u_i|^2 + |v_j|^2 - 2 G_ij. This
 * difference cancels if u and v are close to each other and far from the origin, with an absolute error of
 * about eps |u|^2. So inputs are centred before they are scaled (for distances only).
 */
#include <math.h>
#include <string.h>

#include "covariance/full.h"
#include "linalg/product.h"
#include "linalg/size.h"

/* ---- sets of leaves that share features ---- */

static bool same_columns(const tw_kernel *kernel, const tw_node *a, const tw_node *b)
{
    if (a->columns.count != b->columns.count) return false;
    for (size_t c = 0; c < a->columns.count; c++)
        if (tw_node_column(kernel, a, c) != tw_node_column(kernel, b, c)) return false;
    return true;
}

/* Do two leaves of the same kind have the same lengths? */
static bool same_lengths(const tw_kernel *kernel, const tw_node *a, const tw_node *b)
{
    for (size_t s = 0; s < a->leaf->slot_count; s++) {
        tw_role role = a->leaf->slots[s].role;
        size_t count = a->slot[s].count;
        if (role == TW_ROLE_AMPLITUDE || role == TW_ROLE_OTHER) continue;
        if (count != b->slot[s].count) return false;
        for (size_t k = 0; k < count; k++)
            if (tw_node_theta(kernel, a, s, k) != tw_node_theta(kernel, b, s, k)) return false;
    }
    return true;
}

/* Can leaf b use the features of a? The d2 of stationary leaves with one length scale each differ by the
 * factor (ell_a / ell_b)^2. */
static bool shares(const tw_kernel *kernel, const tw_node *a, const tw_node *b, double *factor)
{
    *factor = 1.0;
    if (a->leaf->fill != b->leaf->fill || !same_columns(kernel, a, b)) return false;
    if (!a->shape || a->slot[0].count != 1 || b->slot[0].count != 1) return same_lengths(kernel, a, b);
    *factor = exp(2.0 * (tw_node_theta(kernel, a, 0, 0) - tw_node_theta(kernel, b, 0, 0)));
    return true;
}

static void assign_set(tw_geometry *g, size_t i)
{
    const tw_node *node = &g->kernel->nodes[i];
    size_t s = 0;
    while (s < g->set_count && !shares(g->kernel, g->sets[s].node, node, &g->factor[i])) s++;
    if (s == g->set_count) {
        size_t width = node->leaf->features * tw_node_width(node, g->d);
        g->sets[g->set_count++] = (tw_set){.node = node, .want = node->leaf->want, .width = width};
        g->factor[i] = 1.0;
        if (width > g->widest) g->widest = width;
    }
    g->set_of[i] = s;
}

/* Assign all leaves to sets. Sets with distances or products come first. */
static void assign_sets(tw_geometry *g)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < g->kernel->node_count; i++) {
            const tw_node *node = &g->kernel->nodes[i];
            if (node->kind != TW_NODE_LEAF || node->leaf->want == TW_WANT_NOTHING) continue;
            if (node->leaf->precision) continue; /* see covariance/full.h */
            if ((node->leaf->want == TW_WANT_FEATURES) == (pass == 1)) assign_set(g, i);
        }
        if (pass == 0) g->product_count = g->set_count;
    }
}

/* ---- features ---- */

static double column_mean(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) sum += x[i] / (double)n;
    return sum;
}

static void fill_features(const tw_geometry *g, const tw_set *set, const tw_inputs *from, tw_features *to)
{
    size_t n = from->count, each = set->node->leaf->features;
    for (size_t c = 0; c < set->width / each; c++) {
        size_t column = tw_node_column(g->kernel, set->node, c);
        set->node->leaf->fill(g->kernel, set->node, c, n, from->x + column * from->ld, g->centre[column],
                              to->values + c * each * n);
    }
    for (size_t i = 0; i < n; i++) to->norm2[i] = 0.0;
    for (size_t k = 0; k < set->width; k++)
        for (size_t i = 0; i < n; i++) to->norm2[i] += to->values[i + k * n] * to->values[i + k * n];
}

static tw_status new_features(const tw_geometry *g, const tw_set *set, const tw_inputs *from, tw_features *to)
{
    tw_context *ctx = g->kernel->ctx;
    TW_TRY(tw_allocate_doubles(ctx, from->count, set->width, "features of the inputs", &to->values));
    TW_TRY(tw_allocate_doubles(ctx, from->count, 1, "the norms of the inputs", &to->norm2));
    fill_features(g, set, from, to);
    return TW_OK;
}

static tw_status fill_set(tw_geometry *g, size_t s)
{
    tw_set *set = &g->sets[s];
    size_t width = g->m < TW_PANEL_COLUMNS ? g->m : TW_PANEL_COLUMNS;
    TW_TRY(new_features(g, set, g->rows, &set->rows));
    if (s >= g->first_block && s < g->product_count)
        TW_TRY(tw_allocate_doubles(g->kernel->ctx, g->n, width, "the distances", &set->block));
    if (!g->self) return new_features(g, set, g->columns, &set->columns);
    set->columns = set->rows;
    return TW_OK;
}

/* ---- the geometry ---- */

void tw_geometry_free(tw_geometry *g)
{
    if (!g) return;
    tw_context *ctx = g->kernel->ctx;
    for (size_t s = 0; s < g->set_count; s++) {
        tw_set *set = &g->sets[s];
        tw_release(ctx, set->rows.values);
        tw_release(ctx, set->rows.norm2);
        if (!g->self) tw_release(ctx, set->columns.values);
        if (!g->self) tw_release(ctx, set->columns.norm2);
        tw_release(ctx, set->block);
    }
    tw_full_free(g->full);
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

static tw_status fill_geometry(tw_geometry *g)
{
    TW_TRY(allocate_geometry(g));
    assign_sets(g);
    if (g->set_count == 0) return TW_OK;
    for (size_t k = 0; k < g->d; k++) g->centre[k] = column_mean(g->n, g->rows->x + k * g->rows->ld);
    for (size_t s = 0; s < g->set_count; s++) TW_TRY(fill_set(g, s));
    return TW_OK;
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
        return tw_fail(ctx, TW_BAD_ARGUMENT, "%zu x %zu inputs exceed the limits of the linear algebra",
                       n > m ? n : m, d);
    TW_TRY(tw_allocate(ctx, 1, sizeof(tw_geometry), "distances", &memory));
    tw_geometry *g = memory;
    *g = (tw_geometry){.kernel = kernel,
                       .n = n,
                       .m = m,
                       .d = d,
                       .widest = 1,
                       .self = rows == columns,
                       .rows = rows,
                       .columns = columns,
                       .first_block = first_block};
    tw_status status = fill_geometry(g);
    if (status == TW_OK)
        *out = g;
    else
        tw_geometry_free(g);
    return status;
}

bool tw_kernel_varies(const tw_kernel *kernel)
{
    for (size_t i = 0; i < kernel->node_count; i++)
        if (kernel->nodes[i].kind == TW_NODE_LEAF && kernel->nodes[i].leaf->want == TW_WANT_PRODUCTS)
            return true;
    return false;
}

const tw_set *tw_panel_set(const tw_panel *panel, const tw_node *node)
{
    return &panel->geometry->sets[panel->geometry->set_of[node - panel->kernel->nodes]];
}

/* ---- distances and products ---- */

void tw_set_from_products(const tw_set *set, size_t first_row, size_t rows, size_t column,
                          const double *products, double *out)
{
    const double *a2 = set->rows.norm2 + first_row;
    double b2 = set->columns.norm2[column];
    if (set->want == TW_WANT_PRODUCTS) {
        if (out != products) memcpy(out, products, rows * sizeof *out);
        return;
    }
    for (size_t i = 0; i < rows; i++) {
        double value = a2[i] + b2 - 2.0 * products[i];
        out[i] = value > 0.0 ? value : 0.0;
    }
}

void tw_geometry_block(tw_geometry *g, size_t first_row, size_t first_column, size_t columns)
{
    size_t rows = g->n - first_row;
    for (size_t s = g->first_block; s < g->product_count; s++) {
        tw_set *set = &g->sets[s];
        bool on_diagonal = g->self && set->want == TW_WANT_DISTANCES;
        tw_product_outer(rows, columns, set->width, set->rows.values + first_row, g->n,
                         set->columns.values + first_column, g->m, set->block, rows);
        for (size_t j = 0; j < columns; j++) {
            double *numbers = set->block + j * rows;
            tw_set_from_products(set, first_row, rows, first_column + j, numbers, numbers);
            if (on_diagonal && first_column + j >= first_row) numbers[first_column + j - first_row] = 0.0;
        }
        set->numbers = set->block;
    }
}
