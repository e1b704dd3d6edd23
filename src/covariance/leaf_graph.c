/* leaf_graph.c: priors over areas whose neighbours are read from a file.
 *
 *   icar(area, graph="areas.graph", sigma=1)
 *     an intrinsic autoregression (Besag 1974): u'Qu = sum over neighbours i ~ j of (u_i - u_j)^2 / sigma^2,
 *     with sum of u = 0
 *   bym2(area, graph="areas.graph", sigma=1, odds=1)
 *     a convolution (Riebler et al. 2016): x = u + v with u = sigma phi^1/2 u*, where u* is an icar scaled so
 *     that the geometric mean of its variances is 1, and independent v ~ N(0, sigma^2 (1 - phi)) for each area
 *
 * phi = odds/(1 + odds) is the structured share of the variance sigma^2, so that log odds = logit phi. The
 * input is the number of a case's area in the file, from 1. An area may have any number of cases. The graph
 * must be connected, because otherwise each part would have its own undetermined level.
 */
#include <math.h>

#include "covariance/attachment.h"
#include "covariance/full.h"
#include "covariance/precision.h"

enum { GRAPH = 0, SIGMA = 0, ODDS = 1 };

static tw_status check_connected(tw_context *ctx, const tw_attachment *graph)
{
    size_t n = graph->matrix->columns, apart = 0;
    uint32_t *part = NULL;
    TW_TRY(tw_index_allocate(ctx, n, "the parts of a graph", &part));
    size_t parts = tw_graph_parts(graph->matrix, part);
    while (apart < n && part[apart] == 0) apart++;
    tw_release(ctx, part);
    if (parts == 1) return TW_OK;
    return tw_fail(ctx, TW_BAD_DATA,
                   "%.500s: the graph is not connected: it has %zu parts, and area %zu cannot be reached "
                   "from area 1. Join the parts, or model them separately",
                   graph->path, parts, apart + 1);
}

static tw_status read_graph(tw_context *ctx, const char *path, tw_attachment *to)
{
    TW_TRY(tw_graph_read(ctx, path, &to->matrix));
    return check_connected(ctx, to);
}

/* Read a graph and compute its scale, for bym2. */
static tw_status read_scaled_graph(tw_context *ctx, const char *path, tw_attachment *to)
{
    TW_TRY(read_graph(ctx, path, to));
    if (to->matrix->columns < 2) return TW_OK; /* `precision` fails later, as for icar */
    return tw_graph_scale(to->matrix, &to->variance);
}

/* The areas of cases, counted from 0. */
static tw_status find_areas(const tw_kernel *kernel, const tw_node *node, bool fresh, size_t n,
                            const double *input, uint32_t *of)
{
    size_t areas = node->file[GRAPH]->matrix->columns;
    for (size_t i = 0; i < n; i++) {
        if (!(input[i] >= 1.0) || !(input[i] <= (double)areas) || input[i] != floor(input[i]))
            return tw_fail(kernel->ctx, TW_BAD_DATA,
                           "%scase %zu has area %g, but %.500s has areas 1 to %zu: the input of %s must be "
                           "the number of an area",
                           fresh ? "new " : "", i + 1, input[i], node->file[GRAPH]->path, areas,
                           tw_node_name(node));
        of[i] = (uint32_t)input[i] - 1;
    }
    return TW_OK;
}

/* ---- the prior ---- */

/* The constraint sum of the r structured variables = 0, among `all` variables. */
static tw_status fill_constraint(size_t r, size_t all, tw_precision *out)
{
    TW_TRY(tw_allocate_doubles(out->ctx, all, 1, "the constraint of a graph", &out->constraints.v));
    for (size_t i = 0; i < r; i++) out->constraints.v[i] = 1.0 / sqrt((double)r);
    out->constraints.count = 1;
    return TW_OK;
}

/* The factors of the graph Laplacian and of the precision of v, or their derivatives; `own` is 0 for icar. */
typedef struct weights {
    double structured, own;
} weights;

