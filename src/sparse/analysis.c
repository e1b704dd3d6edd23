/* analysis.c: the symbolic factorisation; see analysis.h. The rows of a supernode are those of the matrix in
 * its columns and those of its children in the elimination tree (Liu 1990). Supernodes are merged as in
 * Ashcraft & Grimes 1989 (The influence of relaxed supernode partitions on the multifrontal method), with the
 * limits on zeros that CHOLMOD's manual recommends.
 */
#include "sparse/analysis.h"

#include <stdlib.h>
#include <string.h>

tw_analysis *tw_analysis_hold(tw_analysis *analysis)
{
    atomic_fetch_add(&analysis->holders, 1);
    return analysis;
}

void tw_analysis_release(tw_analysis *a)
{
    if (!a || atomic_fetch_sub(&a->holders, 1) > 1) return;
    tw_context *ctx = a->ctx;
    tw_release(ctx, a->order);
    tw_release(ctx, a->place);
    tw_release(ctx, a->first);
    tw_release(ctx, a->of);
    tw_release(ctx, a->below);
    tw_release(ctx, a->row);
    tw_release(ctx, a->at);
    tw_release(ctx, a);
}

/* ---- supernodes ---- */

/* Whether column j has the same rows below it as column j - 1, its child. */
static bool has_same_rows(const tw_graph *g, size_t j)
{
    return g->parent[j - 1] == j && g->count[j - 1] == g->count[j] + 1;
}

static double block_entries(double k, double m)
{
    return 0.5 * k * (k + 1.0) + k * m;
}

/* Whether k columns with this share of zeros may form one supernode. */
static bool few_zeros(size_t k, double share)
{
    if (k <= 4) return true;
    return share < (k <= 16 ? 0.8 : k <= 48 ? 0.1 : 0.05);
}

/* From the last supernode to the first, merge each with the next one if that contains its parent and few
 * zeros result. first holds the fundamental supernodes and becomes the merged ones; zeros holds one number
 * for each. Returns the number of merged supernodes. */
static size_t merge(const tw_graph *g, size_t count, uint32_t *first, double *zeros)
{
    size_t kept = count - 1; /* [kept, count) are done; `kept` is the next candidate */
    zeros[kept] = 0.0;
    for (size_t s = count - 1; s-- > 0;) {
        size_t begin = first[s], middle = first[kept], past = first[kept + 1];
        double k1 = (double)(middle - begin), k2 = (double)(past - middle);
        double m1 = (double)g->count[middle - 1] - 1.0, m2 = (double)g->count[past - 1] - 1.0;
        double all = block_entries(k1 + k2, m2);
        double more = all - block_entries(k1, m1) - block_entries(k2, m2) + zeros[kept];
        bool child = g->parent[middle - 1] != TW_NO_PARENT && g->parent[middle - 1] < past;
        if (child && few_zeros(past - begin, more / all)) {
            zeros[kept] = more;
            first[kept] = (uint32_t)begin;
        } else {
            zeros[--kept] = 0.0;
            first[kept] = (uint32_t)begin;
        }
    }
    memmove(first, first + kept, (count - kept + 1) * sizeof *first);
    return count - kept;
}

static tw_status find_supernodes(tw_analysis *a, const tw_graph *g)
{
    double *zeros = NULL;
    size_t count = 0;
    TW_TRY(tw_index_allocate(a->ctx, a->n + 1, "the supernodes", &a->first));
    TW_TRY(tw_index_allocate(a->ctx, a->n, "the supernodes", &a->of));
    TW_TRY(tw_allocate_doubles(a->ctx, a->n, 1, "the supernodes", &zeros));
    for (size_t j = 0; j < a->n; j++)
        if (j == 0 || !has_same_rows(g, j)) a->first[count++] = (uint32_t)j;
    a->first[count] = (uint32_t)a->n;
    a->supernodes = merge(g, count, a->first, zeros);
    for (size_t s = 0; s < a->supernodes; s++)
        for (size_t j = a->first[s]; j < a->first[s + 1]; j++) a->of[j] = (uint32_t)s;
    tw_release(a->ctx, zeros);
    return TW_OK;
}

/* ---- rows and blocks of the supernodes ---- */

