/* leaf.c: what a kernel is made of: stationary leaves, a constant, white noise, a given matrix.
 *
 *   stationary   sigma^2 g(d2)      d/dlog sigma: 2 k;   d/dlog ell_k: -2 sigma^2 g'(d2) (a_k - b_k)^2 / ell_k^2
 *   constant     v                  d/dlog v: v
 *   white        v [a is b]         d/dlog v: v [a is b]
 *   given        K_ij               no parameters
 */
#include <math.h>
#include <string.h>

#include "covariance/panel.h"
#include "linalg/vector.h"

enum { LENGTHS = 0, SIGMA = 1, VARIANCE = 0 };

/* ---- stationary ---- */

static double sigma2_of(const tw_panel *panel, const tw_node *node)
{
    return exp(2.0 * tw_node_theta(panel->kernel, node, SIGMA, 0));
}

static bool stationary_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = sigma2_of(panel, node); /* g(0) = 1 */
    return panel->kind == TW_PANEL_DIAGONAL;
}

/* The leaf's own d2: that of its set, or in `scaled` a multiple of it. */
static const double *distances_of(const tw_panel *panel, const tw_node *node, double *scaled)
{
    const tw_geometry *g = panel->geometry;
    size_t i = (size_t)(node - panel->kernel->nodes), n = panel->rows * panel->columns;
    const double *d2 = g->sets[g->set_of[i]].d2;
    if (g->factor[i] == 1.0) return d2;
    for (size_t k = 0; k < n; k++) scaled[k] = g->factor[i] * d2[k];
    return scaled;
}

static void stationary_value(const tw_panel *panel, const tw_node *node, double *out)
{
    const double *d2 = distances_of(panel, node, out);
    node->shape->value(panel->rows * panel->columns, sigma2_of(panel, node), d2, out);
}

/* With P = adjoint * sigma^2 g', the sums over the panel for the length scales are -2 P_ij (a_k - b_k)^2 / ell_k^2. */
static void stationary_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    tw_span lengths = node->slot[LENGTHS], sigma = node->slot[SIGMA];
    double *scaled = tw_panel_take(panel), *k = tw_panel_take(panel);
    const double *d2 = distances_of(panel, node, scaled);
    node->shape->value(n, sigma2_of(panel, node), d2, k);
    if (sigma.count) gradient[sigma.first] += 2.0 * tw_dot(n, adjoint, k);
    node->shape->slope(n, d2, k, k);
    for (size_t i = 0; i < n; i++) k[i] *= adjoint[i];
    if (lengths.count == 1)
        gradient[lengths.first] -= 2.0 * tw_dot(n, k, d2);
    else
        tw_contract_lengths(panel, node, k, gradient + lengths.first);
    tw_panel_give(panel);
    tw_panel_give(panel);
}

const tw_leaf tw_leaf_stationary = {
    .slot_count = 2,
    .slots = {{{.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_LENGTH},
              {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .uniform = stationary_uniform,
    .value = stationary_value,
    .contract = stationary_contract,
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

/* The place in column j of a mixed panel where row and column are the same case; rows where there is none. */
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

/* ---- by name ---- */

const tw_leaf *tw_leaf_find(const char *name, size_t length, const tw_shape **shape)
{
    static const tw_leaf *const others[] = {&tw_leaf_constant, &tw_leaf_white, &tw_leaf_given};
    *shape = tw_shape_find(name, length);
    if (*shape) return &tw_leaf_stationary;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strlen(others[i]->name) == length && memcmp(others[i]->name, name, length) == 0) return others[i];
    return NULL;
}
