/* graph.c: the elimination tree and the sizes of the columns of the factor; see graph.h. The entries of the
 * factor are counted row by row: those of row k are the paths in the tree from the entries of the matrix in
 * that row up to k, so the work is the number of entries. */
#include "sparse/graph.h"

#include <string.h>

void tw_graph_free(tw_graph *g)
{
    tw_release(g->ctx, g->start);
    tw_release(g->ctx, g->below);
    tw_release(g->ctx, g->row_start);
    tw_release(g->ctx, g->before);
    tw_release(g->ctx, g->parent);
    tw_release(g->ctx, g->count);
    tw_release(g->ctx, g->mark);
    tw_release(g->ctx, g->place);
    *g = (tw_graph){.ctx = g->ctx};
}

static tw_status allocate(tw_graph *g, size_t entries)
{
    static const char what[] = "the pattern of a sparse matrix";
    TW_TRY(tw_start_allocate(g->ctx, g->n + 2, what, &g->start));
    TW_TRY(tw_start_allocate(g->ctx, g->n + 2, what, &g->row_start));
    TW_TRY(tw_index_allocate(g->ctx, entries, what, &g->below));
    TW_TRY(tw_index_allocate(g->ctx, entries, what, &g->before));
    TW_TRY(tw_index_allocate(g->ctx, g->n, what, &g->parent));
    TW_TRY(tw_index_allocate(g->ctx, g->n, what, &g->count));
    TW_TRY(tw_index_allocate(g->ctx, g->n, what, &g->mark));
    return tw_index_allocate(g->ctx, g->n, what, &g->place);
}

tw_status tw_graph_new(tw_context *ctx, size_t n, const size_t *start, tw_graph *graph)
{
    *graph = (tw_graph){.ctx = ctx, .n = n};
    tw_status status = allocate(graph, start[n]);
    if (status != TW_OK) tw_graph_free(graph);
    return status;
}

/* before: for each entry, the smaller index in the list of the larger. Row k is counted at row_start[k + 2],
 * so that the cumulative sums become the starts of the rows when the lists are filled. */
static void list_rows(tw_graph *g, const size_t *start, const uint32_t *row)
{
    size_t *next = g->row_start + 1;
    memset(g->row_start, 0, (g->n + 2) * sizeof *g->row_start);
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < g->n; j++)
            for (size_t e = start[j]; e < start[j + 1]; e++) {
                uint32_t a = g->place[j], b = g->place[row[e]];
                if (a == b) continue;
                uint32_t low = a < b ? a : b, high = a < b ? b : a;
                if (pass == 0)
                    g->row_start[high + 2]++;
                else
                    g->before[next[high]++] = low;
            }
        for (size_t k = 0; pass == 0 && k < g->n; k++) g->row_start[k + 2] += g->row_start[k + 1];
    }
}

/* below: the same lists by columns. Rows are visited in order, so the lists are sorted. */
static void list_columns(tw_graph *g)
{
    size_t *next = g->start + 1;
    memset(g->start, 0, (g->n + 2) * sizeof *g->start);
    for (size_t e = 0; e < g->row_start[g->n]; e++) g->start[g->before[e] + 2]++;
    for (size_t j = 0; j < g->n; j++) g->start[j + 2] += g->start[j + 1];
    for (size_t k = 0; k < g->n; k++)
        for (size_t e = g->row_start[k]; e < g->row_start[k + 1]; e++)
            g->below[next[g->before[e]]++] = (uint32_t)k;
}

/* The elimination tree, with path compression in mark: from each entry of row k climb to the current root,
 * and make k its parent. */
static void find_parents(tw_graph *g)
{
    uint32_t *ancestor = g->mark;
    for (size_t k = 0; k < g->n; k++) {
        g->parent[k] = ancestor[k] = TW_NO_PARENT;
        for (size_t e = g->row_start[k]; e < g->row_start[k + 1]; e++)
            for (uint32_t j = g->before[e], next; j != TW_NO_PARENT && j < k; j = next) {
                next = ancestor[j];
                ancestor[j] = (uint32_t)k;
                if (next == TW_NO_PARENT) g->parent[j] = (uint32_t)k;
            }
    }
}

static size_t count_entries(tw_graph *g)
{
    size_t entries = g->n;
    for (size_t k = 0; k < g->n; k++) g->count[k] = 1;
    for (size_t k = 0; k < g->n; k++) {
        g->mark[k] = (uint32_t)k;
        for (size_t e = g->row_start[k]; e < g->row_start[k + 1]; e++)
            for (uint32_t j = g->before[e]; g->mark[j] != k; j = g->parent[j]) {
                g->mark[j] = (uint32_t)k;
                g->count[j]++;
                entries++;
            }
    }
    return entries;
}

size_t tw_graph_order(tw_graph *graph, const size_t *start, const uint32_t *row, const uint32_t *order)
{
    for (size_t k = 0; k < graph->n; k++) graph->place[order[k]] = (uint32_t)k;
    list_rows(graph, start, row);
    list_columns(graph);
    find_parents(graph);
    return count_entries(graph);
}

/* Build lists of children (mark: first child, place: next sibling). Then descend along first children, and
 * number the variables on the way up. The caller no longer needs count, which receives the new order. */
void tw_graph_postorder(tw_graph *g, uint32_t *order)
{
    uint32_t *child = g->mark, *sibling = g->place, *after = g->count, next = 0;
    for (size_t k = 0; k < g->n; k++) child[k] = TW_NO_PARENT;
    for (size_t k = g->n; k-- > 0;) {
        if (g->parent[k] == TW_NO_PARENT) continue;
        sibling[k] = child[g->parent[k]];
        child[g->parent[k]] = (uint32_t)k;
    }
    for (size_t root = 0; root < g->n; root++) {
        if (g->parent[root] != TW_NO_PARENT) continue;
        for (uint32_t k = (uint32_t)root; k != TW_NO_PARENT;) {
            if (child[k] != TW_NO_PARENT) { /* descend, and remove this child from the list */
                uint32_t down = child[k];
                child[k] = sibling[down];
                k = down;
            } else {
                after[next++] = order[k];
                k = g->parent[k];
            }
        }
    }
    memcpy(order, after, g->n * sizeof *order);
}