static tw_status lay_out(tw_analysis *a, const tw_graph *g)
{
    TW_TRY(tw_start_allocate(a->ctx, a->supernodes + 1, "the supernodes", &a->below));
    TW_TRY(tw_start_allocate(a->ctx, a->supernodes + 1, "the supernodes", &a->at));
    for (size_t s = 0; s < a->supernodes; s++) {
        size_t k = a->first[s + 1] - a->first[s], m = g->count[a->first[s + 1] - 1] - 1;
        a->below[s + 1] = a->below[s] + m;
        a->at[s + 1] = a->at[s] + (k + m) * k;
        if (m > a->most_below) a->most_below = m;
        if (m * k > a->most_panel) a->most_panel = m * k;
        for (size_t j = 0; j < k; j++) a->flops += (double)(k + m - j) * (double)(k + m - j);
    }
    a->entries = a->at[a->supernodes];
    return tw_index_allocate(a->ctx, a->below[a->supernodes], "the rows of the supernodes", &a->row);
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Add the rows after supernode s that are not yet marked with it. */
static size_t add_rows(const tw_analysis *a, size_t s, size_t count, const uint32_t *from, uint32_t *mark,
                       size_t filled)
{
    for (size_t e = 0; e < count; e++) {
        uint32_t i = from[e];
        if (i < a->first[s + 1] || mark[i] == s) continue;
        mark[i] = (uint32_t)s;
        a->row[filled++] = i;
    }
    return filled;
}

/* child and sibling hold lists of the children of each supernode, which precede it. The parent of a supernode
 * is that of its first row. */
static void find_rows(tw_analysis *a, const tw_graph *g, uint32_t *mark, uint32_t *child, uint32_t *sibling)
{
    for (size_t j = 0; j < a->n; j++) mark[j] = TW_NO_PARENT;
    for (size_t s = 0; s < a->supernodes; s++) child[s] = TW_NO_PARENT;
    for (size_t s = 0; s < a->supernodes; s++) {
        size_t filled = a->below[s], m;
        for (size_t j = a->first[s]; j < a->first[s + 1]; j++)
            filled = add_rows(a, s, g->start[j + 1] - g->start[j], g->below + g->start[j], mark, filled);
        for (uint32_t c = child[s]; c != TW_NO_PARENT; c = sibling[c])
            filled = add_rows(a, s, a->below[c + 1] - a->below[c], a->row + a->below[c], mark, filled);
        m = filled - a->below[s];
        if (m == 0) continue;
        qsort(a->row + a->below[s], m, sizeof *a->row, compare);
        uint32_t parent = a->of[a->row[a->below[s]]];
        sibling[s] = child[parent];
        child[parent] = (uint32_t)s;
    }
}

/* ---- the whole analysis ---- */

static tw_status analyse(tw_analysis *a, tw_graph *g, const size_t *start, const uint32_t *row,
                         const uint32_t *order)
{
    TW_TRY(tw_index_allocate(a->ctx, a->n, "the order of elimination", &a->order));
    TW_TRY(tw_index_allocate(a->ctx, a->n, "the order of elimination", &a->place));
    if (order)
        memcpy(a->order, order, a->n * sizeof *order);
    else
        TW_TRY(tw_order_find(g, start, row, a->order));
    tw_graph_order(g, start, row, a->order);
    tw_graph_postorder(g, a->order);
    tw_graph_order(g, start, row, a->order);
    memcpy(a->place, g->place, a->n * sizeof *a->place);
    TW_TRY(find_supernodes(a, g));
    TW_TRY(lay_out(a, g));
    find_rows(a, g, g->mark, g->count, g->place);
    return TW_OK;
}

tw_status tw_analysis_new(tw_context *ctx, size_t n, const size_t *start, const uint32_t *row,
                          const uint32_t *order, tw_analysis **out)
{
    void *memory = NULL;
    tw_graph graph;
    *out = NULL;
    TW_TRY(tw_allocate(ctx, 1, sizeof **out, "the analysis of a sparse matrix", &memory));
    tw_analysis *a = memory;
    a->ctx = ctx;
    a->n = n;
    atomic_init(&a->holders, 1);
    tw_status status = tw_graph_new(ctx, n, start, &graph);
    if (status == TW_OK) status = analyse(a, &graph, start, row, order);
    tw_graph_free(&graph);
    if (status == TW_OK)
        *out = a;
    else
        tw_analysis_release(a);
    return status;
}

/* ---- positions ---- */

/* The position of row i in the block of s. */
static size_t position_of(const tw_supernode *s, size_t i)
{
    size_t low = 0, high = s->m;
    if (i < s->past) return i - s->first;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (s->row[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return s->k + low;
}

size_t tw_analysis_find(const tw_analysis *a, size_t i, size_t j)
{
    size_t p = a->place[i], q = a->place[j], low = p < q ? p : q, high = p < q ? q : p;
    tw_supernode s = tw_supernode_get(a, a->of[low]);
    return s.at + position_of(&s, high) + (low - s.first) * s.ld;
}

tw_overlap tw_analysis_overlap(const tw_analysis *a, const tw_supernode *s, size_t from, uint32_t *position)
{
    tw_supernode t = tw_supernode_get(a, a->of[s->row[from]]);
    tw_overlap overlap = {.from = from, .ancestor = t};
    size_t i = from, at = 0;
    for (; i < s->m && s->row[i] < t.past; i++) position[i] = (uint32_t)(s->row[i] - t.first);
    overlap.to = i;
    for (; i < s->m; i++) {
        while (t.row[at] != s->row[i]) at++;
        position[i] = (uint32_t)(t.k + at);
    }
    return overlap;
}
