/* fuzz_graph.c: files with the neighbours of areas, and the connected components of their graphs. */
#include <stdlib.h>

#include "fuzz/fuzz.h"
#include "sparse/sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_sparse *graph = NULL;
    tw_status status = tw_graph_read(ctx, fuzz_write(".graph", data, size), &graph);
    if (status == TW_OK) {
        uint32_t *part = calloc(graph->columns, sizeof *part);
        if (!part || tw_graph_parts(graph, part) > graph->columns) abort();
        free(part);
    }
    tw_sparse_free(graph);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {
        "3\n1 1 2\n2 2 1 3\n3 1 2\n", "# two parts\n4\n1 1 2\n2 1 1\n3 1 4\n4 1 3\n", "1099511627776\n1 0\n",
        "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", NULL};
    return fuzz_text(seeds, k, length);
}
