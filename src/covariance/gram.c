/* gram.c: computes Gram matrices, cross-covariances and diagonals.
 *
 * One level-3 call writes the products of the first set of features into K itself; products of further sets
 * are computed in blocks of columns. Then one pass turns each column into covariances.
 */
#include "covariance/full.h"
#include "covariance/precision.h"
#include "linalg/product.h"

/* Allocate scratch for panels of one column:
 * one piece for its distances, and one for each level of the kernel. */
static tw_status allocate_column(const tw_kernel *kernel, size_t rows, tw_panel *panel)
{
    panel->kernel = kernel;
    panel->capacity = rows;
    return tw_allocate_doubles(kernel->ctx, rows, 1 + tw_kernel_depth(kernel), "a column of covariances",
                               &panel->scratch);
}

/* Fail if the kernel has no covariances for these cases, or (others) none with other cases. */
static tw_status check_given(const tw_kernel *kernel, size_t n, bool others)
{
    TW_TRY(tw_kernel_check_covariances(kernel, others));
    if (!kernel->matrix || (n == kernel->matrix_size && !others)) return TW_OK;
    if (others)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                       "a given matrix has no covariances with new cases: give them, too");
    return tw_fail(kernel->ctx, TW_BAD_ARGUMENT, "the given matrix is for %zu cases, but there are %zu",
                   kernel->matrix_size, n);
}

/* Compute rows first_row .. n - 1 of a column of K. On entry k holds the products of the first set; those of
 * the other sets are in blocks that begin at (block_row, block_column). */
static void fill_column(tw_panel *panel, tw_geometry *g, size_t first_row, size_t column, size_t block_row,
                        size_t block_column, double *k)
{
    double *numbers = tw_panel_take(panel);
    panel->first_row = first_row;
    panel->rows = g->n - first_row;
    panel->first_column = column;
    panel->columns = 1;
    for (size_t s = 1; s < g->product_count; s++)
        g->sets[s].numbers =
            g->sets[s].block + (column - block_column) * (g->n - block_row) + first_row - block_row;
    if (g->product_count > 0) {
        tw_set_from_products(g, &g->sets[0], first_row, panel->rows, column, k, numbers);
        g->sets[0].numbers = numbers;
    }
    tw_panel_evaluate(panel, 0, k);
    tw_panel_give(panel);
}

static void fill_gram(tw_panel *panel, tw_geometry *g, double *k, size_t ldk)
{
    panel->kind = TW_PANEL_APART; /* below the diagonal */
    if (g->product_count > 0) tw_product_self(g->n, g->sets[0].width, g->sets[0].rows.values, g->n, k, ldk);
    for (size_t first = 0; first < g->n; first += TW_PANEL_COLUMNS) {
        size_t left = g->n - first, columns = left < TW_PANEL_COLUMNS ? left : TW_PANEL_COLUMNS;
        tw_geometry_block(g, first, first, columns);
        for (size_t j = first; j < first + columns; j++)
            fill_column(panel, g, j + 1, j, first, first, k + j + 1 + j * ldk);
    }
}

static void fill_diagonal(tw_panel *panel, size_t n, double *diagonal)
{
    panel->kind = TW_PANEL_DIAGONAL;
    panel->first_row = panel->first_column = 0;
    panel->rows = n;
    panel->columns = 1;
    tw_panel_evaluate(panel, 0, diagonal);
}

tw_status tw_kernel_gram(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx, double *k,
                         size_t ldk)
{
    const tw_inputs inputs = {n, x, ldx};
    tw_geometry *g = NULL;
    TW_TRY(check_given(kernel, n, false));
    TW_TRY(tw_geometry_new(kernel, d, &inputs, &inputs, 1, &g));
    tw_panel panel = {.geometry = g};
    tw_status status = allocate_column(kernel, n, &panel);
    if (status == TW_OK && tw_kernel_has_precision_only(kernel))
        status = tw_full_new(kernel, d, &inputs, false, &g->full);
    if (status == TW_OK) {
        fill_gram(&panel, g, k, ldk);
        double *diagonal = tw_panel_take(&panel);
        fill_diagonal(&panel, n, diagonal);
        for (size_t j = 0; j < n; j++) k[j + j * ldk] = diagonal[j];
        tw_panel_give(&panel);
        tw_mirror_lower(n, k, ldk);
    }
    tw_release(kernel->ctx, panel.scratch);
    tw_geometry_free(g);
    return status;
}

static void fill_cross(tw_panel *panel, tw_geometry *g, double *k, size_t ldk)
{
    panel->kind = TW_PANEL_APART;
    if (g->product_count > 0)
        tw_product_outer(g->n, g->m, g->sets[0].width, g->sets[0].rows.values, g->n,
                         g->sets[0].columns.values, g->m, k, ldk);
    for (size_t first = 0; first < g->m; first += TW_PANEL_COLUMNS) {
        size_t left = g->m - first, columns = left < TW_PANEL_COLUMNS ? left : TW_PANEL_COLUMNS;
        tw_geometry_block(g, 0, first, columns);
        for (size_t j = first; j < first + columns; j++) fill_column(panel, g, 0, j, 0, first, k + j * ldk);
    }
}

tw_status tw_kernel_cross(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx, size_t m,
                          const double *z, size_t ldz, double *k, size_t ldk)
{
    const tw_inputs rows = {n, x, ldx}, columns = {m, z, ldz};
    tw_geometry *g = NULL;
    TW_TRY(check_given(kernel, n, true));
    TW_TRY(tw_geometry_new(kernel, d, &rows, &columns, 1, &g));
    tw_panel panel = {.geometry = g};
    tw_status status = allocate_column(kernel, n, &panel);
    if (status == TW_OK) fill_cross(&panel, g, k, ldk);
    tw_release(kernel->ctx, panel.scratch);
    tw_geometry_free(g);
    return status;
}

tw_status tw_kernel_diagonal(const tw_kernel *kernel, size_t n, size_t d, const double *x, size_t ldx,
                             double *diagonal)
{
    const tw_inputs inputs = {n, x, ldx};
    tw_geometry *g = NULL;
    TW_TRY(check_given(kernel, n, false));
    TW_TRY(tw_kernel_check_covariances(kernel, true));
    TW_TRY(tw_kernel_check_inputs(kernel, d));
    if (tw_kernel_varies(kernel))
        TW_TRY(tw_geometry_new(kernel, d, &inputs, &inputs, kernel->node_count, &g));
    tw_panel panel = {.geometry = g};
    tw_status status = allocate_column(kernel, n, &panel);
    if (status == TW_OK) fill_diagonal(&panel, n, diagonal);
    tw_release(kernel->ctx, panel.scratch);
    tw_geometry_free(g);
    return status;
}
