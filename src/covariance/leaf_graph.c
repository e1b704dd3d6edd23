/* leaf_graph.c: icar, an intrinsic autoregression over areas (Besag 1974), with the neighbours of each area from a file:
 *
 *   icar(area, graph="areas.graph", sigma=1)      1/sigma^2 sum over neighbours i ~ j of (u_i - u_j)^2,   sum of u = 0
 *
 * The input is the number of a case's area, from 1 on, as in the file. An area may have several cases. The graph must be connected:
 * levels of separate parts would be unknown each.
 */
#include <math.h>

#include "covariance/attachment.h"
#include "covariance/precision.h"

enum { GRAPH = 0, SIGMA = 0 };

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
                   "%.500s: the graph is not connected: it has %zu parts, and no way leads from area 1 to "
                   "area %zu. Join them, or model "
                   "them apart",
                   graph->path, parts, apart + 1);
}

static tw_status read_graph(tw_context *ctx, const char *path, tw_attachment *to)
{
    TW_TRY(tw_graph_read(ctx, path, &to->matrix));
    return check_connected(ctx, to);
}

/* The areas of the cases, from 0 on. */
static tw_status find_areas(const tw_kernel *kernel, const tw_node *node, size_t n, const double *input,
                            uint32_t *of)
{
    size_t areas = node->file[GRAPH]->matrix->columns;
    for (size_t i = 0; i < n; i++) {
        if (!(input[i] >= 1.0) || !(input[i] <= (double)areas) || input[i] != floor(input[i]))
            return tw_fail(kernel->ctx, TW_BAD_DATA,
                           "case %zu is in area %g, and %.500s has areas 1 to %zu: the input of %s is the "
                           "number of an area",
                           i + 1, input[i], node->file[GRAPH]->path, areas, tw_node_name(node));
        of[i] = (uint32_t)input[i] - 1;
    }
    return TW_OK;
}

static tw_status fill_constraint(size_t areas, tw_precision *out)
{
    TW_TRY(tw_allocate_doubles(out->ctx, areas, 1, "the constraint of a graph", &out->constraints.v));
    for (size_t i = 0; i < areas; i++) out->constraints.v[i] = 1.0 / sqrt((double)areas);
    out->constraints.count = 1;
    return TW_OK;
}

static tw_status precision(const tw_kernel *kernel, const tw_node *node, size_t n, size_t d, const double *x,
                           size_t ldx, tw_precision *out)
{
    const tw_sparse *graph = node->file[GRAPH]->matrix;
    uint32_t *of = NULL;
    if (tw_node_width(node, d) != 1)
        return tw_fail(kernel->ctx, TW_BAD_ARGUMENT,
                       "%s looks at one input, the number of an area, not at %zu: name it",
                       tw_node_name(node), tw_node_width(node, d));
    if (graph->columns < 2)
        return tw_fail(kernel->ctx, TW_BAD_DATA, "%.500s: a graph needs two areas at least",
                       node->file[GRAPH]->path);
    TW_TRY(tw_sparse_copy(graph, &out->q));
    for (size_t e = 0; e < graph->start[graph->columns]; e++)
        out->q->value[e] /= tw_node_sigma2(kernel, node, SIGMA);
    TW_TRY(fill_constraint(graph->columns, out));
    TW_TRY(tw_index_allocate(kernel->ctx, n, "the areas of the cases", &of));
    tw_status status = find_areas(kernel, node, n, x + tw_node_column(kernel, node, 0) * ldx, of);
    if (status == TW_OK) status = tw_precision_pick(out, n, graph->columns, of);
    tw_release(kernel->ctx, of);
    return status;
}

const tw_leaf tw_leaf_icar = {
    .name = "icar",
    .slot_count = 1,
    .slots = {{{.name = "sigma", .transform = TW_TRANSFORM_LOG, .initial = 1.0}, TW_ROLE_AMPLITUDE}},
    .want = TW_WANT_FEATURES,
    .features = 1,
    .file = {{"graph", true, read_graph}},
    .precision = precision,
};
