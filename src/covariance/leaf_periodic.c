/* leaf_periodic.c: periodic leaves. Each is a product over its inputs; with w_k = 2 pi (a_k - b_k) /
 * period_k:
 *
 *   periodic   sigma^2 exp(-2 sum_k sin^2(w_k/2) / ell_k^2)
 *   cosine     sigma^2 prod_k cos(w_k)
 *
 * The features of an input are c = cos(2 pi a/period) and s = sin(2 pi a/period), divided by ell for
 * periodic. Their squared distance is d2 = 4 sin^2(w/2) / ell^2, so periodic is sigma^2 exp(-d2/2); and
 * cos(w) = c_a c_b + s_a s_b.
 *
 *   periodic   d/dlog ell_k: k d2_k;   d/dlog period_k: k w_k sin(w_k) / ell_k^2
 *   cosine     d/dlog period_k: sigma^2 w_k sin(w_k) prod_{l != k} cos(w_l)
 *
 * where sin(w) = s_a c_b - c_a s_b.
 */
#include <math.h>

#include "covariance/panel.h"
#include "linalg/vector.h"
#include "math/vector.h"

enum { PERIOD = 0, ELL = 1, SIGMA = 2, COSINE_SIGMA = 1 };
static const double two_pi = 6.283185307179586476925286766559;

/* The features of an input: points on a circle of this radius. */
static void fill_circle(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                        double radius, double *to)
{
    double period = tw_node_value(kernel, node, PERIOD, c);
    for (size_t i = 0; i < n; i++) {
        double phase = two_pi * (remainder(from[i], period) / period); /* accurate also far from 0 */
        to[i] = radius * cos(phase);
        to[i + n] = radius * sin(phase);
    }
}

/* The angle w of row i and column j, from the inputs. */
static double angle(const tw_panel *panel, const tw_node *node, size_t c, size_t i, size_t j)
{
    const tw_geometry *g = panel->geometry;
    size_t column = tw_node_column(panel->kernel, node, c);
    double a = g->rows->x[panel->first_row + i + column * g->rows->ld];
    double b = g->columns->x[panel->first_column + j + column * g->columns->ld];
    return two_pi * (a - b) / tw_node_value(panel->kernel, node, PERIOD, c);
}

/* The features of one input: row[i] is the cosine of row i, and row[i + rows] its sine;
 * likewise for columns. */
typedef struct circle {
    const double *row, *column;
    size_t rows, columns;
} circle;

static circle circle_of(const tw_panel *panel, const tw_node *node, size_t c)
{
    const tw_geometry *g = panel->geometry;
    const tw_set *set = tw_panel_set(panel, node);
    return (circle){set->rows.values + 2 * c * g->n + panel->first_row,
                    set->columns.values + 2 * c * g->m + panel->first_column, g->n, g->m};
}

static double cosine_of(const circle *f, size_t i, size_t j)
{
    return f->row[i] * f->column[j] + f->row[i + f->rows] * f->column[j + f->columns];
}

static double sine_of(const circle *f, size_t i, size_t j)
{
    return f->row[i + f->rows] * f->column[j] - f->row[i] * f->column[j + f->columns];
}

/* gradient[period of input c] += sum over the panel of p_ij w sin(w), with sin(w) from the features. */
static void contract_period(const tw_panel *panel, const tw_node *node, size_t c, const double *p,
                            double *gradient)
{
    tw_span period = node->slot[PERIOD];
    const circle f = circle_of(panel, node, c);
    double total = 0.0;
    for (size_t j = 0; j < panel->columns; j++)
        for (size_t i = 0; i < panel->rows; i++)
            total += p[i + j * panel->rows] * angle(panel, node, c, i, j) * sine_of(&f, i, j);
    gradient[period.first + (period.count == 1 ? 0 : c)] += total;
}

/* ---- periodic ---- */

static void periodic_fill(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n,
                          const double *from, double centre, double *to)
{
    (void)centre;
    fill_circle(kernel, node, c, n, from, exp(-tw_node_theta(kernel, node, ELL, c)), to);
}

static bool periodic_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = tw_node_sigma2(panel->kernel, node, SIGMA);
    return panel->kind == TW_PANEL_DIAGONAL;
}

