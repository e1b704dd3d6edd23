/* leaf.c: leaves that do not depend on distances or products of inputs; and finding a leaf by name.
 *
 *   categorical  sigma^2 [a and b have the same category, in every input]       d/dlog sigma: 2 k
 *   constant     v                  d/dlog v: v
 *   white        v [a is b]         d/dlog v: v [a is b]
 *   given        K_ij               no parameters
 */
#include <string.h>

#include "covariance/panel.h"
#include "linalg/vector.h"

enum { SIGMA = 0, VARIANCE = 0 };

/* ---- categories ---- */

static void category_fill(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n,
                          const double *from, double centre, double *to)
{
    (void)kernel, (void)node, (void)c, (void)centre;
    memcpy(to, from, n * sizeof *to);
}

static bool category_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = tw_node_sigma2(panel->kernel, node, SIGMA);
    return panel->kind == TW_PANEL_DIAGONAL;
}

static void category_value(const tw_panel *panel, const tw_node *node, double *out)
{
    const tw_geometry *g = panel->geometry;
    const tw_set *set = tw_panel_set(panel, node);
    double sigma2 = tw_node_sigma2(panel->kernel, node, SIGMA);
    for (size_t i = 0; i < panel->rows * panel->columns; i++) out[i] = sigma2;
    for (size_t c = 0; c < set->width; c++) {
        const double *a = set->rows.values + c * g->n + panel->first_row;
        const double *b = set->columns.values + c * g->m + panel->first_column;
        for (size_t j = 0; j < panel->columns; j++)
            for (size_t i = 0; i < panel->rows; i++)
                if (a[i] != b[j]) out[i + j * panel->rows] = 0.0;
    }
}

static void category_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    if (node->slot[SIGMA].count == 0) return;
    double *k = tw_panel_take(panel);
    category_value(panel, node, k);
    gradient[node->slot[SIGMA].first] += 2.0 * tw_dot(n, adjoint, k);
    tw_panel_give(panel);
}

const tw_leaf tw_leaf_categorical = {
    .name = "categorical",
    .slot_count = 1,
    .slots = {{{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .want = TW_WANT_FEATURES,
    .features = 1,
    .fill = category_fill,
    .uniform = category_uniform,
    .value = category_value,
    .contract = category_contract,
};

/* ---- a constant ---- */

static bool constant_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = tw_node_value(panel->kernel, node, VARIANCE, 0);
    return true;
}

static void constant_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    double total = 0.0;
    if (node->slot[VARIANCE].count == 0) return;
    for (size_t i = 0; i < panel->rows * panel->columns; i++) total += adjoint[i];
    gradient[node->slot[VARIANCE].first] += total * tw_node_value(panel->kernel, node, VARIANCE, 0);
}

const tw_leaf tw_leaf_constant = {
    .name = "constant",
    .slot_count = 1,
    .slots = {{{.name = "variance", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .uniform = constant_uniform,
    .contract = constant_contract,
};

/* ---- white noise ---- */

static bool white_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = panel->kind == TW_PANEL_APART ? 0.0 : tw_node_value(panel->kernel, node, VARIANCE, 0);
    return panel->kind != TW_PANEL_MIXED;
}

/* The row of column j of a mixed panel where row and column are the same case;
 * panel->rows if there is none. */
static size_t same_case(const tw_panel *panel, size_t j)
{
    size_t column = panel->first_column + j;
    bool inside = column >= panel->first_row && column - panel->first_row < panel->rows;
    return inside ? column - panel->first_row : panel->rows;
}

static void white_value(const tw_panel *panel, const tw_node *node, double *out)
{
    memset(out, 0, panel->rows * panel->columns * sizeof *out);
    for (size_t j = 0; j < panel->columns; j++) {
        size_t i = same_case(panel, j);
        if (i < panel->rows) out[i + j * panel->rows] = tw_node_value(panel->kernel, node, VARIANCE, 0);
    }
}

static void white_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    double total = 0.0;
    if (node->slot[VARIANCE].count == 0) return;
    for (size_t j = 0; j < panel->columns; j++) {
        size_t i = same_case(panel, j);
        if (i < panel->rows) total += adjoint[i + j * panel->rows];
    }
    gradient[node->slot[VARIANCE].first] += total * tw_node_value(panel->kernel, node, VARIANCE, 0);
}

const tw_leaf tw_leaf_white = {
    .name = "white",
    .slot_count = 1,
    .slots = {{{.name = "variance", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .uniform = white_uniform,
    .value = white_value,
    .contract = white_contract,
};

/* ---- a given matrix ---- */

/* NOLINTNEXTLINE(readability-non-const-parameter): the table of leaves has this type */
static bool given_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    (void)panel, (void)node, (void)value;
    return false;
}

static void given_value(const tw_panel *panel, const tw_node *node, double *out)
{
    size_t n = panel->kernel->matrix_size, rows = panel->rows;
    const double *matrix = panel->kernel->matrix;
    (void)node;
    for (size_t j = 0; j < panel->columns; j++)
        memcpy(out + j * rows, matrix + panel->first_row + (panel->first_column + j) * n, rows * sizeof *out);
    for (size_t i = 0; panel->kind == TW_PANEL_DIAGONAL && i < rows; i++) out[i] = matrix[i + i * n];
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the table of leaves has this type */
static void given_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    (void)panel, (void)node, (void)adjoint, (void)gradient;
}

const tw_leaf tw_leaf_given = {
    .name = "matrix",
    .uniform = given_uniform,
    .value = given_value,
    .contract = given_contract,
};

/* ---- finding a leaf ---- */

#define ADDRESS(name) &tw_leaf_##name,

const tw_leaf *tw_leaf_find(const char *name, size_t length, const tw_shape **shape)
{
    static const tw_leaf *const others[] = {TW_OTHER_LEAVES(ADDRESS) & tw_leaf_given};
    *shape = tw_shape_find(name, length);
    if (*shape) return tw_shape_leaf(*shape);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]->name) == length && memcmp(others[i]->name, name, length) == 0) return others[i];
    return NULL;
}
