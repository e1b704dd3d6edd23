/* leaf_stationary.c: stationary leaves, k = sigma^2 g(d2), for every shape g (shape.h). `own` is the shape's
 * own parameter.
 *
 *   d/dlog sigma:  2 k
 *   d/dlog ell_k:  -2 sigma^2 g'(d2) (a_k - b_k)^2 / ell_k^2
 *   d/dlog own:    sigma^2 dg/dlog own
 */
#include <math.h>

#include "covariance/panel.h"
#include "linalg/vector.h"

enum { LENGTHS = 0, SIGMA = 1, OWN = 2 };

/* Features: inputs, centred and divided by their length scale. */
static void fill(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                 double centre, double *to)
{
    double inverse = exp(-tw_node_theta(kernel, node, LENGTHS, c));
    for (size_t i = 0; i < n; i++) to[i] = (from[i] - centre) * inverse;
}

static bool uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = tw_node_sigma2(panel->kernel, node, SIGMA); /* g(0) = 1 */
    return panel->kind == TW_PANEL_DIAGONAL;
}

/* The leaf's d2: that of its set, or a multiple of it, stored in `scaled`. */
static const double *distances_of(const tw_panel *panel, const tw_node *node, double *scaled)
{
    size_t n = panel->rows * panel->columns;
    const double *d2 = tw_panel_set(panel, node)->numbers;
    double factor = panel->geometry->factor[node - panel->kernel->nodes];
    if (factor == 1.0) return d2;
    for (size_t k = 0; k < n; k++) scaled[k] = factor * d2[k];
    return scaled;
}

static double own_of(const tw_panel *panel, const tw_node *node)
{
    return node->leaf->slot_count > OWN ? tw_node_value(panel->kernel, node, OWN, 0) : 1.0;
}

static void value(const tw_panel *panel, const tw_node *node, double *out)
{
    const double *d2 = distances_of(panel, node, out);
    node->shape->value(panel->rows * panel->columns, tw_node_sigma2(panel->kernel, node, SIGMA),
                       own_of(panel, node), d2, out);
}

/* The gradient for the shape's own parameter; k holds the leaf's covariances. */
static void contract_own(tw_panel *panel, const tw_node *node, const double *d2, const double *k,
                         const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    double *slope = tw_panel_take(panel);
    node->shape->own_slope(n, own_of(panel, node), d2, k, slope);
    gradient[node->slot[OWN].first] += tw_dot(n, adjoint, slope);
    tw_panel_give(panel);
}

/* With p = adjoint * sigma^2 g'(d2), the gradient for log ell_k is -2 sum_ij p_ij (a_k - b_k)^2 / ell_k^2;
 * for a single length scale it is -2 sum_ij p_ij d2_ij. */
static void contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    double own = own_of(panel, node);
    tw_span lengths = node->slot[LENGTHS], sigma = node->slot[SIGMA];
    double *scaled = tw_panel_take(panel), *k = tw_panel_take(panel);
    const double *d2 = distances_of(panel, node, scaled);
    node->shape->value(n, tw_node_sigma2(panel->kernel, node, SIGMA), own, d2, k);
    if (sigma.count) gradient[sigma.first] += 2.0 * tw_dot(n, adjoint, k);
    if (node->leaf->slot_count > OWN) contract_own(panel, node, d2, k, adjoint, gradient);
    node->shape->slope(n, own, d2, k, k);
    for (size_t i = 0; i < n; i++) k[i] *= adjoint[i];
    if (lengths.count == 1)
        gradient[lengths.first] -= 2.0 * tw_dot(n, k, d2);
    else
        tw_contract_lengths(panel, node, k, gradient + lengths.first);
    tw_panel_give(panel);
    tw_panel_give(panel);
}

#define ELL                                                                            \
    {                                                                                  \
        {.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_LENGTH \
    }
#define AMPLITUDE                                                                           \
    {                                                                                       \
        {.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE \
    }
#define COMMON                                                                                  \
    .want = TW_WANT_DISTANCES, .features = 1, .fill = fill, .uniform = uniform, .value = value, \
    .contract = contract

const tw_leaf tw_leaf_stationary = {.slot_count = 2, .slots = {ELL, AMPLITUDE}, COMMON};

/* The third parameter has no name here: the shape names it. */
const tw_leaf tw_leaf_shaped = {
    .slot_count = 3,
    .slots = {ELL, AMPLITUDE, {{.transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_OTHER}},
    COMMON};

const tw_leaf *tw_shape_leaf(const tw_shape *shape)
{
    return shape->own[0] ? &tw_leaf_shaped : &tw_leaf_stationary;
}