static void periodic_value(const tw_panel *panel, const tw_node *node, double *out)
{
    size_t n = panel->rows * panel->columns;
    const double *d2 = tw_panel_set(panel, node)->numbers;
    double sigma2 = tw_node_sigma2(panel->kernel, node, SIGMA);
    for (size_t i = 0; i < n; i++) out[i] = -0.5 * d2[i];
    tw_vector_exp(n, out, out);
    for (size_t i = 0; i < n; i++) out[i] *= sigma2;
}

static void periodic_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns;
    tw_span ell = node->slot[ELL], sigma = node->slot[SIGMA];
    double *p = tw_panel_take(panel);
    periodic_value(panel, node, p);
    for (size_t i = 0; i < n; i++) p[i] *= adjoint[i];
    for (size_t i = 0; sigma.count && i < n; i++) gradient[sigma.first] += 2.0 * p[i];
    for (size_t c = 0; c < tw_node_width(node, panel->geometry->d); c++)
        contract_period(panel, node, c, p, gradient);
    if (ell.count == 1) {
        gradient[ell.first] += tw_dot(n, p, tw_panel_set(panel, node)->numbers);
    } else {
        for (size_t i = 0; i < n; i++) p[i] *= -0.5; /* dk/d(d2) = -k/2 */
        tw_contract_lengths(panel, node, p, gradient + ell.first);
    }
    tw_panel_give(panel);
}

const tw_leaf tw_leaf_periodic = {
    .name = "periodic",
    .slot_count = 3,
    .slots = {{{.name = "period", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_LENGTH},
              {{.name = "ell", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_RATIO},
              {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .want = TW_WANT_DISTANCES,
    .features = 2,
    .fill = periodic_fill,
    .uniform = periodic_uniform,
    .value = periodic_value,
    .contract = periodic_contract,
};

/* ---- cosine ---- */

static void cosine_fill(const tw_kernel *kernel, const tw_node *node, size_t c, size_t n, const double *from,
                        double centre, double *to)
{
    (void)centre;
    fill_circle(kernel, node, c, n, from, 1.0, to);
}

static bool cosine_uniform(const tw_panel *panel, const tw_node *node, double *value)
{
    *value = tw_node_sigma2(panel->kernel, node, COSINE_SIGMA);
    return panel->kind == TW_PANEL_DIAGONAL;
}

/* out *= cos(w) of input c. */
static void multiply_cosine(const tw_panel *panel, const tw_node *node, size_t c, double *out)
{
    const circle f = circle_of(panel, node, c);
    for (size_t j = 0; j < panel->columns; j++)
        for (size_t i = 0; i < panel->rows; i++) out[i + j * panel->rows] *= cosine_of(&f, i, j);
}

static void cosine_value(const tw_panel *panel, const tw_node *node, double *out)
{
    double sigma2 = tw_node_sigma2(panel->kernel, node, COSINE_SIGMA);
    for (size_t i = 0; i < panel->rows * panel->columns; i++) out[i] = sigma2;
    for (size_t c = 0; c < tw_node_width(node, panel->geometry->d); c++) multiply_cosine(panel, node, c, out);
}

static void cosine_contract(tw_panel *panel, const tw_node *node, const double *adjoint, double *gradient)
{
    size_t n = panel->rows * panel->columns, width = tw_node_width(node, panel->geometry->d);
    double sigma2 = tw_node_sigma2(panel->kernel, node, COSINE_SIGMA);
    tw_span sigma = node->slot[COSINE_SIGMA];
    double *p = tw_panel_take(panel);
    for (size_t c = 0; c < width; c++) {
        for (size_t i = 0; i < n; i++) p[i] = sigma2 * adjoint[i];
        for (size_t other = 0; other < width; other++)
            if (other != c) multiply_cosine(panel, node, other, p);
        contract_period(panel, node, c, p, gradient);
        if (c > 0 || sigma.count == 0) continue;
        multiply_cosine(panel, node, c, p);
        for (size_t i = 0; i < n; i++) gradient[sigma.first] += 2.0 * p[i];
    }
    tw_panel_give(panel);
}

const tw_leaf tw_leaf_cosine = {
    .name = "cosine",
    .slot_count = 2,
    .slots = {{{.name = "period", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_LENGTH},
              {{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .want = TW_WANT_FEATURES,
    .features = 2,
    .fill = cosine_fill,
    .uniform = cosine_uniform,
    .value = cosine_value,
    .contract = cosine_contract,
};