static weights weights_of(const tw_kernel *kernel, const tw_node *node, const tw_precision *out)
{
    double precision = 1.0 / tw_node_sigma2(kernel, node, SIGMA);
    size_t k;
    if (node->leaf != &tw_leaf_bym2) return (weights){precision, 0.0};
    double odds = tw_node_value(kernel, node, ODDS, 0), phi = odds / (1.0 + odds), rest = 1.0 / (1.0 + odds);
    weights w = {precision * node->file[GRAPH]->variance / phi, precision / rest};
    if (tw_precision_asks(out, node, ODDS, &k)) {
        w.structured *= -rest;
        w.own *= phi;
    }
    return w;
}

/* The precision of u (icar), or of (u, v) (mixed: bym2). */
static tw_status make_matrix(const tw_sparse *graph, const weights *w, bool mixed, tw_precision *out)
{
    size_t r = graph->columns, all = mixed ? 2 * r : r;
    tw_entries e;
    tw_status status = tw_entries_new(out->ctx, graph->start[r] + r, &e);
    for (size_t j = 0; status == TW_OK && j < r; j++) {
        for (size_t s = graph->start[j]; s < graph->start[j + 1]; s++)
            tw_entries_add(&e, graph->row[s], j, w->structured * graph->value[s]);
        if (mixed) tw_entries_add(&e, r + j, r + j, w->own);
    }
    return tw_entries_finish(&e, status, all, all, true, &out->q);
}

/* The design of cases: the variable u of their area, or u + v. */
static tw_status make_design(const tw_kernel *kernel, const tw_node *node, const tw_inputs *cases, bool fresh,
                             tw_precision *out, tw_sparse **design)
{
    size_t r = node->file[GRAPH]->matrix->columns, all = out->q->rows;
    uint32_t *of = NULL;
    tw_entries e = {.ctx = kernel->ctx};
    tw_status status = tw_index_allocate(kernel->ctx, cases->count, "the areas of the cases", &of);
    if (status == TW_OK)
        status = find_areas(kernel, node, fresh, cases->count,
                            cases->x + tw_node_column(kernel, node, 0) * cases->ld, of);
    if (status == TW_OK && !fresh && all == r) {
        status = tw_precision_pick(out, cases->count, r, of);
        tw_release(kernel->ctx, of);
        return status;
    }
    if (status == TW_OK) status = tw_entries_new(kernel->ctx, 2 * cases->count, &e);
    for (size_t i = 0; status == TW_OK && i < cases->count; i++)
        for (size_t j = of[i]; j < all; j += r) tw_entries_add(&e, i, j, 1.0);
    tw_release(kernel->ctx, of);
    return tw_entries_finish(&e, status, cases->count, all, false, design);
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    const tw_sparse *graph = node->file[GRAPH]->matrix;
    bool mixed = node->leaf == &tw_leaf_bym2;
    const tw_inputs cases = {n, x, ldx};
    if (tw_node_width(node, d) != 1)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                       "%s needs one input, the number of an area, not %zu: name it", tw_node_name(node),
                       tw_node_width(node, d));
    if (graph->columns < 2)
        return tw_fail(kernel->ctx, TW_BAD_DATA, "%.500s: a graph needs at least two areas",
                       node->file[GRAPH]->path);
    const weights w = weights_of(kernel, node, out);
    TW_TRY(make_matrix(graph, &w, mixed, out));
    TW_TRY(fill_constraint(graph->columns, out->q->rows, out));
    TW_TRY(make_design(kernel, node, &cases, false, out, &out->design));
    out->hidden = mixed;
    if (!out->at) return TW_OK;
    TW_TRY(tw_allocate_doubles(out->ctx, out->at->count, 1, "the variances of new cases", &out->at_variance));
    return make_design(kernel, node, out->at, true, out, &out->at_design);
}

#define SIGMA_SLOT                                                                          \
    {                                                                                       \
        {.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE \
    }

const tw_leaf tw_leaf_icar = {
    .name = "icar",
    .slot_count = 1,
    .slots = {SIGMA_SLOT},
    .want = TW_WANT_FEATURES,
    .features = 1,
    .file = {{"graph", true, read_graph}},
    .precision = precision,
    TW_FULL_LEAF,
};
const tw_leaf tw_leaf_bym2 = {
    .name = "bym2",
    .slot_count = 2,
    .slots = {SIGMA_SLOT, {{.name = "odds", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_OTHER}},
    .want = TW_WANT_FEATURES,
    .features = 1,
    .file = {{"graph", true, read_scaled_graph}},
    .precision = precision,
    TW_FULL_LEAF,
};
