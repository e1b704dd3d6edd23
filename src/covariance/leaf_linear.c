/* leaf_linear.c: leaves that depend on products of inputs, G = sum_k a_k b_k / ell_k^2. Without one length
 * per input, ell = 1:
 *
 *   linear       sigma^2 G
 *   polynomial   sigma^2 (offset + G)^degree
 *
 * Let k = f(G) be either of them. Then d/dlog sigma: 2 k;  d/dlog ell_k: -2 f'(G) a_k b_k / ell_k^2; d/dlog
 * offset: f'(G) offset. A single length would be redundant with sigma (and offset). With one length per input
 * sigma is redundant, and is fixed at 1.
 */
#include <math.h>

#include "covariance/panel.h"
#include "linalg/vector.h"

enum { ELL = 0, SIGMA = 1, OFFSET = 2 };

static void fill(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                 double centre, double *to)
{
    double inverse = exp(-tw_node_theta(kernel, node, ELL, c));
    (void)centre; /* products depend on the origin, so inputs are not centred */
    for (size_t i = 0; i < n; i++) to[i] = from[i] * inverse;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): the table of leaves has this type */
static bool uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    (void)panel, (void)node, (void)value;
    return false;
}

static const double *products_of(const tw_panel *panel, const tw_node *node)
{
    const tw_set *set = tw_panel_set(panel, node);
    return panel->kind == TW_PANEL_DIAGONAL ? set->rows.norm2 + panel->first_row : set->numbers;
}

static double power(double base, unsigned degree)
{
    double result = 1.0;
    for (unsigned k = 0; k < degree; k++) result *= base;
    return result;
}

static double offset_of(const tw_panel *panel, const tw_node *node)
{
    return node->leaf->has_degree ? tw_node_value(panel->kernel, node, OFFSET, 0) : 0.0;
}

static void value(const tw_panel *panel, const tw_node *node, double *out)
{
    const double *g = products_of(panel, node);
    double sigma2 = tw_node_sigma2(panel->kernel, node, SIGMA), offset = offset_of(panel, node);
    for (size_t i = 0; i < panel->rows * panel->columns; i++)
        out[i] = sigma2 * power(offset + g[i], node->degree);
}

/* p = adjoint * f'(G). */
static void contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    const double *g = products_of(panel, node);
    double sigma2 = tw_node_sigma2(panel->kernel, node, SIGMA), offset = offset_of(panel, node);
    double *p = tw_panel_take(panel), total = 0.0, slopes = 0.0;
    for (size_t i = 0; i < n; i++) {
        double lower = sigma2 * power(offset + g[i], node->degree - 1); /* k / (offset + G) */
        total += adjoint[i] * lower * (offset + g[i]);
        p[i] = adjoint[i] * lower * (double)node->degree;
        slopes += p[i];
    }
    if (node->slot[SIGMA].count) gradient[node->slot[SIGMA].first] += 2.0 * total;
    if (node->leaf->has_degree) gradient[node->slot[OFFSET].first] += slopes * offset;
    if (node->slot[ELL].count) tw_contract_lengths(panel, node, p, gradient + node->slot[ELL].first);
    tw_panel_give(panel);
}

#define COMMON                                                                                 \
    .want = TW_WANT_PRODUCTS, .features = 1, .fill = fill, .uniform = uniform, .value = value, \
    .contract = contract

const tw_leaf tw_leaf_linear = {
    .name = "linear",
    .slot_count = 2,
    .slots = {{{.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_WEIGHT},
              {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    COMMON};

const tw_leaf tw_leaf_polynomial = {
    .name = "polynomial",
    .slot_count = 3,
    .slots = {{{.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_WEIGHT},
              {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE},
              {{.name = "offset", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_OTHER}},
    .has_degree = true,
    COMMON};
