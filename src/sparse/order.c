/* order.c: an elimination order with little fill: approximate minimum degree (AMD; Amestoy, Davis & Duff
 * 1996) and, for large matrices, nested dissection (METIS; Karypis & Kumar 1998); of the two, the one with
 * fewer entries in the factor. Both libraries are optional, and only this file uses them. The context does
 * not count their memory, which they free before this function returns.
 */
#include "sparse/graph.h"

#ifdef TALWEG_AMD
#include <amd.h>
#ifdef TALWEG_METIS
#include <metis.h>
#endif

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)
#define AMD_NAME "AMD " TEXT(AMD_MAIN_VERSION) "." TEXT(AMD_SUB_VERSION) "." TEXT(AMD_SUBSUB_VERSION)

const char *tw_sparse_orderings(void)
{
#ifdef TALWEG_METIS
    return AMD_NAME ", METIS " TEXT(METIS_VER_MAJOR) "." TEXT(METIS_VER_MINOR) "." TEXT(METIS_VER_SUBMINOR);
#else
    return AMD_NAME;
#endif
}

/* The pattern in the form that both libraries use: all neighbours of each variable, as int. */
typedef struct neighbours {
    int *start, *list, *order;
} neighbours;

static tw_status allocate(tw_context *ctx, size_t n, size_t entries, neighbours *to)
{
    void *memory[3] = {NULL, NULL, NULL};
    tw_status status = tw_allocate(ctx, n + 2, sizeof(int), "ordering a sparse matrix", &memory[0]);
    if (status == TW_OK)
        status = tw_allocate(ctx, 2 * entries + 1, sizeof(int), "ordering a sparse matrix", &memory[1]);
    if (status == TW_OK)
        status = tw_allocate(ctx, 2 * n, sizeof(int), "ordering a sparse matrix", &memory[2]);
    *to = (neighbours){memory[0], memory[1], memory[2]};
    return status;
}

static void fill_neighbours(size_t n, const size_t *start, const uint32_t *row, neighbours *to)
{
    int *next = to->start + 1;
    for (size_t pass = 0; pass < 2; pass++) {
        for (size_t j = 0; j < n; j++)
            for (size_t e = start[j]; e < start[j + 1]; e++) {
                size_t i = row[e];
                if (i == j) continue;
                if (pass == 0) {
                    to->start[i + 2]++;
                    to->start[j + 2]++;
                } else {
                    to->list[next[i]++] = (int)j;
                    to->list[next[j]++] = (int)i;
                }
            }
        for (size_t k = 0; pass == 0 && k < n; k++) to->start[k + 2] += to->start[k + 1];
    }
}

static tw_status by_degree(tw_context *ctx, size_t n, const neighbours *from)
{
    int result = amd_order((int)n, from->start, from->list, from->order, NULL, NULL);
    if (result == AMD_OK || result == AMD_OK_BUT_JUMBLED) return TW_OK;
    return tw_fail(ctx, result == AMD_OUT_OF_MEMORY ? TW_NO_MEMORY : TW_NUMERICAL_FAILURE,
                   "AMD cannot order a sparse matrix of %zu variables (error code %d)", n, result);
}

#ifdef TALWEG_METIS
_Static_assert(sizeof(idx_t) == sizeof(int), "METIS with 32-bit indices");

/* Nested dissection by METIS. False if METIS fails; the order by minimum degree then remains. The inverse
 * order is written to the second half of from->order. */
static bool by_dissection(size_t n, neighbours *from)
{
    idx_t options[METIS_NOPTIONS], count = (idx_t)n;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = 1;
    return METIS_NodeND(&count, from->start, from->list, NULL, options, from->order, from->order + n) ==
           METIS_OK;
}
#else
static bool by_dissection(size_t n, const neighbours *from)
{
    (void)n;
    (void)from;
    return false;
}
#endif

static void copy_order(size_t n, const int *from, uint32_t *to)
{
    for (size_t k = 0; k < n; k++) to[k] = (uint32_t)from[k];
}

/* Nested dissection is better from thousands of variables on, if minimum degree causes much fill. */
static tw_status find_best(tw_graph *g, const size_t *start, const uint32_t *row, neighbours *work,
                           uint32_t *order)
{
    enum { LARGE = 4000, FILL = 6 };
    size_t n = g->n;
    fill_neighbours(n, start, row, work);
    TW_TRY(by_degree(g->ctx, n, work));
    copy_order(n, work->order, order);
    size_t entries = tw_graph_order(g, start, row, order);
    if (n < LARGE || entries < FILL * start[n] || !by_dissection(n, work)) return TW_OK;
    for (size_t k = 0; k < n; k++) g->count[k] = (uint32_t)work->order[k];
    for (size_t k = 0; k < n; k++) work->order[k] = (int)order[k];
    for (size_t k = 0; k < n; k++) order[k] = g->count[k];
    if (tw_graph_order(g, start, row, order) > entries) copy_order(n, work->order, order);
    return TW_OK;
}

tw_status tw_order_find(tw_graph *graph, const size_t *start, const uint32_t *row, uint32_t *order)
{
    size_t n = graph->n;
    neighbours work = {NULL, NULL, NULL};
    if (start[n] > INT32_MAX / 2)
        return tw_fail(graph->ctx, TW_BAD_ARGUMENT,
                       "a sparse matrix with %zu entries is too large: the limit is 2^30", start[n]);
    tw_status status = allocate(graph->ctx, n, start[n], &work);
    if (status == TW_OK) status = find_best(graph, start, row, &work, order);
    tw_release(graph->ctx, work.start);
    tw_release(graph->ctx, work.list);
    tw_release(graph->ctx, work.order);
    return status;
}

#else

const char *tw_sparse_orderings(void)
{
    return NULL;
}

tw_status tw_order_find(tw_graph *graph, const size_t *start, const uint32_t *row, uint32_t *order)
{
    (void)start;
    (void)row;
    (void)order;
    return tw_fail(graph->ctx, TW_BAD_ARGUMENT,
                   "this talweg was built without sparse matrices: install SuiteSparse's AMD, and METIS for "
                   "large matrices (Debian: libsuitesparse-dev libmetis-dev), and rebuild it");
}

#endif
