/* fuzz_matrix_market.c: files with sparse matrices, and the selected inverses of these. */
#include "fuzz/fuzz.h"
#include "talweg/sparse.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tw_context *ctx = fuzz_context();
    tw_sparse *matrix = NULL;
    double log_det;
    tw_status status = tw_sparse_read(ctx, fuzz_write(".mtx", data, size), size % 2 == 0, &matrix);
    if (status == TW_OK && matrix->symmetric && matrix->rows < 1000)
        status = tw_selected_inverse(matrix, NULL, &log_det);
    tw_sparse_free(matrix);
    fuzz_end(ctx, status);
    return 0;
}

const size_t fuzz_variations = 1000;

char *fuzz_seed(size_t k, size_t *length)
{
    static const char *const seeds[] = {
        "%%MatrixMarket matrix coordinate real symmetric\n% note\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n2 1 -1\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1.5e0\n2 2 4\n1 2 0\n",
        "%%MatrixMarket matrix coordinate pattern general\r\n3 2 2\r\n1 1\r\n3 2\r\n",
        "%%MatrixMarket matrix coordinate integer symmetric\n1099511627776 1 1099511627776\n1 1 1\n", NULL};
    return fuzz_text(seeds, k, length);
}
